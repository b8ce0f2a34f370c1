"""Status: the product's account of itself."""

from typing import Literal

from memoria.model.base import Value
from memoria.model.model_call import ReadingPrice, TokenSpending
from memoria.model.private_time import PrivateTime
from memoria.model.queue import QueueStatus

FIX = "memoria doctor --fix"
"""Cure of whatever doctor mends by itself."""
RESTORE = "Restore a backup: memoria restore FILE"
"""Cure of whatever is lost but for a backup."""


class BacklogStatus(Value):
    """Numbers of documents that still wait for their vector."""

    pending: int
    failed: int
    """Number given up after repeated failures; `memoria doctor` names the reason."""
    last_error: str | None = None


class Finding(Value):
    """Result of one of doctor's checks."""

    check: str
    state: Literal["ok", "warning", "error"]
    detail: str
    cure: str | None = None


class Repair(Value):
    """A mended fault, with doctor's words before and after."""

    check: str
    before: str
    after: str


class Health(Value):
    """Findings of `doctor`."""

    findings: tuple[Finding, ...]

    @property
    def is_sound(self) -> bool:
        """True if nothing is an error."""
        return all(finding.state != "error" for finding in self.findings)

    @property
    def notable(self) -> tuple[Finding, ...]:
        """Warnings and errors."""
        return tuple(finding for finding in self.findings if finding.state != "ok")


class Statistics(Value):
    """Contents of a tenant, in numbers."""

    tenant: str
    sessions: int
    turns: int
    turn_versions: int
    memories: dict[str, int]
    """Numbers of memories by validity."""
    raw_chunks: int
    raw_bytes: int
    stored_bytes: int
    database_bytes: int
    vectors: int
    backlog: BacklogStatus
    queue: QueueStatus
    reading: ReadingPrice
    """Tokens of the chat model in the last 30 days, and for how much conversation."""
    today: TokenSpending
    """Tokens it took today (UTC)."""
    reading_cost: float | None = None
    """Cost of the last 30 days, in the currency of the stated prices."""
    cost_today: float | None = None
    waiting: int = 0
    """Number of entries of the spool that nobody has taken in yet."""
    private: tuple[PrivateTime, ...] = ()
    """Private times that are on."""
