"""Filling a home quickly: a thousand turns a transaction, and vectors out of thin air."""

import random
from collections.abc import Callable
from itertools import count
from pathlib import Path

import numpy as np

import memoria
from bench.latency.speech import Speech, turn_text
from memoria import Memoria, Settings, Turn
from memoria.app import DATABASE
from memoria.inference.choose import BUNDLED
from memoria.model import Role, Vector
from memoria.store.sqlite import SqliteStore

TENANT = "bench"
TURNS_A_MEMORY = 50
_DIMS = 512
_PAGE = 1000
_SESSIONS_AT_ONCE = 25
_BEGAN_MS = 1_700_000_000_000
_MS_PER_MINUTE = 60_000
_ATTEMPTS = 1

Done = Callable[[int], None]
"""Told how many more are done."""


async def fill(home: Path, turns: int, said: Speech, done: Done) -> None:
    """Record turns and a memory for every fifty of them, and give each its vector."""
    rng = random.Random(turns)  # noqa: S311  (nothing here is secret)
    settings = Settings.load(embedder="off")
    async with memoria.open(home, TENANT, settings=settings) as m:
        await _record(m, turns, said, rng, done)
        for i in range(turns // TURNS_A_MEMORY):
            await m.remember(f"{turn_text(said, rng)} ({i})")
            done(1)
    _embed(home, done)


def steps(turns: int) -> int:
    """How often `fill` says that something is done: each document is written and embedded."""
    return 2 * (turns + turns // TURNS_A_MEMORY)


def random_vectors(rng: np.random.Generator, many: int) -> list[Vector]:
    """Vectors of length 1 in any direction."""
    rows = rng.standard_normal((many, _DIMS), np.float32)
    return list(rows / np.linalg.norm(rows, axis=1, keepdims=True))


async def _record(m: Memoria, turns: int, said: Speech, rng: random.Random, done: Done) -> None:
    for first in range(0, turns, _PAGE):
        numbers = range(first, min(first + _PAGE, turns))
        await m.record_conversation([_turn(i, turn_text(said, rng)) for i in numbers])
        done(len(numbers))


def _turn(i: int, text: str) -> Turn:
    """Turn `i`: people talk in many sessions at once."""
    return Turn(
        role=Role.ASSISTANT if i // _SESSIONS_AT_ONCE % 2 else Role.USER,
        content=text,
        session_id=f"session-{i // _PAGE}-{i % _SESSIONS_AT_ONCE}",
        message_id=f"message-{i}",
        at=_BEGAN_MS + i * _MS_PER_MINUTE,
    )


def _embed(home: Path, done: Done) -> None:
    rng = np.random.default_rng(0)
    store = SqliteStore(home / DATABASE, busy_timeout_ms=10_000, readers=1)
    with store.backlog(write=True) as backlog:
        backlog.choose_model(BUNDLED)
    for _ in count():
        with store.backlog(write=True) as backlog:
            due = backlog.due(0, _PAGE, _ATTEMPTS)
            if not due:
                break
            vectors = random_vectors(rng, len(due))
            backlog.fulfil(BUNDLED, {p.n: v for p, v in zip(due, vectors, strict=True)})
        done(len(due))
    store.close()
