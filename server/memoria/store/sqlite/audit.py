"""The append-only log in SQLite."""

from memoria.model import AuditEntry
from memoria.store.sqlite.driver import Connection
from memoria.store.sqlite.rows import TenantRows, build_value


class SqliteAuditLog:
    """What was done to one tenant's memories and turns."""

    def __init__(self, connection: Connection, tenant: int) -> None:
        self._rows = TenantRows(connection, tenant, "audit")

    def add(
        self,
        *,
        at: int,
        channel: str,
        client: str | None,
        action: str,
        subject: str,
        detail: str | None = None,
    ) -> None:
        """Write a line."""
        self._rows.insert(
            "add",
            at=at,
            channel=channel,
            client=client,
            action=action,
            subject=subject,
            detail=detail,
        )

    def list_entries(self, subject: str) -> list[AuditEntry]:
        """What was done to a memory or turn, oldest first."""
        rows = self._rows.all("entries", subject=subject)
        return [build_value(AuditEntry, dict(row)) for row in rows]
