"""Where and when a question's vector is made and searched for: the answer does not tell."""

import sqlite3
import threading
from pathlib import Path

import pytest
from tests.retrieval.toys import ToyEmbedder, keep, texts_of

import memoria
from memoria.app import DATABASE
from memoria.inference import lazy
from memoria.model import Vector
from memoria.store.rows import concurrent_read
from memoria.store.rows.documents import Documents
from memoria.store.values import DocumentKind, Filters, Match

TIMEOUT_S = 60
MEMORY, TURN = "The vehicle broke down", "My automobile is red"


class LogEmptyingEmbedder(ToyEmbedder):
    """Empties the log whenever it is asked, and notes whether a snapshot kept it from that."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self.was_busy: list[int] = []

    def embed_query(self, text: str) -> Vector:
        """The vector of a question."""
        other = sqlite3.connect(self._file, timeout=0)
        self.was_busy.append(other.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0])
        other.close()
        return super().embed_query(text)


async def test_no_snapshot_is_open_while_a_vector_is_made_that_takes_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lazy, "_QUICK_S", 0)
    embedder = LogEmptyingEmbedder(tmp_path / DATABASE)
    async with memoria.open(home=tmp_path, tenant="t", embedder=embedder) as m:
        await m.record_conversation([{"role": "user", "content": TURN}])
        await m.wait_until_idle(TIMEOUT_S)
        for question in ("Which car?", "What does the doctor drive?", "Where do we live?"):
            assert await m.search_conversation_traces(question) is not None
    assert embedder.was_busy == [0, 0, 0]


async def test_in_a_large_home_who_waits_for_the_turns_searches_the_memories_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    searched: list[str] = []
    memories_known = threading.Event()
    nearest = Documents.nearest

    def search(
        documents: Documents,
        kind: DocumentKind,
        model: str,
        vector: Vector,
        filters: Filters,
        limit: int,
    ) -> list[Match]:
        if kind == "turn":
            assert memories_known.wait(TIMEOUT_S)
        found = nearest(documents, kind, model, vector, filters, limit)
        searched.append(kind)
        if kind == "memory":
            memories_known.set()
        return found

    async with memoria.open(home=tmp_path, tenant="t", embedder=ToyEmbedder()) as m:
        keep(m, MEMORY, "2023-01-01")
        await m.record_conversation([{"role": "user", "content": TURN}])
        await m.wait_until_idle(TIMEOUT_S)
        small = await m.search_memory("Which car?")
        monkeypatch.setattr(concurrent_read, "BUDGET", 0)
        monkeypatch.setattr(Documents, "nearest", search)
        large = await m.search_memory("Which car?")
    assert searched[:2] == ["memory", "turn"]
    assert texts_of(large) == texts_of(small)
    assert set(texts_of(large)) == {MEMORY, TURN}
