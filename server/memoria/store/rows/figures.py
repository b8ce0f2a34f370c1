"""Figures of a whole home, for whoever runs it: counts over all tenants, and nothing said."""

from memoria.model.status import HomeFigures, TokenSpending
from memoria.store.connection import Connection
from memoria.store.sql.statements import TenantRows

_NO_TENANT = 0


def read_figures(
    connection: Connection, now: int, attempts: int, *, is_scrub_pending: bool
) -> HomeFigures:
    """Return the figures of a home.

    Args:
        connection: in a transaction.
        now: UTC epoch milliseconds.
        attempts: how often an embedding is tried before it is given up.
        is_scrub_pending: whether erased rows may still be readable in the file.
    """
    rows = TenantRows(connection, _NO_TENANT, "figures")
    (backlog,) = rows.all("backlog", attempts=attempts)
    (finished,) = rows.all("finished")
    (forgets,) = rows.all("forgets", now=now)
    return HomeFigures(
        tenants=rows.number("tenants"),
        database_bytes=connection.count_bytes(),
        pending=backlog["pending"],
        failed=backlog["failed"],
        queue={row["state"]: row["total"] for row in rows.all("queue")},
        oldest_waiting_at=rows.find_number("oldest_waiting"),
        calls={
            row["outcome"]: TokenSpending(
                calls=row["calls"],
                input_tokens=row["input_tokens"],
                output_tokens=row["output_tokens"],
            )
            for row in rows.all("calls")
        },
        nights={row["state"]: row["total"] for row in rows.all("nights")},
        newest_night_at=finished["newest"],
        oldest_night_at=finished["oldest"],
        hidden_forgets=forgets["hidden"],
        overdue_forgets=forgets["overdue"],
        is_scrub_pending=is_scrub_pending,
    )
