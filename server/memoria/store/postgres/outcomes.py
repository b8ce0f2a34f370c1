"""Outcome of a transaction whose COMMIT was sent and not answered, asked of the server afterwards.

A server that crashes forgets the ids of transactions of which nothing had reached its disk, and
gives them to others; so does a standby that takes over. An id therefore tells something for certain
only together with the moment since when the server counts, which is another after either.
"""

import contextlib
import time
from typing import Any, LiteralString, NamedTuple

import psycopg

from memoria.errors import StoreUnavailableError

READ_MARK: LiteralString = (
    "SELECT CAST(pg_current_xact_id() AS TEXT),"
    " CAST(pg_stat_get_bgwriter_stat_reset_time() AS TEXT)"
)
"""Statement that gives the mark of the present transaction."""
_STATUS: LiteralString = (
    "SELECT pg_xact_status(CAST(CAST(%s AS TEXT) AS xid8)),"
    " CAST(pg_stat_get_bgwriter_stat_reset_time() AS TEXT)"
)
_ASK_FOR_S = 30.0
_ASK_EVERY_S = 0.25
_CONNECT_WITHIN_S = 2


class TransactionMark(NamedTuple):
    """Mark by which a transaction is asked for later."""

    id: str
    counted_since: str


def is_kept(url: str, mark: TransactionMark) -> bool:
    """Ask the server whether it has kept a transaction, for as long as it is not to be reached.

    Raises:
        StoreUnavailableError: it does not answer, or can't know.
    """
    deadline = time.monotonic() + _ASK_FOR_S
    while time.monotonic() < deadline:
        with (
            contextlib.suppress(psycopg.OperationalError),
            psycopg.connect(url, autocommit=True, connect_timeout=_CONNECT_WITHIN_S) as fresh,
        ):
            status, counted_since = _ask(fresh, mark)
            is_same = counted_since == mark.counted_since
            if status == "aborted" or (status == "in progress" and not is_same):
                return False
            if status == "committed" and is_same:
                return True
            if status != "in progress":
                break
        time.sleep(_ASK_EVERY_S)
    raise StoreUnavailableError(
        "The database's server went away while the change was being kept: whether it was kept is "
        "not known. Look before you try again."
    )


def _ask(fresh: psycopg.Connection[Any], mark: TransactionMark) -> tuple[str | None, str]:
    """Return the status of the transaction's id, and since when the server counts."""
    try:
        row = fresh.execute(_STATUS, (mark.id,)).fetchone()
    except psycopg.errors.InvalidParameterValue:  # the server has not come so far: it crashed
        return "aborted", ""
    return (None, "") if row is None else (row[0], row[1])
