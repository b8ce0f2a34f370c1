"""Listed: the request for a list of memories or sessions, and a page of the answer."""

from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

from memoria.model import MemoryType, Validity

_ListedT = TypeVar("_ListedT")


@dataclass(frozen=True, slots=True)
class ListedSpan:
    """A part of a list, newest first, as seen from a workspace."""

    offset: int
    limit: int
    since: int | None = None
    """UTC epoch milliseconds, as `until` is, which is exclusive."""
    until: int | None = None
    workspace: str | None = None
    everywhere: bool = False
    """True if the rows of every workspace are seen, except private ones."""
    first: str | None = None
    """The workspace that comes first, with what belongs to none, if every workspace is seen."""


@dataclass(frozen=True, slots=True)
class ListedMemories:
    """The conditions that memories must meet to be listed."""

    types: tuple[MemoryType, ...] = ()
    validities: tuple[Validity, ...] = ()
    task: str | None = None
    entities: tuple[str, ...] = ()
    """Ids of entities; a memory must speak of one of them."""


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
    """Number of memories that rest on what was said in it."""
    opening_n: int | None
    """Number of the turn it opens with; None if nothing of it may be used."""


class ListedPage(NamedTuple, Generic[_ListedT]):
    """A page of a list, with the numbers of items in all and elsewhere."""

    items: list[_ListedT]
    total: int
    """Number of items in the whole list."""
    elsewhere: int
    """Number of further items that would be seen if every workspace's rows were."""


class HeldProject(NamedTuple):
    """A project of which anything is on record, with its numbers of memories and turns."""

    name: str
    memories: int
    """Number of active ones."""
    turns: int
