"""Foreign schema: objects in a file that no migration made, such as a trigger or a changed table.

Such a thing would be run by the first statement that touches it. So a file from elsewhere is
compared before anything in it is used: its schema is read as plain rows, and nothing in it is run.
"""

from contextlib import closing
from dataclasses import dataclass
from functools import cache

from memoria.bare.lazy_regex import lazy_regex
from memoria.store.sqlite.driver import SqliteConnection, sqlite3
from memoria.store.sqlite.migrate import migrations, version_of

_VECTORS = lazy_regex(r"vectors_\d+")
_VECTOR_INDEX = lazy_regex(
    r"CREATE VIRTUAL TABLE (IF NOT EXISTS )?vectors_\d+ USING vec0\([\w\s,=\[\]]*\)"
)
_VECTOR_SHADOW = lazy_regex(
    r"vectors_\d+_(info|chunks|rowids|auxiliary|vector_chunks\d\d|metadata(chunks|text)\d\d)"
)
_PLAIN_TABLE = lazy_regex(r"CREATE TABLE \w+ ?\([\w\s,]*\)")
"""Columns and their types, and no expression: that would have brackets."""
_OWN_INDEX = "sqlite_autoindex_"
_OWN_TABLES = {
    "sqlite_sequence": "CREATE TABLE sqlite_sequence(name,seq)",
    "sqlite_stat1": "CREATE TABLE sqlite_stat1(tbl,idx,stat)",
    "sqlite_stat4": "CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)",
}
"""Tables that SQLite makes for itself, with their definitions."""
_ALL = "SELECT type, name, tbl_name, sql FROM sqlite_schema"


@dataclass(frozen=True, slots=True)
class SchemaObject:
    """A table, index, trigger or view, as the file has it."""

    kind: str
    name: str
    table: str
    sql: str | None
    """Definition without the quotation marks and spaces that versions of SQLite set differently."""


def list_foreign_objects(connection: SqliteConnection) -> list[str]:
    """List objects that the migrations of the file's version did not make, by kind and name.

    Raises:
        sqlite3.Error: the schema can't be read.
    """
    expected = _objects_of_version(version_of(connection))
    return [
        f"{one.kind} {one.name}"
        for one in _read_objects(connection)
        if one not in expected and not _is_vectors(one) and not _is_own(one)
    ]


def list_lost_triggers(connection: SqliteConnection) -> list[str]:
    """List the triggers of the migrations that are gone: what they prevent could be done."""
    there = {(one.kind, one.name) for one in _read_objects(connection)}
    expected = _objects_of_version(version_of(connection))
    triggers = sorted(one.name for one in expected if one.kind == "trigger")
    return [f"no trigger {name}" for name in triggers if ("trigger", name) not in there]


@cache
def _objects_of_version(version: int) -> frozenset[SchemaObject]:
    """Return the objects that the migrations up to a version make."""
    with closing(sqlite3.connect(":memory:")) as connection:
        for number, sql in migrations():
            if number <= version:
                connection.executescript(sql)
        return frozenset(_read_objects(connection))


def _read_objects(connection: sqlite3.Connection) -> list[SchemaObject]:
    rows = connection.execute(_ALL).fetchall()
    return [SchemaObject(kind, name, table, _fold(sql)) for kind, name, table, sql in rows]


def _fold(sql: str | None) -> str | None:
    return None if sql is None else " ".join(sql.replace('"', "").replace("'", "").split())


def _is_vectors(one: SchemaObject) -> bool:
    """Check whether an object is a vector index, or a table that sqlite-vec keeps it in."""
    if one.kind != "table" or one.table != one.name or one.sql is None:
        return False
    if _VECTORS.fullmatch(one.name):
        return _VECTOR_INDEX.fullmatch(one.sql) is not None
    is_shadow = _VECTOR_SHADOW.fullmatch(one.name) is not None
    return is_shadow and _PLAIN_TABLE.fullmatch(one.sql) is not None


def _is_own(one: SchemaObject) -> bool:
    """Check whether SQLite made an object for itself."""
    if one.kind == "index":
        return one.sql is None and one.name.startswith(_OWN_INDEX)
    return one.kind == "table" and one.sql is not None and _OWN_TABLES.get(one.name) == one.sql
