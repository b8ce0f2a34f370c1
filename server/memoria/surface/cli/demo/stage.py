"""Printing of the tour, plain if there is no terminal, and its record for `--json`."""

import json
import os
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import anyio
from mcp import Client, StdioServerParameters
from mcp.types import TextContent, TextResourceContents
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from memoria.errors import MemoriaError

_LONGEST_LINE = 240
_TOOL_LINES = 12


class Stage:
    """Prints the tour's stops and counts what went right."""

    def __init__(self, *, quiet: bool) -> None:
        self.stops: list[dict[str, Any]] = []
        self._console = Console(highlight=False, quiet=quiet)

    @property
    def all_checks_hold(self) -> bool:
        """True if every check held."""
        return all(check["holds"] for stop in self.stops for check in stop["checks"])

    def begin_stop(self, title: str) -> None:
        """Begin a stop."""
        self.stops.append({"stop": title.strip(), "checks": []})
        self._console.print()
        self._console.print(Text(title, style="bold"))

    def say(self, text: str) -> None:
        """Print a sentence of explanation."""
        self._put(Text(text, style="dim"))

    def print_plain(self, text: str) -> None:
        """Print a text to copy, without indent or line breaks."""
        self._console.print(text, markup=False, soft_wrap=True)

    def ask(self, tool: str, question: str) -> None:
        """Print a tool's name and the question to it."""
        self._put(Text.assemble(("› ", "bold"), (f"{tool}  ", "bold"), question))

    def check(self, promise: str, holds: bool) -> None:
        """Record and print whether a promise held."""
        self.stops[-1]["checks"].append({"promise": promise, "holds": bool(holds)})
        mark = ("ok  ", "green") if holds else ("FAILED  ", "bold red")
        self._put(Text.assemble(mark, promise))

    def print_hits(self, found: dict[str, Any]) -> None:
        """Print a search's answer."""
        if not found["answered"]:
            self._put(Text("nothing fits well; nearest:"), indent=4)
        for hit in found["hits"]:
            self._put(Text(_one_line(hit["text"])), indent=4)
            self._put(Text(_cite(hit), style="dim"), indent=6)

    def print_trace(self, hit: dict[str, Any], *, around: str) -> None:
        """Print a turn of the record with its tool call, and its result around a word."""
        tool = hit["tool"]
        self._put(Text(_cite(hit), style="dim"), indent=4)
        self._put(Text(f"{tool['name']} {json.dumps(tool.get('args'))}"), indent=4)
        lines = str(tool.get("result", "")).splitlines()
        first = next((i for i, line in enumerate(lines) if around in line), 0)
        start = max(first - _TOOL_LINES // 2, 0)
        shown = lines[start : start + _TOOL_LINES]
        self._put(Text("\n".join(shown)), indent=6)
        left = len(lines) - len(shown)
        self._put(Text(f"({left} more lines of it on record)", style="dim"), indent=6)

    def print_quote(self, hit: dict[str, Any]) -> None:
        """Print a turn's words."""
        self._put(Text(f"“{_one_line(hit['text'])}”", style="italic"), indent=4)
        self._put(Text(_cite(hit), style="dim"), indent=6)

    def print_memory(self, memory: dict[str, Any]) -> None:
        """Print a memory with its versions."""
        for version in memory["versions"]:
            until = version.get("valid_to", "now")
            window = f"v{version['version']}  {version['valid_from']} to {until}"
            self._put(Text(version["text"]), indent=4)
            trust = version["source"].get("trust", "")
            self._put(Text(f"{window}  trust: {trust}", style="dim"), indent=6)

    def print_verdict(self) -> None:
        """Print whether all checks held."""
        checks = [check for stop in self.stops for check in stop["checks"]]
        held = sum(check["holds"] for check in checks)
        self._console.print()
        style = "bold green" if self.all_checks_hold else "bold red"
        self._console.print(Text(f"{held} of {len(checks)} promises held.", style=style))

    @contextmanager
    def show_activity(self, what: str) -> Iterator[None]:
        """Show a spinner on a terminal during the block."""
        if self._console.is_terminal and not self._console.quiet:
            with self._console.status(what):
                yield
        else:
            yield

    def _put(self, text: Text, indent: int = 2) -> None:
        self._console.print(Padding(text, (0, 0, 0, indent), expand=False))


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_LINE else line[:_LONGEST_LINE] + "…"


def _cite(hit: dict[str, Any]) -> str:
    source = hit["source"]
    parts = [f"[{hit['kind']} …{hit['id'][-8:]}]", source["at"]]
    if "session_id" in source:
        place = f"{source['session_id']} {source.get('message_id', '')}"
        parts.append(f"{place.strip()} #{source['turn_index']}")
    parts += [source[key] for key in ("role", "speaker") if key in source]
    parts += [hit["status"]] if "status" in hit else []
    return " · ".join(parts)


_POLL_S = 0.1
_LONGEST_WAIT_S = 60
_CACHE = "XDG_CACHE_HOME"
Answer = dict[str, Any]
"""Structured content of a tool's answer."""


class Guest:
    """A client's connection to a server that it started."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def call(self, tool: str, **arguments: object) -> Answer:
        """Call a tool.

        Raises:
            MemoriaError: the tool said it could not.
        """
        result = await self._client.call_tool(tool, arguments)
        if result.is_error:
            said = [part.text for part in result.content if isinstance(part, TextContent)]
            raise MemoriaError(" ".join(said))
        return result.structured_content or {}

    async def wait_for_vectors(self) -> Mapping[str, Any]:
        """Wait until every stored text has its vector; return the server's status."""
        with anyio.fail_after(_LONGEST_WAIT_S):
            while (status := await self._status())["backlog"]["pending"]:
                await anyio.sleep(_POLL_S)
        return status

    async def _status(self) -> dict[str, Any]:
        answer = await self._client.read_resource("memory://status", cache_mode="bypass")
        (content,) = answer.contents
        if not isinstance(content, TextResourceContents):
            raise MemoriaError("memory://status is not text")
        status: dict[str, Any] = json.loads(content.text)
        return status


@asynccontextmanager
async def guest(home: Path, environment: Mapping[str, str]) -> AsyncIterator[Guest]:
    """Start `memoria serve` on a home and connect to it; stop it at the end."""
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "memoria", "--home", str(home), "serve"],
        env={"MEMORIA_TENANT": "demo", "MEMORIA_WORKSPACE": "none", **_find_cache(), **environment},
    )
    async with Client(server) as client:
        yield Guest(client)


def _find_cache() -> dict[str, str]:
    """Return the user's folder for caches, if one is set: the model need not be unpacked again."""
    return {_CACHE: os.environ[_CACHE]} if _CACHE in os.environ else {}
