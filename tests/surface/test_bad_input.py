"""Bad input over every face: a sentence on what to do next, nothing lost, and life goes on."""

import json
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import anyio.to_thread
import pytest
from tests.surface.agent import Agent, connected, server_on

import memoria
from memoria import Memoria, Settings
from memoria.errors import MemoriaError
from memoria.language.reading.fences import show_invisible
from memoria.surface.cli.main import run

UNKNOWN = "0199ffff-ffff-7fff-bfff-ffffffffffff"
TEN_MEGABYTES = 10 * 1024 * 1024
HUGE = "x" * 100_000
LONE = "half \ud83d"
KEPT = "the bluebird nests in the attic"


def nested(levels: int) -> object:
    inner: object = "bottom"
    for _ in range(levels):
        inner = [inner]
    return inner


def turn(**fields: object) -> dict[str, object]:
    return {"role": "user", "content": "x", "session_id": "s", **fields}


def line(**fields: object) -> bytes:
    return json.dumps(turn(**fields)).encode()


class Face(Protocol):
    """A way in."""

    async def keep(self, text: str) -> None:
        """Record a turn."""

    async def refused(self, bad: "Bad") -> str:
        """Do what can't be done; gives what is said about it."""

    async def found(self, query: str) -> list[str]:
        """The texts of what is found, best first."""


@dataclass(frozen=True)
class Bad:
    """The same mistake at each face. Words or bytes for a shell: a command, or a file's line."""

    next_step: str
    tool: tuple[str, dict[str, object]]
    shell: list[str] | bytes | None
    library: Callable[[Memoria], Awaitable[object]]
    next_command: str | None = None
    """The next step at a terminal, where that is another one."""


def searched(shell: list[str], next_step: str, **arguments: Any) -> Bad:  # noqa: ANN401
    """A search that can't be made."""
    given: dict[str, Any] = {"query": "x", **arguments}
    return Bad(
        next_step, ("search_memory", given), ["search", *shell], lambda m: m.search_memory(**given)
    )


def recorded(next_step: str, **fields: object) -> Bad:
    """A turn that can't be kept."""
    return Bad(
        next_step,
        ("record_conversation", {"turns": [turn(**fields)]}),
        line(**fields),
        lambda m: m.record_conversation([turn(**fields)]),
    )


BAD = {
    "an unknown id": Bad(
        "search_memory",
        ("get_memory", {"id": UNKNOWN}),
        ["show", UNKNOWN],
        lambda m: m.get_record(UNKNOWN),
        next_command="Find its id: memoria search",
    ),
    "an unknown memory to revise": Bad(
        "search_memory",
        ("revise_memory", {"id": UNKNOWN, "action": "pin"}),
        ["revise", UNKNOWN, "pin"],
        lambda m: m.revise_memory(UNKNOWN, "pin"),
        next_command="Find its id: memoria search",
    ),
    "a huge id": Bad(
        "100,000 characters). Find its id",
        ("get_memory", {"id": HUGE}),
        ["show", HUGE],
        lambda m: m.get_record(HUGE),
        next_command="100,000 characters), and none is linked with that name",
    ),
    "an empty query": searched([""], "Ask in words", query=""),
    "limit 0": searched(["x", "--limit", "0"], "from 1 to 200", limit=0),
    "limit 10**9": searched(["x", "--limit", "1000000000"], "from 1 to 200", limit=10**9),
    "limit 10**40": searched(["x", "--limit", str(10**40)], "limit", limit=10**40),
    "a limit that is a boolean": searched(["x", "--limit", "true"], "limit", limit=True),
    "a limit that is a fraction": searched(["x", "--limit", "1.5"], "limit", limit=1.5),
    "a date that does not parse": searched(
        ["x", "--since", "某天"], "Write ISO 8601", since="某天"
    ),
    "a huge date": searched(["x", "--since", HUGE], "Write ISO 8601", since=HUGE),
    "an importance that is no number": Bad(
        "importance",
        ("remember", {"content": "x", "importance": "nan"}),  # JSON has no such number
        ["remember", "x", "--importance", "nan"],
        lambda m: m.remember("x", importance=float("nan")),
    ),
    "a turn of 10 MB": recorded("Split it", content="x" * TEN_MEGABYTES),
    "a turn at no time": recorded("ISO 8601", at="yesterday"),
    "a session with a huge name": recorded("1 to 500 characters", session_id=HUGE),
    "a tool call nested too deeply": recorded(
        "pass it as text", role="tool", tool_name="bash", tool_args=nested(150)
    ),
    "a huge field that does not exist": Bad(
        "… (100,000 characters)",
        ("record_conversation", {"turns": [{**turn(), HUGE: 1}]}),
        json.dumps({**turn(), HUGE: 1}).encode(),
        lambda m: m.record_conversation([{**turn(), HUGE: 1}]),
    ),
}


class Mcp:
    """A client of either era."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent

    async def keep(self, text: str) -> None:
        await self._agent.say(text)

    async def refused(self, bad: Bad) -> str:
        tool, arguments = bad.tool
        return await self._agent.refusal(tool, **arguments)

    async def found(self, query: str) -> list[str]:
        answer = await self._agent.call("search_memory", query=query)
        return [hit["text"] for hit in answer["hits"]]


class Program:
    """A program that uses the library."""

    def __init__(self, memory: Memoria) -> None:
        self._memory = memory

    async def keep(self, text: str) -> None:
        await self._memory.record_conversation([turn(content=text)])

    async def refused(self, bad: Bad) -> str:
        with pytest.raises(MemoriaError) as caught:
            await bad.library(self._memory)
        return str(caught.value)

    async def found(self, query: str) -> list[str]:
        return [hit.text for hit in (await self._memory.search_memory(query)).hits]


class Terminal:
    """The `memoria` command, from the line typed to the exit code, in this process."""

    def __init__(
        self, home: Path, patch: pytest.MonkeyPatch, output: pytest.CaptureFixture[str]
    ) -> None:
        self._home = home
        self._patch = patch
        self._output = output

    async def keep(self, text: str) -> None:
        code, _, _ = await self._import(line(content=text))
        assert code == 0

    async def refused(self, bad: Bad) -> str:
        if isinstance(bad.shell, bytes):
            code, out, _ = await self._import(bad.shell)
            assert code == 3
            return out
        assert bad.shell is not None
        code, out, err = await self.typed(*bad.shell)
        assert code in (1, 2)
        assert out == ""
        return err

    async def found(self, query: str) -> list[str]:
        words = query.split("\x00")  # no command line can hold one
        code, out, _ = await self.typed("search", "--json", "--", *words)
        assert code == 0
        return [hit["text"] for hit in json.loads(out)["hits"]]

    async def typed(self, *words: str) -> tuple[int, str, str]:
        """Exit code, standard output and standard error."""
        self._patch.setattr(sys, "argv", ["memoria", "--home", str(self._home), *words])
        self._output.readouterr()
        code = await anyio.to_thread.run_sync(_exit_code)
        return (code, *self._output.readouterr())

    async def _import(self, *lines: bytes) -> tuple[int, str, str]:
        file = self._home.parent / "chat.jsonl"
        file.write_bytes(b"\n".join(lines))
        return await self.typed("import", str(file), "--no-wait")


def _exit_code() -> int:
    try:
        run()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 1
    return 0


@pytest.fixture(params=["2026-era", "legacy", "library", "command line"])
async def face(
    request: pytest.FixtureRequest,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> AsyncIterator[Face]:
    """Each way in, on a home of its own in which something was kept."""
    async with AsyncExitStack() as stack:
        opened: Face
        match request.param:
            case "library":
                settings = Settings.from_values(home=home, embedder="off")
                opened = Program(await stack.enter_async_context(memoria.open(settings=settings)))
            case "command line":
                monkeypatch.setenv("MEMORIA_EMBEDDER", "off")
                opened = Terminal(home, monkeypatch, capsys)
            case era:
                mode = {"2026-era": "auto"}.get(era, era)
                opened = Mcp(
                    await stack.enter_async_context(connected(server_on(home, None), mode))
                )
        await opened.keep(KEPT)
        yield opened


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD)
async def test_bad_input_is_told_what_to_do_and_nothing_is_lost(face: Face, bad: Bad) -> None:
    said = await face.refused(bad)
    at_shell = isinstance(face, Terminal) and bad.next_command
    assert (at_shell or bad.next_step) in " ".join(said.split())  # lines break anywhere
    assert len(said) < 1_000
    for noise in ("Traceback", "pydantic", "Error executing", "input_value", "Value error"):
        assert noise not in said
    assert await face.found("bluebird") == [KEPT]


ODD_TEXTS = {
    "NUL": "zebra\x00crossing",
    "half a character": "zebra \ud83d crossing",
    "quotes": "zebra \"crossing\" 'at' `noon",
    "FTS operators": 'zebra* NEAR(crossing, 3) AND NOT "noon OR ^a - {b c}: d',
    "SQL": "zebra'; DROP TABLE turns; --",
    "markup": "[red]zebra[/] <private> {0} %s",
    "control characters": "zebra \x1b[31m \x85 \u2028 \u202e crossing",
}


@pytest.mark.parametrize("text", ODD_TEXTS.values(), ids=ODD_TEXTS)
async def test_odd_text_is_kept_and_asked_for_like_any_other(face: Face, text: str) -> None:
    await face.keep(text)
    mended = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    shown = show_invisible(mended) if isinstance(face, Mcp) else mended  # to a model, as escapes
    assert (await face.found(text))[0] == shown
    assert (await face.found("bluebird"))[0] == KEPT
