"""What the protocol has for people at a client: completions, links, titles, progress."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest
from mcp import Client, MCPError
from mcp.types import PromptReference, ResourceLink, ResourceTemplateReference
from tests.surface.agent import Agent, connected, server_on

from memoria.app import open_memoria
from memoria.config import Settings
from memoria.errors import InvalidInputError
from memoria.surface.mcp.calls import Ctx
from memoria.surface.mcp.resources import MEMORY, SESSION
from memoria.surface.mcp.server import build_server

RECALL, CONTEXT = (PromptReference(name=name) for name in ("recall", "context"))


async def complete(
    agent: Agent, ref: PromptReference | ResourceTemplateReference | str, name: str, value: str = ""
) -> list[str]:
    """What may stand there, as a client lists it."""
    where = ResourceTemplateReference(uri=ref) if isinstance(ref, str) else ref
    answer = await agent.client.complete(where, {"name": name, "value": value})
    return list(answer.completion.values)


async def test_ids_are_completed_from_their_beginning_or_their_end(agent: Agent) -> None:
    one = (await agent.call("remember", content="Ann likes tea"))["id"]
    other = (await agent.call("remember", content="The port is 9000"))["id"]
    assert await complete(agent, MEMORY, "memory_id") == [other, one]
    assert await complete(agent, MEMORY, "memory_id", one[-8:]) == [one]
    assert await complete(agent, MEMORY, "memory_id", other[:-1]) == [other]
    assert await complete(agent, MEMORY, "memory_id", "zebra") == []
    await agent.say("one", session_id="walnut-1")
    await agent.say("two", session_id="cherry-2")
    for where in (SESSION, CONTEXT):
        assert await complete(agent, where, "session_id", "wal") == ["walnut-1"]
    assert "two" in await agent.read("memory://sessions/cherry-2")


async def test_arguments_of_prompts_are_completed_and_free_words_are_not(agent: Agent) -> None:
    assert await complete(agent, CONTEXT, "max_tokens", "1") == ["1200"]
    assert await complete(agent, RECALL, "query", "tea") == []


@pytest.mark.parametrize(
    ("ref", "name", "told"),
    [
        (PromptReference(name="walnut"), "query", "There are briefing, recall, context, review"),
        (RECALL, "walnut", "It takes query, workspace"),
        ("memory://walnut", "memory_id", "There are memory://memories/{memory_id}"),
        (MEMORY, "walnut", "It takes memory_id"),
    ],
)
async def test_what_can_not_be_completed_is_refused_with_what_can(
    standing: Agent, ref: PromptReference | str, name: str, told: str
) -> None:
    with pytest.raises(MCPError) as caught:
        await complete(standing, ref, name)
    assert told in str(caught.value)


@asynccontextmanager
async def at_work(home: Path, mode: str, **settings: object) -> AsyncIterator[Agent]:
    """A client in the project red; blue and the private diary are known, too."""
    chosen = Settings.from_values(
        home=home, embedder="off", workspace="red", private_workspaces=("diary",), **settings
    )
    async with open_memoria(settings=chosen) as memory:
        for project in ("red", "blue", "diary"):
            await memory.remember("The port of this repo is 9000", workspace=project)
    server = build_server(lambda: open_memoria(settings=chosen))
    async with Client(server, mode=mode) as client:
        yield Agent(client)


async def test_other_projects_are_named_where_the_setting_allows_it_private_ones_never(
    home: Path, mode: str
) -> None:
    async with at_work(home, mode) as agent:
        assert await complete(agent, RECALL, "workspace") == ["*", "red"]
    async with at_work(home, mode, name_other_projects=True) as agent:
        assert await complete(agent, RECALL, "workspace") == ["*", "red", "blue"]
        assert await complete(agent, RECALL, "workspace", "bl") == ["blue"]
        known = await complete(agent, MEMORY, "memory_id")
        assert len(known) == 1
        assert "9000" in await agent.prompt("recall", query="port", workspace="blue")


async def links_of(agent: Agent, tool: str, **arguments: object) -> list[ResourceLink]:
    result = await agent.client.call_tool(tool, arguments)
    links = [one for one in result.content if isinstance(one, ResourceLink)]
    assert result.content[1:] == links  # what a model reads comes first
    assert all(one.annotations and one.annotations.audience == ["user"] for one in links)
    return links


@pytest.fixture
async def linking(home: Path, mode: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Agent]:
    """A client whose user wants links."""
    monkeypatch.setenv("MEMORIA_RESOURCE_LINKS", "true")
    async with connected(server_on(home, None), mode) as one:
        yield one


async def test_answers_link_to_what_they_name_and_every_link_can_be_read(linking: Agent) -> None:
    kept = await linking.call("remember", content="Ann likes oolong tea")
    (said,) = await linking.say("Ann asked for tea", session_id="a b/c")
    (link,) = await links_of(linking, "get_memory", id=kept["id"])
    assert "Ann likes oolong tea" in await linking.read(str(link.uri))
    (link,) = await links_of(linking, "get_memory", id=said)
    assert "Ann asked for tea" in await linking.read(str(link.uri))
    found = await links_of(linking, "search_memory", query="Ann tea")
    assert {one.name for one in found} == {f"memory {kept['id']}", "session a b/c"}
    for one in found:
        assert "Ann" in await linking.read(str(one.uri))
    assert await links_of(linking, "search_memory", query="zebra") == []
    (link,) = await links_of(linking, "remember", content="Ann has a cat")
    assert "a cat" in await linking.read(str(link.uri))


async def test_an_answer_has_three_links_at_most_and_none_unless_they_are_wanted(
    home: Path, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for wanted, links in (("false", 0), ("true", 3)):
        monkeypatch.setenv("MEMORIA_RESOURCE_LINKS", wanted)
        async with connected(server_on(home, None), mode) as agent:
            for number in range(6):
                await agent.call("remember", content=f"Ann likes tea number {number}")
            assert len(await links_of(agent, "search_memory", query="Ann tea")) == links


async def test_everything_has_a_title_for_people(standing: Agent) -> None:
    client = standing.client
    titles = [
        *(one.title for one in (await client.list_tools()).tools),
        *(one.title for one in (await client.list_prompts()).prompts),
        *(one.title for one in (await client.list_resources()).resources),
        *(one.title for one in (await client.list_resource_templates()).resource_templates),
    ]
    assert {"Search memory", "Briefing", "USER.md", "Unread page"} <= {*titles}
    assert all(title and title[0].isupper() and "_" not in title for title in titles)


async def test_a_client_that_asks_is_told_that_a_long_call_goes_on(home: Path, mode: str) -> None:
    server, told = server_on(home, None), anyio.Event()
    server.tools.progress_pause_s = 0.001
    seen: list[float] = []

    async def wait_for_it(ctx: Ctx) -> str:  # noqa: ARG001  (a tool has one)
        """Go on until the client was told of it three times."""
        await told.wait()
        raise InvalidInputError("It was told.")

    async def note(progress: float, total: float | None, message: str | None) -> None:
        assert total is None
        assert message is not None
        seen.append(progress)
        if len(seen) == 3:
            told.set()

    server.tools.add(wait_for_it)
    async with connected(server, mode) as agent:
        result = await agent.client.call_tool("wait_for_it", {}, progress_callback=note)
    assert result.is_error
    assert "It was told." in str(result.content)
    assert seen[:3] == sorted({*seen[:3]})


LIVES = {
    "English": ("The user lives in Leeds", "The user lives in York", "where does the user live"),
    "Chinese": ("用户住在南京", "用户现在住在苏州", "用户住在哪里"),
    "a name": ("My name is Lin.", "My name is Lina.", "what is my name"),
    "a rule": ("以后都用中文回答", "以后都用英文回答", "用什么语言回答"),
}


@pytest.mark.parametrize(("before", "after", "question"), LIVES.values(), ids=LIVES)
async def test_a_change_takes_effect_on_every_face_at_once(
    agent: Agent, before: str, after: str, question: str
) -> None:
    first = await agent.call("remember", content=before)
    second, text = await agent.both("remember", content=after, supersedes=first["id"])
    assert any(before in note for note in second["notes"])
    assert before in text
    found, shown = await agent.both("search_memory", query=question)
    assert [hit["text"] for hit in found["hits"]] == [after]
    assert before not in shown
    assert before not in await agent.prompt("context", query=question)
    assert before not in await agent.prompt("briefing")
    whole = await agent.call("get_memory", id=second["id"])
    assert [one["text"] for one in whole["versions"]] == [after, before]
    await agent.forget(ids=[second["id"]])
    left = await agent.call("search_memory", query=question, include_history=True)
    assert left["hits"] == []
    assert first["id"] == second["id"]
