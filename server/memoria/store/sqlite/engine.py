"""SQLite as an engine: stores on one file in the home, and copies of that file."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

from memoria.config import Settings
from memoria.disk.home_files import DATABASE, wipe_file
from memoria.errors import StoreDamagedError, StoreUnavailableError
from memoria.model import Finding
from memoria.store.engine import KeyChange
from memoria.store.image.tenants import list_tenants
from memoria.store.rows.forgotten import drop_hidden
from memoria.store.rows.outbox import drop_webhooks
from memoria.store.sql.statements import statements
from memoria.store.sqlite.connections import identify_file
from memoria.store.sqlite.driver import connect, is_busy, is_damage, sqlite3, translate_errors
from memoria.store.sqlite.encryption import copy_under
from memoria.store.sqlite.examination import examine_truth
from memoria.store.sqlite.library import open_file, open_under
from memoria.store.sqlite.schema import (
    check_version,
    list_foreign_objects,
    list_lost_triggers,
    migrations,
    version_of,
)
from memoria.store.sqlite.scrub import scrub
from memoria.store.sqlite.store import SqliteJournalingStore, SqliteStore

_SQL = statements("examination")
_BUSY_TIMEOUT_MS = 10_000
_CLAIM_TIMEOUT_S = 1.0
_PAGES_A_STEP = 2_000
_HIDES_SINCE = 17
"""Number of the first schema with tables for hidden rows."""
_HAS_WEBHOOKS_SINCE = 26
"""Number of the first schema with webhooks."""
_SIDECARS = ("-wal", "-shm", "-journal")


class SqliteFiles:
    """Work on a database file as a whole: copies, checks, and replacing the file."""

    newest_schema = migrations()[-1][0]
    """Number of the newest schema that this version knows."""

    def open_former(self, settings: Settings, database: Path) -> SqliteStore:
        """Open the store of a database that a restore has set aside."""
        return SqliteStore(
            database, busy_timeout_ms=settings.busy_timeout_ms, readers=1, zone=settings.zone
        )

    def copy(self, source: Path, target: Path, progress: Callable[[int, int], None]) -> None:
        """Copy the present state of the file, while other processes go on writing.

        What was forgotten but is not wiped yet is wiped in the copy, and so is what is hidden, and
        the secrets of webhooks.
        """
        with (
            translate_errors(),
            closing(connect(source, _BUSY_TIMEOUT_MS, read_only=True)) as connection,
            closing(connect(target, _BUSY_TIMEOUT_MS)) as copied,
        ):
            connection.execute("BEGIN")  # one snapshot: else every write of others begins it anew
            check_version(connection)
            connection.backup(
                copied,
                pages=_PAGES_A_STEP,
                progress=lambda _, left, total: progress(total - left, total),
            )
            if version_of(copied) >= _HIDES_SINCE:
                drop_hidden(copied)
            if version_of(copied) >= _HAS_WEBHOOKS_SINCE:
                drop_webhooks(copied)
            scrub(copied, _BUSY_TIMEOUT_MS)

    def list_foreign_objects(self, path: Path) -> list[str]:
        """List objects in a file that Memoria did not make, such as triggers; none is run."""
        with (
            translate_errors(),
            closing(connect(path, _BUSY_TIMEOUT_MS, read_only=True)) as connection,
        ):
            check_version(connection)
            return [*list_foreign_objects(connection), *list_lost_triggers(connection)]

    def check_truth(self, path: Path) -> list[Finding]:
        """List findings on all rows of a file that cannot be derived anew."""
        with translate_errors(), closing(connect(path, _BUSY_TIMEOUT_MS)) as connection:
            return examine_truth(connection)

    def describe(self, path: Path) -> tuple[int, Mapping[str, int]]:
        """Return the number of the schema, and how many rows of each kind the file has."""
        with translate_errors(), closing(connect(path, _BUSY_TIMEOUT_MS)) as connection:
            return version_of(connection), dict(connection.execute(_SQL["totals"]).fetchone())

    def list_tenants(self, path: Path) -> list[str]:
        """List the tenants that the file has something of."""
        with translate_errors(), closing(connect(path, _BUSY_TIMEOUT_MS)) as connection:
            return list_tenants(connection)

    def recode(
        self, path: Path, folder: Path, keys: KeyChange, begin: Callable[[], None]
    ) -> Mapping[str, int]:
        """Put a copy under another key in a file's place; wipe the former. Return rows by table."""
        with translate_errors():
            holder = _alone_with(path, open_under(path, keys.former, timeout=_CLAIM_TIMEOUT_S))
            if holder is None:
                raise StoreDamagedError.for_problem(f"{path.name} can't be read with its key")
            with closing(holder):
                holder.execute("COMMIT")  # the lock stays: the connection is an exclusive one
                draft, aside = folder / "draft.db", folder / "former"
                rows = copy_under(holder, draft, keys.key)
                aside.mkdir(mode=0o700)
                begin()
                _replace(path, draft, aside, holder)
        for file in aside.iterdir():
            wipe_file(file)
        return rows

    @contextmanager
    def claim(self, path: Path) -> Iterator[Callable[[Path, Path], None]]:
        """Lock other processes out of the file, and yield a function that replaces the file.

        The function takes the new file and the folder that the present one is moved to.

        Raises:
            StoreUnavailableError: another process has it open.
        """
        with translate_errors():
            holder = _alone_with(path) if path.is_file() else None
        try:
            yield lambda new, aside: _replace(path, new, aside, holder)
        finally:
            if holder is not None:
                holder.close()


def _alone_with(path: Path, opened: sqlite3.Connection | None = None) -> sqlite3.Connection | None:
    """Return an exclusive connection, with the log moved into the file; None if it is damaged."""
    connection: sqlite3.Connection = opened or open_file(path, timeout=_CLAIM_TIMEOUT_S)
    try:
        for step in ("PRAGMA locking_mode = EXCLUSIVE", "PRAGMA journal_mode = DELETE"):
            connection.execute(step).fetchall()
        connection.execute("BEGIN EXCLUSIVE")
    except sqlite3.DatabaseError as error:
        connection.close()
        if is_busy(error):
            raise StoreUnavailableError(
                f"Another process has {path} open. Close the clients that use this home, then "
                "try again."
            ) from error
        if not is_damage(error):
            raise
        return None
    return connection


def _replace(path: Path, new: Path, aside: Path, holder: sqlite3.Connection | None) -> None:
    """Replace a file; the former file and its log are moved to the folder `aside`."""
    if path.exists():
        try:
            os.link(path, aside / path.name)
        except OSError:  # a file system without hard links
            path.rename(aside / path.name)
    for name in (f"{path.name}{suffix}" for suffix in _SIDECARS):
        if path.with_name(name).exists():
            path.with_name(name).replace(aside / name)
    if os.name == "nt" and holder is not None:
        holder.close()  # Windows replaces no file that is open
    new.replace(path)


_READERS = 3
"""Read-only connections per process: a long search does not delay a short one."""


class SqliteEngine:
    """The embedded engine: one SQLite file in the home."""

    def __init__(self) -> None:
        self.files = SqliteFiles()

    def exists(self, settings: Settings) -> bool:
        """Check whether the home has a database file already."""
        return _database(settings).exists()

    def require_unused(self, settings: Settings) -> None:
        """Check that no process has the home's database file open."""
        with self.files.claim(_database(settings)):
            pass

    def identify(self, settings: Settings) -> tuple[int, int] | None:
        """Return device and inode of the home's database file; None if it has none."""
        return identify_file(_database(settings))

    def open(self, settings: Settings) -> SqliteStore:
        """Open the home's store; make it if there is none."""
        return SqliteStore(
            _database(settings),
            busy_timeout_ms=settings.busy_timeout_ms,
            readers=_READERS,
            attempts=settings.embedding_attempts,
            private=settings.private_workspaces or (),
            zone=settings.zone,
        )

    def open_journaling(self, settings: Settings, lease: str, owner: str) -> SqliteJournalingStore:
        """Open the store of a nightly run; it writes only while its owner has the lease."""
        return SqliteJournalingStore(
            _database(settings),
            busy_timeout_ms=settings.busy_timeout_ms,
            attempts=settings.embedding_attempts,
            private=settings.private_workspaces or (),
            zone=settings.zone,
            tenant=settings.tenant,
            lease=lease,
            owner=owner,
        )


def _database(settings: Settings) -> Path:
    return settings.home_path / DATABASE
