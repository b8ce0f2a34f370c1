"""What may leave the active memories, in SQLite."""

from memoria.store.sqlite.driver import Connection
from memoria.store.sqlite.rows import TenantRows


class SqliteRetention:
    """A tenant's memories by how long they last."""

    def __init__(self, connection: Connection, tenant: int) -> None:
        self._rows = TenantRows(connection, tenant, "retention")

    def expired(self, at: int, after: int, limit: int) -> list[tuple[int, str]]:
        """(number, id) of active memories that count no longer at a moment, beyond a number."""
        rows = self._rows.all("expired", at=at, after=after, limit=limit)
        return [(row["n"], row["id"]) for row in rows]
