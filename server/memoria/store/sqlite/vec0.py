"""sqlite-vec index: a copy of all vectors in the file, laid out for scanning.

One virtual table a model (so that two models never meet), partitioned by the visibility of a
document: whose it is, of which kind and workspace, and whether it is processed. Its chunks are
small, because every partition fills at least one. Only current documents are in it.
"""

from collections.abc import Collection, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from memoria.model import Vector
from memoria.store.image.visibility import visibility_of
from memoria.store.sqlite.driver import Row, SqliteConnection, sqlite3
from memoria.store.values import Match
from memoria.store.vectors.models import Drift, IndexRow, VectorQuery, list_models, list_visible

_CHUNK_SIZE = 64
_PARTITION = "standing text partition key"
"""`standing` is a visibility token: the name that homes have in their indexes."""
_PAGE = 1000


class Vec0Index:
    """Index of sqlite-vec on one connection."""

    few = 100
    """Number of vectors up to which a scan takes no longer than a matrix in memory."""

    def __init__(self, connection: SqliteConnection) -> None:
        self._connection = connection

    def add(self, model: int, dims: int, rows: Sequence[IndexRow]) -> None:
        """Index vectors, replacing those that the documents had."""
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
        """Remove a document, for all models; sqlite-vec writes zeros over its vector."""
        for model in self.list_indexed():
            self._connection.execute(f"DELETE FROM {_table(model)} WHERE rowid = ?", (n,))

    def erase_tenant(self, tenant: int) -> None:
        """Remove all documents of a tenant, for all models."""
        for model in self.list_indexed():
            self._connection.execute(
                f"DELETE FROM {_table(model)} WHERE rowid IN "
                "(SELECT n FROM documents WHERE tenant_id = ?)",
                (tenant,),
            )

    def count(self, ns: Collection[int]) -> int:
        """Count the vectors of these documents in the index."""
        return sum(
            int(
                self._connection.execute(
                    f"SELECT count(*) FROM {_table(model)}_rowids "
                    "WHERE rowid IN (SELECT value FROM json_each(?))",
                    (_json(ns),),
                ).fetchone()[0]
            )
            for model in self.list_indexed()
        )

    def move(self, n: int) -> None:
        """Index a document anew after its visibility changed, for all models."""
        self.erase(n)
        for model in list_models(self._connection):
            rows = self._connection.execute(
                self._connection.statements("vectors")["one"], {"model": model.n, "n": n}
            ).fetchall()
            self.add(model.n, model.dims, [_index_row(row) for row in rows if row["current"]])

    def nearest(self, where: VectorQuery, vector: Vector, limit: int) -> list[Match]:
        """Return the nearest documents, best first."""
        from memoria.store.vectors.stored import score_exactly  # noqa: PLC0415  (brings NumPy)

        if where.model not in self.list_indexed():
            return []
        listed = where.allowed if where.narrowing is None else where.narrowing.all_ids
        narrowed = "" if listed is None else " AND rowid IN (SELECT value FROM json_each(?))"
        allowed = [] if listed is None else [_json(listed)]
        found = sorted(
            (distance, n)
            for scope in where.scopes
            for n, distance in self._connection.execute(
                f"SELECT rowid AS n, distance FROM {_table(where.model)} "
                f"WHERE embedding MATCH ? AND k = ? AND standing = ?{narrowed}",
                (vector.tobytes(), limit, scope, *allowed),
            )
        )
        shown = list_visible(self._connection, where, [n for _, n in found[:limit]])
        return score_exactly(self._connection, where.model, shown, vector, limit)

    def drift(self, model: int) -> Drift:
        """Compare the index with the stored vectors, document by document."""
        truth = self._connection.statements("vectors")["count_indexable"].rstrip(";")
        total = int(self._connection.execute(truth, {"model": model}).fetchone()[0])
        if model not in self.list_indexed():
            return Drift(total, missing=total, extra=0)
        held = f"(SELECT rowid FROM {_table(model)}_rowids)"
        both = self._connection.execute(
            f"{truth} AND e.document_n IN {held}", {"model": model}
        ).fetchone()[0]
        indexed = self._connection.execute(f"SELECT count(*) FROM {held}").fetchone()[0]
        return Drift(total, missing=total - both, extra=indexed - both)

    def catch_up(self, model: int, dims: int) -> None:
        """Build the index anew from the stored vectors, page by page."""
        self._connection.execute(f"DROP TABLE IF EXISTS {_table(model)}")
        after = 0
        while rows := self._connection.execute(
            self._connection.statements("vectors")["indexable"],
            {"model": model, "after": after, "limit": _PAGE},
        ).fetchall():
            self.add(model, dims, [_index_row(row) for row in rows])
            after = rows[-1]["n"]

    def list_indexed(self) -> set[int]:
        """Return the numbers of the models that have an index."""
        rows = self._connection.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'vectors_[0-9]*' "
            "AND sql LIKE ?",
            (f"CREATE VIRTUAL TABLE%({_PARTITION},%",),
        )
        return {int(row["name"].removeprefix("vectors_")) for row in rows}


def _index_row(row: Row) -> IndexRow:
    return row["n"], visibility_of(row).token, row["vector"]


def _table(model: int) -> str:
    return f"vectors_{model:d}"


def _json(ns: Collection[int]) -> str:
    return f"[{','.join(map(str, ns))}]"


def load_vectors(connection: sqlite3.Connection) -> bool:
    """Load sqlite-vec into the connection; return False if that can't be done."""
    extension = _vector_extension()
    if extension is None:
        return False
    try:
        connection.enable_load_extension(True)
        connection.load_extension(extension)
        connection.enable_load_extension(False)
    except (AttributeError, sqlite3.Error):
        return False
    return True


@cache
def _vector_extension() -> str | None:
    """Return the path of sqlite-vec, whose package is not imported because it loads NumPy."""
    package = find_spec("sqlite_vec")
    if package is None or package.origin is None:
        return None
    return str(Path(package.origin).with_name("vec0"))
