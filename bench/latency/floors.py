"""The floors: what a capture and a search can't do without, each alone and as fast as it goes."""

import tempfile
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
from numpy.typing import NDArray

from memoria.app import DATABASE
from memoria.language.words.analyser import query_terms
from memoria.model import Vector, now_millis
from memoria.retrieval.sources.vectors import DEPTH
from memoria.store.image.counts import BUDGET, choose_affordable
from memoria.store.sqlite.driver import SqliteConnection, connect

_BUSY_MS = 10_000
_TABLES = """
CREATE TABLE turns (
    n INTEGER PRIMARY KEY, id TEXT NOT NULL, session TEXT NOT NULL, role TEXT NOT NULL,
    at INTEGER NOT NULL, content TEXT NOT NULL
) STRICT;
CREATE VIRTUAL TABLE texts USING fts5 (words, context, tokenize = "ascii tokenchars '_'");
"""
_INSERT = "INSERT INTO turns (id, session, role, at, content) VALUES (?, ?, 'user', ?, ?)"
_MATCH = (
    "SELECT rowid, bm25(texts, 1.0, 0.6) AS score FROM texts WHERE texts MATCH ? "
    "ORDER BY score LIMIT ?"
)
_COUNT = "SELECT count(*) FROM texts WHERE texts MATCH ?"
_FOUND = (
    "FROM embeddings e JOIN documents d ON d.n = e.document_n "
    "WHERE d.current AND (d.kind = 'turn') = ?"
)
_VECTORS = f"SELECT e.vector {_FOUND}"
_COUNT_VECTORS = f"SELECT count(*), max(length(e.vector)) {_FOUND}"


class Reader:
    """Full-text queries of one thread, by a connection of its own."""

    def __init__(self, file: Path) -> None:
        self._connection = connect(file, _BUSY_MS, read_only=True)

    def match(self, query: str) -> int:
        """A full-text query. Gives how many rows came back."""
        return len(self._connection.execute(_MATCH, (query, DEPTH)).fetchall())


class Floors:
    """A database of its own with the same texts, and the same vectors in one matrix."""

    def __init__(self, home: Path) -> None:
        """Copy what a filled home holds, to a folder beside it: on the same disk."""
        self._folder = tempfile.TemporaryDirectory(dir=home.parent, prefix="floors-")
        source = connect(home / DATABASE, _BUSY_MS, read_only=True)
        self._file = Path(self._folder.name) / "bare.db"
        self._bare = connect(self._file, _BUSY_MS)
        self._bare.executescript(_TABLES)
        self._copy_texts(source)
        self._matrix, self._turns = _vectors(source)
        source.close()
        self._numbers = count()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _type: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        self._bare.close()
        self._folder.cleanup()

    def insert(self, text: str) -> None:
        """One row, one commit, one fsync."""
        self._bare.execute("BEGIN IMMEDIATE")
        row = f"message-{next(self._numbers)}", "session", now_millis(), text
        self._bare.execute(_INSERT, row)
        self._bare.execute("COMMIT")

    def pruned(self, question: str) -> str:
        """The query of the terms that the product would look for."""
        terms: Sequence[str] = query_terms(question)
        if len(self._matrix) > BUDGET:
            terms = choose_affordable(terms, lambda term: self._scalar(_COUNT, f'"{term}"'))
        return " OR ".join(f'"{term}"' for term in terms)

    def match(self, query: str) -> int:
        """A full-text query. Gives how many rows came back."""
        return len(self._bare.execute(_MATCH, (query, DEPTH)).fetchall())

    def open_reader(self) -> Reader:
        """A reader for another thread."""
        return Reader(self._file)

    def scan(self, vector: Vector, multiply: np.ufunc, *, turns_only: bool) -> NDArray[np.intp]:
        """The nearest rows, by reading all of them."""
        matrix = self._matrix[: self._turns] if turns_only else self._matrix
        return _nearest(multiply(matrix, vector))

    def _copy_texts(self, source: SqliteConnection) -> None:
        rows = source.execute("SELECT rowid, words, context FROM search_index")
        self._bare.execute("BEGIN")
        self._bare.executemany("INSERT INTO texts (rowid, words, context) VALUES (?, ?, ?)", rows)
        self._bare.execute("COMMIT")

    def _scalar(self, sql: str, parameter: str) -> int:
        return int(self._bare.execute(sql, (parameter,)).fetchone()[0])


def _vectors(source: SqliteConnection) -> tuple[NDArray[np.float32], int]:
    """All vectors, turns first, and how many turns there are.

    They are read one by one and in no order: what more that took would stay with the process,
    whose memory is measured.
    """
    turns, width = source.execute(_COUNT_VECTORS, (True,)).fetchone()
    others, _ = source.execute(_COUNT_VECTORS, (False,)).fetchone()
    matrix = np.empty((turns + others, width // np.dtype(np.float32).itemsize), np.float32)
    found = (row for of_turns in (True, False) for row in source.execute(_VECTORS, (of_turns,)))
    for place, row in enumerate(found):
        matrix[place] = np.frombuffer(row["vector"], np.float32)
    return matrix, turns


def _nearest(scores: NDArray[np.float32]) -> NDArray[np.intp]:
    deepest = min(DEPTH, len(scores) - 1)
    best: NDArray[np.intp] = np.argpartition(-scores, deepest)[:deepest]
    return best
