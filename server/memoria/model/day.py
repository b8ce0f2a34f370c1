"""Days and closed conversations, as the generated files show them."""

from memoria.model.base import Value


class ClosedSession(Value):
    """A conversation to which nothing is being added."""

    n: int
    source: str
    session_id: str
    last_index: int
    stamp: str
    """Another one as soon as a turn comes, changes or goes."""


class DaySession(Value):
    """What was said of a conversation in a day."""

    source: str
    session_id: str
    first_at: int
    last_at: int
    utc_offset: int | None = None
    """How many minutes the speakers' clock was ahead of UTC; None where that is not known."""
    messages: int


class DayMemory(Value):
    """A memory in the wording that a day speaks of."""

    id: str
    content: str
    held_until: int | None = None
    """When its wording ceased to hold, UTC epoch ms; None if it holds."""
    is_outdated: bool = False
    """Whether it sums up what has changed since."""


class DayNotes(Value):
    """What happened in a day."""

    sessions: tuple[DaySession, ...] = ()
    episodes: tuple[DayMemory, ...] = ()
    """Of conversations that ended in it."""
    learnt: tuple[DayMemory, ...] = ()
    changed: tuple[DayMemory, ...] = ()
    """Memories that got another wording, which is given."""
    archived: tuple[DayMemory, ...] = ()


class GeneratedFile(Value):
    """What a nightly run wrote last at a place."""

    path: str
    """Below the tenant's folder."""
    digest: str
    stamp: str
    """What it was written from."""
    run_n: int
