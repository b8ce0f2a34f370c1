"""Nearest neighbours by cosine, exactly: inside SQLite where sqlite-vec loads, else in NumPy.

The truth is the `embeddings` table. sqlite-vec keeps a copy laid out for scanning, one virtual
table a model (so that two models never meet), partitioned by tenant and kind. Its chunks are
small, because every partition fills at least one. Only current documents are in it.
"""

from collections.abc import Collection, Iterator
from typing import Protocol

from memoria.model import Vector
from memoria.store.base import Match
from memoria.store.sqlite.driver import Connection
from memoria.store.sqlite.statements import statements

_SQL = statements("vectors")
_CHUNK_SIZE = 64
_PAGE = 1000


class VectorIndex(Protocol):
    """What both ways of searching offer. `allowed` None means every current document."""

    def add(self, model: int, dims: int, rows: Collection[tuple[int, int, str, bytes]]) -> None:
        """Index (n, tenant, kind, vector as float32 bytes)."""
        ...

    def remove(self, n: int) -> None:
        """Take a document out, for every model."""
        ...

    def nearest(  # noqa: D102
        self,
        model: int,
        tenant: int,
        kind: str,
        vector: Vector,
        allowed: Collection[int] | None,
        limit: int,
    ) -> list[Match]: ...


class Vec0Index:
    """The sqlite-vec index."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, model: int, dims: int, rows: Collection[tuple[int, int, str, bytes]]) -> None:
        """Index (n, tenant, kind, vector as float32 bytes)."""
        self._connection.execute(
            f"CREATE VIRTUAL TABLE IF NOT EXISTS {_table(model)} USING vec0("
            "tenant_id integer partition key, kind text partition key, "
            f"embedding float[{dims:d}] distance_metric=cosine, chunk_size={_CHUNK_SIZE})"
        )
        self._connection.executemany(
            f"DELETE FROM {_table(model)} WHERE rowid = ?", ((row[0],) for row in rows)
        )
        self._connection.executemany(
            f"INSERT INTO {_table(model)} (rowid, tenant_id, kind, embedding) VALUES (?, ?, ?, ?)",
            rows,
        )

    def remove(self, n: int) -> None:
        """Take a document out, for every model."""
        for model in self.models():
            self._connection.execute(f"DELETE FROM {_table(model)} WHERE rowid = ?", (n,))

    def nearest(
        self,
        model: int,
        tenant: int,
        kind: str,
        vector: Vector,
        allowed: Collection[int] | None,
        limit: int,
    ) -> list[Match]:
        """The nearest documents of a tenant and kind."""
        if model not in self.models():
            return []
        narrowed = "" if allowed is None else " AND rowid IN (SELECT value FROM json_each(?))"
        rows = self._connection.execute(
            f"SELECT rowid AS n, distance FROM {_table(model)} "
            f"WHERE embedding MATCH ? AND k = ? AND tenant_id = ? AND kind = ?{narrowed}",
            (vector.tobytes(), limit, tenant, kind, *([] if allowed is None else [_json(allowed)])),
        )
        return [Match(row["n"], 1.0 - row["distance"]) for row in rows]

    def models(self) -> set[int]:
        """The models that have an index."""
        rows = self._connection.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'vectors_[0-9]*' "
            "AND sql LIKE 'CREATE VIRTUAL TABLE%'"
        )
        return {int(row["name"].removeprefix("vectors_")) for row in rows}

    def count(self, model: int) -> int:
        """How many vectors are indexed."""
        if model not in self.models():
            return 0
        row = self._connection.execute(f"SELECT count(*) FROM {_table(model)}_rowids").fetchone()
        return int(row[0])

    def rebuild(self, model: int, dims: int) -> Iterator[int]:
        """Build the index of a model anew from the truth. Yields how many were done, by pages."""
        self._connection.execute(f"DROP TABLE IF EXISTS {_table(model)}")
        after = 0
        while rows := self._connection.execute(
            _SQL["index_rows"], {"model": model, "after": after, "limit": _PAGE}
        ).fetchall():
            self.add(model, dims, [tuple(row) for row in rows])
            after = rows[-1]["n"]
            yield len(rows)


class ExactScan:
    """The same answers without an extension: read the tenant's vectors and multiply."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, model: int, dims: int, rows: Collection[tuple[int, int, str, bytes]]) -> None:
        """Nothing to do: the truth is the index."""

    def remove(self, n: int) -> None:
        """Nothing to do: only current documents are scanned."""

    def nearest(
        self,
        model: int,
        tenant: int,
        kind: str,
        vector: Vector,
        allowed: Collection[int] | None,
        limit: int,
    ) -> list[Match]:
        """The nearest documents of a tenant and kind."""
        import numpy as np  # noqa: PLC0415  (a start-up must not pay for it)

        rows = self._connection.execute(
            _SQL["scan"], {"model": model, "tenant": tenant, "kind": kind}
        ).fetchall()
        wanted = rows if allowed is None else [row for row in rows if row["n"] in allowed]
        if not wanted:
            return []
        matrix = np.frombuffer(b"".join(row["vector"] for row in wanted), np.float32)
        scores = matrix.reshape(len(wanted), -1) @ vector
        best = np.argsort(-scores, kind="stable")[:limit]
        return [Match(wanted[i]["n"], float(scores[i])) for i in best]


def _table(model: int) -> str:
    return f"vectors_{model:d}"


def _json(ns: Collection[int]) -> str:
    return f"[{','.join(map(str, ns))}]"
