"""Days and closed conversations, as the generated files show them."""

from memoria.model.base import Value


class ClosedSession(Value):
    """A conversation that nothing is being added to."""

    n: int
    source: str
    session_id: str
    last_index: int
    stamp: str
    """Fingerprint of its turns; changes as soon as a turn comes, changes or goes."""


class DaySession(Value):
    """The part of a conversation that was held in a day."""

    source: str
    session_id: str
    first_at: int
    last_at: int
    utc_offset: int | None = None
    """Minutes by which the speakers' clock was ahead of UTC; None where that is not known."""
    messages: int


class DayMemory(Value):
    """A memory in the wording that a day speaks of."""

    id: str
    content: str
    held_until: int | None = None
    """Time at which its wording ceased to hold, UTC epoch ms; None if it holds."""
    is_outdated: bool = False
    """True if it sums up what has changed since."""


class DayNotes(Value):
    """Conversations and memories of a day."""

    sessions: tuple[DaySession, ...] = ()
    episodes: tuple[DayMemory, ...] = ()
    """Episodes of conversations that ended in it."""
    learnt: tuple[DayMemory, ...] = ()
    changed: tuple[DayMemory, ...] = ()
    """Memories that got another wording, which is given."""
    archived: tuple[DayMemory, ...] = ()


class GeneratedFile(Value):
    """A file as a nightly run wrote it last."""

    path: str
    """Place below the tenant's folder."""
    digest: str
    stamp: str
    """Fingerprint of the data it was written from."""
    run_n: int
