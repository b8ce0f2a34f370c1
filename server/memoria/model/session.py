"""Sessions and their segments."""

from memoria.model.base import Value
from memoria.model.turn import StoredTurn


class Session(Value):
    """A conversation as one source numbers it. Times are UTC epoch milliseconds."""

    n: int
    source: str
    session_id: str
    first_at: int
    last_at: int
    turns: int
    agent_turns: int = 0
    """Most of its turns that only an agent has reported."""


class Segment(Value):
    """A run of turns that belongs together: what an episode will later summarise."""

    ordinal: int
    first_index: int
    last_index: int
    closed_by: str | None
    """`session_end`, `compaction`, `idle`, `overflow`, or nothing while it is open."""


class SessionRecord(Value):
    """A page of a session."""

    session_id: str
    total: int
    """Number of turns of the whole session."""
    turns: tuple[StoredTurn, ...]
    """Turns of a page that may be in an answer."""
    segments: tuple[Segment, ...]
    confided: frozenset[str] = frozenset()
    """Ids of the turns that were told in confidence."""
