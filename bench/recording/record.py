"""Record conversations, and ask: a script that also runs with an older checkout's `memoria`.

It is run by its path, and imports nothing of the benchmark.
"""

import json
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio

import memoria
from memoria import Memoria, SearchResult

SECOND, FIRST = "second", "first"
LIMITS = {SECOND: 20, FIRST: 10}
"""How much is asked for at each level."""

Ranking = list[list[str]]
"""Turns, best first: the session and the message."""


@dataclass(frozen=True, slots=True)
class Talk:
    """What one tenant is told, and what is asked of it."""

    name: str
    turns: list[dict[str, Any]]
    questions: list[str]


async def _record(home: Path, talks: list[Talk], at_once: int | None) -> float:
    """Record so many turns at a time, all by default. Gives the CPU seconds of this process."""
    async with memoria.open(home, "warm-up") as m:  # the model is loaded, and counts for nobody
        await m.record_conversation([{"session_id": "s", "role": "user", "content": "hello"}])
        await m.wait_until_idle()
    before = time.process_time()
    for talk in talks:
        async with memoria.open(home, talk.name) as m:
            step = at_once or len(talk.turns)
            for first in range(0, len(talk.turns), step):
                await m.record_conversation(talk.turns[first : first + step])
                await m.wait_until_idle()
    return time.process_time() - before


async def _ask(home: Path, talks: list[Talk]) -> dict[str, list[Ranking]]:
    """What each question finds, by level."""
    found: dict[str, list[Ranking]] = {level: [] for level in LIMITS}
    for talk in talks:
        async with memoria.open(home, talk.name) as m:
            for question in talk.questions:
                for level, rankings in found.items():
                    rankings.append(_list_turns(await _search(m, level, question)))
    return found


async def _search(m: Memoria, level: str, question: str) -> SearchResult:
    search = m.search_conversation_traces if level == SECOND else m.search_memory
    return await search(question, limit=LIMITS[level])


def _list_turns(result: SearchResult) -> Ranking:
    found = ((str(hit.source.session_id), str(hit.source.message_id)) for hit in result.hits)
    return [list(key) for key in dict.fromkeys(found)]


async def record_and_ask(home: Path, talks: list[Talk], at_once: int | None) -> dict[str, Any]:
    """Record so many turns at a time, then ask: the CPU seconds, and what was found by level."""
    cpu_s = await _record(home, talks, at_once)
    return {"cpu_s": cpu_s, "found": await _ask(home, talks)}


def _main() -> None:
    home, file = map(Path, sys.argv[1:])
    given = json.loads(file.read_text("utf-8"))
    talks = [Talk(**talk) for talk in given["talks"]]
    print(json.dumps(anyio.run(record_and_ask, home, talks, given["at_once"])))


if __name__ == "__main__":
    _main()
