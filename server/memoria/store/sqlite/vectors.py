"""Nearest neighbours by cosine, exactly: inside SQLite where sqlite-vec loads, else in NumPy.

The truth is the `embeddings` table. sqlite-vec keeps a copy laid out for scanning, one virtual
table a model (so that two models never meet), partitioned by how a document stands: whose it is,
of which kind and workspace, and whether it is barred. Its chunks are small, because every
partition fills at least one. Only current documents are in it.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from typing import Protocol

from memoria.model import Vector
from memoria.store.sqlite.driver import Connection, Row
from memoria.store.sqlite.standing import standing
from memoria.store.sqlite.statements import statements
from memoria.store.values import Match

_SQL = statements("vectors")
_CHUNK_SIZE = 64
_PARTITION = "standing text partition key"
_PAGE = 1000

IndexRow = tuple[int, str, bytes]
"""(document, its standing as a token, vector as float32 bytes)"""


@dataclass(frozen=True, slots=True)
class KnownModel:
    """A model whose vectors the home holds."""

    n: int
    name: str
    dims: int


@dataclass(frozen=True, slots=True)
class Drift:
    """How far an index is from the truth."""

    total: int
    missing: int
    extra: int

    @property
    def any(self) -> bool:
        """Whether it is out of step at all."""
        return bool(self.missing or self.extra)


def known_model(connection: Connection, name: str) -> KnownModel | None:
    """The model of that name."""
    row = connection.execute(_SQL["model"], {"name": name}).fetchone()
    return None if row is None else KnownModel(**row)


def known_models(connection: Connection) -> list[KnownModel]:
    """Every model the home holds vectors of."""
    return [KnownModel(**row) for row in connection.execute(_SQL["models"])]


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """Where to look for neighbours. `allowed` None means every current document."""

    model: int
    tenant: int
    scopes: tuple[str, ...]
    """Standings, as tokens."""
    allowed: Collection[int] | None = None


class VectorIndex(Protocol):
    """What both ways of searching offer."""

    @property
    def exact_scan(self) -> bool:
        """Whether the truth itself is searched, so that there is nothing to keep in step."""
        ...

    def add(self, model: int, dims: int, rows: Sequence[IndexRow]) -> None:
        """Index vectors, replacing what the documents had."""
        ...

    def erase(self, n: int) -> None:
        """Take a document out, for every model."""
        ...

    def move(self, n: int) -> None:
        """Put a document where it now stands, for every model it has a vector of."""
        ...

    def nearest(self, where: Neighbourhood, vector: Vector, limit: int) -> list[Match]:
        """The nearest documents, best first."""
        ...

    def drift(self, model: int) -> Drift:
        """How far the index is from the truth."""
        ...

    def catch_up(self, model: int, dims: int) -> None:
        """Build the index anew from the truth."""
        ...


class Vec0Index:
    """The sqlite-vec index."""

    exact_scan = False

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, model: int, dims: int, rows: Sequence[IndexRow]) -> None:
        """Index vectors, replacing what the documents had."""
        self._connection.execute(
            f"CREATE VIRTUAL TABLE IF NOT EXISTS {_table(model)} USING vec0("
            f"{_PARTITION}, "
            f"embedding float[{dims:d}] distance_metric=cosine, chunk_size={_CHUNK_SIZE})"
        )
        self._connection.executemany(
            f"DELETE FROM {_table(model)} WHERE rowid = ?", ((row[0],) for row in rows)
        )
        self._connection.executemany(
            f"INSERT INTO {_table(model)} (rowid, standing, embedding) VALUES (?, ?, ?)", rows
        )

    def erase(self, n: int) -> None:
        """Take a document out, for every model. sqlite-vec writes zeros over its vector."""
        for model in self.indexed():
            self._connection.execute(f"DELETE FROM {_table(model)} WHERE rowid = ?", (n,))

    def move(self, n: int) -> None:
        """Put a document where it now stands, for every model it has a vector of."""
        self.erase(n)
        for model in known_models(self._connection):
            rows = self._connection.execute(_SQL["one"], {"model": model.n, "n": n}).fetchall()
            self.add(model.n, model.dims, [index_row(row) for row in rows if row["current"]])

    def nearest(self, where: Neighbourhood, vector: Vector, limit: int) -> list[Match]:
        """The nearest documents, best first."""
        if where.model not in self.indexed():
            return []
        narrowed = "" if where.allowed is None else " AND rowid IN (SELECT value FROM json_each(?))"
        allowed = [] if where.allowed is None else [_json(where.allowed)]
        rows = (
            row
            for scope in where.scopes
            for row in self._connection.execute(
                f"SELECT rowid AS n, distance FROM {_table(where.model)} "
                f"WHERE embedding MATCH ? AND k = ? AND standing = ?{narrowed}",
                (vector.tobytes(), limit, scope, *allowed),
            )
        )
        best = nsmallest(limit, rows, key=lambda row: (row["distance"], row["n"]))
        return [Match(row["n"], 1.0 - row["distance"]) for row in best]

    def drift(self, model: int) -> Drift:
        """How far the index is from the truth, document by document."""
        truth = _SQL["count_indexable"].rstrip(";")
        total = int(self._connection.execute(truth, {"model": model}).fetchone()[0])
        if model not in self.indexed():
            return Drift(total, missing=total, extra=0)
        held = f"(SELECT rowid FROM {_table(model)}_rowids)"
        both = self._connection.execute(
            f"{truth} AND e.document_n IN {held}", {"model": model}
        ).fetchone()[0]
        indexed = self._connection.execute(f"SELECT count(*) FROM {held}").fetchone()[0]
        return Drift(total, missing=total - both, extra=indexed - both)

    def catch_up(self, model: int, dims: int) -> None:
        """Build the index anew from the truth, page by page."""
        self._connection.execute(f"DROP TABLE IF EXISTS {_table(model)}")
        after = 0
        while rows := self._connection.execute(
            _SQL["indexable"], {"model": model, "after": after, "limit": _PAGE}
        ).fetchall():
            self.add(model, dims, [index_row(row) for row in rows])
            after = rows[-1]["n"]

    def indexed(self) -> set[int]:
        """The models that have an index."""
        rows = self._connection.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'vectors_[0-9]*' "
            "AND sql LIKE ?",
            (f"CREATE VIRTUAL TABLE%({_PARTITION},%",),
        )
        return {int(row["name"].removeprefix("vectors_")) for row in rows}


class ExactScan:
    """The same answers without an extension: read the tenant's vectors and multiply."""

    exact_scan = True

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, model: int, dims: int, rows: Sequence[IndexRow]) -> None:
        """Nothing to do: the truth is the index."""

    def erase(self, n: int) -> None:
        """Nothing to do: the truth is the index."""

    def move(self, n: int) -> None:
        """Nothing to do: only current documents are scanned."""

    def nearest(self, where: Neighbourhood, vector: Vector, limit: int) -> list[Match]:
        """The nearest documents, best first."""
        import numpy as np  # noqa: PLC0415  (a start-up must not pay for it)

        rows = self._connection.execute(
            _SQL["scan"], {"model": where.model, "tenant": where.tenant}
        ).fetchall()
        allowed = where.allowed
        wanted = [
            row
            for row in rows
            if (allowed is None or row["n"] in allowed) and standing(row).token in where.scopes
        ]
        if not wanted:
            return []
        matrix = np.frombuffer(b"".join(row["vector"] for row in wanted), np.float32)
        scores = matrix.reshape(len(wanted), -1) @ vector
        best = np.argsort(-scores, kind="stable")[:limit]
        return [Match(wanted[i]["n"], float(scores[i])) for i in best]

    def drift(self, model: int) -> Drift:
        """None: the truth is the index."""
        row = self._connection.execute(_SQL["count_indexable"], {"model": model}).fetchone()
        return Drift(row["total"], missing=0, extra=0)

    def catch_up(self, model: int, dims: int) -> None:
        """Nothing to do: the truth is the index."""


def index_row(row: Row) -> IndexRow:
    """A document's row for the index."""
    return row["n"], standing(row).token, row["vector"]


def _table(model: int) -> str:
    return f"vectors_{model:d}"


def _json(ns: Collection[int]) -> str:
    return f"[{','.join(map(str, ns))}]"
