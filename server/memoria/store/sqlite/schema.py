"""Schema of a database file: numbered migrations, and objects that no migration made.

Each migration is a `.sql` file with a transaction of its own. A new file is made with the end
result of all migrations, in one transaction: renaming tables one after another takes longer.

A foreign trigger would be run by the first statement that touches its table. So a file from
elsewhere is compared before anything in it is used: its schema is read as plain rows.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from importlib import resources

from memoria.bare.lazy_regex import lazy_regex
from memoria.errors import StoreDamagedError
from memoria.store.rows.texts import pack, unpack
from memoria.store.schema_versions import refuse_newer
from memoria.store.sql.statements import statements
from memoria.store.sqlite.driver import SqliteConnection, sqlite3, transaction

_PACKED_SQL = statements("packed_texts")


def unpack_texts(connection: SqliteConnection) -> None:
    """Store each text of a packed block in a row of its own, within the migration's transaction.

    The texts of a damaged block are stored as they can be read, which is not what was kept: an
    examination names them then as it names any text that is damaged.
    """
    for block in connection.execute(_PACKED_SQL["blocks"]):
        texts = _open_block(block["data"])
        for place in connection.execute(_PACKED_SQL["places"], {"n": block["n"]}).fetchall():
            codec, data = pack(texts[place["start"] : place["start"] + place["size"]])
            row = {"hash": place["hash"], "codec": codec, "size": place["size"], "data": data}
            connection.execute(_PACKED_SQL["add"], {"tenant": block["tenant_id"], **row})


def _open_block(data: bytes) -> bytes:
    try:
        return unpack("zstd", data)
    except StoreDamagedError:
        return b""


@cache
def migrations() -> tuple[tuple[int, str], ...]:
    """List all migrations as (number, SQL), in order."""
    folder = resources.files(__package__).joinpath("migrations")
    files = [entry for entry in folder.iterdir() if entry.name.endswith(".sql")]
    return tuple(sorted((int(file.name[:4]), file.read_text("utf-8")) for file in files))


@cache
def schema() -> Mapping[str, str]:
    """Map each table, index and trigger of the present schema to its SQL."""
    return dict(_read_schema()[0])


@cache
def _read_schema() -> tuple[tuple[tuple[str, str], ...], frozenset[str]]:
    """Return the result of all migrations: (name, SQL) in order, and tables implied by others."""
    with closing(sqlite3.connect(":memory:")) as connection:
        for _, sql in migrations():
            connection.executescript(sql)
        made = connection.execute(
            "SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid"
        )
        implied = connection.execute(
            "SELECT name FROM pragma_table_list WHERE type = 'shadow' OR name GLOB 'sqlite_*'"
        )
        return tuple(made.fetchall()), frozenset(name for (name,) in implied)


def migrate(connection: SqliteConnection) -> None:
    """Apply missing migrations; nothing is written if none is missing.

    Raises:
        StoreTooNewError: the file knows migrations that this version does not.
    """
    check_version(connection)
    if version_of(connection) == 0:
        _create(connection)
    for number, sql in migrations():
        if version_of(connection) < number:
            _apply(connection, number, sql)


def check_version(connection: SqliteConnection) -> None:
    """Raise StoreTooNewError if a newer Memoria has changed the schema.

    Raises:
        StoreTooNewError: one has.
    """
    refuse_newer(version_of(connection), migrations()[-1][0])


def _create(connection: SqliteConnection) -> None:
    made, implied = _read_schema()
    with transaction(connection):
        if version_of(connection) == 0:  # another process may have been faster
            for name, sql in made:
                if name not in implied:
                    connection.execute(sql)
            connection.execute(f"PRAGMA user_version = {migrations()[-1][0]:d}")


def _apply(connection: SqliteConnection, number: int, sql: str) -> None:
    with transaction(connection):
        if version_of(connection) < number:  # another process may have been faster
            if number in _BEFORE:
                _BEFORE[number](connection)
            for statement in _split(sql):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {number:d}")


_BEFORE: Mapping[int, Callable[[SqliteConnection], None]] = {23: unpack_texts}
"""Steps that SQL alone can't do, run before a migration's statements in its transaction."""


def version_of(connection: SqliteConnection) -> int:
    """Return the number of the last migration that was applied to the file."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _split(sql: str) -> Iterator[str]:
    """Split SQL into statements: `executescript` would commit the transaction."""
    statement = ""
    for line in sql.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
    if statement.strip():
        yield statement


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
    """A table, index, trigger or view in a file."""

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
    """List triggers of the migrations that are missing from the file."""
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
