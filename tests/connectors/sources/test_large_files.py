"""A client's file of many thousand lines, as Claude Code's becomes."""

import json
import re
import time
import timeit
from collections.abc import Callable, Iterable
from functools import partial

from hypothesis import given
from hypothesis import strategies as st

from memoria.connectors.clients.changes import unified_lines
from memoria.connectors.clients.document import ConfigDocument, EditedText, WantedParts
from memoria.connectors.clients.syntax.json_text import read_json

ENTRY = {"command": "/opt/memoria/bin/memoria", "args": ["serve"]}
PARTS = WantedParts(entry_at=("mcpServers", "memoria"), entry=ENTRY)
_SIZES = (800, 6_400)


def _claude_file(keys: int, indent: int | None = 2) -> str:
    projects = {f"/home/{n}": {"lastCost": 0.5, "tools": ["a"], "n": n % 150} for n in range(keys)}
    held = {"numStartups": 1, "projects": projects, "mcpServers": {"git": {"command": "uvx"}}}
    return json.dumps(held, indent=indent)


def _cpu(*works: Callable[[], object]) -> list[float]:
    """Return the seconds of CPU that each takes, the least of three times, all in turn.

    So what slows the machine slows all of them. This thread's alone count, and `timeit` collects no
    garbage meanwhile: that costs what other tests have left.
    """
    timers = [timeit.Timer(work, timer=time.thread_time) for work in works]
    rounds = [[timer.timeit(1) for timer in timers] for _ in range(3)]
    return [min(taken) for taken in zip(*rounds, strict=True)]


def _connect_and_disconnect(text: str) -> None:
    read_json.cache_clear()  # each is the first of its process
    unified_lines.cache_clear()
    document = ConfigDocument(PARTS)
    connected = document.connect(EditedText(text))
    assert unified_lines("x", text.encode(), connected.text.encode())
    assert document.disconnect(connected).text == text


def test_a_large_file_costs_a_few_readings_of_it_and_eight_times_as_large_a_one_as_many() -> None:
    for indent in (2, None):
        small, large = (_claude_file(keys, indent) for keys in _SIZES)
        edits = [partial(_connect_and_disconnect, text) for text in (small, large)]
        small_cost, large_cost, reading = _cpu(*edits, partial(json.loads, large))
        assert large_cost < 80 * reading
        assert large_cost / small_cost < 3 * _SIZES[1] / _SIZES[0]


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


def test_showing_the_change_of_a_large_file_costs_a_few_readings_of_it() -> None:
    text = _claude_file(_SIZES[1])
    connected = ConfigDocument(PARTS).connect(EditedText(text)).text

    def show() -> None:
        unified_lines.cache_clear()
        assert unified_lines("x", text.encode(), connected.encode())

    showing, reading = _cpu(show, partial(json.loads, text))
    assert showing < 6 * reading
