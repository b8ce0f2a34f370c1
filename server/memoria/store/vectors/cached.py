"""Cached vectors of one model, tenant and kind, as of one state of the file.

That state is the count of the tenant's changes. A search on a newer snapshot first reads what
changed in between; one on an older snapshot reads what was changed since as it was then (`recent`),
and is turned away if that is not known.

Only readers come here: what a transaction that writes sees may yet be rolled back.
"""

import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Set
from contextlib import nullcontext

import numpy as np

from memoria.model import Vector
from memoria.store.connection import Connection, Row
from memoria.store.image.counts import BUDGET
from memoria.store.image.tenants import IndexChanges
from memoria.store.image.visibility import write_token
from memoria.store.values import Match
from memoria.store.vectors.compressed import CompressedVectors
from memoria.store.vectors.matrix import Matrix
from memoria.store.vectors.models import Key, VectorQuery, list_passing
from memoria.store.vectors.stored import check_vector, read_vectors, score_exactly

_MOST_RECENT = 200
"""Number of changes: many times what happens during a search."""


class RecentChanges:
    """Documents that were changed last. Not thread-safe."""

    def __init__(self) -> None:
        self._known_from = self._newest = 0
        self._changes: deque[tuple[int, int]] = deque()

    def begin_at(self, change: int) -> None:
        """Drop all changes up to a number: too many have happened, or something was erased."""
        self._known_from = change
        self._changes.clear()

    def add(self, change: int, n: int) -> None:
        """Record a change of a document."""
        self._changes.append((change, n))
        self._newest = max(self._newest, change)
        if len(self._changes) > _MOST_RECENT:
            gone, _ = self._changes.popleft()
            self._known_from = max(self._known_from, gone)

    def after(self, change: int) -> Set[int] | None:
        """Return the documents changed after a change; None if not all of them are known."""
        if change < self._known_from:
            return None
        if change >= self._newest:
            return frozenset()  # as nearly always
        return {n for changed, n in self._changes if changed > change}


_SAMPLED = 4
"""Number of the nearest that are checked against filters first, for each that is wanted."""
_CANDIDATES = 4
"""Number of the nearest by code that are scored from the truth, for each that is wanted."""
_FEWER = 2
_ENOUGH = 400
"""Number beyond which only `_FEWER` are scored for each that is wanted: reading them costs time."""
_SAMPLE = 16_384
"""Number of vectors from which codes are learnt."""
_LEAST_SAMPLE = 16
_OUTGROWN = 4
"""Codes are learnt anew when there are so many times more vectors than they were learnt for."""


class CachedVectors(ABC):
    """Vectors, the number of the last change that they have followed, and a lock for both."""

    rows: Matrix | CompressedVectors

    def __init__(self, key: Key, dims: int) -> None:
        self.lock = threading.Lock()
        self.seen = 0
        self._recent = RecentChanges()
        self._where = dict(zip(("model", "tenant", "kind"), key, strict=True))
        self._dims = dims

    def nearest(
        self, connection: Connection, where: VectorQuery, vector: Vector, limit: int, change: int
    ) -> list[Match] | None:
        """Return the nearest documents, best first; None if the snapshot is too old.

        Args:
            connection: reads the snapshot.
            where: the model, tenant, kind and filters.
            vector: the question's.
            limit: the largest number of documents.
            change: number of the snapshot's last change.
        """
        later = self._recent.after(change)
        if later is None:
            return None
        if not later:
            return self._search(connection, where, vector, limit)
        found = self._search(connection, where, vector, limit + len(later))
        then = score_exactly(
            connection, where.model, list_passing(connection, where, later), vector, limit
        )
        every = [*(match for match in found if match.n not in later), *then]
        return sorted(every, key=lambda match: (-match.score, match.n))[:limit]

    @abstractmethod
    def _search(
        self, connection: Connection, where: VectorQuery, vector: Vector, limit: int
    ) -> list[Match]:
        """Return the nearest of the vectors in memory, best first."""

    def enough_for(self, many: int) -> int:
        """Return the number of vectors up to which these are as fast as others would be."""
        return many

    def follow(
        self, connection: Connection, now: IndexChanges, going_on: Callable[[], bool] = lambda: True
    ) -> bool:
        """Bring the vectors up to a snapshot; return False if they have followed it already.

        Args:
            connection: reads the snapshot.
            now: the snapshot's counts.
            going_on: asked now and then; False ends the reading, and nothing is held.
        """
        if now.n <= self.seen:
            return False
        try:
            self._read_changes(connection, now, going_on)
        except BaseException:
            self.seen = 0
            self.rows.clear()  # half of the changes may be in it
            raise
        return True

    def _read_changes(
        self, connection: Connection, now: IndexChanges, going_on: Callable[[], bool]
    ) -> None:
        if now.erased_at > self.seen and len(self.rows):
            self.rows.keep_only(self._documents(connection))
        sql, asked = connection.statements("vectors")["changed"], {**self._where, "seen": self.seen}
        opened = (
            nullcontext(connection.execute(sql, asked))
            if self.seen
            else connection.stream(sql, asked)
        )
        with opened as changed:
            for row in changed:
                if not going_on():
                    return
                self._apply(row)
        if now.erased_at > self.seen or not self.seen:
            self._recent.begin_at(now.n)
        self.seen = now.n

    def _documents(self, connection: Connection) -> Iterable[int]:
        return (
            row["n"]
            for row in connection.execute(connection.statements("vectors")["held"], self._where)
        )

    def _apply(self, row: Row) -> None:
        change, n, tenant, kind, workspace, current, suppressed, processed, vector = row
        self._recent.add(change, n)
        if not current:
            self.rows.drop(n)
        else:
            token = write_token(kind, tenant, workspace, current, suppressed, processed)
            self.rows.put(n, token, check_vector(n, vector, self._dims))


class CachedMatrix(CachedVectors):
    """Vectors in a matrix, whose scores are the answer."""

    rows: Matrix

    def __init__(self, key: Key, dims: int) -> None:
        super().__init__(key, dims)
        self.rows = Matrix(dims)

    def _search(
        self, _connection: Connection, where: VectorQuery, vector: Vector, limit: int
    ) -> list[Match]:
        """Return the nearest of the vectors in memory, best first."""
        scores = self.rows.score(vector)
        if where.narrowing is None:
            return self.rows.nearest(where.scopes, where.allowed, scores, limit)
        found = self.rows.nearest(where.scopes, None, scores, limit * _SAMPLED)
        passed = where.narrowing.best(found, limit)
        if len(passed) == limit or len(found) < limit * _SAMPLED:
            return passed
        return where.narrowing.best(self.rows.nearest(where.scopes, None, scores, BUDGET), limit)


class CachedCodes(CachedVectors):
    """Vectors as codes, which find candidates to be scored from the truth."""

    rows: CompressedVectors

    def __init__(self, key: Key, dims: int, connection: Connection) -> None:
        """Learn codes from a sample of the vectors.

        Args:
            key: the model, tenant and kind.
            dims: the length of a vector.
            connection: reads vectors to learn from.
        """
        super().__init__(key, dims)
        ns = list(self._documents(connection))
        chosen = ns[:: max(len(ns) // _SAMPLE, 1)]
        _, sample = read_vectors(connection, key[0], chosen, dims)
        self._learnt_for = len(ns)
        self.rows = CompressedVectors(
            dims, np.resize(sample, (max(len(sample), _LEAST_SAMPLE), dims))
        )

    def enough_for(self, many: int) -> int:
        """Return the number of vectors up to which these codes serve."""
        return max(many, _OUTGROWN * self._learnt_for)

    def _search(
        self, connection: Connection, where: VectorQuery, vector: Vector, limit: int
    ) -> list[Match]:
        """Return the nearest of the vectors in memory, best first."""
        wanted = max(limit * _FEWER, min(limit * _CANDIDATES, _ENOUGH))
        most = wanted if where.narrowing is None else max(wanted, BUDGET)
        ns = self.rows.nearest_candidates(where.scopes, where.allowed, vector, most)
        if where.narrowing is not None:
            passed = where.narrowing.best([Match(n, 0.0) for n in ns], wanted)
            ns = [match.n for match in passed]
        return score_exactly(connection, where.model, ns, vector, limit)


def create_cache(connection: Connection, key: Key, dims: int, many: int) -> CachedVectors:
    """Return empty codes if there are more vectors than `many`, else an empty matrix."""
    where = dict(zip(("model", "tenant", "kind"), key, strict=True))
    more = connection.execute(connection.statements("vectors")["held"], where).fetchmany(many + 1)
    return CachedCodes(key, dims, connection) if len(more) > many else CachedMatrix(key, dims)
