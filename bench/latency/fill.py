"""Filling a home quickly: a thousand turns a transaction, and vectors out of thin air.

Turns and memories are written through the store's own interface, with what a capture writes of
those in which nothing is stated plainly, and memories are linked in the graph as always. Reading
what is said for secrets, claims and tasks would take three times as long.
"""

import hashlib
import random
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np

from bench.latency.speech import Speech, turn_text
from memoria.app import DATABASE
from memoria.inference.embedder import BUNDLED
from memoria.language.reading.statement import fingerprint
from memoria.memories.links import link_memory
from memoria.model import (
    MemoryType,
    Provenance,
    Role,
    SourceKind,
    Trust,
    Vector,
    new_id,
    now_millis,
)
from memoria.store.engine import Store
from memoria.store.rows.transaction import Transaction
from memoria.store.sqlite import SqliteStore
from memoria.store.values import DocumentKind, NewMemory, NewTurn, NewVersion, SegmentLimits

TENANT = "bench"
TURNS_A_MEMORY = 10
_DIMS = 512
_PAGE = 1000
_SESSIONS_AT_ONCE = 25
_BEGAN_MS = 1_700_000_000_000
_MS_PER_MINUTE = 60_000
_SOURCE = "library"
_KINDS: tuple[DocumentKind, ...] = ("turn", "memory")
_PROVENANCE = Provenance(source_kind=SourceKind.USER_SAID, trust=Trust.REPORTED, channel=_SOURCE)
_SEGMENTS = SegmentLimits(idle_ms=30 * _MS_PER_MINUTE, messages=30)

Done = Callable[[int], None]
"""Told how many more are done."""


def fill(home: Path, turns: int, said: Speech, done: Done) -> None:
    """Write turns and a memory for every ten of them, and give each its vector."""
    store = SqliteStore(home / DATABASE, busy_timeout_ms=10_000, readers=1)
    fill_store(store, turns, said, done)
    store.close()


def fill_store(store: Store, turns: int, said: Speech, done: Done, tenant: str = TENANT) -> None:
    """Fill an opened store of any engine in the same way."""
    rng = random.Random(turns)  # noqa: S311  (nothing here is secret)
    _write_turns(store, tenant, turns, said, rng, done)
    _write_memories(store, tenant, turns // TURNS_A_MEMORY, said, rng, done)
    _embed(store, tenant, done)


def steps(turns: int) -> int:
    """How often `fill` says that something is done: each document is written and embedded."""
    return 2 * (turns + turns // TURNS_A_MEMORY)


def random_vectors(rng: np.random.Generator, many: int) -> list[Vector]:
    """Vectors of length 1 in any direction."""
    rows = rng.standard_normal((many, _DIMS), np.float32)
    return list(rows / np.linalg.norm(rows, axis=1, keepdims=True))


def _write_turns(
    store: Store, tenant: str, turns: int, said: Speech, rng: random.Random, done: Done
) -> None:
    for first in range(0, turns, _PAGE):
        numbers = range(first, min(first + _PAGE, turns))
        with store.write(tenant) as tx:
            for talk in range(_SESSIONS_AT_ONCE):
                _write_session(tx, numbers[talk::_SESSIONS_AT_ONCE], said, rng)
        done(len(numbers))


def _write_session(tx: Transaction, numbers: range, said: Speech, rng: random.Random) -> None:
    """Turns of one session: people talk in many at once."""
    if not numbers:
        return
    name = f"session-{numbers[0] // _PAGE}-{numbers[0] % _SESSIONS_AT_ONCE}"
    began, ended = (_BEGAN_MS + i * _MS_PER_MINUTE for i in (numbers[0], numbers[-1]))
    session = tx.conversations.upsert_session(_SOURCE, name, began, ended, now_millis())
    for turn_index, i in enumerate(numbers):
        turn = _turn(i, session.n, turn_index, turn_text(said, rng))
        tx.conversations.add_turn(turn)
        tx.conversations.extend_segment(turn, _SEGMENTS)


def _turn(i: int, session_n: int, turn_index: int, text: str) -> NewTurn:
    return NewTurn(
        id=new_id(),
        session_n=session_n,
        message_id=f"message-{i}",
        turn_index=turn_index,
        version=1,
        role=Role.ASSISTANT if turn_index % 2 else Role.USER,
        speaker=None,
        at=_BEGAN_MS + i * _MS_PER_MINUTE,
        at_given=True,
        ingested_at=now_millis(),
        trust=Trust.REPORTED,
        suppressed=False,
        fingerprint=hashlib.sha256(text.encode()).digest(),
        content=text,
        tool_name=None,
        tool_args=None,
        tool_result=None,
    )


def _write_memories(
    store: Store, tenant: str, memories: int, said: Speech, rng: random.Random, done: Done
) -> None:
    for first in range(0, memories, _PAGE):
        numbers = range(first, min(first + _PAGE, memories))
        with store.write(tenant) as tx:
            for i in numbers:
                _write_memory(tx, f"{turn_text(said, rng)} ({i})", now_millis())
        done(len(numbers))


def _write_memory(tx: Transaction, content: str, now: int) -> None:
    memory = NewMemory(new_id(), MemoryType.FACT, importance=0.5, confidence=0.6)
    version = NewVersion(
        content=content,
        fingerprint=fingerprint(content),
        valid_from=now,
        ingested_at=now,
        provenance=_PROVENANCE,
        turn_n=None,
    )
    tx.memories.add(memory, version)
    stored = tx.memories.get(memory.id)
    if stored is not None:
        link_memory(tx, stored, now=now)


def _embed(store: Store, tenant: str, done: Done) -> None:
    rng = np.random.default_rng(0)
    with store.backlog(write=True) as backlog:
        backlog.choose_model(BUNDLED)
    for ns in _pages(store, tenant):
        with store.write(tenant) as tx:
            tx.backlog.add_vectors(
                BUNDLED, dict(zip(ns, random_vectors(rng, len(ns)), strict=True))
            )
        done(len(ns))


def _pages(store: Store, tenant: str) -> Iterable[list[int]]:
    """The numbers of all documents, a thousand at a time."""
    for kind in _KINDS:
        after = 0
        while True:
            with store.read(tenant) as tx:
                ns = tx.documents.page(kind, after, _PAGE)
            if not ns:
                break
            yield ns
            after = ns[-1]
