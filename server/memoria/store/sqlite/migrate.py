"""Migrations to the present schema: numbered `.sql` files, each in its own transaction.

A new file is made with the end result of all migrations, in one transaction: renaming tables one
after another takes longer.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from functools import cache
from importlib import resources

from memoria.errors import StoreTooNewError
from memoria.store.sqlite.driver import SqliteConnection, sqlite3, transaction
from memoria.store.sqlite.packed_texts import unpack_texts


@cache
def migrations() -> tuple[tuple[int, str], ...]:
    """List every migration as (number, SQL), in order."""
    folder = resources.files(__package__).joinpath("migrations")
    files = [entry for entry in folder.iterdir() if entry.name.endswith(".sql")]
    return tuple(sorted((int(file.name[:4]), file.read_text("utf-8")) for file in files))


@cache
def schema() -> Mapping[str, str]:
    """Map every table, index and trigger to its SQL, once all migrations have run."""
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
    """Apply missing migrations; if none is missing, one number is read and nothing written.

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
    """Check that no newer Memoria has changed the schema.

    Raises:
        StoreTooNewError: one has.
    """
    version, newest = version_of(connection), migrations()[-1][0]
    if version > newest:
        raise StoreTooNewError(
            f"This home was written by a newer Memoria (schema {version}, this one knows "
            f"{newest}). Nothing was changed. Upgrade with: pip install -U memoria-server; if "
            "that is done, start this process again."
        )


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
    """Return the number of the newest migration the file has seen."""
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
