"""Asking a home everything, and comparing what it says with what it was told."""

import threading
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import memoria
from bench.faults.homes import findings, memories_of_home, settings, texts_of, turns_of_home
from bench.faults.toy import ToyEmbedder
from memoria import Memoria
from memoria.errors import MemoriaError, StoreError

_SETTLE_S = 20


@dataclass(slots=True)
class Round:
    """What came of asking."""

    kind: str
    seed: int
    refused: list[str] = field(default_factory=list)
    """Deeds that ended in an error of the store's."""
    unforeseen: list[str] = field(default_factory=list)
    """Any other error."""
    changed: list[str] = field(default_factory=list)
    """Texts that nobody said."""
    missing: list[str] = field(default_factory=list)
    """Texts that are not there, and nobody was told."""
    errors: list[str] = field(default_factory=list)
    """What doctor names."""
    without_cure: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """For another process."""
        return asdict(self)


async def examine(home: Path, kind: str, seed: int) -> Round:
    """Ask for everything, have doctor look, and write."""
    found = Round(kind, seed)
    threading.excepthook = lambda told: found.unforeseen.append(
        f"{told.thread and told.thread.name}: {told.exc_type.__name__}: {told.exc_value}"
    )
    await _attempt(found, "open", lambda: _read(found, home))
    await _attempt(found, "doctor", lambda: _diagnose(found, home))
    await _attempt(found, "open", lambda: _write(found, home))
    return found


async def _read(found: Round, home: Path) -> None:
    async with memoria.open(settings=settings(home), embedder=ToyEmbedder()) as m:
        for session, texts in turns_of_home().items():
            await _attempt(found, f"read {session}", partial(_turns, found, m, session, texts))
        await _attempt(found, "memories", lambda: _memories(found, m))
        await _attempt(found, "search", lambda: m.search_memory("the code of door 3"))
        await _attempt(found, "traces", lambda: m.search_conversation_traces("word3", limit=50))
        await _attempt(found, "statistics", m.statistics)
        await _attempt(found, "notes", m.scratchpads)


async def _write(found: Round, home: Path) -> None:
    """Whatever is refused, nothing else may happen."""
    turn = {"role": "user", "session_id": "s0", "content": "one more"}
    async with memoria.open(settings=settings(home), embedder=ToyEmbedder()) as m:
        await _attempt(found, "record", lambda: m.record_conversation([turn]))
        await _attempt(found, "remember", lambda: m.remember("one more door has a code"))
        await _attempt(found, "settle", lambda: m.wait_until_idle(_SETTLE_S))


async def _diagnose(found: Round, home: Path) -> None:
    for finding in findings(home):
        if finding.state == "error":
            found.errors.append(f"{finding.check}: {finding.detail}")
        if finding.state != "ok" and not finding.cure:
            found.without_cure.append(finding.check)


async def _turns(found: Round, m: Memoria, session: str, told: list[str]) -> None:
    stored = await texts_of(m, session)
    found.changed += [text[:80] for text in stored if text not in told]
    found.missing += [text[:80] for text in told if text not in stored]


async def _memories(found: Round, m: Memoria) -> None:
    stored = {memory.content for memory in await m.list_unverified(1000)}
    found.missing += sorted(set(memories_of_home()) - stored)


async def _attempt(found: Round, deed: str, work: Callable[[], Awaitable[object]]) -> None:
    """An error of the store's is an answer; anything else is not."""
    try:
        await work()
    except StoreError as error:
        found.refused.append(f"{deed}: {error}")
    except MemoriaError as error:
        found.missing.append(f"{deed}: {error}")
    except Exception as error:  # noqa: BLE001  (that there is none is the promise)
        found.unforeseen.append(f"{deed}: {type(error).__name__}: {error}")
