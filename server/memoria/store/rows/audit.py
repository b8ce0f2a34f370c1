"""The append-only log."""

from memoria.model import AuditEntry, LoggedAction
from memoria.store.connection import Connection
from memoria.store.sql.tenant_rows import TenantRows, build_value


class AuditLog:
    """The log of what was done to one tenant's memories and turns."""

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
        """Write a line. `detail` never holds the text of a memory."""
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
        """List what was done to a memory or turn, oldest first."""
        rows = self._rows.all("entries", subject=subject)
        return [build_value(AuditEntry, dict(row)) for row in rows]

    def list_by_action(self, action: str, limit: int) -> list[LoggedAction]:
        """List the newest lines of one kind, newest first."""
        rows = self._rows.all("by_action", action=action, limit=limit)
        return [build_value(LoggedAction, dict(row)) for row in rows]

    def newest(self) -> int:
        """Return the number of the newest line, of any tenant; 0 if there is none."""
        return self._rows.number("newest")

    def list_subjects(self, after: int) -> list[str]:
        """List the subjects, ids of memories and turns, of the tenant's lines after this number."""
        return [row["subject"] for row in self._rows.all("subjects", after=after)]
