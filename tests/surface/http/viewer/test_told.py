"""The first page, what agents are told, and what was shown in a past session."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from html import unescape
from typing import NamedTuple

import pytest
from tests.surface.http.conftest import HttpServer, StartServer
from tests.surface.http.viewer.visitor import ShownPage, Visitor

from memoria.app import Memoria
from memoria.model import COMMAND_LINE, Channel, Trust
from memoria.model.access import Access
from memoria.model.provenance import hook_channel
from memoria.surface.mcp.instructions import composers_for

pytestmark = pytest.mark.anyio
PROJECT = "/work/shop"
RULE, FACT = "Never deploy on a Friday", "The shop listens on port 8080"
WISH = "From now on, always answer me in English."


class Told(NamedTuple):
    """A memory with something to tell, and a visitor of it."""

    visitor: Visitor
    memory: Memoria
    rule: str
    wish: str

    async def open(self, **query: str) -> ShownPage:
        """Open the page for the project."""
        return await self.visitor.open("", project=PROJECT, client="hooks", **query)

    async def send(self, form: str, **fields: str) -> ShownPage:
        """Send a form of the page for the project."""
        given = {"project": PROJECT, "client": "hooks", **fields}
        return await self.visitor.send(f"/told/{form}", **given)

    async def read_briefing(self) -> str:
        """Return the briefing that a hook would put before an agent now."""
        write = composers_for(self.memory.settings)["briefing"]
        return (await self.memory.compose(write, PROJECT)).text


def memory_of(server: HttpServer) -> Memoria:
    opened = server.home.for_tenant("ann")
    return Memoria(opened, COMMAND_LINE).with_channel(COMMAND_LINE, workspace=PROJECT)


@asynccontextmanager
async def tell(start_server: StartServer) -> AsyncIterator[Told]:
    """Serve a memory with a rule, a fact and a wish of a project."""
    async with start_server() as server, Visitor.enter(server) as visitor:
        memory = memory_of(server)
        agent = memory.with_channel(Channel(name="mcp", trust=Trust.REPORTED, client="codex"))
        rule = await agent.remember(RULE, type="rule", scope="everywhere")
        await agent.remember(FACT, scope="project", importance=0.9)
        said = await memory.with_channel(hook_channel("codex")).record_conversation(
            [{"role": "user", "content": WISH}], session_id="s1"
        )
        yield Told(visitor, memory, rule.id, said.turns[0].id or "")


async def test_the_page_has_every_line_that_an_agent_is_told_with_source_and_age(
    start_server: StartServer,
) -> None:
    async with tell(start_server) as told:
        page, briefing = await told.open(), await told.read_briefing()
    shown = " ".join(unescape(page.html).split())
    lines = [line for line in briefing.splitlines() if line.startswith("- ")]
    assert all(words in f"{lines}" for words in (RULE, FACT, WISH))
    assert all(" ".join(line.split()) in shown for line in lines)
    assert page.text.count("reported by codex") >= 2
    assert "just now" in page.text
    assert page.html.count(f'id="r-{told.rule}"') == 1


async def test_a_struck_line_is_told_no_more_until_that_is_taken_back(
    start_server: StartServer,
) -> None:
    async with tell(start_server) as told:
        page = await told.send("revise", memory_id=told.rule, action="archive")
        struck = await told.read_briefing()
        change = (await told.memory.list_changes(1)).changes[0].id
        assert f'name="change_id" value="{change}"' in page.html
        after = await told.send("undo", change_id=change)
        again = await told.read_briefing()
    assert (page.path, after.path) == ("/ui", "/ui")
    assert "Struck" in page.text
    assert f"memoria undo {change[-8:]}" in page.text
    assert (RULE in struck, RULE in again) == (False, True)
    assert "Taken back" in after.text


@pytest.mark.parametrize(
    ("action", "content", "said"),
    [
        ("confirm", "", "Confirmed"),
        ("correct", "Never deploy on a Monday", "the new wording"),
        ("project", "", "in its project alone"),
    ],
)
async def test_each_action_on_a_line_changes_its_memory_and_can_be_taken_back(
    start_server: StartServer, action: str, content: str, said: str
) -> None:
    async with tell(start_server) as told:
        before = await told.memory.get_memory(told.rule)
        page = await told.send("revise", memory_id=told.rule, action=action, content=content)
        changed = await told.memory.get_memory(told.rule)
        change = (await told.memory.list_changes(1)).changes[0]
        await told.send("undo", change_id=change.id)
        after = await told.memory.get_memory(told.rule)
    assert said in page.text
    assert "Take it back" in page.text
    state = [(one.content, one.verified, one.project) for one in (before, changed, after)]
    assert state[0] == state[2] != state[1]
    assert change.by == "in the viewer, token " + change.by[-17:]


async def test_words_are_set_aside_and_told_again_or_kept_as_a_memory(
    start_server: StartServer,
) -> None:
    async with tell(start_server) as told:
        aside = await told.send("aside", turn_id=told.wish)
        without = await told.read_briefing()
        await told.send("again", turn_id=told.wish)
        again = await told.read_briefing()
        kept = await told.send("keep", turn_id=told.wish, content="Always answer in English")
        (memory,) = [
            one
            for one in (await told.memory.list_memories()).memories
            if one.content == "Always answer in English"
        ]
    assert "Tell it again" in aside.text
    assert (WISH in without, WISH in again) == (False, True)
    assert "Kept as a memory" in kept.text
    assert memory.current.provenance.turn_id == told.wish


async def test_a_client_without_hooks_is_told_the_instructions_alone(
    start_server: StartServer,
) -> None:
    async with tell(start_server) as told:
        with_hooks = await told.open()
        without = await told.visitor.open("", project=PROJECT, client="no-hooks")
        over_http = await told.visitor.open("", project=PROJECT, client="http")
    assert "Briefing A hook" in with_hooks.text
    assert "Briefing A hook" not in without.text
    told_first = without.text.partition("Core file MEMORY.md")[0]
    assert RULE in told_first
    assert RULE not in over_http.text.partition("Core file MEMORY.md")[0]


async def test_an_empty_memory_says_what_to_do(start_server: StartServer) -> None:
    async with start_server() as server, Visitor.enter(server) as visitor:
        page = await visitor.open("")
        replay = await visitor.open("/replay/nowhere")
    assert "Nothing of yours is told here yet" in page.text
    assert "memoria connect" in page.text
    assert (replay.status, "Nothing was noted" in replay.text) == (200, True)


async def test_a_replay_shows_what_was_shown_and_after_which_words(
    start_server: StartServer,
) -> None:
    async with tell(start_server) as told:
        agent = Channel(name="mcp", trust=Trust.REPORTED, client="codex", session="s1")
        await told.memory.with_channel(agent).told.note_shown("search", [told.rule])
        page = await told.visitor.open("/replay/s1")
        await told.memory.forget_memory([told.rule])
        after = await told.visitor.open("/replay/s1")
    assert page.text.index(WISH) < page.text.index(RULE)
    assert "Searched conclusions" in page.text
    assert RULE not in after.text


async def test_a_page_is_no_longer_for_what_else_is_on_record(start_server: StartServer) -> None:
    async with tell(start_server) as told:
        turns = [{"role": "user", "content": f"Word {n} of many"} for n in range(300)]
        few = await told.open()
        await told.memory.record_conversation(turns, session_id="s2")
        many = await told.open()
    assert len(many.html) < len(few.html) + 2_000


async def test_what_is_on_record_is_shown_as_text_and_never_as_markup(
    start_server: StartServer,
) -> None:
    hostile = '<script>alert(1)</script>"><img src=x onerror=alert(1)>\u202e'
    async with tell(start_server) as told:
        await told.memory.remember(f"Always {hostile}", type="rule")
        page = await told.open()
    assert "alert(1)" in page.html
    assert "<img" not in page.html
    assert "<script>alert" not in page.html
    assert "\u202e" not in page.html


async def test_a_visit_that_only_reads_changes_nothing(start_server: StartServer) -> None:
    async with start_server() as server, Visitor.enter(server, access=Access.READ) as visitor:
        memory = memory_of(server)
        rule = (await memory.remember(RULE, type="rule")).id
        first = await visitor.open("", project=PROJECT)
        page = await visitor.send("/told/revise", memory_id=rule, action="archive")
        now = await memory.get_memory(rule)
    assert RULE in first.text
    assert "/told/" not in first.html
    assert "Correct" not in first.text
    assert (page.status, now.validity) == (403, "active")
    assert "memoria --tenant ann ui --access write" in page.text
