"""Listings: memories and sessions page by page, projects and their rows, and ids by their ends."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

from memoria.model import MemoryType, Validity
from memoria.store.connection import Connection, Row
from memoria.store.rows.document_index import DocumentIndex
from memoria.store.rows.workspaces import Workspaces
from memoria.store.sql.statements import Parameter, TenantRows, as_json, as_json_or_null

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


class Listings:
    """A tenant's memories and sessions page by page, the newest first."""

    def __init__(self, connection: Connection, tenant: int, workspaces: Workspaces) -> None:
        self._rows = TenantRows(connection, tenant, "listings")
        self._workspaces = workspaces

    def list_memories(self, wanted: ListedMemories, span: ListedSpan) -> ListedPage[int]:
        """List the numbers of memories' newest wordings, by the time since which these hold."""
        page = self._read_page(
            "memories",
            span,
            types=as_json_or_null(wanted.types),
            validities=as_json_or_null(wanted.validities),
            task=wanted.task,
            entities=as_json_or_null(wanted.entities),
        )
        return ListedPage([row["n"] for row in page.items], page.total, page.elsewhere)

    def list_sessions(self, client: str | None, span: ListedSpan) -> ListedPage[ListedSession]:
        """List the sessions of a client, or of all, in the order of their last turns."""
        page = self._read_page("sessions", span, client=client)
        ns = [row["n"] for row in page.items]
        described = {row["n"]: dict(row) for row in self._rows.all("described", ns=as_json(ns))}
        sessions = [_build_session(described[n]) for n in ns]
        return ListedPage(sessions, page.total, page.elsewhere)

    def _read_page(self, name: str, span: ListedSpan, **wanted: Parameter) -> ListedPage[Row]:
        """Read a page of a statement's rows, and count those seen and those elsewhere."""
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
"""Number of characters at its end by which an id is found."""
_LAST_CHARACTER = chr(0x10FFFF)


class ShortIds:
    """The ids of memories, turns and entities by their ends, of sessions by their beginnings."""

    def __init__(self, connection: Connection, tenant: int) -> None:
        self._rows = TenantRows(connection, tenant, "short_ids")

    def list_alike(self, ids: Iterable[str]) -> list[str]:
        """List ids of memories and turns whose last `INDEXED_CHARS` are those of one of these."""
        ends = dict.fromkeys(one[-INDEXED_CHARS:].lower() for one in ids)
        rows = self._rows.all("list_alike", ends=as_json(ends)) if ends else []
        return sorted(row["id"] for row in rows)

    def list_forgotten(self, end: str) -> list[str]:
        """List ids of forgotten memories and turns with the last `INDEXED_CHARS` of this."""
        rows = self._rows.all("list_forgotten", end=end[-INDEXED_CHARS:].lower())
        return [row["subject"] for row in rows]

    def list_entities(self, end: str) -> list[str]:
        """List ids of entities with the last `INDEXED_CHARS` of this."""
        rows = self._rows.all("list_entities", end=end[-INDEXED_CHARS:].lower())
        return [row["id"] for row in rows]

    def list_sessions(self, beginning: str, limit: int) -> list[str]:
        """List the first few ids of sessions that begin so. Clients make them, mostly random."""
        beyond = beginning + _LAST_CHARACTER
        rows = self._rows.all("list_sessions", beginning=beginning, beyond=beyond, limit=limit)
        return [row["session_id"] for row in rows]


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
    """The rows of each project, and their move from one project to another."""

    def __init__(
        self,
        connection: Connection,
        tenant: int,
        documents: DocumentIndex,
        workspaces: Workspaces,
    ) -> None:
        self._rows = TenantRows(connection, tenant, "projects")
        self._documents = documents
        self._workspaces = workspaces

    def list_held(self) -> list[HeldProject]:
        """List the projects of which anything is on record, by name."""
        return [HeldProject(*row) for row in self._rows.tuples("held")]

    def list_used(self) -> list[str]:
        """List the names of projects of which a memory or a session is on record."""
        return [row["name"] for row in self._rows.all("used")]

    def list_names(self) -> list[str]:
        """List the names of all projects that were ever heard of, and not forgotten."""
        return self._workspaces.names()

    def join(self, name: str, into: str) -> JoinedRows | None:
        """Move all rows of a project to another; return what was moved, None if it is unknown."""
        former = self._workspaces.number(name)
        workspace = self._workspaces.enter(into)
        if former is None or workspace is None:
            return None
        sessions, times = (
            [row["n"] for row in self._rows.all(f"joining_{each}", former=former)]
            for each in ("sessions", "times")
        )
        memories = [row["id"] for row in self._rows.all("joining_memories", former=former)]
        for row in self._rows.all("documents", former=former):
            self._documents.set_workspace(row["n"], workspace)
        for table in ("memories", "sessions", "scratchpads", "private_times"):
            self._rows.change(f"move_{table}", former=former, workspace=workspace)
        return JoinedRows(former, workspace, sessions, memories, times)

    def find_name(self, number: int) -> str | None:
        """Return the name of the project with a number; None if there is none."""
        row = self._rows.first("name", n=number)
        return None if row is None else str(row["name"])

    def part(self, rows: JoinedRows, joined_at: int) -> None:
        """Move joined rows back to the project they came from, unless they were moved on since.

        What was concluded from its conversations since goes with them.
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
        self._rows.change("part_scratchpads", **place, sessions=sessions)
        self._rows.change("part_sessions", former=rows.former, sessions=sessions)
        self._rows.change("part_memories", former=rows.former, memories=memories)
        self._rows.change("part_times", **place, times=as_json(rows.times), joined_at=joined_at)
