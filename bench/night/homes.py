"""Homes with a past for a night to work on, and copies of them."""

import random
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bench.latency.fill import TENANT, random_vectors
from bench.latency.fill import fill as fill_turns
from bench.latency.speech import Speech, turn_text
from memoria import Settings
from memoria.disk.home_files import BACKUPS, DATABASE
from memoria.inference.embedder import BUNDLED
from memoria.language.reading.statement import fingerprint
from memoria.language.words.characters import is_cjk
from memoria.memories.links import link_memory
from memoria.model import DAY_MS, MemoryType, Provenance, SourceKind, Trust, new_id
from memoria.store.rows.transaction import Transaction
from memoria.store.sqlite import SqliteFiles, SqliteStore
from memoria.store.values import NewMemory, NewVersion

_NO_CAP = 10**12
_TURNS_A_MEMORY = 2
_A_YEAR = 365
_REPEATED = 0.1
_PINNED = _VERIFIED = 0.05
_LATER = 0.1
_TYPES = tuple(kind for kind in MemoryType if kind is not MemoryType.EPISODE)
_PAGE = 200
_PROVENANCE = Provenance(source_kind=SourceKind.USER_SAID, trust=Trust.REPORTED, channel="library")


@dataclass(frozen=True, slots=True)
class Way:
    """How a home's nights are run."""

    tenant: str = TENANT
    """The one that `fill` fills."""
    llm: str | None = None
    """Where a chat model is; none by default."""
    steps: tuple[str, ...] = ()
    """Which; all of them by default."""


def settings(home: Path, way: Way = Way()) -> Settings:
    """Of a home's nights; without vectors, which nothing needs that is asked of a copy."""
    return Settings.from_values(
        home=home,
        tenant=way.tenant,
        embedder="off",
        llm_base_url=way.llm,
        llm_model="scripted" if way.llm else None,
        llm_daily_tokens=_NO_CAP,
        nightly_tokens=_NO_CAP,
    )


def store_of(home: Path) -> SqliteStore:
    """Its store."""
    return SqliteStore(home / DATABASE, busy_timeout_ms=10_000, readers=1)


def fill(home: Path, memories: int, due: float, said: Speech, at: int, seed: int) -> None:
    """Make a home with conversations and a year of memories, of which that share is due."""
    fill_turns(home, memories * _TURNS_A_MEMORY, in_both_languages(said), lambda _: None)
    add_memories(home, memories, due, said, at, seed)


def add_memories(home: Path, many: int, due: float, said: Speech, at: int, seed: int) -> None:
    """Write memories of all ages and types, some of them twice, and give each its vector."""
    chance = random.Random(seed)  # noqa: S311  (chance, no secret)
    said = in_both_languages(said)
    store = store_of(home)
    written: list[str] = []
    for first in range(0, many, _PAGE):
        with store.write(TENANT) as tx:
            ns = [
                _write(tx, _wording(written, said, chance), chance.random() < due, at, chance)
                for _ in range(first, min(first + _PAGE, many))
            ]
        _embed(store, ns, seed + first)
    store.close()


def copy_home(home: Path, target: Path) -> Path:
    """The home once more: the database as SQLite copies it, and its files."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(home, target, ignore=shutil.ignore_patterns(f"{DATABASE}*", BACKUPS))
    SqliteFiles().copy(home / DATABASE, target / DATABASE, lambda *_: None)
    return target


def in_both_languages(said: Speech) -> Speech:
    """As many sentences with as without Chinese: the data sets hold more of one."""
    chinese = [text for text in said.sentences if is_cjk(text)]
    others = [text for text in said.sentences if text.isascii()]
    many = min(len(chinese), len(others))
    return Speech((*chinese[:many], *others[:many]), said.questions, said.origin)


def _wording(written: list[str], said: Speech, chance: random.Random) -> str:
    """Something new, or something said before with another end."""
    if written and chance.random() < _REPEATED:
        return chance.choice(written).rstrip(".。 ") + chance.choice(("", ".", "。"))
    written.append(turn_text(said, chance))
    return written[-1]


def _write(tx: Transaction, content: str, is_due: bool, at: int, chance: random.Random) -> int:
    age = chance.randrange(2, _A_YEAR)
    began = at - age * DAY_MS
    ends = at - chance.randrange(1, DAY_MS) if is_due else None
    if ends is None and chance.random() < _LATER:
        ends = at + chance.randrange(1, 30) * DAY_MS
    kind = chance.choice(_TYPES)
    memory = NewMemory(new_id(), kind, chance.random(), chance.random())
    version = NewVersion(
        content, fingerprint(content), began, began, _PROVENANCE, None, expires_at=ends
    )
    tx.memories.add(memory, version)
    if chance.random() < _PINNED:
        tx.memories.set_flags(memory.id, began, pinned=True)
    if chance.random() < _VERIFIED:
        tx.memories.set_flags(memory.id, began, verified=True)
    stored = tx.memories.get(memory.id)
    if stored is None:
        raise LookupError(memory.id)
    link_memory(tx, stored, now=began)
    return stored.current.n


def _embed(store: SqliteStore, ns: Sequence[int], seed: int) -> None:
    vectors = random_vectors(np.random.default_rng(seed), len(ns))
    with store.backlog(write=True) as backlog:
        backlog.choose_model(BUNDLED)
    with store.write(TENANT) as tx:
        tx.backlog.add_vectors(BUNDLED, dict(zip(ns, vectors, strict=True)))
