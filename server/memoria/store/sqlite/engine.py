"""SQLite as an engine: one file in the home."""

from pathlib import Path

from memoria.config import Settings
from memoria.disk.home_files import DATABASE
from memoria.store.sqlite.files import SqliteFiles
from memoria.store.sqlite.journaling_store import SqliteJournalingStore
from memoria.store.sqlite.store import SqliteStore

_READERS = 3
"""Read-only connections per process: a long search does not delay a short one."""


class SqliteEngine:
    """The embedded engine."""

    def __init__(self) -> None:
        self.files = SqliteFiles()

    def exists(self, settings: Settings) -> bool:
        """Check whether the home has a database file already."""
        return _database(settings).exists()

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

    def open_former(self, settings: Settings, database: Path) -> SqliteStore:
        """Open the store of a database that a restore has set aside."""
        return SqliteStore(
            database, busy_timeout_ms=settings.busy_timeout_ms, readers=1, zone=settings.zone
        )


def _database(settings: Settings) -> Path:
    return settings.home_path / DATABASE
