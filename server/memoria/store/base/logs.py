"""Logs: what was done, and the calls to models."""

from typing import Protocol

from memoria.model import (
    AuditEntry,
    LoggedAction,
    ModelCall,
    ReadingPrice,
    TokenSpending,
)


class AuditLog(Protocol):
    """The append-only log."""

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
        ...

    def list_entries(self, subject: str) -> list[AuditEntry]:
        """List what was done to a memory or turn, oldest first."""
        ...

    def list_by_action(self, action: str, limit: int) -> list[LoggedAction]:
        """List the newest lines of one kind, newest first."""
        ...

    def newest(self) -> int:
        """Return the number of the newest line, of any tenant; 0 if there is none."""
        ...

    def list_subjects(self, after: int) -> list[str]:
        """List the subjects, ids of memories and turns, of the tenant's lines after this number."""
        ...


class ModelCallLog(Protocol):
    """The log of calls to chat models, and their costs."""

    def add(self, call: ModelCall) -> int:
        """Write a call, and return its number."""
        ...

    def settle(self, n: int, call: ModelCall) -> None:
        """Set the cost and the outcome of a call."""
        ...

    def spending(self, since: int, until: int) -> TokenSpending:
        """Add up the cost of the calls made in this time."""
        ...

    def reading_price(self, since: int) -> ReadingPrice:
        """Add up the calls from a moment on, and the conversation that was read with them."""
        ...

    def newest(self) -> ModelCall | None:
        """Return the newest call; None if there is none."""
        ...
