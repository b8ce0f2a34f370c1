"""Listings: memories and sessions page by page, projects and their rows, and ids by their ends."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

from memoria.model import MemoryType, Validity
from memoria.model.moments import LocalDay
from memoria.store.connection import Connection, Row
from memoria.store.rows.document_index import DocumentIndex
from memoria.store.rows.workspaces import Workspaces
from memoria.store.sql.statements import Parameter, TenantRows, as_json, as_json_or_null

_ListedT = TypeVar("_ListedT")
_MOST_TURNS = 5000
"""Number of turns of a span of time that are looked at: more than are said in a day."""


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
    """Workspace listed first, with the rows of no workspace, if every workspace is seen."""


@dataclass(frozen=True, slots=True)
class ListedMemories:
    """The conditions that memories must meet to be listed."""

    types: tuple[MemoryType, ...] = ()
    validities: tuple[Validity, ...] = ()
    task: str | None = None
    entities: tuple[str, ...] = ()
    """Ids of entities, one of which a memory must name."""
    metadata: str | None = None
    """As in `Filters`."""
    pinned: bool = False
    unverified: bool = False
    """True if the user must not have confirmed it. Both count in a walk only."""


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
    """Number of memories that rest on turns of the session."""
    opening_n: int | None
    """Number of the opening turn; None if no turn of the session may be shown."""


class ListedPage(NamedTuple, Generic[_ListedT]):
    """A page of a list, with the numbers of items in all and elsewhere."""

    items: list[_ListedT]
    total: int
    """Number of items in the whole list."""
    elsewhere: int
    """Number of further items that would be seen if every workspace's rows were."""


class HeldSession(NamedTuple):
    """The part of a session that was held in a day. Times are UTC epoch milliseconds."""

    n: int
    day: int
    """Place of the day in the list of days that was asked about."""
    first_at: int
    last_at: int
    turns: int
    """Number of turns in the day."""


class HeldSessions(NamedTuple):
    """Sessions held in some days, in the order in which they began."""

    sessions: list[HeldSession]
    next_at: int | None
    """Time from which the list goes on, where there is more; None where there is not."""


class HeldProject(NamedTuple):
    """A project with anything on record, and its numbers of memories and turns."""

    name: str
    memories: int
    """Number of active memories."""
    turns: int


class WalkPlace(NamedTuple):
    """A place in a walk through memories: the time since which one holds, and its id."""

    valid_from: int
    """UTC epoch milliseconds."""
    id: str


class WalkedMemories(NamedTuple):
    """A stretch of a walk through memories."""

    items: list[int]
    """Numbers of newest wordings."""
    end: WalkPlace | None
    """Place from which the walk goes on; None at its end."""


_REACH = 5000
"""Number of wordings that a stretch of a walk looks at, most of which may not be wanted."""
_LAST = 1 << 62


class Listings:
    """A tenant's memories and sessions page by page, the newest first."""

    def __init__(self, connection: Connection, tenant: int, workspaces: Workspaces) -> None:
        self._rows = TenantRows(connection, tenant, "listings")
        self._workspaces = workspaces

    def list_memories(self, wanted: ListedMemories, span: ListedSpan) -> ListedPage[int]:
        """List memories by the numbers of their newest wordings, in order of `valid_from`."""
        page = self._read_page(
            "memories",
            span,
            types=as_json_or_null(wanted.types),
            validities=as_json_or_null(wanted.validities),
            task=wanted.task,
            metadata=wanted.metadata,
            entities=as_json_or_null(wanted.entities),
        )
        return ListedPage([row["n"] for row in page.items], page.total, page.elsewhere)

    def walk_memories(
        self, wanted: ListedMemories, span: ListedSpan, after: WalkPlace | None, reach: int = _REACH
    ) -> WalkedMemories:
        """Read the memories after a place, in order of `valid_from`, the newest first.

        Args:
            wanted: conditions, of which task and entities do not count.
            span: how many at most, and the workspace that asks.
            after: the place; None to begin.
            reach: wordings to look at, at most.
        """
        place = {"at": _LAST, "n": _LAST}
        if after is not None:
            known = self._rows.column("walk_place", at=after.valid_from, id=after.id)
            place = {"at": after.valid_from, "n": known[0] if known else _LAST}
        rows = self._rows.all(
            "walk",
            **place,
            place=self._workspaces.number(span.workspace),
            everywhere=span.everywhere,
            private=as_json(self._workspaces.private),
            types=as_json_or_null(wanted.types),
            validities=as_json_or_null(wanted.validities),
            pinned=wanted.pinned,
            unverified=wanted.unverified,
            reach=reach,
            limit=span.limit + 1,
        )
        items = rows[: span.limit]
        if len(rows) > span.limit:
            end: list[Row] = items[-1:]
        else:
            end = self._rows.all("walk_end", **place, reach=reach - 1)
        last = next((WalkPlace(row["valid_from"], row["id"]) for row in end), None)
        return WalkedMemories([row["n"] for row in items], last)

    def list_sessions(self, client: str | None, span: ListedSpan) -> ListedPage[ListedSession]:
        """List the sessions of a client, or of all, in the order of their last turns."""
        page = self._read_page("sessions", span, client=client)
        ns = [row["n"] for row in page.items]
        described = self.describe(ns)
        return ListedPage([described[n] for n in ns], page.total, page.elsewhere)

    def describe(self, ns: Sequence[int]) -> dict[int, ListedSession]:
        """Map the numbers of sessions to the sessions."""
        rows = self._rows.all("described", ns=as_json(ns))
        return {row["n"]: _build_session(dict(row)) for row in rows}

    def list_held(self, days: Sequence[LocalDay], span: ListedSpan) -> HeldSessions:
        """List the sessions in which something was said in days that follow one another.

        Args:
            days: the days.
            span: which sessions; `since` is where the list goes on, `offset` is not regarded.
        """
        begin, end = max(days[0].begin, span.since or 0), days[-1].end
        between = {"begin": begin, "end": end, "most_turns": _MOST_TURNS}
        rows = self._rows.tuples(
            "held",
            **between,
            days=as_json([one.begin for one in days]),
            place=self._workspaces.number(span.workspace),
            everywhere=span.everywhere,
            private=as_json(self._workspaces.private),
            limit=span.limit + 1,
        )
        sessions = [HeldSession(*row) for row in rows]
        ends = [one.first_at for one in sessions[span.limit :]]
        last_at = self._rows.find_number("held_until", **between)
        ends += [] if last_at is None else [last_at]
        # Each further page is of a later time, or a reader would go on for ever.
        next_at = None if not ends else max(begin + 1, min(ends))
        return HeldSessions(sessions[: span.limit], next_at)

    def _read_page(self, name: str, span: ListedSpan, **wanted: Parameter) -> ListedPage[Row]:
        """Read a page of rows, and count the rows seen and the rows of other workspaces."""
        parameters = {
            "since": span.since,
            "until": span.until,
            "place": self._workspaces.number(span.workspace),
            "first": self._workspaces.number(span.first),
            "everywhere": span.everywhere,
            "private": as_json(self._workspaces.private),
            **wanted,
        }
        rows = self._rows.all(name, limit=span.limit, offset=span.offset, **parameters)
        counted = rows or self._rows.all(name, limit=1, offset=0, **parameters)
        total, elsewhere = (counted[0][one] if counted else 0 for one in ("total", "elsewhere"))
        return ListedPage([row for row in rows if row["seen"]], total, elsewhere)


def _build_session(fields: dict[str, Any]) -> ListedSession:
    return ListedSession(**{name: value for name, value in fields.items() if name != "n"})


INDEXED_CHARS = 8
"""Number of last characters by which an id is found."""
_LAST_CHARACTER = chr(0x10FFFF)


class ShortIds:
    """The ids of memories, turns and entities by their ends, of sessions by their beginnings."""

    def __init__(self, connection: Connection, tenant: int) -> None:
        self._rows = TenantRows(connection, tenant, "short_ids")

    def list_alike(self, ids: Iterable[str]) -> list[str]:
        """List ids of memories and turns that end with the last `INDEXED_CHARS` of a given id."""
        ends = dict.fromkeys(one[-INDEXED_CHARS:].lower() for one in ids)
        rows = self._rows.all("list_alike", ends=as_json(ends)) if ends else []
        return sorted(row["id"] for row in rows)

    def list_forgotten(self, end: str) -> list[str]:
        """List ids of forgotten memories and turns with the last `INDEXED_CHARS` of `end`."""
        return self._rows.column("list_forgotten", end=end[-INDEXED_CHARS:].lower())

    def list_entities(self, end: str) -> list[str]:
        """List entity ids with a given end; only the last `INDEXED_CHARS` of `end` are compared."""
        return self._rows.column("list_entities", end=end[-INDEXED_CHARS:].lower())

    def list_sessions(self, beginning: str, limit: int) -> list[str]:
        """List ids of sessions that begin with a text; clients make such ids, mostly random."""
        beyond = beginning + _LAST_CHARACTER
        return self._rows.column("list_sessions", beginning=beginning, beyond=beyond, limit=limit)


class JoinedRows(NamedTuple):
    """Rows that a project brought along when it became part of another: numbers and ids only."""

    former: int
    """Number of the project's name."""
    into: int
    sessions: list[int]
    memories: list[str]
    times: list[int]
    """Numbers of private times."""


class Projects:
    """Projects of a tenant, and moving the rows of one to another."""

    def __init__(
        self, connection: Connection, tenant: int, documents: DocumentIndex, workspaces: Workspaces
    ) -> None:
        self._rows = TenantRows(connection, tenant, "projects")
        self._documents = documents
        self._workspaces = workspaces

    def list_held(self) -> list[HeldProject]:
        """List the projects of which anything is on record, by name."""
        return [HeldProject(*row) for row in self._rows.tuples("held")]

    def list_used(self) -> list[str]:
        """List the names of projects of which a memory or a session is on record."""
        return self._rows.column("used")

    def list_names(self) -> list[str]:
        """List the names of all projects that were ever heard of, and not forgotten."""
        return self._workspaces.names()

    def join(self, name: str, into: str) -> JoinedRows | None:
        """Move all rows of a project to another, and return them; None for an unknown project."""
        former = self._workspaces.number(name)
        workspace = self._workspaces.enter(into)
        if former is None or workspace is None:
            return None
        sessions, times = (
            self._rows.column(f"joining_{each}", former=former) for each in ("sessions", "times")
        )
        memories = self._rows.column("joining_memories", former=former)
        for row in self._rows.all("documents", former=former):
            self._documents.set_workspace(row["n"], workspace)
        for table in ("memories", "sessions", "scratchpads", "private_times"):
            self._rows.send(f"move_{table}", former=former, workspace=workspace)
        return JoinedRows(former, workspace, sessions, memories, times)

    def find_name(self, number: int) -> str | None:
        """Return the name of the project with a number; None if no project has the number."""
        return self._rows.find_text("name", n=number)

    def part(self, rows: JoinedRows, joined_at: int) -> None:
        """Move joined rows back to their former project, except rows that were moved on.

        Memories concluded later from the project's conversations go back too.
        """
        place = {"former": rows.former, "workspace": rows.into}
        found = self._rows.all(
            "parting_sessions", **place, sessions=as_json(rows.sessions), joined_at=joined_at
        )
        sessions = as_json([row["n"] for row in found])
        brought = self._rows.all(
            "parting_memories", **place, sessions=sessions, memories=as_json(rows.memories)
        )
        memories = as_json([row["n"] for row in brought])
        own = {"sessions": sessions, "memories": memories}
        for row in self._rows.all("parting_documents", **place, **own):
            self._documents.set_workspace(row["n"], rows.former)
        self._rows.send("part_scratchpads", **place, sessions=sessions)
        self._rows.send("part_sessions", former=rows.former, sessions=sessions)
        self._rows.send("part_memories", former=rows.former, memories=memories)
        self._rows.send("part_times", **place, times=as_json(rows.times), joined_at=joined_at)
