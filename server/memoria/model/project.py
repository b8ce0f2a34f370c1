"""Projects as a home knows them."""

from memoria.model.base import Value


class KnownProject(Value):
    """A project that a home knows."""

    name: str
    places: tuple[str, ...] = ()
    """Last known folders; none where it was named by hand."""
    memories: int = 0
    """Number of active memories."""
    turns: int = 0
    is_private: bool = False
    is_gone: bool = False
    """True if none of its folders is there any more."""
    is_unmounted: bool = False
    """True if its folders lie on a drive that is not mounted now."""
    is_here: bool = False
    """True if it is the one at hand."""


class KnownJoin(Value):
    """A project that became part of another, and what it had then."""

    former: str
    into: str
    memories: int
    sessions: int
