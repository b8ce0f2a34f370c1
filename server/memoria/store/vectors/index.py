"""Vector index: the choice between sqlite-vec in the file and vectors in a process's memory.

The first question is a scan by sqlite-vec, and so is any of a tenant with few vectors. With more a
matrix serves, from the second question on: a command asks once, and loading costs as much as
several scans. If the extension can't load there is the matrix alone. A search whose snapshot is
older than the matrix, and a transaction that writes, use sqlite-vec, or read the vectors they need
for themselves.

If there are very many vectors and faiss is installed, codes take the matrix's place. Codes are
learnt in a thread while searches go on as before, and learnt anew once there are many times more
vectors. A lock of its own guards each matrix: a pass over a matrix takes longer than all else that
a search does with a tenant's image, and words are searched meanwhile.
"""

import threading
from collections import OrderedDict
from collections.abc import Sequence
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Protocol

from memoria.model import Vector
from memoria.store.connection import Connection
from memoria.store.image.background_loader import BackgroundLoader, Connect, Proceed
from memoria.store.image.tenants import IndexChanges, list_erasures
from memoria.store.values import Match
from memoria.store.vectors.models import Drift, IndexRow, Key, VectorQuery, read_changes

if TYPE_CHECKING:
    from memoria.store.vectors.cached import CachedVectors


MANY = 50_000
"""Vectors beyond which codes serve: a matrix is no faster there, in ten times the memory."""
_MOST_BYTES = 1 << 30


class VectorCache:
    """Vectors of one file that a process has in memory. Thread-safe."""

    def __init__(
        self, most_bytes: int = _MOST_BYTES, many: int = MANY, connect: Connect | None = None
    ) -> None:
        """Make an empty cache.

        Args:
            most_bytes: limit for all vectors together; those unused longest go first. A matrix
                that is greater by itself is held alone.
            many: number of vectors beyond which codes serve.
            connect: opens a connection to learn codes by; if it is None there are no codes.
        """
        self._most_bytes = most_bytes
        self._many = many
        self._lock = threading.Lock()
        self._held: OrderedDict[Key, CachedVectors] = OrderedDict()
        self._asked: set[Key] = set()
        self._reads: BackgroundLoader[Key] | None = None
        """None if there are no codes."""
        if connect is not None and find_spec("faiss"):
            self._reads = BackgroundLoader(connect)

    @property
    def nbytes(self) -> int:
        """Bytes of memory that all vectors take."""
        with self._lock:
            return sum(held.rows.nbytes for held in self._held.values())

    @property
    def learning(self) -> bool:
        """True while codes are being learnt."""
        return self._reads is not None and self._reads.is_busy

    def holds(self, where: VectorQuery) -> bool:
        """Check whether the vectors that a query searches are in memory."""
        with self._lock:
            return _key(where) in self._held

    def has_been_asked(self, where: VectorQuery) -> bool:
        """Return True if these vectors were asked for before, and note that they are now."""
        with self._lock:
            before = _key(where) in self._asked
            self._asked.add(_key(where))
        return before

    def nearest(
        self, connection: Connection, where: VectorQuery, vector: Vector, limit: int
    ) -> list[Match] | None:
        """Return the nearest documents, best first.

        None if the vectors are of a much newer snapshot, or codes are still being learnt.
        """
        held = self._load(connection, _key(where), len(vector))
        if held is None:
            return None
        now = where.changed or read_changes(connection, where.tenant)
        with held.lock:
            has_grown = held.follow(connection, now)
            found = held.nearest(connection, where, vector, limit, now.n)
        if has_grown:
            self._keep_within_bounds()
        return found

    def follow(self, connection: Connection, tenant: int, now: IndexChanges) -> None:
        """Bring a tenant's vectors up to a snapshot, which spares the next search the time."""
        with self._lock:
            held = [each for (_, whose, _), each in self._held.items() if whose == tenant]
        for each in held:
            with each.lock:
                each.follow(connection, now)

    def drop_erased(self, connection: Connection) -> None:
        """Drop vectors of erased documents."""
        erased_at = dict(list_erasures(connection))
        with self._lock:
            held = list(self._held.items())
        for (_, tenant, _), each in held:
            with each.lock:
                if each.seen < erased_at.get(tenant, 0):
                    each.follow(connection, read_changes(connection, tenant))

    def clear(self) -> None:
        """Drop all vectors, and stop learning codes."""
        if self._reads is not None:
            self._reads.close()
        with self._lock:
            self._held.clear()

    def wait(self, where: VectorQuery) -> None:
        """Wait for codes that are being learnt."""
        if self._reads is not None:
            self._reads.wait(_key(where))

    def _load(self, connection: Connection, key: Key, dims: int) -> "CachedVectors | None":
        from memoria.store.vectors.cached import CachedMatrix  # noqa: PLC0415  (brings NumPy)

        with self._lock:
            held = self._held.get(key)
            reads = self._reads if dims % 2 == 0 else None
            if reads and (reads.is_reading(key) or self._too_many(connection, key, held)):
                reads.start(key, partial(self._learn_codes, key, dims))
            elif held is None:
                held = self._held[key] = CachedMatrix(key, dims)
            if held is not None:
                self._held.move_to_end(key)
            return held

    def _too_many(self, connection: Connection, key: Key, held: "CachedVectors | None") -> bool:
        """Check whether codes should replace a matrix, or be learnt anew."""
        if held is not None:
            return len(held.rows) > held.enough_for(self._many)
        wanted = {"tenant": key[1], "few": self._many}
        return (
            connection.execute(connection.statements("vectors")["more_than"], wanted).fetchone()
            is not None
        )

    def _learn_codes(self, key: Key, dims: int, connection: Connection, proceed: Proceed) -> None:
        """Code the vectors of a snapshot; later changes are read by the next search."""
        from memoria.store.vectors.cached import create_cache  # noqa: PLC0415  (brings NumPy)

        held = create_cache(connection, key, dims, self._many)
        held.follow(connection, read_changes(connection, key[1]), proceed)
        if proceed():
            with self._lock:
                self._held[key] = held
        self._keep_within_bounds()

    def _keep_within_bounds(self) -> None:
        with self._lock:
            total = sum(held.rows.nbytes for held in self._held.values())
            while total > self._most_bytes and len(self._held) > 1:
                _, gone = self._held.popitem(last=False)
                total -= gone.rows.nbytes


def _key(where: VectorQuery) -> Key:
    return where.model, where.tenant, where.kind


class StoredVectors(Protocol):
    """Index of vectors in an engine's database."""

    few: int
    """Number of a tenant's vectors up to which no matrix is loaded."""

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
        row = self._connection.execute(
            self._connection.statements("vectors")["count_indexable"], {"model": model}
        ).fetchone()
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
        more = self._connection.execute(
            self._connection.statements("vectors")["more_than"],
            {"tenant": where.tenant, "few": self._kept.few},
        )
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
