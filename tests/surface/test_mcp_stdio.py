"""The server as clients start it: a process, two pipes, and ends of every kind."""

import ast
import inspect
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
from hypothesis import given
from hypothesis import strategies as st
from mcp import Client, MCPError, StdioServerParameters
from tests.databases import process_environment
from tests.surface.agent import Agent

import memoria.app.nightly as nights
import memoria.surface
from memoria.app import open_memoria
from memoria.config import Settings
from memoria.language.reading.fences import show_invisible
from memoria.model.nightly import NightlyRun
from memoria.surface.mcp.idle import run_idle_maintenance
from memoria.surface.mcp.incoming import repair_line, request_id
from memoria.surface.mcp.server import MemoriaServer

LONGEST_S = 600
"""So long only a server that hangs takes."""
SERVE = "import os, sys; open(sys.argv[1], 'w').write(str(os.getpid())); os.execv(sys.executable, [sys.executable, *sys.argv[2:]])"  # noqa: E501
"""Writes down its process id and becomes the server."""
posix_only = pytest.mark.skipif(os.name == "nt", reason="signals as POSIX has them")


def command(home: Path) -> list[str]:
    return ["-m", "memoria", "--home", str(home), "serve"]


@asynccontextmanager
async def started(home: Path, mode: str, pid_file: Path | None = None) -> AsyncIterator[Agent]:
    wrapped = [] if pid_file is None else ["-c", SERVE, str(pid_file)]
    parameters = StdioServerParameters(
        command=sys.executable, args=[*wrapped, *command(home)], env=process_environment(home)
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
            [sys.executable, *command(home)],
            env=process_environment(home),
            stderr=subprocess.DEVNULL,
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


async def test_standard_output_holds_json_rpc_alone_until_the_input_closes(home: Path) -> None:
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


@pytest.mark.sqlite("a database serves without a home")
async def test_a_home_that_cannot_be_used_is_said_on_standard_error(tmp_path: Path) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.write_text("not a folder")
    with anyio.fail_after(LONGEST_S):
        done = await anyio.run_process(
            [sys.executable, *command(in_the_way / "home")],
            env=process_environment(in_the_way / "home"),
            check=False,
            input=b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":'
            b'"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}\n',
        )
    assert done.returncode == 1
    assert b"MEMORIA_HOME" in done.stderr
    assert b"Traceback" not in done.stderr


TEN_MEGABYTES = 10 * 1024 * 1024


def call(tool: str, arguments: bytes, number: int = 2) -> bytes:
    return (
        b'{"method":"tools/call","params":{"name":"%s","arguments":%s},"jsonrpc":"2.0","id":%d}\n'
        % (tool.encode(), arguments, number)
    )


async def answer(pipes: Pipes, line: bytes) -> dict[str, Any]:
    """What is answered to a request with the id 2."""
    await pipes.stdin.send(line)
    while True:
        said: dict[str, Any] = json.loads(await pipes.stdout.receive_until(b"\n", 10_000_000))
        if said.get("id") == 2:
            return said


@pytest.fixture(scope="module")
async def pipes(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Pipes]:
    """A server in a process of its own, spoken to by hand."""
    async with by_hand(tmp_path_factory.mktemp("lines") / "home") as opened:
        await opened.shake_hands()
        yield opened


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        (b"heron \\ud83d cut", "heron � cut"),
        (b"heron \\udc00\\ud83d cut", "heron �� cut"),
        (b"heron \\ud83d\\ude00 whole", "heron 😀 whole"),
        (b"heron \\\\ud83d spelt out \\ud83d", "heron \\ud83d spelt out �"),
        (b"heron \x00 bare", "heron \x00 bare"),
        (b"heron \x1b\t\x0b bare", "heron \x1b\t\x0b bare"),
        (b"heron \xff\xfe bytes", "heron �� bytes"),
        (b"heron \\u0000 escaped", "heron \x00 escaped"),
    ],
    ids=ascii,
)
async def test_what_is_almost_json_is_kept(pipes: Pipes, sent: bytes, kept: str) -> None:
    line = call("record_conversation", b'{"turns":[{"role":"user","content":"%s"}]}' % sent)
    receipt = (await answer(pipes, line))["result"]["structuredContent"]
    assert receipt["recorded"] == 1
    found = await pipes.call("get_memory", 3, id=receipt["turn_ids"][0])
    assert found["result"]["structuredContent"]["text"] == show_invisible(kept)


@pytest.mark.parametrize(
    "arguments",
    [
        b'{"query":"x","limit":' + b"9" * 5_000 + b"}",
        b'{"query":' + b"[" * 5_000 + b"]" * 5_000 + b"}",
        b'{"query":"\\x"}',
        b"{query}",
        b'{"id":7,"query":"x",}',
    ],
    ids=["5,000 digits", "5,000 levels", "no escape", "no JSON", "a comma"],
)
async def test_what_is_not_json_is_answered(pipes: Pipes, arguments: bytes) -> None:
    error = (await answer(pipes, call("search_memory", arguments)))["error"]
    assert error["code"] == -32700
    assert "mend it and send it again" in error["message"]
    assert len(error["message"]) < 300
    alive = await pipes.call("search_memory", 3, query="nothing of the kind")
    assert alive["result"]["structuredContent"]["answered"] is False


@pytest.mark.parametrize(
    ("tool", "arguments", "next_step"),
    [
        ("search_memory", b'{"query":"x","limit":NaN}', "finite"),
        ("search_memory", b'{"query":"x","limit":1e400}', "finite"),
        ("search_memory", b'{"query":"x","limit":true}', "a number"),
        (
            "record_conversation",
            b'{"turns":[{"role":"tool","tool_args":{"a":NaN}}]}',
            "write them as text",
        ),
        (
            "record_conversation",
            b'{"turns":[{"role":"user","content":"' + b"x" * TEN_MEGABYTES + b'"}]}',
            "Split it",
        ),
    ],
    ids=["NaN", "more than any float", "a boolean", "NaN in a tool call", "10 MB"],
)
async def test_what_json_can_write_and_we_cannot_use_is_refused(
    pipes: Pipes, tool: str, arguments: bytes, next_step: str
) -> None:
    result = (await answer(pipes, call(tool, arguments)))["result"]
    assert result["isError"]
    assert next_step in result["content"][0]["text"]


async def test_noise_between_requests_is_no_end(pipes: Pipes) -> None:
    for noise in (
        b"\n",
        b"this is not JSON\n",
        b"{}\n",
        b"null\n",
        b"[]\n",
        b'{"id":\n',
        b"\x00\xff\n",
        b'"\n',
        b"}{][\n",
    ):
        await pipes.stdin.send(noise)
    alive = await answer(pipes, b"\xef\xbb\xbf" + call("search_memory", b'{"query":"x"}'))
    assert alive["result"]["structuredContent"]["answered"] is False


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('{"id":5,"method":"x"', 5),
        ('{"id" : "five", oops', "five"),
        ('{"params":{"id":7},"id":5,', 5),
        ('{"params":[{"id":7}],"text":"\\"id\\":8","id":-5}', -5),
        ('{"params":{"id":7}', None),
        ('{"id":null', None),
        ('{"id":1.5', 1),
        ('["id",5]', None),
        ("", None),
    ],
)
def test_a_request_is_known_by_the_outermost_id(line: str, expected: object) -> None:
    assert request_id(line) == expected


@given(st.recursive(st.text() | st.integers() | st.none(), st.lists, max_leaves=5))
def test_good_json_is_left_alone(value: object) -> None:
    for line in (json.dumps(value), json.dumps(value, ensure_ascii=False)):
        assert json.loads(repair_line(line)) == value


@pytest.mark.parametrize("unit", ['"', "\\", '\\"', '"\\', "{", '"id"', '"id":', "\\ud83d", '"\\u'])
def test_a_hostile_line_is_scanned_once(unit: str) -> None:
    line = unit * (200_000 // len(unit))  # a scan from every quote would take minutes
    assert repair_line(line)
    request_id(line)


"""So long only a server that hangs takes."""


def server(home: Path) -> StdioServerParameters:
    often = process_environment(home, MEMORIA_NIGHTLY_IDLE_MINUTES="0.01")
    arguments = ["-m", "memoria", "--home", str(home), "serve"]
    return StdioServerParameters(command=sys.executable, args=arguments, env=often)


async def finished(settings: Settings) -> list[NightlyRun]:
    while True:
        found = nights.list_runs(settings, 10)
        if found and found[0].state == "finished":
            return found
        await anyio.sleep(0.1)


async def test_an_idle_server_runs_nightly_maintenance(tmp_path: Path) -> None:
    settings = Settings.from_values(home=tmp_path / "home", embedder="off")
    async with open_memoria(settings=settings) as m:  # a server may be idle before it is asked
        await m.remember("The user likes tea")
    with anyio.fail_after(LONGEST_S):
        async with Client(server(settings.home_path)) as client:
            assert len(await finished(settings)) == 1
            asked = await client.call_tool("search_memory", {"query": "tea"})
            assert not asked.is_error


async def test_where_no_idle_time_is_set_no_run_is_ever_started(tmp_path: Path) -> None:
    settings = Settings.from_values(home=tmp_path / "home", embedder="off", nightly_idle_minutes=0)
    with anyio.fail_after(LONGEST_S):
        await run_idle_maintenance(settings, lambda: 0.0)  # it has nothing to wait for
    assert not settings.home_path.exists()


MODULES = sorted(Path(memoria.surface.__path__[0]).rglob("*.py"))
DOCUMENTED = {"os._exit"}
"""Names of the standard library that begin with an underscore and are meant for everybody."""


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def attributes(code: str) -> set[tuple[str, str]]:
    """Every attribute a module speaks of: whose, and its name."""
    nodes = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Attribute)]
    return {(ast.unparse(node.value), node.attr) for node in nodes}


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.stem)
def test_no_private_name_of_another_module_is_used(module: Path) -> None:
    code = module.read_text("utf-8")
    foreign = {f"{owner}.{name}" for owner, name in attributes(code) if is_private(name)}
    assert {one for one in foreign if not one.startswith("self.")} <= DOCUMENTED
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.ImportFrom):
            names = [*(node.module or "").split("."), *(alias.name for alias in node.names)]
            assert [name for name in names if is_private(name)] == []


@pytest.mark.parametrize("ours", [MemoriaServer])
def test_no_class_of_ours_uses_or_shadows_what_its_sdk_base_keeps_to_itself(ours: type) -> None:
    bases = [base for base in ours.__mro__ if base.__module__.startswith("mcp.")]
    assert bases
    theirs = {name for base in bases for owner, name in attributes(inspect.getsource(base))}
    theirs |= {name for base in bases for name in vars(base)}
    mine = {name for owner, name in attributes(inspect.getsource(ours)) if owner == "self"}
    mine |= {name for name in vars(ours) if name not in ("__module__", "__doc__")}
    assert {name for name in mine & theirs if is_private(name)} == set()
