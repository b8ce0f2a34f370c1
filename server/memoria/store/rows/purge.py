"""Candidates for erasure for good."""

from memoria.store.connection import Connection
from memoria.store.sql.tenant_rows import TenantRows


class PurgeCandidates:
    """A tenant's leftovers. Moments are UTC epoch ms."""

    def __init__(self, connection: Connection, tenant: int) -> None:
        self._rows = TenantRows(connection, tenant, "purge")

    def list_short_lived(self, before: int, limit: int) -> list[str]:
        """List ids of archived memories that were said to count for a day at most, earliest first.

        Args:
            before: the moment before which they expired and were archived.
            limit: the largest number of ids.
        """
        rows = self._rows.all("spent", before=before, limit=limit)
        return [row["id"] for row in rows]

    def list_archived(self, before: int, limit: int) -> list[str]:
        """List ids of memories archived before a moment, earliest first."""
        return [row["id"] for row in self._rows.all("archived", before=before, limit=limit)]

    def close_runs(self, before: int) -> None:
        """Mark runs before a moment as no longer to be undone."""
        self._rows.change("close_runs", before=before)

    def drop_images(self, limit: int) -> int:
        """Delete journal rows of runs that can't be undone.

        Returns the number of deleted rows; 0 if nothing is left.
        """
        return self._rows.change("drop_images", limit=limit)
