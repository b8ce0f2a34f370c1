"""Scrubbing: making erased rows unreadable in the files of a server's tables.

DELETE leaves a row's bytes in its page, and VACUUM, which gives the room back, leaves them there as
well. Only a table that is written anew has none of them. Until it is, nobody is blocked: that is
done at most twice within the time that a setting states, by a nightly run, a table after another.

A row that an older snapshot may still see would be copied along, whoever holds the snapshot: a
reader, a prepared transaction, a replication slot. An empty table tells beforehand: the row that
was just deleted from it leaves its file only if nobody may see it.

CLUSTER is what writes tables anew here, as VACUUM FULL can't be in a transaction: there its wait
for a table has a limit, also behind a pooler that has connections for transactions only.

The planner's statistics quote values of columns. They are made anew as well.

What stays is out of reach: the log (WAL) until its files are written over, its archives and backups
until they are deleted, and what a file system or a disk keeps of freed blocks.
"""

import time
from typing import NamedTuple

import psycopg

from memoria.model import DAY_MS, now_millis
from memoria.store.connection import Connection
from memoria.store.postgres.driver import PostgresConnection

_LOCK_MS = 2_000
_PAUSE_S = 0.05
_DROPS_STATISTICS = 180_000
"""First version of the server in which a table's owner may drop its statistics."""


class OwedWipe(NamedTuple):
    """Wipe that is owed to what was erased."""

    since: int | None
    """Time of the first erasure whose traces may be left, UTC epoch ms; None if none is."""
    last: int | None
    """Time at which tables were last written anew; None if they never were."""

    def is_due(self, now: int, within_ms: int) -> bool:
        """Check whether a nightly run should wipe: the next one might be too late.

        A wipe is for all tenants at once, and each of them has nightly runs of its own: the first
        that finds it due does it, and the others leave what they erase to the next night.

        Args:
            now: UTC epoch milliseconds.
            within_ms: the time within which erased bytes are to be gone.
        """
        if self.since is None or now + DAY_MS < self.since + within_ms:
            return False
        return self.last is None or now >= self.last + min(within_ms, DAY_MS) // 2


def read_owed_wipe(connection: Connection) -> OwedWipe:
    """Read since when a wipe is owed, and when the last one was."""
    sql = connection.statements("scrub")
    since = [row["since"] for row in connection.execute(sql["requests"])]
    last = connection.execute(sql["last"]).fetchone()
    return OwedWipe(min(since, default=None), None if last is None else last[0])


def wipe_tables(connection: PostgresConnection, patience_s: float) -> bool:
    """Write all tables anew, if a wipe is owed; return True if no trace of erased rows is left.

    It is False while an older snapshot may see erased rows, while a table is in use for longer than
    a moment, and for a database of somebody else's, whose statistics are not ours to write. It may
    be stopped at any moment, and repeated.

    Args:
        connection: of the tables' owner, in no transaction; it sees all tenants.
        patience_s: how long to wait for older snapshots.
    """
    sql, begun = connection.statements("scrub"), now_millis()
    wanted = connection.execute(sql["requests"]).fetchall()
    if not wanted:
        return True
    if not _await_older_snapshots(connection, patience_s):
        return False
    tables = connection.execute(sql["tables"]).fetchall()
    busy = [row["name"] for row in tables if not _rewrite(connection, row["name"], row["key"])]
    if busy:
        return False
    connection.execute(sql["note"], {"at": str(begun)})
    if not _rewrite_statistics(connection, patience_s):
        return False
    for row in wanted:  # unless the tenant has erased more meanwhile
        connection.execute(sql["done"], {"key": row["key"], "value": row["value"]})
    return read_owed_wipe(connection).since is None


def _await_older_snapshots(connection: PostgresConnection, patience_s: float) -> bool:
    """Wait until nobody can see what was deleted before; return False if that takes too long."""
    sql, deadline = connection.statements("scrub"), time.monotonic() + patience_s
    connection.execute(sql["fill_probe"])
    connection.execute(sql["empty_probe"])
    while True:
        _rewrite(connection, "erasure_probe", "erasure_probe_pkey")
        if not connection.execute(sql["probe_bytes"]).fetchone()[0]:
            return True
        if time.monotonic() > deadline:
            return False
        time.sleep(_PAUSE_S)


def _rewrite(connection: PostgresConnection, table: str, key: str) -> bool:
    """Write a table and its indexes anew; return False if somebody has it for too long."""
    try:
        with connection.raw.transaction():
            connection.execute(connection.statements("scrub")["limit"], {"lock_ms": str(_LOCK_MS)})
            connection.execute(f"CLUSTER {table} USING {key}")
    except psycopg.errors.LockNotAvailable:
        return False
    return True


def _rewrite_statistics(connection: PostgresConnection, patience_s: float) -> bool:
    """Write the planner's statistics anew; return False if that is not ours to do, or not now."""
    sql = connection.statements("scrub")
    if not connection.execute(sql["may_rewrite_statistics"]).fetchone()[0]:
        return False
    drops = connection.raw.info.server_version >= _DROPS_STATISTICS
    for row in connection.execute(sql["analyzed_tables"]).fetchall():
        with connection.raw.transaction():  # nobody plans without any meanwhile
            if drops:
                connection.execute(sql["drop_statistics"], {"name": row["name"]})
            connection.execute(f"ANALYZE {row['name']}")
    if not _await_older_snapshots(connection, patience_s):
        return False
    connection.execute("VACUUM FULL pg_statistic")
    return True
