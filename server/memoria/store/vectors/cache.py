"""Vector cache: vectors in a process's memory, a matrix for each model, tenant and kind.

If there are very many vectors and faiss is installed, codes take the matrix's place. Codes are
learnt in a thread while searches go on as before, and learnt anew once there are many times more
vectors. A lock of its own guards each matrix: a pass over a matrix takes longer than all else that
a search does with a tenant's image, and words are searched meanwhile.
"""

import threading
from collections import OrderedDict
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING

from memoria.model import Vector
from memoria.store.connection import Connection
from memoria.store.image.background_loader import BackgroundLoader, Connect, Proceed
from memoria.store.image.tenants import IndexChanges
from memoria.store.values import Match
from memoria.store.vectors.models import SQL, Key, VectorQuery, read_changes

if TYPE_CHECKING:
    from memoria.store.vectors.cached import CachedVectors

MANY = 50_000
"""Vectors beyond which codes serve: a matrix is no faster there, in ten times the memory."""
_MOST_BYTES = 1 << 30


class VectorCache:
    """Vectors of one file that a process has in memory. Thread-safe."""

    def __init__(
        self,
        most_bytes: int = _MOST_BYTES,
        many: int = MANY,
        connect: Connect | None = None,
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
        with self._lock:
            held = list(self._held.values())
        for each in held:
            with each.lock:
                each.drop_erased(connection)

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
        return connection.execute(SQL["more_than"], wanted).fetchone() is not None

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
