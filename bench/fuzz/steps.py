"""What can be done to a world, a step at a time, and the promises each step may break."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from mcp import MCPError
from mcp.types import CallToolResult
from typer.testing import CliRunner

from bench.fuzz import judge
from bench.fuzz.judge import Problem
from bench.fuzz.schemas import Arguments, Schema
from bench.fuzz.values import real
from bench.fuzz.world import TENANT, World, said
from memoria.config import Settings
from memoria.errors import MemoriaError
from memoria.surface.cli.main import app

_LONGEST_WORD = 100_000
"""An operating system passes no longer ones."""


class Step(Protocol):
    """Something a caller does."""

    @property
    def name(self) -> str:
        """What is called, for the count of outcomes."""

    def perform(self, world: World) -> Iterator[Problem]:
        """Do it; gives the promises it broke."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool called through the client."""

    tool: str
    arguments: Mapping[str, object]

    @property
    def name(self) -> str:
        """The tool."""
        return f"tool {self.tool}"

    def perform(self, world: World) -> Iterator[Problem]:
        """Call it."""
        given: Any = real(dict(self.arguments), world.ids)
        result, seconds = world.do(lambda: world.client.call_tool(self.tool, given))
        yield from judge.pace(seconds, self.name)
        crash = world.crashes.taken()
        if crash is not None:
            yield judge.unexpected(crash, self.name)
        elif isinstance(result, UnicodeEncodeError):
            world.outcomes[self.name, "never sent", ""] += 1  # the client can't write it as JSON
        elif isinstance(result, BaseException):
            yield judge.unexpected(result, self.name)
        elif result.is_error:
            world.outcomes[self.name, "refused", ""] += 1
            yield from judge.refusal(said(result), self.name)
            if result.structured_content is not None:
                yield Problem("refusal with structured content", self.name, said(result)[:300])
        else:
            world.outcomes[self.name, "done", ""] += 1
            yield from self._answered(world, result, given)

    def _answered(
        self, world: World, result: CallToolResult, given: Arguments
    ) -> Iterator[Problem]:
        tool = world.tools[self.tool]
        yield from judge.answer(
            result.structured_content, said(result), tool.output_schema, self.name
        )
        most = {**_defaults(tool.input_schema), **given}.get("max_tokens")
        if isinstance(most, int | float | str):
            yield from judge.budget(said(result), int(float(most)), self.name)
        answer = result.structured_content or {}
        world.ids.extend(_ids(answer))
        for one in answer.get("turn_ids", [])[:1]:
            yield from _kept(world, one)


@dataclass(frozen=True, slots=True)
class Reading:
    """A resource read through the client."""

    uri: str

    @property
    def name(self) -> str:
        """The kind of resource."""
        return "resource"

    def perform(self, world: World) -> Iterator[Problem]:
        """Read it."""
        uri = self.uri.replace("GIVEN", world.ids[-1])
        read = lambda: world.client.read_resource(uri, cache_mode="bypass")  # noqa: E731
        result, seconds = world.do(read)
        yield from judge.pace(seconds, self.name)
        yield from _protocol(world, self.name, result)
        if not isinstance(result, BaseException):
            yield from judge.sendable(result.model_dump(mode="json"), self.name)


@dataclass(frozen=True, slots=True)
class Prompting:
    """A prompt asked for through the client."""

    prompt: str
    arguments: Mapping[str, object]

    @property
    def name(self) -> str:
        """The prompt."""
        return f"prompt {self.prompt}"

    def perform(self, world: World) -> Iterator[Problem]:
        """Ask for it."""
        given: Any = real(dict(self.arguments), world.ids)
        result, seconds = world.do(lambda: world.client.get_prompt(self.prompt, given))
        yield from judge.pace(seconds, self.name)
        yield from _protocol(world, self.name, result)
        if not isinstance(result, BaseException):
            yield from judge.sendable(result.model_dump(mode="json"), self.name)


@dataclass(frozen=True, slots=True)
class LibraryCall:
    """A method of `Memoria` called with whatever a program may pass."""

    method: str
    arguments: Mapping[str, object]

    @property
    def name(self) -> str:
        """The method."""
        return f"library {self.method}"

    def perform(self, world: World) -> Iterator[Problem]:
        """Call it."""
        given: Any = real(dict(self.arguments), world.ids)
        result, seconds = world.do(lambda: getattr(world.memory, self.method)(**given))
        yield from judge.pace(seconds, self.name)
        if isinstance(result, BaseException):
            world.outcomes[self.name, "refused", type(result).__name__] += 1
            yield from judge.raised(result, self.name)
        else:
            world.outcomes[self.name, "done", ""] += 1


@dataclass(frozen=True, slots=True)
class Configuring:
    """Settings of a program's own."""

    fields: Mapping[str, object]

    @property
    def name(self) -> str:
        """The one thing there is."""
        return "settings"

    def perform(self, world: World) -> Iterator[Problem]:
        """Make them. Nothing is opened."""
        given: Any = real(dict(self.fields), world.ids)
        try:
            Settings.from_values(**given)
        except Exception as error:  # noqa: BLE001  (whatever it is, it is what we look for)
            world.outcomes[self.name, "refused", type(error).__name__] += 1
            yield from judge.raised(error, self.name)
        else:
            world.outcomes[self.name, "done", ""] += 1


@dataclass(frozen=True, slots=True)
class Typing:
    """A command typed in a shell."""

    command: str
    words: tuple[object, ...]

    @property
    def name(self) -> str:
        """The command."""
        return f"command {self.command}"

    def perform(self, world: World) -> Iterator[Problem]:
        """Run it in this process."""
        words = [
            str(real(word, world.ids)).replace("\0", "")[:_LONGEST_WORD] for word in self.words
        ]
        yield from _run(world, self.name, self.command, *words)


@dataclass(frozen=True, slots=True)
class Importing:
    """A file imported, twice."""

    format: str
    data: bytes

    @property
    def name(self) -> str:
        """The format."""
        return f"import {self.format}"

    def perform(self, world: World) -> Iterator[Problem]:
        """Import it, and again: the second time must add nothing."""
        file = world.home.parent / "conversation.jsonl"
        file.write_bytes(self.data)
        line = ("import", str(file), "--format", self.format, "--no-wait", "--json")
        recorded: list[int] = []
        for _ in range(2):
            output: list[str] = []
            yield from _run(world, self.name, *line, output=output)
            report = json.loads(output[0]) if output and output[0].startswith("{") else {}
            recorded.append(report.get("recorded", 0))
            for bad in report.get("bad_lines", ()):
                yield from judge.refusal(f"Line: {bad['problem'].rstrip('.')}.", self.name)
        if recorded[1]:
            yield Problem("imported twice", self.name, f"{recorded[1]} turns were new again")


def _run(
    world: World, name: str, *words: str, output: list[str] | None = None
) -> Iterator[Problem]:
    """A command in this process, and what it breaks."""
    line = ["--home", str(world.home), "--tenant", TENANT, *words]
    result = CliRunner().invoke(app, line, env={"MEMORIA_EMBEDDER": "off"})
    ours = _known_error(result.exception)
    world.outcomes[name, f"exit {result.exit_code}" if ours is None else "failed", ""] += 1
    if ours is not None:
        yield from judge.raised(ours, name)
    elif result.exception is not None and not isinstance(result.exception, SystemExit):
        yield from judge.raised(result.exception, name)
    if "Traceback" in result.stderr:
        yield Problem("traceback", name, result.stderr[-500:])
    if output is not None:
        output.append(result.stdout)


def _known_error(raised: BaseException | None) -> MemoriaError | None:
    """Our own error, behind the exit it became."""
    if raised is None or isinstance(raised, MemoriaError):
        return raised
    return _known_error(raised.__cause__ or raised.__context__)


def _protocol(world: World, name: str, result: object) -> Iterator[Problem]:
    """A resource's or prompt's answer: an error is the protocol's, with a sentence."""
    crash = world.crashes.taken()
    if crash is not None:
        yield judge.unexpected(crash, name)
    elif isinstance(result, MCPError):
        world.outcomes[name, "refused", ""] += 1
        yield from judge.refusal(result.error.message, name)
    elif isinstance(result, UnicodeEncodeError):
        world.outcomes[name, "never sent", ""] += 1
    elif isinstance(result, BaseException):
        yield judge.unexpected(result, name)
    else:
        world.outcomes[name, "done", ""] += 1


def _kept(world: World, turn_id: str) -> Iterator[Problem]:
    """That a turn with a receipt is there."""
    found, _ = world.do(lambda: world.client.call_tool("get_memory", {"id": turn_id}))
    if isinstance(found, BaseException) or found.is_error:
        yield Problem("a turn with a receipt is lost", "record_conversation", turn_id)


def _ids(value: object) -> Iterator[str]:
    """The ids an answer gives out."""
    match value:
        case dict():
            for key, item in value.items():
                if isinstance(item, str) and (key == "id" or key.endswith("_id")):
                    yield item
                else:
                    yield from item if key == "turn_ids" else _ids(item)
        case list():
            for item in value:
                yield from _ids(item)
        case _:
            pass


def _defaults(schema: Schema) -> dict[str, object]:
    return {
        name: part["default"]
        for name, part in schema.get("properties", {}).items()
        if "default" in part
    }
