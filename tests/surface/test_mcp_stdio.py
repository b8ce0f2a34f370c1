"""The server as clients start it: a process, two pipes, and ends of every kind."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import anyio
import pytest
from anyio.abc import Process
from anyio.streams.buffered import BufferedByteReceiveStream
from mcp import Client, MCPError, StdioServerParameters
from tests.surface.agent import Agent

LONGEST_S = 600
"""So long only a server that hangs takes."""
SERVE = "import os, sys; open(sys.argv[1], 'w').write(str(os.getpid())); os.execv(sys.executable, [sys.executable, *sys.argv[2:]])"  # noqa: E501
"""Writes down its process id and becomes the server."""
posix_only = pytest.mark.skipif(os.name == "nt", reason="signals as POSIX has them")


def command(home: Path) -> list[str]:
    return ["-m", "memoria", "--home", str(home), "serve"]


def environment() -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "MEMORIA_EMBEDDER": "off"}


@asynccontextmanager
async def started(home: Path, mode: str, pid_file: Path | None = None) -> AsyncIterator[Agent]:
    wrapped = [] if pid_file is None else ["-c", SERVE, str(pid_file)]
    parameters = StdioServerParameters(
        command=sys.executable, args=[*wrapped, *command(home)], env=environment()
    )
    async with Client(parameters, mode=mode) as client:
        yield Agent(client)


async def said_in(agent: Agent, session: str) -> set[str]:
    answer = await agent.call(
        "search_conversation_traces", query="bluebird", session_id=session, limit=200, context=0
    )
    return {hit["text"] for hit in answer["hits"]}


class Pipes:
    """A server process spoken to by hand."""

    def __init__(self, process: Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self.process = process
        self.stdin = process.stdin
        self.stdout = BufferedByteReceiveStream(process.stdout)
        self.lines: list[bytes] = []

    async def ask(self, method: str, params: dict[str, Any], number: int) -> dict[str, Any]:
        """Send a request; gives its answer. Every line on the way is kept."""
        await self._send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        while True:
            line = await self.stdout.receive_until(b"\n", 10_000_000)
            self.lines.append(line)
            answer: dict[str, Any] = json.loads(line)
            if answer.get("id") == number:
                return answer

    async def shake_hands(self) -> None:
        """The handshake of the legacy era."""
        hello = {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "by-hand", "version": "1"},
        }
        await self.ask("initialize", hello, 1)
        await self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    async def call(self, tool: str, number: int, **arguments: object) -> dict[str, Any]:
        """Call a tool."""
        return await self.ask("tools/call", {"name": tool, "arguments": arguments}, number)

    async def _send(self, message: dict[str, Any]) -> None:
        await self.stdin.send(json.dumps(message).encode() + b"\n")


@asynccontextmanager
async def by_hand(home: Path) -> AsyncIterator[Pipes]:
    with anyio.fail_after(LONGEST_S):
        async with await anyio.open_process(
            [sys.executable, *command(home)], env=environment(), stderr=subprocess.DEVNULL
        ) as process:
            try:
                yield Pipes(process)
            finally:
                if process.returncode is None:
                    process.kill()


@posix_only
async def test_what_was_acknowledged_survives_a_kill(home: Path, tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    contents = [f"bluebird {i}" for i in range(20)]
    with anyio.fail_after(LONGEST_S):
        async with started(home, "legacy", pid_file) as agent:
            for content in contents:
                await agent.say(content)
            kept = await agent.call("remember", content="The code name is magpie")
            os.kill(int(pid_file.read_text()), signal.SIGKILL)
            with pytest.raises(MCPError):
                await agent.call("search_memory", query="bluebird")
        async with started(home, "auto") as agent:
            assert await said_in(agent, "s") == set(contents)
            memory = await agent.call("get_memory", id=kept["id"])
            assert memory["text"] == "The code name is magpie"


async def test_two_servers_on_one_home_see_each_others_writes_at_once(home: Path) -> None:
    async def write(agent: Agent, session: str) -> None:
        for i in range(15):
            await agent.say(f"bluebird {session} {i}", session_id=session)

    with anyio.fail_after(LONGEST_S):
        async with started(home, "auto") as first, started(home, "legacy") as second:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(write, first, "a")
                tasks.start_soon(write, second, "b")
            for reader, session in ((first, "b"), (second, "a")):
                expected = {f"bluebird {session} {i}" for i in range(15)}
                assert await said_in(reader, session) == expected


@posix_only
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_ends_the_server_with_exit_code_0(
    home: Path, number: signal.Signals
) -> None:
    async with by_hand(home) as pipes:
        await pipes.shake_hands()
        pipes.process.send_signal(number)
        assert await pipes.process.wait() == 0


async def test_standard_output_holds_json_rpc_alone_until_the_input_closes(
    home: Path,
) -> None:
    async with by_hand(home) as pipes:
        await pipes.shake_hands()
        turns = [{"role": "user", "content": "bluebird 中文\r\n\u2028 end"}]
        await pipes.call("record_conversation", 2, turns=turns, session_id="s")
        await pipes.call("search_conversation_traces", 3, query="bluebird")
        await pipes.call("search_memory", 4, query="")
        await pipes.call("no_such_tool", 5)
        await pipes.ask("resources/read", {"uri": "memory://nothing"}, 6)
        await pipes.ask("prompts/get", {"name": "recall", "arguments": {}}, 7)
        await pipes.ask("no/such/method", {}, 8)
        last = await pipes.call("search_conversation_traces", 9, query="bluebird")
        assert last["result"]["structuredContent"]["hits"][0]["text"] == turns[0]["content"]
        await pipes.stdin.aclose()
        with suppress(anyio.EndOfStream, anyio.IncompleteRead):
            while True:
                pipes.lines.append(await pipes.stdout.receive_until(b"\n", 10_000_000))
        assert await pipes.process.wait() == 0
    messages = [json.loads(line) for line in pipes.lines]
    assert {message["jsonrpc"] for message in messages} == {"2.0"}
    assert {message["id"] for message in messages if "id" in message} == set(range(1, 10))


async def test_a_home_that_cannot_be_used_is_said_on_standard_error(tmp_path: Path) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.write_text("not a folder")
    with anyio.fail_after(LONGEST_S):
        done = await anyio.run_process(
            [sys.executable, *command(in_the_way / "home")],
            env=environment(),
            check=False,
            input=b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":'
            b'"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}\n',
        )
    assert done.returncode == 1
    assert b"MEMORIA_HOME" in done.stderr
    assert b"Traceback" not in done.stderr
