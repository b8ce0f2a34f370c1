"""kill -9 of the server while a client records: what was acknowledged is there, once, to the byte.

Each round starts a server, sends again the call that the last kill left unanswered, and goes on
until the next kill, which comes at a random moment of a call in flight.
"""

import os
import random
import signal
import statistics
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from threading import Timer

import anyio
from mcp import MCPError

import memoria
from bench.faults.calls import Call, Ledger, calls
from bench.faults.homes import settings, texts_of, unsound
from bench.faults.server import Served, serve_home
from bench.faults.verdict import Progress, Verdict, silent
from bench.faults.wal import is_writing
from memoria import Memoria
from memoria.model import Statistics

_MOST_CALLS_BEFORE = 8
_TYPICAL_CALL_S = 0.005
_WITH_MODEL_S = 4.0
"""Loading the model takes two seconds; the kill comes before, while or after it embeds."""
_EMBEDS_WITHIN_S = 120
"""The lease lasts half a minute, the model loads in seconds."""
_POLL_S = 0.1
_KNOWN = ((0, None), (None, "already_known"))
"""How an answer says that nothing was new."""


@dataclass(slots=True)
class _Run:
    """All rounds so far."""

    home: Path
    chance: random.Random
    ledgers: list[Ledger] = field(default_factory=list)
    unanswered: tuple[Ledger, Call] | None = None
    took: dict[str, list[float]] = field(default_factory=dict)
    """How long calls took, in seconds, by weight: a kill is aimed at the time one is in flight."""
    commit: float = 0.5
    """Where in a call its commit seems to lie: half of the kills are aimed there."""
    seen: Counter[str] = field(default_factory=Counter)
    broken: list[str] = field(default_factory=list)

    def aim(self, took: list[float]) -> float:
        """When to kill, in seconds from the beginning of a call that takes as long as these."""
        around = (0.7 * self.commit, 1.3 * self.commit)
        low, high = self.chance.choice(((0, 1.2), around))
        return statistics.median(took) * self.chance.uniform(low, high)

    def kill(self, pid: int) -> None:
        """Kill the server, and note whether it was inside a write transaction."""
        self.seen["killed inside a write"] += is_writing(self.home / "memoria.db-shm")
        os.kill(pid, signal.SIGKILL)

    def learn(self, *, kept: bool) -> None:
        """An unanswered call was kept: the commit lies earlier; it was not: later."""
        self.commit = min(max(self.commit * (0.9 if kept else 1.12), 0.02), 1.0)


async def kill(
    home: Path,
    rounds: int,
    *,
    with_model_every: int = 0,
    seed: int = 1,
    progress: Progress = silent,
) -> Verdict:
    """Kill the server so many times.

    Args:
        home: where; new.
        rounds: how often.
        with_model_every: every so many rounds the bundled model embeds meanwhile; 0 for never.
        seed: of what the client does and when the server dies.
        progress: told after every round.
    """
    run = _Run(home, random.Random(seed))  # noqa: S311  (chance, no secret)
    for number in range(rounds):
        with_model = bool(with_model_every) and number % with_model_every == with_model_every - 1
        await _round(run, number, with_model=with_model)
        run.broken += [f"round {number}: {line}" for line in await _wrong(run, run.ledgers[-1:])]
        progress(number + 1, rounds)
    async with serve_home(home) as server:
        await _send_again(run, server)
    run.broken += [f"in the end: {line}" for line in await _wrong(run, run.ledgers)]
    if with_model_every:
        run.broken += await _embeds_on(home)
    figures = {"rounds": rounds, **dict(sorted(run.seen.items()))}
    return Verdict("kill -9 while a client records", figures, tuple(run.broken))


async def _round(run: _Run, number: int, *, with_model: bool) -> None:
    async with serve_home(run.home, "bundled" if with_model else "off") as server:
        await _send_again(run, server)
        ledger = Ledger(number)
        run.ledgers.append(ledger)
        await _until_killed(run, server, ledger, with_model=with_model)


async def _until_killed(run: _Run, server: Served, ledger: Ledger, *, with_model: bool) -> None:
    """Call until the server is gone. The last call is left without an answer."""
    before = run.chance.randrange(_MOST_CALLS_BEFORE)
    killer: Timer | None = None
    for i, call in enumerate(calls(ledger, run.chance)):
        took = run.took.setdefault(call.weight, [_TYPICAL_CALL_S])
        if i == before:
            delay = run.chance.uniform(0, _WITH_MODEL_S) if with_model else run.aim(took)
            killer = Timer(delay, run.kill, (server.pid,))
            killer.start()
        began = time.perf_counter()
        try:
            answer = await server.call(call.tool, **call.arguments)
        except (MCPError, anyio.ClosedResourceError, anyio.BrokenResourceError):
            run.unanswered = (ledger, call)
            break
        took.append(time.perf_counter() - began)
        run.seen["calls acknowledged"] += 1
        ledger.note(call, answer)
    if killer is not None:
        killer.join()


async def _send_again(run: _Run, server: Served) -> None:
    """Repeat the call that was not answered: it counts once, whether it was kept or not."""
    if run.unanswered is None:
        return
    ledger, call = run.unanswered
    refusal, answer = await server.ask(call.tool, **call.arguments)
    if refusal is not None and "The new wording is the present one" not in refusal:
        run.broken.append(f"{call.tool} was refused when sent again: {refusal}")
    kept = refusal is not None or (answer.get("recorded"), answer.get("status")) in _KNOWN
    run.learn(kept=kept)
    run.seen[f"unanswered and {'kept' if kept else 'not kept'}"] += 1
    ledger.note(call, answer)
    run.unanswered = None


async def _wrong(run: _Run, ledgers: list[Ledger]) -> list[str]:
    """Whatever in the home is not as the client was told."""
    ledger, call = run.unanswered or (None, None)
    async with memoria.open(settings=settings(run.home)) as m:
        found = [
            line
            for one in ledgers
            for line in await differences(m, one, call if one is ledger else None)
        ]
        found += _count_rows(await m.statistics(), run.ledgers, call)
    return found + unsound(run.home)


async def differences(m: Memoria, ledger: Ledger, waiting: Call | None) -> list[str]:
    """One round's turns and memories; the call without an answer is there whole or not at all."""
    wrong = []
    extra = {} if waiting is None else {waiting.arguments.get("session_id"): waiting.texts}
    for session in ledger.turns.keys() | (extra.keys() - {None}):
        stored, told = await texts_of(m, str(session)), ledger.turns.get(str(session), [])
        if stored not in (told, told + extra.get(session, [])):
            wrong.append(f"{session} holds {len(stored)} turns, not the {len(told)} acknowledged")
    for memory_id, told in ledger.wordings.items():
        versions = (await m.get_memory(memory_id)).versions
        stored = [v.content for v in sorted(versions, key=lambda v: v.version)]
        corrected = [] if waiting is None else [waiting.arguments.get("content")]
        if stored not in (told, told + corrected):
            wrong.append(f"memory {memory_id} reads {stored}, not {told}")
    return wrong


def _count_rows(stored: Statistics, ledgers: list[Ledger], waiting: Call | None) -> list[str]:
    """Nothing is there twice, and nothing that nobody said."""
    turns = sum(len(texts) for ledger in ledgers for texts in ledger.turns.values())
    memories = sum(len(ledger.wordings) for ledger in ledgers)
    more_turns = 0 if waiting is None else len(waiting.texts)
    more_memories = int(waiting is not None and waiting.tool == "remember")
    wrong = []
    if stored.turns not in (turns, turns + more_turns):
        wrong.append(f"{stored.turns} turns are stored, {turns} were acknowledged")
    if sum(stored.memories.values()) not in (memories, memories + more_memories):
        wrong.append(f"{stored.memories} are stored, {memories} memories were acknowledged")
    return wrong


async def _embeds_on(home: Path) -> list[str]:
    """A lease that died with its process is in nobody's way: vectors are made again."""
    chosen = settings(home).model_copy(update={"embedder": "bundled"})
    async with memoria.open(settings=chosen) as m:
        before = (await m.statistics()).backlog.pending
        with anyio.move_on_after(_EMBEDS_WITHIN_S):
            while (await m.statistics()).backlog.pending == before > 0:
                await anyio.sleep(_POLL_S)
            return []
    return [f"{before} documents wait for a vector, and none is made"]
