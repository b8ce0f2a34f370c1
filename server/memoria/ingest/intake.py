"""Intake: which turns go into the extraction queue, and when.

What policy marks goes at once, however short. Of the rest, a session's first few turns of some
length go at once too; what is left over is read together when its stretch closes: at the session's
end, before the client compacts its context, or after a pause.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from memoria.model import QueueKind, Role, new_id
from memoria.store.base import Queue
from memoria.store.values import ClosedStretch, NewEntry, NewTurn
from memoria.text.statement import length

_LENGTH = "length"
_EAGER, _LEFT_OVER = 5, 9


@dataclass(frozen=True, slots=True)
class IntakeLimits:
    """How often a session's turns are read one by one (Memory v2 §6, in the seeds)."""

    turns_per_session: int = 5
    least_length: int = 30
    """Letters; a Chinese, Japanese or Korean character counts three."""
    batch: int = 20
    """Turns read together at the most."""


class NoIntake:
    """Where nobody reads, nothing is queued."""

    def captured(self, turn: NewTurn) -> None:
        """A turn was written."""

    def closed(self, stretches: Iterable[ClosedStretch], reason: str) -> None:
        """Stretches were closed."""


class Intake:
    """Fills a tenant's queue within the transaction that captures."""

    def __init__(self, queue: Queue, limits: IntakeLimits, now: int) -> None:
        self._queue = queue
        self._limits = limits
        self._now = now

    def captured(self, turn: NewTurn) -> None:
        """A turn was written."""
        if turn.role is Role.USER and length(turn.content) >= self._limits.least_length:
            asked = self._queue.extractions(turn.session_n, _LENGTH)
            if asked < self._limits.turns_per_session:
                self._put(turn.session_n, turn.turn_index, turn.turn_index, _EAGER, _LENGTH)

    def closed(self, stretches: Iterable[ClosedStretch], reason: str) -> None:
        """Stretches were closed: what nobody has read of them is read now."""
        for session_n, first, last in stretches:
            for start in range(first, last + 1, self._limits.batch):
                end = min(start + self._limits.batch - 1, last)
                self._put(session_n, start, end, _LEFT_OVER, reason)

    def _put(self, session_n: int, first: int, last: int, priority: int, reason: str) -> None:
        entry = NewEntry(
            id=new_id(),
            kind=QueueKind.EXTRACT,
            session_n=session_n,
            first_index=first,
            last_index=last,
            priority=priority,
            reason=reason,
            created_at=self._now,
        )
        self._queue.add(entry)
