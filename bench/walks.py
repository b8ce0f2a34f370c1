"""How far a call over MCP walks: the files of the package that it enters, and the calls among them.

    python -m bench.walks            # a table
    python -m bench.walks --json     # to compare before and after

A client in this process is connected to the real server over a home of its own. Each tool is called
until it is warm, then five more times; the shortest walk counts, since work in the background may
begin beside a call.
"""

import argparse
import json
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from types import FrameType

import anyio
from mcp import Client

import memoria
from bench.output import Sheet, report_console
from memoria.app import open_memoria
from memoria.config import Settings
from memoria.surface.mcp.server import build_server

_ROOT = str(Path(memoria.__file__).parent)
_WARM, _COUNTED = 5, 5

Arguments = Mapping[str, object]


@dataclass(frozen=True, slots=True, order=True)
class Walk:
    """What one call goes through."""

    files: int
    """Files of the package that are entered."""
    pairs: int
    """Pairs of a file and another that it calls."""
    calls: int
    """Calls from one file of the package to another."""


class Walker:
    """Notes which file calls which, in every thread, while it counts."""

    def __init__(self) -> None:
        self._is_counting = False
        self._entered: Counter[tuple[str, str]] = Counter()

    def note(self, frame: FrameType, event: str, _argument: object) -> None:
        """Note a call, as the interpreter tells of it."""
        if not self._is_counting or event != "call":
            return
        entered = frame.f_code.co_filename
        if entered.startswith(_ROOT):
            caller = frame.f_back.f_code.co_filename if frame.f_back else ""
            self._entered[caller, entered] += 1

    @contextmanager
    def watch(self) -> Iterator[None]:
        """Be told of every call in this thread and in those that begin within the block."""
        threading.setprofile(self.note)
        sys.setprofile(self.note)
        try:
            yield
        finally:
            sys.setprofile(None)
            threading.setprofile(None)

    @contextmanager
    def count(self) -> Iterator[None]:
        """Forget what was noted and note what the block calls."""
        self._entered = Counter()
        self._is_counting = True
        try:
            yield
        finally:
            self._is_counting = False

    def sum_up(self) -> Walk:
        """What was noted."""
        between = {
            pair: calls
            for pair, calls in self._entered.items()
            if pair[0] != pair[1] and pair[0].startswith(_ROOT)
        }
        files = {entered for _, entered in self._entered}
        return Walk(len(files), len(between), sum(between.values()))


def list_calls(n: int) -> dict[str, Arguments]:
    """The calls that are measured, by tool; each time with other words."""
    said = f"For party number {n} I ordered {n + 3} lemon cakes from the bakery on Mill Road."
    turn = {"role": "user", "content": said, "message_id": f"m{n}"}
    return {
        "record_conversation": {"turns": [turn], "session_id": "walks"},
        "search_memory": {"query": f"Who baked the lemon cakes of party number {n}?"},
        "remember": {"content": f"The spare key of locker {n} hangs behind shelf {n + 2}."},
    }


async def measure_walks(home: Path, walker: Walker) -> dict[str, Walk]:
    """The shortest walk of each tool on a warm server."""
    settings = Settings.from_values(home=home, tenant="walks")
    walks: dict[str, list[Walk]] = {}
    async with Client(build_server(lambda: open_memoria(settings=settings))) as client:
        for n in range(_WARM + _COUNTED):
            for tool, arguments in list_calls(n).items():
                with walker.count():
                    result = await client.call_tool(tool, dict(arguments))
                if result.is_error:
                    raise RuntimeError(f"{tool} refused: {result.content}")
                if n >= _WARM:
                    walks.setdefault(tool, []).append(walker.sum_up())
    return {tool: min(each) for tool, each in walks.items()}


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print what was counted."""
    parser = argparse.ArgumentParser(prog="python -m bench.walks")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    arguments = parser.parse_args(argv)
    walker = Walker()
    with tempfile.TemporaryDirectory(prefix="memoria-bench-") as folder, walker.watch():
        walks = anyio.run(measure_walks, Path(folder) / "home", walker)
    if arguments.json:
        print(json.dumps({tool: asdict(walk) for tool, walk in walks.items()}, indent=2))
    else:
        rows = [(tool, *asdict(walk).values()) for tool, walk in walks.items()]
        headings = ("tool", "files", "pairs of files", "calls between files")
        report_console().print(Sheet("One call over MCP", headings, rows).to_table())
    return 0


if __name__ == "__main__":
    sys.exit(main())
