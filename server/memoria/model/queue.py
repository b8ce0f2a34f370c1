"""The extraction queue: conversation segments that a chat model has still to read."""

from enum import StrEnum

from memoria.model.base import Value


class QueueKind(StrEnum):
    """Purposes for which a segment is to be read."""

    EXTRACT = "extract"
    EPISODE = "episode"


class QueueState(StrEnum):
    """States of an entry. All but the first are final unless somebody retries it."""

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
    """Rank: 0 comes first, what the user asked to be remembered; 9 is what was left over."""
    reason: str
    """Reason for the entry: `remember`, `preference`, `session_end`."""
    state: QueueState
    attempts: int
    not_before: int
    leased_until: int
    """End of a worker's lease; in the future while it has the entry."""
    created_at: int
    finished_at: int | None
    last_error: str | None
    outcome: str | None
    """Number of operations applied, and why others were not: `ADD 2, rejected: quote 1`."""


class QueueStatus(Value):
    """Numbers of entries in the queue, by state."""

    waiting: int = 0
    done: int = 0
    dead: int = 0
    dropped: int = 0
    oldest_waiting_at: int | None = None
    last_error: str | None = None
