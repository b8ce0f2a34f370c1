"""A client's file of many thousand lines, as Claude Code's becomes."""

import json
import re
import time
from collections.abc import Callable, Iterable
from functools import partial

from hypothesis import given
from hypothesis import strategies as st

from memoria.admin.clients.changes import unified_lines
from memoria.admin.clients.document import ConfigDocument, EditedText, WantedParts

ENTRY = {"command": "/opt/memoria/bin/memoria", "args": ["serve"]}
PARTS = WantedParts(entry_at=("mcpServers", "memoria"), entry=ENTRY)
_SIZES = (800, 6_400)


def _claude_file(keys: int, indent: int | None = 2) -> str:
    projects = {f"/work/{n}": {"lastCost": 0.5, "tools": ["a"], "n": n % 150} for n in range(keys)}
    held = {"numStartups": 1, "projects": projects, "mcpServers": {"git": {"command": "uvx"}}}
    return json.dumps(held, indent=indent)


def _cpu(work: Callable[[], object]) -> float:
    """The seconds of CPU that something takes, the least of two."""
    taken = list[float]()
    for _ in range(2):
        began = time.process_time()
        work()
        taken.append(time.process_time() - began)
    return min(taken)


def _connect_and_disconnect(text: str) -> None:
    document = ConfigDocument(PARTS)
    connected = document.connect(EditedText(text))
    unified_lines.cache_clear()
    assert unified_lines("x", text.encode(), connected.text.encode())
    assert document.disconnect(connected).text == text


def test_a_large_file_costs_a_few_readings_of_it_and_eight_times_as_large_a_one_as_many() -> None:
    for indent in (2, None):
        small, large = (_claude_file(keys, indent) for keys in _SIZES)
        costs = [_cpu(partial(_connect_and_disconnect, text)) for text in (small, large)]
        readings = [_cpu(partial(json.loads, text)) for text in (small, large)]
        assert costs[1] < 50 * readings[1]
        assert costs[1] / costs[0] < 3 * _SIZES[1] / _SIZES[0]


def _apply(old: list[str], diff: Iterable[str]) -> list[str]:
    """What a diff makes of the lines that it is of."""
    new, at = list[str](), 0
    for line in [*diff][2:]:
        if found := re.match(r"@@ -(\d+)(?:,(\d+))? ", line):
            begin = int(found[1]) - (found[2] != "0")
            new, at = new + old[at:begin], begin
        elif line[0] == "+":
            new.append(line[1:])
        else:
            assert old[at] == line[1:]
            new, at = new + ([old[at]] if line[0] == " " else []), at + 1
    return new + old[at:]


_LINES = st.lists(st.sampled_from(["}", "{", "a", "b"]), max_size=30)


@given(_LINES, _LINES)
def test_a_shown_change_makes_of_the_old_lines_the_new_ones(old: list[str], new: list[str]) -> None:
    texts = ["".join(f"{line}\n" for line in lines).encode() for lines in (old, new)]
    shown = unified_lines("x", *texts)
    assert _apply(old, shown) == new
    assert bool(shown) == (old != new)
