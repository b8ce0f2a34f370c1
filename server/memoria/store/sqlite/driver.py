"""Driver: connections set up for a file that many processes open.

The order of the settings matters. The busy timeout comes first, because switching to WAL can
itself find the file busy; and even then the switch may fail when several processes create the
same file at once, so it is retried.
"""

import contextlib
import os
import time
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from memoria.bare.sealing import VARIABLE
from memoria.disk.regular_files import refuse_links
from memoria.errors import (
    InvalidInputError,
    StoreDamagedError,
    StoreError,
    StoreUnavailableError,
    UnsupportedEngineError,
    UnusableFileError,
)
from memoria.store.connection import Column, Parameters, RefusedRowError, RefusedValueError
from memoria.store.image.cached_reads import SnapshotCache
from memoria.store.sql.statements import statements
from memoria.store.sqlite.emptied import refuse_emptied
from memoria.store.sqlite.journal import hide_changes, list_columns
from memoria.store.sqlite.library import open_file, sqlite3
from memoria.store.sqlite.match import write_query
from memoria.store.sqlite.write_queue import WaitedTooLongError, WriteQueue
from memoria.store.word_query import WordQuery

__all__ = [
    "Row",
    "SqliteConnection",
    "connect",
    "is_busy",
    "is_damage",
    "sqlite3",
    "take_turn",
    "transaction",
    "translate_errors",
]

_Value = TypeVar("_Value")
Row = sqlite3.Row

_OLDEST = (3, 38, 0)  # STRICT tables 3.37, unixepoch and json -> 3.38
_OWNER_ONLY = 0o600
_CACHE_KIB = 14_336
_WAL_LIMIT_BYTES = 64 << 20
_PASSING = ("BUSY", "LOCKED", "PROTOCOL")
_DAMAGE = ("CORRUPT", "NOTADB")
_BY_WORDS = {
    "disk I/O error": "IOERR",
    "database or disk is full": "FULL",
    "database is locked": "BUSY",
    "database disk image is malformed": "CORRUPT",
}
_NO_DATABASE = "file is not a database"
_STOPPED = "; but if `memoria encrypt` was stopped on it, run that again"
_NOT_TEXT = "Could not decode to UTF-8"


class SqliteConnection(sqlite3.Connection):
    """A connection to a file, with the queue of writers to that file."""

    has_dense_numbers = True
    queue: WriteQueue | None = None
    """None once it is closed: a statement then fails by itself."""
    busy_timeout_ms = 0
    settled: SnapshotCache | None = None
    """Reads that a reader caches from snapshot to snapshot; None for a writer."""

    def begin_snapshot(self) -> None:
        """Begin to read a snapshot, and drop cached reads if the file has changed."""
        self.execute("BEGIN")
        if self.settled is not None:
            self.settled.follow(self.count_commits())

    def send(self, sql: str, parameters: Parameters, /) -> None:
        """Run a statement whose result nobody needs."""
        self.execute(sql, parameters)

    def ask_ahead(self, sql: str, parameters: Parameters, /) -> None:
        """Do nothing: a statement waits for nobody."""

    def statements(self, file: str, /) -> Mapping[str, str]:
        """Return the statements of a file by name, as SQLite runs them."""
        return statements(file, "sqlite")

    def write_query(self, query: WordQuery, /) -> str:
        """Return a query of the full-text index as an FTS5 expression."""
        return write_query(query)

    def count_commits(self) -> int:
        """Return a number that changes once a snapshot shows what another connection wrote."""
        return int(self.execute("PRAGMA data_version").fetchone()[0])

    def snapshot_key(self) -> tuple[int, int]:
        """Return a key of what this connection sees; another one counts for itself."""
        return id(self), self.count_commits()

    def read_settled(self, what: Hashable, read: Callable[[], _Value]) -> _Value:
        """Return a cached result that hardly ever changes; call `read` if nothing is cached.

        Args:
            what: its key in the cache.
            read: reads it; its result is never changed.
        """
        return read() if self.settled is None else self.settled.look_up(what, read)

    def stream(
        self, sql: str, parameters: Parameters = (), /
    ) -> contextlib.AbstractContextManager[Iterator[Any]]:
        """Run a statement, and give its rows, which are read one by one."""
        return contextlib.closing(self.execute(sql, parameters))

    def tuples(self, sql: str, parameters: Parameters = (), /) -> list[tuple[Any, ...]]:
        """Run a statement, and return its rows as plain tuples."""
        cursor = self.execute(sql, parameters)
        cursor.row_factory = None
        return cursor.fetchall()

    @contextlib.contextmanager
    def savepoint(self) -> Iterator[None]:
        """Run a block whose changes are all taken back if it raises anything."""
        self.execute("SAVEPOINT attempt")
        try:
            yield
        except sqlite3.IntegrityError as error:
            self._take_back()
            raise RefusedRowError(str(error)) from error
        except (sqlite3.ProgrammingError, sqlite3.InterfaceError, sqlite3.DataError) as error:
            self._take_back()
            raise RefusedValueError(str(error)) from error
        except BaseException:
            self._take_back()
            raise
        self.execute("RELEASE attempt")

    def _take_back(self) -> None:
        if self.in_transaction:  # a full disk may have ended it
            self.execute("ROLLBACK TO attempt")
            self.execute("RELEASE attempt")

    def columns(self, table: str) -> list[Column]:
        """List the columns of a table that hold the truth."""
        return list_columns(self, table)

    @contextlib.contextmanager
    def hide_changes(self, tables: Sequence[str], tenant: int, report_id: str) -> Iterator[None]:
        """Record in `hidden_changes` how the rows were that the block changes."""
        with hide_changes(self, tables, tenant, report_id):
            yield

    def count_bytes(self) -> int:
        """Return the size of the whole file."""
        pages, page_size = (
            int(self.execute(f"PRAGMA {name}").fetchone()[0])
            for name in ("page_count", "page_size")
        )
        return pages * page_size

    def close(self) -> None:
        """Close the connection, and leave the queue."""
        super().close()
        if self.queue is not None:
            self.queue.close()
            self.queue = None


def connect(path: Path, busy_timeout_ms: int, *, read_only: bool = False) -> SqliteConnection:
    """Open a connection in autocommit mode, usable from any one thread at a time.

    A writer makes the file if there is none, and commits with `synchronous=FULL`: what is
    committed survives a power cut. What is deleted is written over with zeros (`secure_delete`).
    A reader can't write, but it is not opened read-only: SQLite must be able to recover the log.

    Raises:
        StoreUnavailableError: there is no file and none can be made.
        UnsupportedEngineError: this SQLite is too old.
    """
    if sqlite3.sqlite_version_info < _OLDEST:
        raise UnsupportedEngineError(
            f"SQLite {sqlite3.sqlite_version} is too old; Memoria needs 3.38 or newer. "
            "Install the pysqlite3 package, or a newer Python."
        )
    refuse_emptied(path)
    if not read_only:
        _create_private(path)
    connection: SqliteConnection = open_file(
        path, timeout=busy_timeout_ms / 1000, cached_statements=256, factory=SqliteConnection
    )
    connection.queue, connection.busy_timeout_ms = WriteQueue.of(path), busy_timeout_ms
    try:
        _set_up(connection, busy_timeout_ms, read_only=read_only)
    except BaseException:
        connection.close()
        raise
    return connection


_VOCABULARY = (
    "CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab('main', 'search_index', 'row')",
    "CREATE VIRTUAL TABLE temp.occurrences USING fts5vocab('main', 'search_index', 'instance')",
)
"""Tables of the full-text index's words and of their places; only what is asked for is read."""


def _set_up(connection: SqliteConnection, busy_timeout_ms: int, *, read_only: bool) -> None:
    """Set up a connection; no `mmap_size`, since a file cut short would then kill the process."""
    connection.row_factory = Row
    connection.execute(f"PRAGMA busy_timeout = {busy_timeout_ms}")
    if not read_only:
        _use_wal(connection)
    for pragma in (
        "synchronous = FULL",
        "secure_delete = ON",
        "foreign_keys = ON",
        "trusted_schema = OFF",
        "temp_store = MEMORY",
        f"cache_size = -{_CACHE_KIB}",
        f"journal_size_limit = {_WAL_LIMIT_BYTES}",
    ):
        connection.execute(f"PRAGMA {pragma}")
    for table in _VOCABULARY:
        connection.execute(table)
    connection.execute(f"PRAGMA query_only = {int(read_only)}")


@contextlib.contextmanager
def transaction(connection: SqliteConnection) -> Iterator[None]:
    """Run a transaction that writes, after all earlier writers."""
    with take_turn(connection):
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise


@contextlib.contextmanager
def take_turn(connection: SqliteConnection) -> Iterator[None]:
    """Wait for all earlier writers, then run the block, which may write.

    Raises:
        StoreUnavailableError: somebody has been writing for too long.
    """
    patience_s = connection.busy_timeout_ms / 1000
    queue = connection.queue
    if queue is None:
        yield
        return
    try:
        with queue.turn(patience_s, lambda: _is_free(connection)):
            yield
    except WaitedTooLongError as error:
        raise StoreUnavailableError(
            f"The store is busy: the process {error.process} has been writing to it for more than "
            f"{patience_s:.0f} s. Nothing was written. Try again when it is done."
        ) from error


def _is_free(connection: SqliteConnection) -> bool:
    """Check whether nobody is writing to the file at this moment."""
    connection.execute("PRAGMA busy_timeout = 0")
    try:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("ROLLBACK")
    except sqlite3.OperationalError as error:
        if not is_busy(error):
            raise
        return False
    finally:
        connection.execute(f"PRAGMA busy_timeout = {connection.busy_timeout_ms}")
    return True


@contextlib.contextmanager
def translate_errors() -> Iterator[None]:
    """Raise Memoria's own errors, which say what to do next, in place of the driver's."""
    try:
        yield
    except sqlite3.Error as error:
        raise _explain(error) from error
    except UnicodeDecodeError as error:  # even SQLite's complaint may quote what is no text
        raise StoreDamagedError.for_problem("a text in it is no text") from error
    except (UnicodeEncodeError, OverflowError) as error:
        raise InvalidInputError(
            f"A value can't be stored or searched: {error}. Mend it and try again."
        ) from error


def is_damage(error: sqlite3.Error) -> bool:
    """Check whether an error means that the file is damaged."""
    return _code(error) in _DAMAGE or str(error).startswith(_NOT_TEXT)


def is_busy(error: sqlite3.Error) -> bool:
    """Check whether an error means that another process had the file, so a retry may work."""
    return _code(error) in _PASSING


def _explain(error: sqlite3.Error) -> StoreError:
    what = str(error).rstrip(".")
    if is_damage(error):
        hint = _STOPPED if what == _NO_DATABASE and os.environ.get(VARIABLE) else ""
        return StoreDamagedError.for_problem(what.partition(" with text ")[0] + hint)
    match _code(error):
        case "FULL":
            cure = "The disk or quota is full. Free some space and try again."
        case "READONLY" | "PERM" | "CANTOPEN" | "AUTH":
            cure = "Check that the data folder is writable for this user."
        case "BUSY" | "LOCKED" | "PROTOCOL":
            cure = "Another process held the file too long. Try again."
        case "IOERR":
            cure = (
                "Reading or writing the file failed. Check the disk, its free space and the data "
                "folder, then try again."
            )
        case _:
            cure = "Try again; if it goes on, look at the home with `memoria doctor`."
    return StoreUnavailableError(f"The store failed: {what}. {cure}")


def _code(error: sqlite3.Error) -> str:
    """Return the name of the primary result code, such as BUSY; empty if SQLite gave no code.

    A copy that fails says so in words only.
    """
    name: str = getattr(error, "sqlite_errorname", "")
    return name.split("_")[1] if "_" in name else _BY_WORDS.get(str(error), "")


def _create_private(path: Path) -> None:
    """Make the folder and an empty file, readable by their owner alone, if they are missing.

    Raises:
        StoreUnavailableError: they can't be made, or something else is in the file's place.
    """
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        refuse_links(path.parent, path.name)
        with contextlib.suppress(FileExistsError):
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, _OWNER_ONLY))
    except OSError as error:
        raise StoreUnavailableError(
            f"The data folder {path.parent} can't be used: {error.strerror}. "
            "Set MEMORIA_HOME to a folder that is writable."
        ) from error
    except UnusableFileError as error:
        raise StoreUnavailableError(str(error)) from error
    if path.is_dir():
        raise StoreUnavailableError(
            f"{path} is a folder; the database file belongs there. Move the folder away, or set "
            "MEMORIA_HOME to another data folder."
        )


def _use_wal(connection: SqliteConnection) -> None:
    """Switch a new file to WAL; the switch is retried, for SQLite waits for no other process."""
    deadline = time.monotonic() + connection.busy_timeout_ms / 1000
    while connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        try:
            with take_turn(connection):
                connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if not is_busy(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
