"""Listings: the arguments of a list of memories or sessions, and pages of it; projects."""

from typing import Annotated, Literal

from pydantic import BeforeValidator, ConfigDict

from memoria.model.base import HIDDEN, UNLESS_EMPTY, Value
from memoria.model.memory import Memory, Validity
from memoria.model.memory_types import AnyType
from memoria.model.metadata import NO_METADATA, Metadata
from memoria.model.moments import Moment
from memoria.model.query import CLEAN, INSTANT, METADATA_FOR_PEOPLE, Bounds, ForPeople, read_list

MemoryState = Literal["active", "pending", "archived", "superseded", "contradicted", "any"]
MOST_ON_PAGE = 500
_SINCE = ForPeople("only from this date or time on, ISO 8601 or words like yesterday")
_UNTIL = ForPeople("only before this date or time, ISO 8601 or words like yesterday")


def _list_validities(state: MemoryState) -> tuple[Validity, ...]:
    match state:
        case "any":
            return ()
        case "pending":
            return (Validity.PENDING_CONFIRMATION,)
        case _:
            return (Validity(state),)


class Listing(Value):
    """Arguments of every list. The newest comes first."""

    model_config = ConfigDict(strict=True)

    since: Annotated[str | None, CLEAN, INSTANT, _SINCE] = None
    until: Annotated[str | None, CLEAN, INSTANT, _UNTIL] = None
    workspace: Annotated[
        str | None, CLEAN, ForPeople("what is seen from this project; * for all of them")
    ] = None
    """Project asked from; the configured project by default."""
    page: Annotated[int, Bounds(1, 1_000_000), ForPeople("which page, from 1")] = 1
    limit: Annotated[int, Bounds(1, MOST_ON_PAGE), ForPeople("most on a page")] = 20


class MemoryListing(Listing):
    """Arguments of a list of memories. Their time is the one from which they hold."""

    types: Annotated[
        tuple[AnyType, ...],
        BeforeValidator(read_list),
        ForPeople("only memories of this type; may be repeated"),
    ] = ()
    state: Annotated[
        MemoryState,
        ForPeople(
            "those that count (active), wait for your word (pending), are put aside (archived), "
            "no longer hold (superseded), are known to be wrong (contradicted), or any"
        ),
    ] = "active"
    task: Annotated[str | None, CLEAN, ForPeople("only memories of this task")] = None
    entity: Annotated[
        str | None, CLEAN, ForPeople("only memories that speak of this person, place or thing")
    ] = None
    """A name, an alias or an id."""
    metadata: Annotated[Metadata, METADATA_FOR_PEOPLE] = NO_METADATA

    @property
    def validities(self) -> tuple[Validity, ...]:
        """Validities of the memories to list; empty to list all memories."""
        return _list_validities(self.state)


class MemoryWalk(Value):
    """Arguments of a walk through memories of any number, the one that became valid last first."""

    model_config = ConfigDict(strict=True)

    types: Annotated[tuple[AnyType, ...], BeforeValidator(read_list)] = ()
    state: MemoryState = "active"
    pinned: bool = False
    """True for pinned memories alone."""
    unverified: bool = False
    """True for memories alone that the user has not confirmed."""
    workspace: Annotated[str | None, CLEAN] = None
    """Project asked from; the configured project by default."""
    cursor: Annotated[str | None, CLEAN] = None
    """Place from which to go on, as the stretch before has it."""
    limit: Annotated[int, Bounds(1, MOST_ON_PAGE)] = 50

    @property
    def validities(self) -> tuple[Validity, ...]:
        """Validities of the memories to list; empty to list all memories."""
        return _list_validities(self.state)


class SessionListing(Listing):
    """Arguments of a list of sessions. Their time is that of their last turn."""

    client: Annotated[
        str | None, CLEAN, ForPeople("only sessions of this client, as the list names it")
    ] = None


class Page(Value):
    """Counts shown with one page of a list."""

    total: int
    """Number on all pages."""
    elsewhere: int
    """Number of further items in other projects."""


class MemoryPage(Page):
    """A page of memories."""

    memories: tuple[Memory, ...]
    withheld: Annotated[int, UNLESS_EMPTY] = 0
    """Number of memories of this page that the user wants withheld; `total` leaves them out."""
    id_chars: int
    """Number of last characters that tell the ids of this page from all others."""


class MemoryStretch(Value):
    """A stretch of a walk through memories."""

    memories: tuple[Memory, ...]
    withheld: Annotated[int, UNLESS_EMPTY] = 0
    """Number of memories of this stretch that the user wants withheld."""
    cursor: str | None = None
    """Place from which the walk goes on; None at its end."""


class SessionSummary(Value):
    """A session in a line."""

    session_id: str
    client: str
    first_at: Moment
    last_at: Moment
    turns: int
    memories: int
    """Number of memories concluded from turns of the session."""
    opening: str
    """First words of the first user turn, or else of the first turn."""
    workspace: str | None = None


class SessionPage(Page):
    """A page of sessions."""

    sessions: tuple[SessionSummary, ...]
    id_chars: Annotated[int, HIDDEN]
    """Number of first characters that tell the ids of this page from all others."""


class KnownProject(Value):
    """A project that a home knows."""

    name: str
    places: tuple[str, ...] = ()
    """Last known folders; none for a project named by hand."""
    memories: int = 0
    """Number of active memories."""
    turns: int = 0
    is_private: bool = False
    is_gone: bool = False
    """True if no folder of the project exists any more."""
    is_unmounted: bool = False
    """True if the folders lie on a drive that is not mounted."""
    is_here: bool = False
    """True for the present project."""


class KnownJoin(Value):
    """A project that became part of another, and its rows at that time."""

    former: str
    into: str
    memories: int
    sessions: int
