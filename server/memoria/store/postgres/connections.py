"""Connections to a PostgreSQL database: a pool, and transactions that tell the truth of their end.

A transaction begins with one round trip: its limits, its lock, its tenant. A connection that turns
out to be dead at that moment is replaced, and nothing was lost. One that breaks later takes its
transaction back (`TransactionLostError`). One that breaks while COMMIT is under way leaves open
what has become of it: the server is asked on another connection (`outcomes`).
"""

import contextlib
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict

from memoria.errors import InvalidInputError, StoreError, StoreUnavailableError
from memoria.store.connection import TransactionLostError
from memoria.store.image.tenants import ask_for_tenant
from memoria.store.kept_changes import note_kept_change
from memoria.store.postgres.driver import PostgresConnection, adapters
from memoria.store.postgres.outcomes import READ_MARK, TransactionMark, is_kept
from memoria.store.postgres.pool import MAKE_ROOM, PoolSize, SharedConnections, is_full
from memoria.store.sql.statements import as_json

ALL_TENANTS = 0
"""Number that row-level security takes for all tenants; no tenant has it."""
_READ = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_WRITE = "BEGIN ISOLATION LEVEL READ COMMITTED"
_LIMIT = """
SELECT set_config('statement_timeout', %s, true), set_config('lock_timeout', %s, true),
       set_config('idle_in_transaction_session_timeout', %s, true),
       set_config('jit', 'off', true)"""
"""No statement takes as long as compiling it would."""
_SET_TENANT = "SELECT set_config('memoria.tenant', %s, true)"
_SET_TENANT_BY_NAME = """
SELECT set_config('memoria.tenant',
                  coalesce((SELECT CAST(id AS TEXT) FROM tenants WHERE name = %s), '-1'), true)"""
_LOCK = "SELECT pg_advisory_xact_lock(%s, hashtext(%s))"
_LOCK_BY_NUMBER = (
    "SELECT pg_advisory_xact_lock(%s, hashtext(name)) FROM tenants WHERE id IN "
    "(SELECT CAST(value AS BIGINT) FROM jsonb_array_elements_text(%s)) ORDER BY id"
)
_LOCK_CLASS = 0x6D656D6F
"""First half of the key of Memoria's advisory locks; the second is a tenant's."""
_STATEMENT_MS = {_READ: 30_000, _WRITE: 300_000}
"""How long one statement may take: indexes are built anew by one that writes."""
_LINE = 3
"""How many times as long a writer waits, for whom a line of others may be ahead."""
_IDLE_MS = 60_000
_SHORTEST_CONNECT_S = 2
_RETRIES = 2
"""Number of times that another connection is tried in place of a dead one."""
_GOES_AGAIN = ("08", "40", "57P")
"""Beginnings of the codes of errors upon which a transaction is worth another try: the connection
broke, another transaction was in the way, the server goes down."""


class DatabaseConnections:
    """Connections of one process to one database. Thread-safe."""

    def __init__(self, url: str, size: PoolSize) -> None:
        """Open a pool, whose connections are made when they are needed.

        Args:
            url: the database's URL, or libpq's own form of it.
            size: the limits of the pool.
        """
        self._url = url
        patience_ms = int(size.patience_s * 1000)
        self._lock_ms = {_READ: str(patience_ms), _WRITE: str(patience_ms * _LINE)}
        self._pool = SharedConnections(self._connect, size)
        self._connect_timeout_s = max(_SHORTEST_CONNECT_S, int(size.patience_s))

    @contextlib.contextmanager
    def read(self, tenant: str | int) -> Iterator[PostgresConnection]:
        """Yield a connection that reads one snapshot of a tenant's rows.

        Args:
            tenant: the name of the tenant, or `ALL_TENANTS`.
        """
        with translate_errors(), self._transaction(_READ, tenant) as (connection, _):
            try:
                yield connection
            finally:
                _roll_back(connection.raw)

    @contextlib.contextmanager
    def write(self, tenant: str | int, *, lines_up: bool = True) -> Iterator[PostgresConnection]:
        """Yield a connection whose changes are kept when the block has ended without an error.

        Args:
            tenant: the name of the tenant, or `ALL_TENANTS`.
            lines_up: whether writers of the tenant wait for each other; False for statements that
                lock what they change by themselves.
        """
        with translate_errors(), self._transaction(_WRITE, tenant, lines_up) as (connection, mark):
            try:
                yield connection
            except BaseException:
                _roll_back(connection.raw)
                raise
            self._commit(connection, mark)
        note_kept_change()

    @contextlib.contextmanager
    def try_read_same(
        self, connection: PostgresConnection, tenant: int
    ) -> Iterator[PostgresConnection | None]:
        """Yield a second connection that sees the snapshot of another; None if none is free.

        Nobody waits: two threads that each have a snapshot and want another would never go on.
        """
        raw = self._pool.take_at_once()
        if raw is None:
            yield None
            return
        try:
            seen = connection.execute("SELECT pg_export_snapshot()").fetchone()[0]
            with raw.pipeline():
                run = partial(raw.execute, prepare=False)
                run(_READ)
                run(psycopg.sql.SQL("SET TRANSACTION SNAPSHOT {}").format(seen))
                run(_LIMIT, (str(_STATEMENT_MS[_READ]), self._lock_ms[_READ], str(_IDLE_MS)))
                run(_SET_TENANT, (str(tenant),))
            yield PostgresConnection(raw, only_reads=True)
        finally:
            _roll_back(raw)
            self._pool.give_back(raw)

    def connect_beside(self) -> PostgresConnection:
        """Open a connection for a thread that reads beside all others, in its own snapshots."""
        with translate_errors():
            raw = self._connect()
            raw.execute(
                "SELECT set_config('default_transaction_isolation', 'repeatable read', false),"
                " set_config('default_transaction_read_only', 'on', false),"
                f" set_config('memoria.tenant', '{ALL_TENANTS:d}', false)"
            )
            return PostgresConnection(raw, only_reads=False)

    @contextlib.contextmanager
    def open_fresh(self) -> Iterator[psycopg.Connection[Any]]:
        """Yield a connection in autocommit mode that sees all tenants, for upkeep."""
        with translate_errors(), self._connect() as raw:
            raw.execute("SELECT set_config('memoria.tenant', %s, false)", (str(ALL_TENANTS),))
            yield raw

    def close(self) -> None:
        """Close every connection."""
        self._pool.close()

    def _connect(self) -> psycopg.Connection[Any]:
        return connect(self._url, self._connect_timeout_s)

    @contextlib.contextmanager
    def _transaction(
        self, begin: str, tenant: str | int, lines_up: bool = False
    ) -> Iterator[tuple[PostgresConnection, TransactionMark | None]]:
        """Begin a transaction; yield its connection, and its mark if it writes.

        Raises:
            TransactionLostError: nothing of the transaction is kept, and it is worth another try.
        """
        connection, mark = self._begin(begin, tenant, lines_up)
        raw = connection.raw
        try:
            yield connection, mark
        except psycopg.OperationalError as error:
            if not _is_worth_another_try(raw, error):
                raise
            raise TransactionLostError(
                f"The database's server went away before the change was kept ({_describe(error)}). "
                "Nothing was written. Try again."
            ) from error
        finally:
            self._pool.give_back(raw)

    def _begin(
        self, begin: str, tenant: str | int, lines_up: bool
    ) -> tuple[PostgresConnection, TransactionMark | None]:
        """Begin a transaction, on another connection if the first is dead."""
        attempts = 0
        while True:
            raw = self._pool.take()
            connection = PostgresConnection(raw, only_reads=begin is _READ)
            try:
                return connection, self._open(connection, begin, tenant, lines_up)
            except BaseException as error:
                self._pool.give_back(raw)
                attempts += 1
                if attempts > _RETRIES or not _is_worth_another_try(raw, error):
                    raise

    def _open(
        self, connection: PostgresConnection, begin: str, tenant: str | int, lines_up: bool
    ) -> TransactionMark | None:
        """Begin a transaction by one round trip; return its mark, if it writes."""
        raw = connection.raw
        try:
            with raw.pipeline():
                # What is prepared in a pipeline that fails is taken for prepared ever after.
                run = partial(raw.execute, prepare=False)
                run(begin.encode())
                run(_LIMIT, (str(_STATEMENT_MS[begin]), self._lock_ms[begin], str(_IDLE_MS)))
                if lines_up:
                    run(_LOCK, (_LOCK_CLASS, str(tenant)))
                marked = run(READ_MARK) if begin is _WRITE else None
                if isinstance(tenant, int):
                    run(_SET_TENANT, (str(tenant),))
                else:
                    run(_SET_TENANT_BY_NAME, (tenant,))
                    ask_for_tenant(connection, tenant)
                    connection.send_in_pipeline()
        except BaseException:
            _roll_back(raw)
            raise
        row = marked.fetchone() if marked else None
        return None if row is None else TransactionMark(*row)

    def _commit(self, connection: PostgresConnection, mark: TransactionMark | None) -> None:
        """Commit; if the connection breaks meanwhile, find out whether it is kept."""
        try:
            connection.commit()
        except psycopg.OperationalError as error:
            if mark is None or not _is_worth_another_try(connection.raw, error):
                raise
            if not is_kept(self._url, mark):
                raise


def connect(url: str, timeout_s: int | None = None) -> psycopg.Connection[Any]:
    """Connect under a name that memories of other options, such as another schema, do not have."""
    options = conninfo_to_dict(url).get("options")
    name = "memoria" if options is None else f"memoria {options}"
    return psycopg.connect(
        url, autocommit=True, context=adapters(), connect_timeout=timeout_s, application_name=name
    )


def _is_worth_another_try(raw: psycopg.Connection[Any], error: BaseException) -> bool:
    if not isinstance(error, psycopg.OperationalError):
        return False
    return raw.broken or (error.sqlstate or "").startswith(_GOES_AGAIN)


def line_up(connection: PostgresConnection, tenants: Iterable[int]) -> None:
    """Wait for the writers of some tenants, and let others wait until the transaction has ended."""
    connection.raw.execute(_LOCK_BY_NUMBER, (_LOCK_CLASS, as_json({*tenants})))


def _roll_back(raw: psycopg.Connection[Any]) -> None:
    """Take a transaction back; the pool closes a connection on which that fails."""
    if raw.broken or raw.closed:
        return
    try:
        raw.execute("ROLLBACK")
    except psycopg.Error:
        raw.close()


@contextlib.contextmanager
def translate_errors() -> Iterator[None]:
    """Raise Memoria's own errors, which say what to do next, in place of the driver's."""
    try:
        yield
    except (psycopg.DataError, UnicodeEncodeError, OverflowError) as error:
        raise InvalidInputError(
            f"A value can't be stored or searched: {_describe(error)}. Mend it and try again."
        ) from error
    except psycopg.Error as error:
        raise _explain(error) from error


def _explain(error: psycopg.Error) -> StoreError:
    match error:
        case psycopg.errors.DiskFull():
            cure = "The disk of the database's server is full. Free some space and try again."
        case psycopg.errors.LockNotAvailable() | psycopg.errors.QueryCanceled():
            cure = "Others held the memory too long, or it took too long. Try again."
        case psycopg.errors.InsufficientPrivilege():
            cure = "Check the rights of the database's user."
        case psycopg.errors.ReadOnlySqlTransaction():
            cure = "The server only reads: is it a standby? Name the primary in the URL."
        case psycopg.OperationalError() if is_full(error):
            cure = MAKE_ROOM
        case psycopg.OperationalError() | psycopg.InterfaceError():
            cure = "Nothing was written. Check that the database's server runs, then try again."
        case _:
            cure = "Try again; if it goes on, look at the home with `memoria doctor`."
    return StoreUnavailableError(f"The store failed: {_describe(error)}. {cure}")


def _describe(error: Exception) -> str:
    """Return the first line of an error; further lines may quote what was said."""
    if isinstance(error, psycopg.Error) and error.diag.message_primary:
        return error.diag.message_primary.rstrip(".")
    return str(error).partition("\n")[0].rstrip(".")
