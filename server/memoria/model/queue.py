"""The extraction queue: conversation segments that a chat model has still to read."""

from enum import StrEnum

from memoria.model.base import Value


class QueueKind(StrEnum):
    """What is to be made of a segment."""

    EXTRACT = "extract"
    EPISODE = "episode"


class QueueState(StrEnum):
    """What became of an entry. All but the first are final unless somebody retries it."""

    WAITING = "waiting"
    DONE = "done"
    DEAD = "dead"
    DROPPED = "dropped"


class QueueEntry(Value):
    """A segment in the queue, and what happened to it. Times are UTC epoch milliseconds."""

    id: str
    kind: QueueKind
    session_id: str
    first_index: int
    last_index: int
    priority: int
    """0 comes first: what the user asked to be remembered. 9 is what was left over."""
    reason: str
    """Why it is here: `remember`, `preference`, `session_end`."""
    state: QueueState
    attempts: int
    not_before: int
    leased_until: int
    """In the future while a worker has it."""
    created_at: int
    finished_at: int | None
    last_error: str | None
    outcome: str | None
    """How many operations were applied and why others were not: `ADD 2, rejected: quote 1`."""


class QueueStatus(Value):
    """How much is in the queue, by state."""

    waiting: int = 0
    done: int = 0
    dead: int = 0
    dropped: int = 0
    oldest_waiting_at: int | None = None
    last_error: str | None = None
