"""PostgreSQL as an engine: stores in the database that the settings name."""

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from memoria.config import Settings
from memoria.disk.folders import make_private
from memoria.errors import StoreError, StoreUnavailableError
from memoria.store.postgres.connections import connect, translate_errors
from memoria.store.postgres.pool import PoolSize
from memoria.store.postgres.schema import Session, version_of
from memoria.store.postgres.store import PostgresJournalingStore, PostgresStore
from memoria.store.postgres.tombstone_keys import require_key
from memoria.store.rows.transaction import StoreOptions
from memoria.store.sql.statements import statements

_NIGHT_CONNECTIONS = 3
_HOUR_MS = 3_600_000
_END_WITHIN_S, _LOOK_EVERY_S = 1.0, 0.05
_OTHERS = statements("moves", "postgres")["others"]


class PostgresEngine:
    """The engine of many servers: a database elsewhere."""

    files = None
    """No file of this machine is the database."""

    def exists(self, settings: Settings) -> bool:
        """Check whether the database has Memoria's tables already."""
        with _open_connection(settings) as raw:
            return version_of(raw) > 0

    def require_unused(self, settings: Settings) -> None:
        """Check that no process has the database open; those that just end are waited for.

        Of memories that share a database, those with other options in their URL are others.
        """
        until = time.monotonic() + _END_WITHIN_S
        with _open_connection(settings) as raw:
            while raw.execute(_OTHERS.encode()).fetchone():
                if time.monotonic() > until:
                    raise StoreUnavailableError(
                        f"Another process has {settings.place} open. Stop the servers and clients "
                        "that use this database, then try again. Nothing was changed."
                    )
                time.sleep(_LOOK_EVERY_S)

    def identify(self, settings: Settings) -> tuple[int, int] | None:  # noqa: ARG002
        """Return None: no other database takes the place of one that is named."""
        return None

    def open(self, settings: Settings) -> PostgresStore:
        """Open the store; make its tables if there are none, and the folder of what is not in it.

        A server on a machine where no folder can be made serves as well.
        """
        store = PostgresStore(
            _url_of(settings),
            _size_of(settings, settings.database_connections),
            _options(settings),
            _key_of(settings),
            _wipe_of(settings),
        )
        with suppress(OSError):
            make_private(settings.home_path)
        return store

    def open_journaling(
        self, settings: Settings, lease: str, owner: str
    ) -> PostgresJournalingStore:
        """Open the store of a nightly run; it writes only while its owner has the lease."""
        return PostgresJournalingStore(
            _url_of(settings),
            _size_of(settings, _NIGHT_CONNECTIONS),
            _options(settings),
            _key_of(settings),
            _wipe_of(settings),
            tenant=settings.tenant,
            lease=lease,
            owner=owner,
        )


@contextmanager
def _open_connection(settings: Settings) -> Iterator[Session]:
    with translate_errors(), connect(_url_of(settings)) as raw:
        yield raw


def _url_of(settings: Settings) -> str:
    if settings.database_url is None:
        raise StoreError("No database is named. Set MEMORIA_DATABASE_URL.")
    return settings.database_url.get_secret_value()


def _key_of(settings: Settings) -> bytes:
    return require_key(settings.tombstone_key_bytes)


def _wipe_of(settings: Settings) -> int:
    return round(settings.database_wipe_hours * _HOUR_MS)


def _size_of(settings: Settings, connections: int) -> PoolSize:
    return PoolSize(connections, settings.busy_timeout_ms / 1000)


def _options(settings: Settings) -> StoreOptions:
    return StoreOptions(
        settings.embedding_attempts, frozenset(settings.private_workspaces or ()), settings.zone
    )
