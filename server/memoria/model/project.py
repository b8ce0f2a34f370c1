"""Projects as a home knows them."""

from memoria.model.base import Value


class KnownProject(Value):
    """A project that a home knows."""

    name: str
    places: tuple[str, ...] = ()
    """Where its folders were seen last; none where it was named by hand."""
    memories: int = 0
    """Those that are active."""
    turns: int = 0
    is_private: bool = False
    is_gone: bool = False
    """Whether none of its folders is there any more."""
    is_unmounted: bool = False
    """Whether its folders lie on a drive that is not mounted now."""
    is_here: bool = False
    """Whether it is the one at hand."""


class KnownJoin(Value):
    """A project that became part of another, and what it had then."""

    former: str
    into: str
    memories: int
    sessions: int
