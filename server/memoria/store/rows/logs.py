"""Logs: actions on memories and turns, and calls to chat models."""

from memoria.model import AuditEntry, LoggedAction, ModelCall, ReadingPrice, TokenSpending
from memoria.model.status import DaySpending
from memoria.store.connection import Connection
from memoria.store.sql.statements import TenantRows, build_value
from memoria.store.values import LAST


class AuditLog:
    """Append-only log of actions on one tenant's memories and turns."""

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
        caller: str | None = None,
    ) -> None:
        """Write a line. `detail` never holds the text of a memory."""
        self._rows.send(
            "add",
            at=at,
            channel=channel,
            client=client,
            action=action,
            subject=subject,
            detail=detail,
            caller=caller,
        )

    def list_entries(self, subject: str, most: int | None = None) -> list[AuditEntry]:
        """List the actions on a memory or turn, or the newest so many of them, oldest first."""
        rows = self._rows.all("entries", subject=subject, limit=LAST if most is None else most)
        return [build_value(AuditEntry, dict(row)) for row in reversed(rows)]

    def list_by_action(self, action: str, limit: int) -> list[LoggedAction]:
        """List the newest lines with an action, newest first."""
        rows = self._rows.all("by_action", action=action, limit=limit)
        return [build_value(LoggedAction, dict(row)) for row in rows]

    def list_latest(self, limit: int, since: int, before: int = LAST) -> list[LoggedAction]:
        """List the newest lines from a moment on, and before a line's number, newest first."""
        rows = self._rows.all("latest", limit=limit, since=since, before=before)
        return [build_value(LoggedAction, dict(row)) for row in rows]

    def newest(self) -> int:
        """Return the number of the newest line of any tenant; 0 for an empty log."""
        return self._rows.number("newest")

    def list_subjects(self, after: int) -> list[str]:
        """List the subjects, ids of memories and turns, of the tenant's lines after this number."""
        return self._rows.column("subjects", after=after)


class ModelCallLog:
    """The log of calls to chat models, and their costs."""

    def __init__(self, connection: Connection, tenant: int) -> None:
        self._rows = TenantRows(connection, tenant, "ledger")

    def add(self, call: ModelCall) -> int:
        """Write a call, and return its number."""
        return self._rows.insert("add", **call.model_dump())

    def settle(self, n: int, call: ModelCall) -> None:
        """Set the cost and the outcome of a call."""
        went = call.model_dump(exclude={"at", "purpose", "prompt", "model"})
        self._rows.send("settle", n=n, **went)

    def spending(self, since: int, until: int) -> TokenSpending:
        """Add up the cost of the calls made in this time."""
        rows = self._rows.all("spent", since=since, until=until)
        return build_value(TokenSpending, dict(rows[0]))

    def list_days(self, since: int) -> list[DaySpending]:
        """List the cost of each UTC day and model from a moment on, newest first."""
        return [build_value(DaySpending, dict(row)) for row in self._rows.all("days", since=since)]

    def reading_price(self, since: int) -> ReadingPrice:
        """Add up the tokens of calls from a moment on, and of the conversation that they read."""
        return build_value(ReadingPrice, dict(self._rows.all("reading", since=since)[0]))

    def newest(self) -> ModelCall | None:
        """Return the newest call; None if no call was made."""
        row = self._rows.first("last")
        return None if row is None else build_value(ModelCall, dict(row))
