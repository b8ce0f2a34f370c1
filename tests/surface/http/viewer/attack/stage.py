"""What attacks on the viewer share: tenants with something to see, and guests who call pages."""

import json
import re
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import anyio.to_thread
import httpx2
from tests.surface.http.attack.known_ids import IdKind, compare_form
from tests.surface.http.attack.rest_calls import quote
from tests.surface.http.conftest import HttpServer

from memoria import Memoria
from memoria.app.nightly import run_nightly
from memoria.model.access import LINK_BEGINS, Access
from memoria.model.provenance import COMMAND_LINE
from memoria.surface.http.rest.table import EXAMPLE_IDS
from memoria.surface.http.viewer.areas import AREAS
from memoria.surface.http.viewer.table import ROOT, Action, PageRow

Row = PageRow[Any] | Action[Any]
STREAM = f"{ROOT}/live/events"
"""Path of what is no page of its own: it goes on until the visitor leaves."""
PAGES: tuple[PageRow[Any], ...] = tuple(
    one for area in AREAS for one in area.pages if one.path != STREAM
)
ACTIONS: tuple[Action[Any], ...] = tuple(one for area in AREAS for one in area.actions)
ROWS: tuple[Row, ...] = (*PAGES, *ACTIONS)
DOORS: tuple[Row, ...] = (
    *ROWS,
    *(one for area in AREAS for one in area.pages if one.path == STREAM),
)
"""All that may be called, for those who are refused."""
FRAME = (f"{ROOT}/leave", f"{ROOT}/language")
"""Paths of what every page can do."""
VISIT = "memoria_visit"
SAID = "My sister Quetzalcoatl has moved to Ghent and opens the vault there."
SAID_WORD = "Quetzalcoatl"
_CSRF = re.compile(r'name="csrf" value="([0-9a-f]{64})"')
_TOKEN = re.compile(r"mem_[\w-]+\.[\w-]+\.[\w-]+")
_LONG = 4
_FORM = "application/x-www-form-urlencoded"


@dataclass(slots=True)
class ViewerGuest:
    """Somebody who calls pages and actions with a visit's cookie, or without one."""

    http: httpx2.AsyncClient
    csrf: str = ""
    name: str = ""

    async def open(
        self, page: PageRow[Any], arguments: Mapping[str, str], **headers: str
    ) -> httpx2.Response:
        """Open a page with arguments of its own."""
        path, rest = place_arguments(page, arguments)
        return await self.http.get(path, params=rest or None, headers=headers)

    async def send(
        self,
        action: Action[Any],
        arguments: Mapping[str, str],
        csrf: str | None = None,
        **headers: str,
    ) -> httpx2.Response:
        """Send the form of an action; without another text, with that of this visit."""
        path, rest = place_arguments(action, arguments)
        shown = {"csrf": self.csrf if csrf is None else csrf}
        return await self.http.post(path, data={**shown, **rest}, headers=headers)

    async def send_raw(self, path: str, body: bytes) -> httpx2.Response:
        """Send a form's body as it is."""
        return await self.http.post(path, content=body, headers={"Content-Type": _FORM})


def place_arguments(row: Row, arguments: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """Return the path of a row with the arguments that it names, and all others."""
    path = re.sub(r":\w+\}", "}", row.path)
    names = re.findall(r"\{(\w+)\}", path)
    named = {name: quote(arguments.get(name, "x")) for name in names}
    rest = {name: value for name, value in arguments.items() if name not in named}
    return path.format(**named), rest


def list_path_names(row: Row) -> list[str]:
    """List the arguments that the path of a row names."""
    return re.findall(r"\{(\w+)(?::\w+)?\}", row.path)


def leads_to(address: str, rows: Sequence[Row]) -> bool:
    """Return whether an address is that of one of some rows."""
    path = address.partition("?")[0].partition("#")[0]
    forms = (re.sub(r"\\\{\w+(:path)?\\\}", _match_part, re.escape(one.path)) for one in rows)
    return any(re.fullmatch(form, path) for form in forms)


def leads_to_page(address: str) -> bool:
    """Return whether an address is that of a page of the tables."""
    return leads_to(address, PAGES)


def _match_part(found: re.Match[str]) -> str:
    return ".+" if found[1] else "[^/]+"


def build_example(row: Row, ids: Mapping[IdKind, str]) -> dict[str, str]:
    """Return a row's example with ids in their places."""
    text = json.dumps(dict(row.example or {}))
    for kind, stands_for in EXAMPLE_IDS.items():
        text = text.replace(stands_for, json.dumps(ids.get(kind, stands_for))[1:-1])
    arguments: dict[str, str] = json.loads(text)
    return arguments


@asynccontextmanager
async def enter(
    server: HttpServer, tenant: str = "ann", access: Access = Access.ADMIN
) -> AsyncIterator[ViewerGuest]:
    """Visit a tenant's memory by a link until the block ends."""
    link = await open_memory(server, tenant).tokens.create(access, "viewer", None, LINK_BEGINS)
    async with httpx2.AsyncClient(base_url=server.url, timeout=30) as http:
        entered = await http.get(f"{ROOT}/enter", params={"link": link.text})
        assert entered.status_code == 200, entered.text
        found = _CSRF.search((await http.get(f"{ROOT}/nowhere")).text)
        assert found is not None
        yield ViewerGuest(http, found[1], tenant)


def open_memory(server: HttpServer, tenant: str = "ann") -> Memoria:
    """Return a tenant's memory as the user has it in a shell."""
    return Memoria(server.home.for_tenant(tenant), COMMAND_LINE)


async def fill(memory: Memoria) -> dict[IdKind, str]:
    """Keep something of every kind that an example names; return the ids."""
    ids = {"session": "ann-session-7f3a91", "workspace": "/srv/ann-project-2c41d8"}
    session, place = ids["session"], ids["workspace"]
    files = [{"name": "ann-plan.txt", "data": "VHVlc2RheQ=="}]
    turn = {"role": "user", "content": SAID, "message_id": "ann-message-1", "attachments": files}
    await memory.record_conversation([turn], session_id=session, workspace=place)
    kept_turn = await memory.find_message(session, "ann-message-1")
    assert kept_turn is not None
    ids["turn"] = kept_turn.id
    await memory.update_scratchpad(current_focus="ann-task-9b03f7", session_id=session)
    for kind in ("memory", "outdated", "wrong"):
        kept = await memory.remember(
            f"Xochipilli-4410aa {kind}: {SAID}",
            entities=["Xochipilli-4410aa"],
            session_id=session,
            workspace=place,
        )
        ids[kind] = kept.id
    wrong = await memory.preview_forget(ids=[ids["wrong"]])
    forgotten = await memory.forget_memory(ids=[ids["wrong"]], token=wrong.token)
    assert forgotten.report is not None
    ids["report"] = forgotten.report.id
    ids["forget_token"] = (await memory.preview_forget(ids=[ids["outdated"]])).token
    night = partial(run_nightly, memory.settings, ["metrics"])
    ids["night"] = (await anyio.to_thread.run_sync(night)).id
    return ids


async def summarise(memory: Memoria) -> tuple[object, ...]:
    """Return what shows whether anything was changed in a memory."""
    counted = await memory.statistics()
    tokens = [one.model_dump(exclude={"last_used_day"}) for one in await memory.tokens.list()]
    page = await memory.list_memories(state="any", workspace="*")
    return (counted.memories, counted.turns, tokens, [one.model_dump() for one in page.memories])


def list_calls(
    ids: Mapping[IdKind, str], rows: Sequence[Row] = ROWS
) -> Iterator[tuple[Row, dict[str, str]]]:
    """List every page and every action with the arguments of its example."""
    for row in rows:
        yield row, build_example(row, ids)


async def call(
    guest: ViewerGuest, row: Row, arguments: Mapping[str, str], **headers: str
) -> httpx2.Response:
    """Open a page, or send an action's form as its page would."""
    if isinstance(row, Action):
        return await guest.send(row, arguments, **headers)
    return await guest.open(row, arguments, **headers)


def compare_page(answer: httpx2.Response, ids: Mapping[IdKind, str], guest: ViewerGuest) -> str:
    """Write an answer so that two which tell the same are equal: its status and its text."""
    text = _TOKEN.sub("<token>", answer.text.replace(guest.csrf, "<csrf>"))
    for kind, words in ids.items():  # as a search shows the words that it has looked for
        text = text.replace(words.replace("-", " "), f"<words of {kind}>")
    known = {**ids, "tenant": guest.name}
    told = {"body": text, "to": answer.headers.get("location", "")}
    shown = compare_form(told, known)
    cut = (one for known in ids.values() for one in (known, known[:-8]))
    for part in {part for one in cut for part in one.split("-") if len(part) >= _LONG}:
        shown = shown.replace(part, "<part>")  # a search shows a question's words, each by itself
    return f"{answer.status_code} {shown}"
