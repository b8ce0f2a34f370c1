"""Logs: what was done, and what was asked of models."""

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
        """What was done to a memory or turn, oldest first."""
        ...

    def list_by_action(self, action: str, limit: int) -> list[LoggedAction]:
        """The newest lines of one kind, newest first."""
        ...

    def newest(self) -> int:
        """The number of the newest line, whoever's it is; 0 where there is none."""
        ...

    def list_subjects(self, after: int) -> list[str]:
        """What the tenant's lines after this number are about."""
        ...


class ModelCallLog(Protocol):
    """The log of calls to chat models, and what they cost."""

    def add(self, call: ModelCall) -> int:
        """Write a call. Gives its number."""
        ...

    def settle(self, n: int, call: ModelCall) -> None:
        """Set what a call cost and how it went."""
        ...

    def spending(self, since: int, until: int) -> TokenSpending:
        """What the calls made in this time cost."""
        ...

    def reading_price(self, since: int) -> ReadingPrice:
        """What the calls from a moment on took, and how much conversation was read since."""
        ...

    def newest(self) -> ModelCall | None:
        """The newest call."""
        ...
