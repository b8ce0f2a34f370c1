"""Vector index: the choice between sqlite-vec and a matrix in memory.

The first question is a scan by sqlite-vec, and so is any of a tenant with few vectors. With more a
matrix serves, from the second question on: a command asks once, and loading costs as much as
several scans.

If the extension can't load there is the matrix alone. A search whose snapshot is older than the
matrix (another thread's was newer), and a transaction that writes, use sqlite-vec, or read the
vectors they need for themselves.
"""

from collections.abc import Sequence
from typing import Protocol

from memoria.model import Vector
from memoria.store.connection import Connection
from memoria.store.image.tenants import IndexChanges
from memoria.store.values import Match
from memoria.store.vectors.cache import VectorCache
from memoria.store.vectors.models import SQL, Drift, IndexRow, VectorQuery, read_changes

FEW = 100
"""Number of vectors up to which sqlite-vec takes no longer than a matrix in memory."""


class StoredVectors(Protocol):
    """Index of vectors in an engine's file."""

    def add(self, model: int, dims: int, rows: Sequence[IndexRow]) -> None:
        """Index vectors, replacing those that the documents had."""
        ...

    def erase(self, n: int) -> None:
        """Remove a document, for all models."""
        ...

    def erase_tenant(self, tenant: int) -> None:
        """Remove all documents of a tenant, for all models."""
        ...

    def count(self, ns: Sequence[int]) -> int:
        """Count the vectors of these documents."""
        ...

    def move(self, n: int) -> None:
        """Index a document anew after its visibility changed, for all models."""
        ...

    def nearest(self, where: VectorQuery, vector: Vector, limit: int) -> list[Match]:
        """Return the nearest documents, best first."""
        ...

    def drift(self, model: int) -> Drift:
        """Compare the index with the stored vectors."""
        ...

    def catch_up(self, model: int, dims: int) -> None:
        """Build the index anew from the stored vectors."""
        ...


class VectorIndex:
    """Vectors of a file on one connection: written to the file, searched in file or memory."""

    def __init__(
        self, connection: Connection, kept: StoredVectors | None, shared: VectorCache | None
    ) -> None:
        """Bind to a connection.

        Args:
            connection: reads the truth.
            kept: the index in the file; None if the extension can't load.
            shared: the process's matrices; None for a connection that writes.
        """
        self._connection = connection
        self._kept = kept
        self._shared = shared

    @property
    def in_file(self) -> bool:
        """True if the file has an index, which can be out of step with the stored vectors."""
        return self._kept is not None

    def add(self, model: int, dims: int, rows: Sequence[IndexRow]) -> None:
        """Index vectors, replacing those that the documents had."""
        if self._kept is not None:
            self._kept.add(model, dims, rows)

    def erase(self, n: int) -> None:
        """Remove a document, for all models."""
        if self._kept is not None:
            self._kept.erase(n)

    def erase_tenant(self, tenant: int) -> None:
        """Remove all documents of a tenant, for all models."""
        if self._kept is not None:
            self._kept.erase_tenant(tenant)

    def count(self, ns: Sequence[int]) -> int:
        """Count the vectors of these documents in the file's index."""
        return 0 if self._kept is None else self._kept.count(ns)

    def move(self, n: int) -> None:
        """Index a document anew after its visibility changed, for all models."""
        if self._kept is not None:
            self._kept.move(n)

    def nearest(self, where: VectorQuery, vector: Vector, limit: int) -> list[Match]:
        """Return the nearest documents, best first."""
        if self._shared is not None and self._is_worth_caching(where, self._shared):
            found = self._search_cache(self._shared, where, vector, limit)
            if found is not None:
                return found
        if self._kept is not None:
            return self._kept.nearest(where, vector, limit)
        return self._scan(where, vector, limit)

    def drift(self, model: int) -> Drift:
        """Compare the index in the file with the stored vectors."""
        if self._kept is not None:
            return self._kept.drift(model)
        row = self._connection.execute(SQL["count_indexable"], {"model": model}).fetchone()
        return Drift(row["total"], missing=0, extra=0)

    def catch_up(self, model: int, dims: int) -> None:
        """Build the index in the file anew from the stored vectors."""
        if self._kept is not None:
            self._kept.catch_up(model, dims)

    def follow(self, tenant: int, now: IndexChanges) -> None:
        """Bring a tenant's vectors in memory up to this snapshot."""
        if self._shared is not None:
            self._shared.follow(self._connection, tenant, now)

    def _is_worth_caching(self, where: VectorQuery, shared: VectorCache) -> bool:
        if self._kept is None or shared.holds(where):
            return True
        more = self._connection.execute(SQL["more_than"], {"tenant": where.tenant, "few": FEW})
        return more.fetchone() is not None and shared.has_been_asked(where)

    def _search_cache(
        self, shared: VectorCache, where: VectorQuery, vector: Vector, limit: int
    ) -> list[Match] | None:
        found = shared.nearest(self._connection, where, vector, limit)
        if found is None and self._kept is None:
            shared.wait(where)
            found = shared.nearest(self._connection, where, vector, limit)
        return found

    def _scan(self, where: VectorQuery, vector: Vector, limit: int) -> list[Match]:
        """Search vectors that are read for this one search."""
        from memoria.store.vectors.cached import CachedMatrix  # noqa: PLC0415  (brings NumPy)

        own = CachedMatrix((where.model, where.tenant, where.kind), len(vector))
        now = read_changes(self._connection, where.tenant)
        own.follow(self._connection, now)
        return own.nearest(self._connection, where, vector, limit, now.n) or []
