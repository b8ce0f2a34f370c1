"""Memories and turns: lists, a memory with the words it rests on, and what one may do to it."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal, NamedTuple
from urllib.parse import quote, urlencode

from pydantic import BeforeValidator
from starlette.responses import Response

from memoria.app import Memoria
from memoria.model import EdgeType, Evidence, Memory, MemoryWalk, Revision, TurnRecord
from memoria.model.listing import MemoryState
from memoria.model.memory_types import STATABLE_TYPES, AnyType
from memoria.model.provenance import (
    IncidentEdge,
    MemoryHistory,
    MemoryRecord,
    SourcedVersion,
    TurnOrigin,
)
from memoria.model.query import read_list
from memoria.retrieval.query.plan import EVERYWHERE
from memoria.surface.http.rest.table import EXAMPLE_IDS
from memoria.surface.http.viewer import phrases
from memoria.surface.http.viewer.changes import find_last_change
from memoria.surface.http.viewer.quotes import (
    QuotedTurn,
    count_unread,
    list_further,
    mark_quotes,
    quote_turn,
)
from memoria.surface.http.viewer.rendering import HEADERS
from memoria.surface.http.viewer.table import (
    ROOT,
    Action,
    Area,
    Done,
    Filled,
    PageRow,
    Visit,
    Wish,
    keep_within,
    sentence,
    set_quotes_aside,
)

PATH = f"{ROOT}/memories"
_ON_PAGE = 30
_MOST_EVIDENCE = 20
_SHOWN_TURNS = 3
"""Number of further turns that are shown with what stands around the quote."""
_MOST_EVENTS = 60
_TURN_CHARS = 40_000
"""Characters of a long turn on a page."""
_BESIDE = 2
_MOST_OF_TURN = 30
"""Most memories of each kind that are listed of a turn."""
_NAMING = (EdgeType.ABOUT, EdgeType.MENTIONS, EdgeType.ROLE)


class FileWish(Wish):
    """A file, by its turn."""

    turn_id: str


class ListWish(Wish):
    """Choice of memories to list, and the place from which the list goes on."""

    types: Annotated[tuple[AnyType, ...], BeforeValidator(read_list)] = ()
    state: MemoryState = "active"
    project: str = EVERYWHERE
    pinned: bool = False
    unverified: bool = False
    cursor: str | None = None
    undo: str | None = None


class MemoryWish(Wish):
    """A memory, and a change of it that was just made."""

    memory_id: str
    undo: str | None = None


class TurnWish(Wish):
    """A turn, and from which character on a long one is shown."""

    turn_id: str
    offset: int = 0


class ReviseMemoryWish(Wish):
    """A change of a memory."""

    memory_id: str
    action: Revision
    content: str | None = None
    """With `correct` the new wording, with `type` the type."""
    valid_from: str | None = None
    until: str | None = None
    turn_id: str | None = None
    project: str | None = None
    """With `project` the project in which alone it is to be seen, if it has none."""
    back: str | None = None
    """Page to go to; the memory's by default."""


class LinkView(NamedTuple):
    """A memory, turn or name that a memory is linked with, and the relations."""

    relations: Sequence[str]
    """English sentences."""
    incident: IncidentEdge


class EvidenceView(NamedTuple):
    """A turn that a memory rests on, with the quote in it."""

    evidence: Evidence
    quoted: QuotedTurn | None
    """The turn; None for one that is listed alone."""


async def show_memories(visit: Visit, wish: ListWish) -> Filled:
    """List memories by cursor."""
    stretch = await visit.memory.walk_memories(
        MemoryWalk(
            types=wish.types,
            state=wish.state,
            pinned=wish.pinned,
            unverified=wish.unverified,
            workspace=wish.project,
            cursor=wish.cursor,
            limit=_ON_PAGE,
        )
    )
    return Filled(
        "memories.html",
        {
            "wish": wish,
            "stretch": stretch,
            "projects": await visit.memory.told.list_projects(),
            "states": phrases.LISTED_STATES,
            "here": _write_list_path(wish, wish.cursor),
            "next": stretch.cursor and _write_list_path(wish, stretch.cursor),
            "say": phrases.SAY,
        },
    )


def _write_list_path(wish: ListWish, cursor: str | None) -> str:
    fields = {
        "types": [str(one) for one in wish.types],
        "state": wish.state if wish.state != "active" else None,
        "project": wish.project if wish.project != EVERYWHERE else None,
        "pinned": "true" if wish.pinned else None,
        "unverified": "true" if wish.unverified else None,
        "cursor": cursor,
    }
    given = {name: one for name, one in fields.items() if one}
    return f"{PATH}?{urlencode(given, doseq=True)}" if given else PATH


async def show_memory(visit: Visit, wish: MemoryWish) -> Filled:
    """Show a memory whole: what it rests on, what became of it, and what one may do to it."""
    found = await visit.memory.provenance.get(wish.memory_id, context=_BESIDE, most=_MOST_OF_TURN)
    if isinstance(found, TurnOrigin):  # ids of both kinds stand in marks
        return _show_origin(found, 0)
    seen = visit.ask_from(found.memory.workspace)
    memory = await seen.get_memory(found.memory.id)
    record = await seen.provenance.get(memory.id, most=_MOST_EVIDENCE + 1)
    history = await seen.provenance.history(memory.id, most=_MOST_EVENTS)
    if isinstance(record, TurnOrigin):
        return _show_origin(record, 0)
    source = record.versions[0]
    return Filled(
        "memory.html",
        {
            "memory": memory,
            "source": source,
            "quoted": await _read_quoted(seen, source.said, memory.content),
            "evidence": await _list_further(seen, record),
            "turn_range": record.turn_range,
            "weighing": record.weighing,
            "more_evidence": count_unread(record),
            "events": history.events[-_MOST_EVENTS:][::-1],
            "has_older": len(history.events) >= _MOST_EVENTS,
            "kinds": {"wording": SourcedVersion, "evidence": Evidence},
            "kind_of": _name_kind,
            "former": _map_former(history),
            "links": list(_list_links(record)),
            "names": list(_list_names(record)),
            "types": [] if memory.type.is_derived else list(STATABLE_TYPES),
            "projects": [] if memory.workspace else await visit.memory.told.list_projects(),
            "undo": wish.undo,
            "here": f"{PATH}/{memory.id}",
            "say": phrases.SAY,
        },
    )


async def show_turn(visit: Visit, wish: TurnWish) -> Filled:
    """Show a turn whole, with the memories that rest on it."""
    found = await visit.memory.provenance.get(wish.turn_id, context=_BESIDE, most=_MOST_OF_TURN)
    if isinstance(found, MemoryRecord):
        return await show_memory(visit, MemoryWish(memory_id=found.memory.id))
    return _show_origin(found, max(0, wish.offset))


async def revise(visit: Visit, wish: ReviseMemoryWish) -> Done:
    """Change a memory, and say what was done."""
    known = await visit.memory.get_memory(wish.memory_id)
    within = visit.ask_from(known.workspace or wish.project)
    memory = await within.revise_memory(
        known.id,
        wish.action,
        wish.content,
        valid_from=wish.valid_from,
        until=wish.until,
        turn_id=wish.turn_id,
    )
    path = f"{PATH}/{memory.id}" if wish.back is None else keep_within(wish.back)
    if memory.is_unchanged:
        return Done(path, "Nothing was changed: it was so already.")
    if wish.action == "archive":
        await set_quotes_aside(visit, memory)
    change = await find_last_change(visit.ask_from(EVERYWHERE), memory.id)
    joint = "&" if "?" in path else "?"
    back = f"{path}{joint}undo={change}" if change else path
    return Done(back, _DONE[wish.action])


_DONE: dict[Revision, str] = {
    "archive": sentence(
        "Struck: it is archived, and no agent is told it. It can be restored, or taken back."
    ),
    "confirm": sentence("Confirmed: it counts as your own word. It can be taken back."),
    "correct": sentence(
        "Corrected. The former wording stays in its history, and it can be taken back."
    ),
    "downvote": sentence("Voted down: it ranks a little lower. It can be taken back."),
    "everywhere": sentence("It is seen in every project. It can be taken back."),
    "pin": sentence("Pinned: it does not fade, and ranks higher. It can be taken back."),
    "project": sentence("It is seen in its project alone. It can be taken back."),
    "restore": sentence("Restored: agents are told it again. It can be taken back."),
    "type": sentence("Filed as another type. It can be taken back."),
    "unpin": sentence("Unpinned. It can be taken back."),
    "upvote": sentence("Voted up: it ranks a little higher. It can be taken back."),
}


async def _read_quoted(memory: Memoria, said: Evidence | None, statement: str) -> QuotedTurn | None:
    if said is None:
        return None
    record = await memory.get_turn(said.turn_id, context=1)
    return quote_turn(record, said.quote, statement)


async def _list_further(memory: Memoria, record: MemoryRecord) -> list[EvidenceView]:
    """List further evidence, the first few with their turns."""
    views, content = list[EvidenceView](), record.memory.content
    for place, one in enumerate(list_further(record)[:_MOST_EVIDENCE]):
        quoted = await _read_quoted(memory, one, content) if place < _SHOWN_TURNS else None
        views.append(EvidenceView(one, quoted))
    return views


def _list_links(record: MemoryRecord) -> Iterator[LinkView]:
    """Yield other memories and turns that it is linked with, each once.

    Its evidence is shown by itself, and what was said next to it tells nothing of it.
    """
    evidence = {one.turn_id for one in record.evidence}
    ends = dict[str, list[IncidentEdge]]()
    for incident in record.edges:
        if (
            incident.other.kind != "entity"
            and incident.other.id not in evidence
            and incident.edge.type is not EdgeType.TEMPORAL_NEXT
        ):
            ends.setdefault(incident.other.id, []).append(incident)
    for own in ends.values():
        yield LinkView(list(dict.fromkeys(map(phrases.name_relation, own))), own[0])


def _list_names(record: MemoryRecord) -> Iterator[LinkView]:
    """Yield the people, places and things that it names, each once."""
    ends = dict[str, list[IncidentEdge]]()
    for incident in record.edges:
        if incident.other.kind == "entity" and incident.edge.type in _NAMING:
            ends.setdefault(incident.other.id, []).append(incident)
    for own in ends.values():
        yield LinkView(list(dict.fromkeys(map(phrases.name_relation, own))), own[0])


def _map_former(history: MemoryHistory) -> dict[int, str]:
    """Map the numbers of wordings to the wording before each."""
    wordings = {one.version: one.content for one in history.memory.versions}
    return {n: wordings[n - 1] for n in wordings if n - 1 in wordings}


def _name_kind(event: object) -> Literal["wording", "evidence", "action"]:
    match event:
        case SourcedVersion():
            return "wording"
        case Evidence():
            return "evidence"
        case _:
            return "action"


def _show_origin(origin: TurnOrigin, offset: int) -> Filled:
    record: TurnRecord = origin.record
    turn, memories = record.turn, [*origin.memories, *origin.restated_memories]
    quotes = [
        version.provenance.quote
        for memory in memories
        for version in memory.versions
        if version.provenance.turn_id == turn.id and version.provenance.quote
    ]
    page = turn.content[offset : offset + _TURN_CHARS]
    left = offset + _TURN_CHARS < len(turn.content)
    quoted = QuotedTurn(turn, mark_quotes(page, quotes), record.before, record.after)
    return Filled(
        "turn.html",
        {
            "quoted": quoted,
            "turn": turn,
            "condition": record.condition,
            "files": record.attachments,
            "versions": [one for one in record.versions if one.n != turn.n],
            "groups": _group_memories(origin),
            "chars": _TURN_CHARS,
            "next": offset + _TURN_CHARS if left else None,
            "here": f"{ROOT}/turns/{turn.id}",
            "say": phrases.SAY,
        },
    )


async def send_file(visit: Visit, wish: FileWish) -> Response:
    """Return a file that came with a message, for the browser to save and never to show."""
    found = await visit.memory.get_attachment(wish.turn_id)
    name = quote(found.name or found.id, safe="")
    headers = HEADERS | {"Content-Disposition": f"attachment; filename*=UTF-8''{name}"}
    return Response(found.content, headers=headers, media_type="application/octet-stream")


def _group_memories(origin: TurnOrigin) -> list[tuple[str, tuple[Memory, ...]]]:
    """Return the memories that rest on a turn, below what they are to it."""
    groups = [
        (sentence("Memories drawn from it"), origin.memories),
        (sentence("Memories known before, which it says again"), origin.restated_memories),
        (sentence("Summaries of its conversation"), origin.episodes),
    ]
    return [one for one in groups if one[1]]


AREA = Area(
    (
        PageRow(PATH, "memories", "Memories", ListWish, show_memories, menu="more"),
        PageRow(
            f"{PATH}/{{memory_id}}",
            "memory",
            "Memory",
            MemoryWish,
            show_memory,
            example={"memory_id": EXAMPLE_IDS["memory"]},
        ),
        PageRow(
            f"{ROOT}/turns/{{turn_id}}",
            "turn",
            "What was said",
            TurnWish,
            show_turn,
            example={"turn_id": EXAMPLE_IDS["turn"]},
        ),
        PageRow(
            f"{ROOT}/turns/{{turn_id}}/file",
            "file",
            "File",
            FileWish,
            send_file,
            example={"turn_id": EXAMPLE_IDS["turn"]},
        ),
    ),
    (
        Action(
            f"{PATH}/{{memory_id}}/revise",
            "revise",
            ReviseMemoryWish,
            revise,
            example={"memory_id": EXAMPLE_IDS["memory"], "action": "pin"},
        ),
    ),
)
