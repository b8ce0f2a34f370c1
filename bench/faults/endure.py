"""A hundred thousand acknowledged calls, and kill -9 at random points all along.

A client keeps several calls in flight over one connection. After a few hundred answers, at a random
moment, its server is killed. What was acknowledged stands in a ledger outside of the home, and so
does what was asked without an answer: of that, each call is there whole or not at all. Whatever had
no answer is sent again to the next server, and then it is there once.
"""

import json
import random
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from threading import Timer
from typing import Any

import anyio

import memoria
from bench.faults.homes import settings, texts_of, unsound
from bench.faults.pipe import Piped, ServerGoneError, serve_piped, text_of
from bench.faults.verdict import Progress, Verdict, silent
from bench.faults.wal import is_writing
from memoria import Memoria
from memoria.errors import NotFoundError

_IN_FLIGHT = 8
_FEWEST, _MOST = 50, 750
"""Answers between two kills."""
_MOMENT_S = 0.03
"""The kill comes within this after the last of them."""
_EARLY = 0.05
"""The share of servers that are killed while they start."""
_START_S = 2.0
_ALL_EVERY = 25
"""Kills between two comparisons of the whole home."""
_NEWEST = 50
"""Memories that are compared after every kill."""
_CHANCES = {"record": 9000, "remember": 600, "correct": 395, "preview": 5}
_TOOLS = {
    "record": "record_conversation",
    "remember": "remember",
    "correct": "revise_memory",
    "preview": "forget_memory",
    "forget": "forget_memory",
}
_WORDS = "bluebird 杭州 naïve café parcel 邮局 otter heron scale 周三 green door ½ € 📮".split()
_NOTHING_NEW = "The new wording is the present one"
_NOTHING_LEFT = "It is gone for good"


@dataclass(slots=True)
class Asked:
    """A call that was sent, as it stands in the ledger."""

    kind: str
    arguments: dict[str, Any]

    @property
    def tool(self) -> str:
        """What it calls."""
        return _TOOLS[self.kind]

    @property
    def texts(self) -> list[str]:
        """The turns of a call that records."""
        return [turn["content"] for turn in self.arguments.get("turns", ())]


@dataclass(slots=True)
class _Kept:
    """Everything that was acknowledged."""

    sessions: dict[str, list[Asked]] = field(default_factory=dict)
    wordings: dict[str, list[str]] = field(default_factory=dict)
    """A memory's wordings by its id, oldest first."""
    forgotten: set[str] = field(default_factory=set)

    @property
    def turns(self) -> int:
        return sum(len(call.texts) for calls in self.sessions.values() for call in calls)


@dataclass(slots=True)
class _Campaign:
    """All servers' lives so far."""

    home: Path
    folder: Path
    chance: random.Random
    kept: _Kept = field(default_factory=_Kept)
    unanswered: list[Asked] = field(default_factory=list)
    seen: Counter[str] = field(default_factory=Counter)
    broken: list[str] = field(default_factory=list)
    life: int = 0
    made: int = 0
    busy: set[str] = field(default_factory=set)
    """Memories with a call in flight: what becomes of two at once is nobody's promise."""

    @property
    def session(self) -> str:
        """The session of the present server's life."""
        return f"life {self.life}"

    def note(self, **entry: object) -> None:
        """Write a line of the ledger."""
        with (self.folder / "ledger.jsonl").open("a", encoding="utf-8") as ledger:
            ledger.write(json.dumps(entry, ensure_ascii=False) + "\n")


async def endure(
    home: Path,
    folder: Path,
    calls: int,
    *,
    seconds: float | None = None,
    seed: int = 1,
    progress: Progress = silent,
) -> Verdict:
    """Have so many calls acknowledged, with kills between.

    Args:
        home: where; new.
        folder: where the ledger is kept; not in the home.
        calls: how many.
        seconds: after which to stop, whatever is left; None for never.
        seed: of what the client does and when the server dies.
        progress: told after every kill.
    """
    run = _Campaign(home, folder, random.Random(seed))  # noqa: S311  (chance, no secret)
    until = float("inf") if seconds is None else time.monotonic() + seconds
    while run.seen["calls acknowledged"] < calls and time.monotonic() < until:
        run.life += 1
        await anyio.to_thread.run_sync(_live, run, calls)
        whole = run.life % _ALL_EVERY == 0
        run.broken += [f"after kill {run.life}: {line}" for line in await _wrong(run, whole=whole)]
        progress(min(run.seen["calls acknowledged"], calls), calls)
    run.life += 1
    await anyio.to_thread.run_sync(_settle, run)
    run.broken += [f"in the end: {line}" for line in await _wrong(run, whole=True)]
    figures = {"kills": run.life - 1, **dict(sorted(run.seen.items()))}
    return Verdict("kill -9 under a stream of calls", figures, tuple(run.broken))


def _live(run: _Campaign, calls: int) -> None:
    """One server's life: what has no answer is sent again, then new calls until it is killed."""
    enough = min(run.chance.randint(_FEWEST, _MOST), calls)
    run.folder.mkdir(parents=True, exist_ok=True)
    with serve_piped(run.home, run.folder / "stderr") as server:
        if run.chance.random() < _EARLY:
            run.seen["killed while it started"] += 1
            _kill_later(run, server, _START_S).join()
            return
        killer: Timer | None = None
        try:
            server.initialize()
            flight = _send_again(run, server)
            while True:
                while len(flight) < _IN_FLIGHT:
                    _send(run, server, flight, _invent(run))
                _take_answer(run, server, flight)
                enough -= 1
                if enough == 0:
                    killer = _kill_later(run, server, _MOMENT_S)
        except ServerGoneError:
            if killer is None:
                run.broken.append(f"the server of life {run.life} ended by itself")
            else:
                killer.join()


def _settle(run: _Campaign) -> None:
    """Send again what the last kill left without an answer."""
    with serve_piped(run.home, run.folder / "stderr") as server:
        server.initialize()
        flight = _send_again(run, server)
        while flight:
            _take_answer(run, server, flight)


def _kill_later(run: _Campaign, server: Piped, most_s: float) -> Timer:
    def kill() -> None:
        run.seen["killed inside a write"] += is_writing(run.home / "memoria.db-shm")
        server.kill()

    killer = Timer(run.chance.uniform(0, most_s), kill)
    killer.start()
    return killer


def _send_again(run: _Campaign, server: Piped) -> dict[int, Asked]:
    flight: dict[int, Asked] = {}
    again = list(run.unanswered)
    for asked in again:
        flight[server.send_call(asked.tool, asked.arguments)] = asked
        run.seen["sent again"] += 1
    return flight


def _send(run: _Campaign, server: Piped, flight: dict[int, Asked], asked: Asked) -> None:
    """Write a call down, and send it."""
    run.note(asked=asked.kind, arguments=asked.arguments)
    run.unanswered.append(asked)
    flight[server.send_call(asked.tool, asked.arguments)] = asked


def _take_answer(run: _Campaign, server: Piped, flight: dict[int, Asked]) -> None:
    """Take the next answer, whichever call's it is, and write it down."""
    number, answer = server.receive()
    asked = flight.pop(number)
    run.unanswered.remove(asked)
    told: dict[str, Any] = answer.get("structuredContent") or {}
    if "structuredContent" not in answer or answer.get("isError"):
        if not _is_no_news(asked, text_of(answer)):
            run.broken.append(f"{asked.kind} was refused: {text_of(answer) or answer}")
            return
        told = {}
    run.seen["calls acknowledged"] += 1
    run.seen[asked.kind] += 1
    run.note(acknowledged=asked.kind, arguments=asked.arguments, id=told.get("id"))
    _keep(run, asked, told)
    if token := told.get("token"):
        _send(run, server, flight, Asked("forget", {**asked.arguments, "token": token}))


def _is_no_news(asked: Asked, refusal: str) -> bool:
    """Whether a refusal only says that the call sent before was carried out."""
    return (asked.kind == "correct" and _NOTHING_NEW in refusal) or (
        asked.kind in {"preview", "forget"} and _NOTHING_LEFT in refusal
    )


def _keep(run: _Campaign, asked: Asked, told: dict[str, Any]) -> None:
    kept = run.kept
    match asked.kind:
        case "record":
            kept.sessions.setdefault(asked.arguments["session_id"], []).append(asked)
        case "remember":
            kept.wordings[str(told["id"])] = [asked.arguments["content"]]
        case "correct":
            kept.wordings[asked.arguments["id"]].append(asked.arguments["content"])
            run.busy.discard(asked.arguments["id"])
        case _ if not told.get("token"):
            kept.forgotten.add(asked.arguments["ids"][0])


def _invent(run: _Campaign) -> Asked:
    """The next call: mostly turns, with statements, corrections and forgets among them.

    A memory has one call in flight at most: which of two would come first is nobody's promise.
    """
    chance, number = run.chance, run.made
    run.made += 1
    kind = chance.choices(list(_CHANCES), list(_CHANCES.values()))[0]
    free = sorted(run.kept.wordings.keys() - run.busy - run.kept.forgotten)
    if kind == "record" or (kind in {"correct", "preview"} and not free):
        return _recording(number, run.session, chance)
    if kind == "remember":
        return Asked("remember", {"content": _statement(number, chance)})
    chosen = chance.choice(free)
    run.busy.add(chosen)
    if kind == "preview":
        return Asked("preview", {"ids": [chosen]})
    content = _statement(number, chance)
    return Asked("correct", {"id": chosen, "action": "correct", "content": content})


def _recording(number: int, session: str, chance: random.Random) -> Asked:
    turns = [
        {
            "role": "assistant",
            "content": f"c{number}.{part}: {' '.join(chance.choices(_WORDS, k=12))}",
            "message_id": f"{number}.{part}",
        }
        for part in range(chance.choice((1, 1, 1, 2, 5)))
    ]
    return Asked("record", {"turns": turns, "session_id": session})


def _statement(number: int, chance: random.Random) -> str:
    """A statement about what no other speaks of."""
    return f"The locker c{number} is opened with {chance.randrange(10**6)}"


async def _wrong(run: _Campaign, *, whole: bool) -> list[str]:
    """Whatever in the home is not as the client was told: of this life, or all that ever was."""
    run.seen["comparisons"] += 1
    kept = run.kept
    of_this_life = [run.session, f"life {run.life - 1}"]
    sessions = [*kept.sessions] if whole else of_this_life
    newest = list(kept.wordings)[-_NEWEST:]
    async with memoria.open(settings=settings(run.home)) as m:
        wrong = [line for name in sessions for line in await _compare_session(m, run, name)]
        for memory in kept.wordings if whole else newest:
            wrong += await _compare_memory(m, run, memory)
        stored = (await m.statistics()).turns
    waiting = sum(len(asked.texts) for asked in run.unanswered)
    if not kept.turns <= stored <= kept.turns + waiting:
        wrong.append(f"{stored} turns are stored, {kept.turns} were acknowledged")
    return wrong + (unsound(run.home) if whole else [])


async def _compare_session(m: Memoria, run: _Campaign, name: str) -> list[str]:
    """Every acknowledged call is there once; each without an answer, once or not at all."""
    stored = Counter(await texts_of(m, name))
    told = Counter(t for asked in run.kept.sessions.get(name, ()) for t in asked.texts)
    wrong = [f"{text!r} is there {stored[text]} times" for text in told if stored[text] != 1]
    for asked in run.unanswered:
        if asked.arguments.get("session_id") == name:
            times = {stored[text] for text in asked.texts}
            if times not in ({0}, {1}):
                wrong.append(f"a call without an answer is there in part: {asked.texts}")
            told.update(asked.texts)
    return wrong + [f"nobody said {text!r}" for text in stored.keys() - told.keys()]


async def _compare_memory(m: Memoria, run: _Campaign, memory: str) -> list[str]:
    waiting = [asked for asked in run.unanswered if memory in _ids_of(asked)]
    gone = memory in run.kept.forgotten
    try:
        versions = (await m.get_memory(memory)).versions
    except NotFoundError:
        return [] if gone or any(a.kind == "forget" for a in waiting) else [f"{memory} is lost"]
    if gone:
        return [f"{memory} was forgotten, and is there"]
    stored = [version.content for version in sorted(versions, key=lambda v: v.version)]
    told = run.kept.wordings[memory]
    more = [asked.arguments.get("content") for asked in waiting]
    return [] if stored in (told, told + more) else [f"{memory} reads {stored}, not {told}"]


def _ids_of(asked: Asked) -> list[str]:
    return [asked.arguments.get("id", ""), *asked.arguments.get("ids", ())]
