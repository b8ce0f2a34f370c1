"""How long a client waits for Memoria to come up, and what its tools cost it.

Beside it starts a server of the bare SDK without a single tool: the difference is ours. The two
take turns, in both generations of the protocol, so that a busy moment of the machine strikes
both; the first round fills the caches and is not counted.

    python -m bench.startup
"""

import argparse
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from statistics import median

from rich.console import Console

from bench.output import rounded, table
from bench.stdio import LEGACY, MODERN, Era, Start, start
from bench.tool_size import count_tool_tokens

_BARE = "from mcp.server import MCPServer; MCPServer('bare').run('stdio')"
_ERAS = (LEGACY, MODERN)
_SERVERS = ("bare", "memoria")
_NO_COMMAND = 2


@dataclass(frozen=True, slots=True)
class Wait:
    """Medians of one generation of the protocol, in milliseconds."""

    opening: str
    bare_ms: float
    memoria_ms: float
    ours_ms: float
    """The difference of the two."""
    bare_tools_list_ms: float
    tools_list_ms: float


@dataclass(frozen=True, slots=True)
class Tools:
    """What `tools/list` puts into a model's context."""

    tools: int
    tokens: int
    """Of their names, descriptions and input schemas, counted with o200k."""


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print.

    Returns:
        The exit code: 0, or 2 when there is no `memoria` command beside this Python.
    """
    arguments = _parser().parse_args(argv)
    command = shutil.which("memoria", path=str(Path(sys.executable).parent))
    if command is None:
        sys.stderr.write("There is no memoria command beside this Python: pip install -e .\n")
        return _NO_COMMAND
    commands = {"bare": [sys.executable, "-c", _BARE], "memoria": [command, "serve"]}
    starts = _starts(commands, arguments.runs)
    waits = {era.name: _wait(era, starts) for era in _ERAS}
    _print(arguments.runs, waits, _tools(starts[MODERN.name, "memoria"][-1]), arguments.json)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.startup")
    parser.add_argument("--runs", type=int, default=10, help="starts of each server and era")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    return parser


def _starts(commands: Mapping[str, Sequence[str]], runs: int) -> dict[tuple[str, str], list[Start]]:
    """The starts by era and server, each in its turn, all of them in one home of their own."""
    starts: dict[tuple[str, str], list[Start]] = {}
    with tempfile.TemporaryDirectory(prefix="memoria-startup-") as home:
        environment = {**os.environ, "MEMORIA_HOME": home}
        for _ in range(1 + runs):
            for era, server in product(_ERAS, _SERVERS):
                started = start(commands[server], era, environment)
                starts.setdefault((era.name, server), []).append(started)
    return {key: each[1:] for key, each in starts.items()}


def _wait(era: Era, starts: Mapping[tuple[str, str], Sequence[Start]]) -> Wait:
    opened = {server: median(s.opened_ms for s in starts[era.name, server]) for server in _SERVERS}
    listed = {server: median(s.listed_ms for s in starts[era.name, server]) for server in _SERVERS}
    return Wait(
        opening=era.opening,
        bare_ms=opened["bare"],
        memoria_ms=opened["memoria"],
        ours_ms=opened["memoria"] - opened["bare"],
        bare_tools_list_ms=listed["bare"],
        tools_list_ms=listed["memoria"],
    )


def _tools(last: Start) -> Tools:
    tokens = count_tool_tokens(last.tools["tools"])
    return Tools(len(tokens), sum(tokens.values()))


def _print(runs: int, waits: Mapping[str, Wait], tools: Tools, as_json: bool) -> None:
    if as_json:
        document = {
            "benchmark": "bench.startup",
            "runs": runs,
            "eras": {name: asdict(wait) for name, wait in waits.items()},
            "tools_list": asdict(tools),
        }
        print(json.dumps(rounded(document), indent=2))
        return
    headings = ("protocol", "request", "bare ms", "memoria ms", "ours ms", "tools/list ms")
    filled = table(f"Process start to answer, median of {runs} runs", 2, *headings)
    for name, wait in waits.items():
        filled.add_row(name, wait.opening, *_cells(wait))
    Console().print(filled)
    print(f"tools/list: {tools.tools} tools, {tools.tokens} tokens reach a model")


def _cells(wait: Wait) -> Iterator[str]:
    for value in (wait.bare_ms, wait.memoria_ms, wait.ours_ms, wait.tools_list_ms):
        yield f"{value:.1f}"


if __name__ == "__main__":
    sys.exit(main())
