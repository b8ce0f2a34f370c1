"""A process that uses a home as it is told, a JSON object a line: `python -m bench.faults.puppet`.

It can be given another clock or another user's id, and it can be killed; none of that can be done
to the process that watches.
"""

import json
import os
import sys
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread

import memoria
from bench.faults.homes import findings, settings
from bench.faults.toy import ToyEmbedder
from memoria import Memoria
from memoria.errors import MemoriaError


class Puppet:
    """What it can be told to do."""

    def __init__(self) -> None:
        self._stack = AsyncExitStack()
        self._memory: Memoria | None = None

    async def open(self, home: str, embedder: str | None = None) -> object:
        """Open a home."""
        await self._stack.aclose()
        stuck = (lambda: say({"stuck": True})) if embedder == "stuck" else None
        toy = None if embedder is None else ToyEmbedder(stuck)
        opening = memoria.open(settings=settings(Path(home)), embedder=toy)
        self._memory = await self._stack.enter_async_context(opening)
        return True

    async def close(self) -> object:
        """Close it."""
        await self._stack.aclose()
        return True

    async def record(self, session: str, texts: list[str]) -> object:
        """Record turns; gives their ids."""
        turns = [{"role": "user", "session_id": session, "content": text} for text in texts]
        return [turn.id for turn in (await self._open.record_conversation(turns)).turns]

    async def read(self, session: str) -> object:
        """The texts of a session."""
        return [turn.content for turn in (await self._open.get_session(session)).turns]

    async def remember(self, text: str) -> object:
        """Remember; gives the id."""
        return (await self._open.remember(text)).id

    async def correct(self, id: str, text: str) -> object:  # noqa: A002  (the field's own name)
        """Correct; gives the present wording."""
        return (await self._open.revise_memory(id, "correct", text)).content

    async def search(self, query: str) -> object:
        """What is concluded."""
        return [hit.text for hit in (await self._open.search_memory(query)).hits]

    async def settle(self, timeout_s: float) -> object:
        """Wait until all is embedded; gives how much is not."""
        status = await self._open.wait_until_idle(timeout_s)
        return status.pending + status.failed

    async def doctor(self, home: str) -> object:
        """What doctor finds wrong, with its cures."""
        found = await anyio.to_thread.run_sync(findings, Path(home))
        return [[f.check, f.detail, f.cure] for f in found if f.state == "error"]

    async def shift(self, ms: int) -> object:
        """Set the clock, from now on, off by so much."""
        now_ns, now = time.time_ns, time.time
        time.time_ns = lambda: now_ns() + ms * 1_000_000
        time.time = lambda: now() + ms / 1000
        return True

    async def become(self, uid: int) -> object:
        """Become another user, for good."""
        os.setgid(uid)
        os.setuid(uid)
        return True

    @property
    def _open(self) -> Memoria:
        if self._memory is None:
            raise RuntimeError("open a home first")
        return self._memory


def say(document: Mapping[str, object]) -> None:
    """One line on standard output."""
    sys.stdout.write(json.dumps(document) + "\n")
    sys.stdout.flush()


async def obey() -> None:
    """Do what standard input says until it ends. Errors of ours are answers; others end it."""
    puppet = Puppet()
    while line := await anyio.to_thread.run_sync(sys.stdin.readline):
        command: dict[str, Any] = json.loads(line)
        deed: Callable[..., Awaitable[object]] = getattr(puppet, command.pop("do"))
        try:
            say({"done": await deed(**command)})
        except MemoriaError as error:
            say({"error": type(error).__name__, "message": str(error)})
    await puppet.close()


if __name__ == "__main__":
    anyio.run(obey)
