"""A server is killed, or its workers replaced, while clients write: what was told is there once.

A client that gets no answer says the same again until it gets one, as a client with a spool does.
"""

import argparse
import json
import os
import random
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import httpx2

import memoria
from bench.faults.homes import texts_of
from bench.faults.verdict import Verdict
from bench.http.callers import HttpCaller, open_http
from bench.http.server import HttpServerProcess, Place, serve
from bench.http.world import Call, Tenant, create_token, fill, settings_of
from bench.output import rounded

WORKER, ALL, ROLLING = "kill a worker", "kill all", "rolling restart"
_POLL_S = 0.01
_AGAIN_S = 0.1
"""Pause before a call is made again that had no answer."""
_WITHIN_S = 60.0
_MOST_DELAY_S = 0.02
_MOST_WRITES_BEFORE = 40
_REMEMBER_SHARE = 0.3


@dataclass(slots=True)
class Writer:
    """A client that writes, and what it was told is kept."""

    tenant: Tenant
    session: str
    caller: HttpCaller
    turns: list[str] = field(default_factory=list)
    memories: dict[str, str] = field(default_factory=dict)
    """Contents by id."""


@dataclass(slots=True)
class Tally:
    """What happened so far."""

    acknowledged: int = 0
    seen: Counter[str] = field(default_factory=Counter)
    broken: list[str] = field(default_factory=list)
    is_over: bool = False
    last_answer: float = field(default_factory=time.monotonic)
    longest_silence_s: dict[str, float] = field(default_factory=dict)
    """Longest time without any answer, by what was done to the server."""
    during: str = "nothing"

    def note_answer(self) -> None:
        """Note that a write was acknowledged."""
        now = time.monotonic()
        silence = now - self.last_answer
        longest = self.longest_silence_s.get(self.during, 0.0)
        self.longest_silence_s[self.during] = max(longest, silence)
        self.acknowledged += 1
        self.last_answer = now


async def kill(
    folder: Path, events: Sequence[str], *, clients: int = 6, workers: int = 2, seed: int = 1
) -> Verdict:
    """Do these things to a server while clients write, and check what is kept.

    Args:
        folder: of the homes; new.
        events: what is done to the server, one after the other.
        clients: how many write; every two have a tenant.
        workers: number of the server's processes.
        seed: of what is written, and when.
    """
    chance = random.Random(seed)  # noqa: S311  (chance, no secret)
    tenants = await fill(folder, max(clients // 2, 1), 0, "off", has_home_each=True)
    tally = Tally()
    writers: list[Writer] = []
    with serve(Place(folder, has_home_each=True, workers=workers)) as server:
        async with AsyncExitStack() as stack, anyio.create_task_group() as tasks:
            for number in range(clients):
                tenant = tenants[number % len(tenants)]
                # Of its own, and so with a session of its own: in one that several share, nobody
                # could tell a turn that is repeated from one that is said again.
                token = await create_token(folder, tenant.name, "off", has_home_each=True)
                caller = await stack.enter_async_context(open_http(server.url, token))
                writers.append(Writer(tenant, f"client {number}", caller))
                tasks.start_soon(_write_on, writers[-1], tally, chance)
            for event in events:
                await _wait_for_writes(tally, chance.randrange(1, _MOST_WRITES_BEFORE))
                await anyio.sleep(chance.uniform(0, _MOST_DELAY_S))
                tally.during = event
                await _do(event, server, workers)
                tally.seen[event] += 1
                await _wait_for_writes(tally, clients)
                tally.during = "nothing"
            tally.is_over = True
        tally.seen["stopped in ms"] = round(server.stop() * 1000)
    for tenant in tenants:
        tally.broken += await _find_wrong(folder, tenant, writers)
    figures = {"acknowledged": tally.acknowledged, **dict(sorted(tally.seen.items()))}
    silences = {f"silent s, {name}": s for name, s in tally.longest_silence_s.items()}
    return Verdict("killed while clients write", {**figures, **silences}, tuple(tally.broken))


async def _do(event: str, server: HttpServerProcess, workers: int) -> None:
    """Do something to the server, and return when it answers as before."""
    before = server.list_workers()
    if event == ROLLING:
        os.kill(server.pid, signal.SIGHUP)
    elif event == WORKER:
        os.kill(before[0], signal.SIGKILL)
    else:
        for pid in {server.pid, *before}:
            os.kill(pid, signal.SIGKILL)
        await anyio.to_thread.run_sync(server.start_again)
        return
    gone = {before[0]} if event == WORKER else {*before}
    with anyio.fail_after(_WITHIN_S):
        while gone & {*server.list_workers()} or len(server.list_workers()) < workers:
            await anyio.sleep(_POLL_S)


async def _wait_for_writes(tally: Tally, more: int) -> None:
    wanted = tally.acknowledged + more
    with anyio.fail_after(_WITHIN_S):
        while tally.acknowledged < wanted:
            await anyio.sleep(_POLL_S)


async def _write_on(writer: Writer, tally: Tally, chance: random.Random) -> None:
    """Write one thing after the other, each until it is acknowledged."""
    number = 0
    while not tally.is_over:
        number += 1
        content = f"{writer.session} put parcel {number} on shelf {chance.randrange(10**6)}."
        if chance.random() < _REMEMBER_SHARE:
            result = await _insist(writer, Call("remember", {"content": content}), tally)
            writer.memories[str(result["structuredContent"]["id"])] = content
        else:
            turn = {"role": "user", "content": content}
            arguments: dict[str, object] = {"turns": [turn], "session_id": writer.session}
            await _insist(writer, Call("record_conversation", arguments), tally)
            writer.turns.append(content)


async def _insist(writer: Writer, call: Call, tally: Tally) -> dict[str, Any]:
    """Make a call again until it is answered."""
    while True:
        try:
            result = await writer.caller.call(call)
        except httpx2.TransportError:
            tally.seen["repeated, no answer"] += 1
            await anyio.sleep(_AGAIN_S)
        except httpx2.HTTPStatusError as error:
            tally.seen[f"repeated, status {error.response.status_code}"] += 1
            if error.response.status_code != httpx2.codes.SERVICE_UNAVAILABLE:
                tally.broken.append(f"{call}: {error.response.text}")
            await anyio.sleep(_AGAIN_S)
        else:
            if result.get("isError"):
                tally.broken.append(f"{call}: {result['content']}")
            else:
                tally.note_answer()
                return result


async def _find_wrong(folder: Path, tenant: Tenant, writers: Sequence[Writer]) -> list[str]:
    """Find what was acknowledged and is missing or there twice, and what nobody has said."""
    wrong = []
    own = [one for one in writers if one.tenant is tenant]
    async with memoria.open(
        settings=settings_of(folder, tenant.name, "off", has_home_each=True)
    ) as m:
        texts = await _list_texts(m)
        for writer in own:
            stored = [text for text in texts if text.startswith(f"{writer.session} put")]
            if stored != writer.turns:
                wrong.append(_compare(f"{tenant.name}, {writer.session}", stored, writer.turns))
            for memory_id, content in writer.memories.items():
                kept = (await m.get_memory(memory_id)).content
                if kept != content:
                    wrong.append(f"{memory_id} reads {kept!r}, not {content!r}")
        statistics = await m.statistics()
        told = len({*(one for writer in own for one in writer.memories)})
        if (held := sum(statistics.memories.values())) != told:
            wrong.append(f"{tenant.name} has {held} memories, {told} were acknowledged")
    return wrong


async def _list_texts(m: memoria.Memoria) -> list[str]:
    sessions = (await m.list_sessions()).sessions
    return [text for one in sessions for text in await texts_of(m, one.session_id)]


def _compare(whose: str, stored: Sequence[str], told: Sequence[str]) -> str:
    lost = [one for one in told if one not in stored]
    twice = [one for one, count in Counter(stored).items() if count > 1]
    return f"{whose}: {len(lost)} lost {lost[:2]}, {len(twice)} twice {twice[:2]}"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this part."""
    parser.add_argument("--rounds", type=int, default=5, help="of every kind of end")
    parser.add_argument("--clients", type=int, default=8)


def run(arguments: argparse.Namespace) -> int:
    """Kill, print, and return the exit code."""
    with tempfile.TemporaryDirectory(prefix="memoria-http-") as name:
        events = (WORKER, ALL, ROLLING) * arguments.rounds
        work = partial(kill, Path(name), events, clients=arguments.clients, seed=arguments.seed)
        verdict = anyio.run(work)
    if arguments.json:
        print(json.dumps(rounded(asdict(verdict)), indent=2, ensure_ascii=False))
    else:
        print(", ".join(f"{name} {figure:g}" for name, figure in verdict.figures.items()))
        for line in verdict.broken:
            print(f"BROKEN: {line}")
    return 1 if verdict.broken else 0
