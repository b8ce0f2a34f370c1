"""Listed: what a list of memories or sessions is to hold, and a page of it."""

from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

from memoria.model import MemoryType, Validity

_ListedT = TypeVar("_ListedT")


@dataclass(frozen=True, slots=True)
class ListedSpan:
    """Which part of a list is wanted, the newest first, as it is seen from somewhere."""

    offset: int
    limit: int
    since: int | None = None
    """UTC epoch milliseconds, as `until`, which is exclusive."""
    until: int | None = None
    workspace: str | None = None
    everywhere: bool = False
    """Whether every workspace's rows are seen, but those that are private."""
    first: str | None = None
    """The workspace that comes first where every one's rows are seen, with what is of none."""


@dataclass(frozen=True, slots=True)
class ListedMemories:
    """What memories must be to be listed."""

    types: tuple[MemoryType, ...] = ()
    validities: tuple[Validity, ...] = ()
    task: str | None = None
    entities: tuple[str, ...] = ()
    """Ids of entities, of one of which a memory speaks."""


@dataclass(frozen=True, slots=True)
class ListedSession:
    """A session as a list shows it. Times are UTC epoch milliseconds."""

    session_id: str
    client: str
    first_at: int
    last_at: int
    workspace: str | None
    turns: int
    memories: int
    """How many rest on what was said in it."""
    opening_n: int | None
    """The number of the turn it opens with; none where nothing of it may be used."""


class ListedPage(NamedTuple, Generic[_ListedT]):
    """A part of a list, and how much there is beside it."""

    items: list[_ListedT]
    total: int
    """How many there are in the whole list."""
    elsewhere: int
    """How many more would be seen if every workspace's rows were."""


class HeldProject(NamedTuple):
    """A project of which anything is on record."""

    name: str
    memories: int
    """Those that are active."""
    turns: int
