"""What the product says about itself."""

from typing import Literal

from memoria.model.base import Value
from memoria.model.model_call import ReadingPrice, TokenSpending
from memoria.model.private_time import PrivateTime
from memoria.model.queue import QueueStatus

FIX = "memoria doctor --fix"
"""The cure of whatever doctor mends by itself."""
RESTORE = "Restore a backup: memoria restore FILE"
"""The cure of whatever is lost but for a backup."""


class BacklogStatus(Value):
    """Documents that still wait for their vector."""

    pending: int
    failed: int
    """Given up after repeated failures; `memoria doctor` names the reason."""
    last_error: str | None = None


class Finding(Value):
    """One thing `doctor` looked at."""

    check: str
    state: Literal["ok", "warning", "error"]
    detail: str
    cure: str | None = None


class Repair(Value):
    """One thing that was wrong, and what doctor says of it now."""

    check: str
    before: str
    after: str


class Health(Value):
    """All that `doctor` found."""

    findings: tuple[Finding, ...]

    @property
    def is_sound(self) -> bool:
        """Whether nothing is an error."""
        return all(finding.state != "error" for finding in self.findings)

    @property
    def notable(self) -> tuple[Finding, ...]:
        """What is not as it should be: warnings and errors."""
        return tuple(finding for finding in self.findings if finding.state != "ok")


class Statistics(Value):
    """What a tenant holds."""

    tenant: str
    sessions: int
    turns: int
    turn_versions: int
    memories: dict[str, int]
    """Memories by validity."""
    raw_chunks: int
    raw_bytes: int
    stored_bytes: int
    database_bytes: int
    vectors: int
    backlog: BacklogStatus
    queue: QueueStatus
    reading: ReadingPrice
    """What the chat model took in the last 30 days, and for how much conversation."""
    today: TokenSpending
    """What it took today (UTC)."""
    reading_cost: float | None = None
    """What the last 30 days cost, in the currency of the stated prices."""
    cost_today: float | None = None
    waiting: int = 0
    """What hooks have said and nobody has taken in yet, in entries of the spool."""
    private: tuple[PrivateTime, ...] = ()
    """The private times that are on."""
