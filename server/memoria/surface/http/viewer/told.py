"""What agents are told: briefing, instructions and core files by line, and acts on each line.

The lines are made by the code that tells agents, so that a page never says anything else.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import PurePath
from typing import Annotated, Literal, NamedTuple
from urllib.parse import quote, urlencode

from pydantic import Field

from memoria.app import Memoria
from memoria.app.briefing import compose_core_file
from memoria.app.told import HeardClient, ToldRecord
from memoria.bare.lazy_regex import lazy_regex
from memoria.config import NO_WORKSPACE
from memoria.errors import MemoriaError
from memoria.language.words.analyser import query_terms
from memoria.model import Channel, Trust
from memoria.model.core import CORE_FILES, ToldLine, ToldText
from memoria.model.forgetting import Change
from memoria.model.listing import SessionListing
from memoria.surface.http.rest.table import EXAMPLE_IDS
from memoria.surface.http.viewer import phrases
from memoria.surface.http.viewer.changes import find_last_change
from memoria.surface.http.viewer.table import (
    ROOT,
    Action,
    Area,
    Done,
    Filled,
    PageRow,
    Visit,
    Wish,
    set_quotes_aside,
)
from memoria.surface.mcp.instructions import composers_for, static_instructions

_LATER = lazy_regex(r"; later, [^\n]*\[([0-9a-f]{8})\]$")
"""Matches what stands behind a memory's words when something was said later, up to its id."""
_HOOKS, _OVER_HTTP = "hooks", "http"
"""Kinds of clients of which none is named; of any other kind none has hooks."""
_SESSIONS = 5
_Id = Annotated[str, Field(max_length=100)]
_Name = Annotated[str, Field(max_length=1_000)]
"""Name of a project, which the way back to the page has, too."""
_Place = tuple[Literal["briefing", "instructions", "core"], str]
"""Kind of a text, and the name of a core file."""


class ToldWish(Wish):
    """Client and project of the page, and what was just done."""

    project: _Name | None = None
    """Name of a project; `none` for none. By default the one that the server is in."""
    client: _Id | None = None
    """Client whose hooks report here, or a kind of clients."""
    undo: _Id | None = None
    """Id of the change that was just made."""
    aside: _Id | None = None
    """Id of the turn whose words were just set aside."""


class ReplayWish(Wish):
    """A session, and how much of what was shown there is left out."""

    session_id: str
    offset: int = 0


class LineWish(Wish):
    """The page from which a line is acted upon."""

    project: _Name | None = None
    client: _Id | None = None


class ReviseWish(LineWish):
    """A change of the memory that a line rests on."""

    memory_id: _Id
    action: Literal["archive", "confirm", "correct", "everywhere", "project"]
    content: str | None = None
    """With `correct` the new wording."""


class QuoteWish(LineWish):
    """Words of the user's that are told as they were said."""

    turn_id: _Id


class KeepWish(QuoteWish):
    """A statement to keep in place of the user's words."""

    content: str


class UndoToldWish(LineWish):
    """A change to take back."""

    change_id: _Id


class LineView(NamedTuple):
    """A line of a text as the page shows it."""

    text: str
    kind: Literal["heading", "guide", "line"]
    record: ToldRecord | None = None
    later: ToldRecord | None = None
    """Memory or turn with what was said later."""
    session_id: str | None = None
    """Session of a task."""
    is_first: bool = False
    """True for the first line of the page that rests on its record: actions stand there."""


class TextView(NamedTuple):
    """A text that an agent is told."""

    kind: Literal["briefing", "instructions", "core"]
    name: str
    """File name of a core file."""
    lines: Sequence[LineView]

    @property
    def tells_records(self) -> bool:
        """True if a line rests on a memory, a turn or a task."""
        return any(line.record or line.session_id for line in self.lines)


async def show_told(visit: Visit, wish: ToldWish) -> Filled:
    """Show what agents of a client are told in a project."""
    memory = visit.memory
    clients = await memory.told.list_clients()
    client = wish.client or (clients[0].name if clients else _HOOKS)
    texts = await _compose_texts(memory, wish.project, client, clients)
    records = await memory.told.find(_list_ids(texts.values()))
    sessions = await memory.list_sessions(
        SessionListing(limit=_SESSIONS, workspace=wish.project or NO_WORKSPACE)
    )
    views = list(_view_texts(texts, records))
    change = await _find_change(visit, wish)
    return Filled(
        "told.html",
        {
            "views": views,
            "is_bare": not any(
                line.record or line.session_id for one in views for line in one.lines
            ),
            "projects": await memory.told.list_projects(),
            "project": wish.project or memory.settings.workspace or NO_WORKSPACE,
            "clients": clients,
            "client": client,
            "title_of": {one.name: one.title for one in clients}.get(client),
            "sessions": sessions.sessions,
            "undo": change,
            "still": [] if change is None else _list_still_said(change, views),
            "aside": wish.aside,
            "back": {"project": wish.project or "", "client": wish.client or ""},
            "short": _shorten_project,
            "say": phrases,
        },
    )


async def _compose_texts(
    memory: Memoria, project: str | None, client: str, clients: Sequence[HeardClient]
) -> dict[_Place, ToldText]:
    """Compose the texts that a client's agents are told, in the order in which they are read."""
    told = {
        name: await memory.compose(write, project)
        for name, write in composers_for(memory.settings).items()
    }
    if client == _OVER_HTTP:
        told["instructions"] = ToldText((ToldLine(static_instructions(), "guide"),))
    has_hooks = client == _HOOKS or client in {one.name for one in clients}
    files = {
        file: await memory.compose(partial(compose_core_file, file=file), project)
        for file in CORE_FILES
    }
    return {
        **({("briefing", ""): told["briefing"]} if has_hooks else {}),
        ("instructions", ""): told["instructions"],
        **{("core", file): text for file, text in files.items() if text.lines},
    }


def _list_ids(texts: Iterable[ToldText]) -> Iterator[str]:
    """Yield the ids of all records, and of what was said later."""
    for text in texts:
        yield from text.record_ids
        yield from (one for line in text.lines if (one := _read_later(line)) is not None)


def _read_later(line: ToldLine) -> str | None:
    """Return the end of the id of what was said later, where a line tells of that."""
    found = _LATER.search(line.text.rstrip()) if line.part == "core" else None
    return None if found is None else found[1]


def _view_texts(
    texts: Mapping[_Place, ToldText], records: Mapping[str, ToldRecord]
) -> Iterator[TextView]:
    seen = set[str]()
    for (kind, name), text in texts.items():
        shown = (line for line in text.lines if line.text.strip() and not _is_fence(line))
        yield TextView(kind, name, [_view_line(line, records, seen) for line in shown])


def _is_fence(line: ToldLine) -> bool:
    return line.part == "frame" and line.text in ("<memoria>", "</memoria>")


def _view_line(line: ToldLine, records: Mapping[str, ToldRecord], seen: set[str]) -> LineView:
    if line.part == "guide":
        return LineView(line.text, "guide")
    if line.record_id is None:
        return LineView(line.text, "heading" if line.text.startswith("#") else "line")
    if line.part == "task":
        return LineView(line.text, "line", session_id=line.record_id)
    record, later = records[line.record_id], records.get(_read_later(line) or "")
    is_first = record.id not in seen and not record.is_gone
    seen.add(record.id)
    return LineView(line.text, "line", record, later, is_first=is_first)


async def show_replay(visit: Visit, wish: ReplayWish) -> Filled:
    """Show what an agent was shown in a session."""
    page = await visit.memory.told.list_shown(wish.session_id, wish.offset)
    end = wish.offset + len(page.showings)
    path = _path_of(wish.session_id)
    return Filled(
        "replay.html",
        {
            "page": page,
            "session_id": wish.session_id,
            "say": phrases,
            "next": f"{path}?offset={end}" if end < page.total else None,
        },
    )


def _path_of(session_id: str) -> str:
    return f"{ROOT}/replay/{quote(session_id, safe='')}"


async def revise(visit: Visit, wish: ReviseWish) -> Done:
    """Strike, confirm or correct the memory of a line, or set where it is seen."""
    memory = _in_project(visit, wish.project)
    changed = await memory.revise_memory(wish.memory_id, wish.action, wish.content)
    if changed.is_unchanged:
        return Done(_back(wish), "Nothing was changed: it was so already.")
    path = _back(wish, undo=await find_last_change(memory, changed.id))
    match wish.action:
        case "archive":
            await set_quotes_aside(visit, changed)
            return Done(path, "Struck: agents are told it no more. It stays on record, archived.")
        case "confirm":
            return Done(path, "Confirmed: it counts as your own word.")
        case "correct":
            return Done(path, "Corrected: agents are told the new wording.")
        case "everywhere":
            return Done(path, "Agents are told it in every project.")
        case "project":
            return Done(path, "Agents are told it in its project alone.")


async def keep_quote(visit: Visit, wish: KeepWish) -> Done:
    """Make a memory of words that are told as they were said."""
    memory = _in_project(visit, wish.project)
    kept = await memory.remember(wish.content, turn_id=wish.turn_id)
    path = _back(wish, undo=await find_last_change(memory, kept.id))
    return Done(path, "Kept as a memory, which is told in place of the quoted words.")


async def set_aside(visit: Visit, wish: QuoteWish) -> Done:
    """Have words told no more."""
    await visit.memory.set_quote_aside(wish.turn_id)
    path = _back(wish, aside=wish.turn_id)
    return Done(path, "Agents are told these words no more. They stay a turn that a search finds.")


async def tell_again(visit: Visit, wish: QuoteWish) -> Done:
    """Have words told again that were set aside."""
    await visit.memory.tell_quote_again(wish.turn_id)
    return Done(_back(wish), "Agents are told these words again.")


async def undo(visit: Visit, wish: UndoToldWish) -> Done:
    """Take back a change."""
    await _in_project(visit, wish.project).undo_change(wish.change_id)
    return Done(_back(wish), "Taken back: all is as before.")


def _in_project(visit: Visit, project: str | None) -> Memoria:
    """Return the memory as the user acts in a project."""
    place = None if project in (None, NO_WORKSPACE) else project
    return visit.memory.with_channel(Channel(name="viewer", trust=Trust.USER), workspace=place)


async def _find_change(visit: Visit, wish: ToldWish) -> Change | None:
    """Find the change that was just made; None if it can't be taken back any more."""
    if wish.undo is None:
        return None
    try:
        return await _in_project(visit, wish.project).find_change(wish.undo)
    except MemoriaError:  # undone already, or forgotten: then there is no button
        return None


def _list_still_said(change: Change, views: Iterable[TextView]) -> list[str]:
    """List the lines, each once, that have all words that a correction has taken out."""
    if change.former is None or change.content is None:
        return []
    taken = {*query_terms(change.former)} - {*query_terms(change.content)}
    lines = dict.fromkeys(line.text for view in views for line in view.lines if line.kind == "line")
    return [text for text in lines if taken and taken <= {*query_terms(text)}]


def _back(wish: LineWish, **more: str | None) -> str:
    """Return the path of the page from which a line was acted upon."""
    given = {"project": wish.project, "client": wish.client, **more}
    query = urlencode({name: value for name, value in given.items() if value})
    return f"{ROOT}?{query}" if query else ROOT


def _shorten_project(name: str) -> str:
    return PurePath(name).name or name


AREA = Area(
    pages=(
        PageRow(ROOT, "told", "What agents are told", ToldWish, show_told, menu="first"),
        PageRow(
            f"{ROOT}/replay/{{session_id:path}}",
            "replay",
            "What was shown in a session",
            ReplayWish,
            show_replay,
            example={"session_id": EXAMPLE_IDS["session"]},
        ),
    ),
    actions=(
        Action(
            f"{ROOT}/told/revise",
            "revise_told",
            ReviseWish,
            revise,
            example={"memory_id": EXAMPLE_IDS["memory"], "action": "confirm"},
        ),
        Action(
            f"{ROOT}/told/keep",
            "keep_quote",
            KeepWish,
            keep_quote,
            example={"turn_id": EXAMPLE_IDS["turn"], "content": "Tests run before a commit."},
        ),
        Action(
            f"{ROOT}/told/aside",
            "set_quote_aside",
            QuoteWish,
            set_aside,
            example={"turn_id": EXAMPLE_IDS["turn"]},
        ),
        Action(
            f"{ROOT}/told/again",
            "tell_quote_again",
            QuoteWish,
            tell_again,
            example={"turn_id": EXAMPLE_IDS["turn"]},
        ),
        Action(f"{ROOT}/told/undo", "undo_told", UndoToldWish, undo),
    ),
)
