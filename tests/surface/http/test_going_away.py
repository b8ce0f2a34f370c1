"""A client that goes in the middle of a call leaves no work behind and nothing half done."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager

import anyio
import anyio.lowlevel
import pytest
from mcp import Client
from tests.surface.http.conftest import Era, HttpServer, StartServer

from memoria.app import Memoria
from memoria.errors import ForgottenError, NotFoundError
from memoria.model.access import Access
from memoria.model.provenance import COMMAND_LINE

LONGEST_S = 60
STEPS = 500
"""Steps of the event loop in which a server notices that a client went, and looks for its rows."""
TURNS = [
    {"role": "user", "content": f"Number {one} of the list.", "message_id": f"m{one}"}
    for one in range(40)
]
ERAS = pytest.mark.parametrize("era", ["auto", "legacy"])


async def until(is_so: Callable[[], bool]) -> None:
    with anyio.fail_after(LONGEST_S):
        while not is_so():
            await anyio.lowlevel.checkpoint()


async def go_on() -> None:
    for _ in range(STEPS):
        await anyio.lowlevel.checkpoint()


@asynccontextmanager
async def leaving(
    server: HttpServer, token: str, era: Era, tool: str, arguments: Mapping[str, object]
) -> AsyncIterator[Client]:
    """Call a tool, leave when it is about to write, and yield another client once it has ended."""
    threads = anyio.to_thread.current_default_thread_limiter()
    async with server.connect(token, era) as client:
        await client.list_tools()  # the token is known from here on, so that nothing else writes
        with server.home.store.write("ben"):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(client.call_tool, tool, dict(arguments))
                await until(lambda: threads.borrowed_tokens > 0)
                await go_on()
                tasks.cancel_scope.cancel()
            await go_on()
    await until(lambda: threads.borrowed_tokens == 0)
    async with server.connect(token, era) as client:
        yield client


@ERAS
async def test_turns_are_all_kept_or_none_and_once_when_they_are_sent_again(
    start_server: StartServer, era: Era
) -> None:
    arguments = {"turns": TURNS, "session_id": "s"}
    async with start_server() as server:
        token = (await server.create_token("ann", Access.WRITE)).text
        memory = Memoria(server.home.for_tenant("ann"), COMMAND_LINE)
        async with leaving(server, token, era, "record_conversation", arguments) as client:
            assert (await memory.statistics()).turns in (0, len(TURNS))
            await client.call_tool("record_conversation", arguments)
            assert (await memory.statistics()).turns == len(TURNS)


@ERAS
async def test_a_memory_is_forgotten_whole_or_not_at_all(
    start_server: StartServer, era: Era
) -> None:
    said = "The user keeps bees behind the station"
    async with start_server() as server:
        token = (await server.create_token("ann", Access.FORGET)).text
        memory = Memoria(server.home.for_tenant("ann"), COMMAND_LINE)
        named = {"ids": [(await memory.remember(said)).id]}
        async with server.connect(token, era) as client:
            shown = (await client.call_tool("forget_memory", named)).structured_content
            assert shown is not None
        order = {**named, "token": shown["token"]}
        async with leaving(server, token, era, "forget_memory", order) as client:
            if (await memory.search_memory("who keeps bees")).hits:
                assert (await memory.get_memory(named["ids"][0])).current.content == said
                await client.call_tool("forget_memory", order)
            assert not (await memory.search_memory("who keeps bees")).hits
            with pytest.raises(NotFoundError):
                await memory.get_memory(named["ids"][0])
            with pytest.raises(ForgottenError):
                await memory.remember(said)


@ERAS
async def test_a_search_that_nobody_waits_for_any_more_takes_no_turn(
    start_server: StartServer, era: Era
) -> None:
    async with start_server() as server:
        token = (await server.create_token("ann", Access.READ)).text
        turns = server.home.search_turns
        turns.total_tokens = 1
        async with server.connect(token, era) as client:
            turns.acquire_on_behalf_of_nowait(server)
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(client.call_tool, "search_memory", {"query": "bees"})
                await until(lambda: turns.statistics().tasks_waiting == 1)
                tasks.cancel_scope.cancel()
            await until(lambda: turns.statistics().tasks_waiting == 0)
            turns.release_on_behalf_of(server)
            assert not (await client.call_tool("search_memory", {"query": "bees"})).is_error


@ERAS
async def test_a_client_that_wants_to_know_is_told_that_a_long_call_goes_on(
    start_server: StartServer, era: Era
) -> None:
    async with start_server() as server:
        token = (await server.create_token("ann", Access.READ)).text
        turns = server.home.search_turns
        turns.total_tokens = 1
        told = anyio.Event()

        async def note(progress: float, total: float | None, message: str | None) -> None:
            assert message is not None
            assert message.startswith("at work for")
            assert (progress > 0, total) == (True, None)
            turns.release_on_behalf_of(server)
            told.set()

        async with server.connect(token, era) as client:
            turns.acquire_on_behalf_of_nowait(server)
            with anyio.fail_after(LONGEST_S):
                answer = await client.call_tool(
                    "search_memory", {"query": "bees"}, progress_callback=note
                )
            assert told.is_set()
            assert not answer.is_error
