"""What a process holds of one model, tenant and kind, and how far it has followed the file.

The count of the tenant's changes says how far. A search on a newer snapshot first reads what
changed in between; one on an older snapshot reads what was changed since as it was then (`recent`),
and is sent away where that is not known.
Only readers come here: what a transaction that writes sees may yet be rolled back.
"""

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from memoria.model import Vector
from memoria.store.sqlite.changed import read_few_changed
from memoria.store.sqlite.driver import Connection, Row
from memoria.store.sqlite.rows import TenantRows
from memoria.store.sqlite.tenants import IndexChanges
from memoria.store.sqlite.terms import BUDGET
from memoria.store.sqlite.vectors.compressed import CompressedVectors
from memoria.store.sqlite.vectors.exact import check_vector, read_vectors, score_exactly
from memoria.store.sqlite.vectors.matrix import Matrix
from memoria.store.sqlite.vectors.models import (
    SQL,
    Key,
    VectorQuery,
    list_passing,
    read_changes,
)
from memoria.store.sqlite.vectors.recent import RecentChanges
from memoria.store.sqlite.visibility import write_token
from memoria.store.values import Match

_FILE = "documents"
_SAMPLED = 4
"""How many of the nearest are held against filters first, for each that is wanted."""
_CANDIDATES = 4
"""How many of the nearest by code are scored from the truth, for each that is wanted."""
_FEWER = 2
_ENOUGH = 400
"""Beyond so many, for each that is wanted only two: what reading them costs would be felt."""
_SAMPLE = 16_384
"""Vectors from which codes are learnt; more change recall by less than a tenth of a point."""
_LEAST_SAMPLE = 16
_PAGE = 100
"""So many rows are read at a time: of a thousand, what they took stays with the process."""
_OUTGROWN = 4
"""Codes are learnt anew when there are so many times more vectors than they were learnt for."""


class CachedVectors(ABC):
    """Vectors with the change they are brought up to, and a lock for both."""

    def __init__(self, key: Key, dims: int) -> None:
        self.lock = threading.Lock()
        self.seen = 0
        self._recent = RecentChanges()
        self._where = dict(zip(("model", "tenant", "kind"), key, strict=True))
        self._tenant = key[1]
        self._dims = dims

    @property
    @abstractmethod
    def rows(self) -> Matrix | CompressedVectors:
        """The vectors."""

    def nearest(
        self, connection: Connection, where: VectorQuery, vector: Vector, limit: int, change: int
    ) -> list[Match] | None:
        """The nearest documents, best first; None if the snapshot is too old.

        Args:
            connection: where the snapshot is read.
            where: where to look.
            vector: the question's.
            limit: how many to give at most.
            change: the snapshot's last.
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
        """The nearest of what is held, best first."""

    def enough_for(self, many: int) -> int:
        """How many vectors it does for, where `many` are the most for a matrix."""
        return many

    def follow(
        self,
        connection: Connection,
        now: IndexChanges,
        going_on: Callable[[], bool] = lambda: True,
    ) -> bool:
        """Bring it up to the connection's snapshot, and tell whether it was not up to it before.

        Args:
            connection: where the snapshot is read.
            now: how far that has changed.
            going_on: asked now and then whether to; where not, nothing is held.
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

    def drop_erased(self, connection: Connection) -> None:
        """Bring it up to the connection's snapshot if the tenant has erased something since."""
        now = read_changes(connection, self._tenant)
        if self.seen < now.erased_at:
            self.follow(connection, now)

    def _read_changes(
        self, connection: Connection, now: IndexChanges, going_on: Callable[[], bool]
    ) -> None:
        if now.erased_at > self.seen and len(self.rows):
            self.rows.keep_only(self._documents(connection))
        for page in self._list_changed(connection):
            if not going_on():
                return
            for row in page:
                self._apply(row)
        if now.erased_at > self.seen or not self.seen:
            self._recent.begin_at(now.n)
        self.seen = now.n

    def _list_changed(self, connection: Connection) -> Iterator[Sequence[Row]]:
        """The documents that were changed since, with their vectors, some at a time."""
        if self.seen:
            rows = TenantRows(connection, self._tenant, _FILE)
            few = read_few_changed(rows, self.seen)
            if few and self._where["kind"] not in {each.kind for each in few}:
                return
        changed = connection.execute(SQL["changed"], {**self._where, "seen": self.seen})
        while page := changed.fetchmany(_PAGE):
            yield page

    def _documents(self, connection: Connection) -> Iterable[int]:
        return (row["n"] for row in connection.execute(SQL["held"], self._where))

    def _apply(self, row: Row) -> None:
        change, n, tenant, kind, workspace, current, suppressed, processed, vector = row
        self._recent.add(change, n)
        if not current:
            self.rows.drop(n)
        else:
            token = write_token(kind, tenant, workspace, current, suppressed, processed)
            self.rows.put(n, token, check_vector(n, vector, self._dims))


class CachedMatrix(CachedVectors):
    """A matrix: exact, and its scores are the answer."""

    def __init__(self, key: Key, dims: int) -> None:
        super().__init__(key, dims)
        self.matrix = Matrix(dims)

    @property
    def rows(self) -> Matrix:
        """The vectors."""
        return self.matrix

    def _search(
        self, _connection: Connection, where: VectorQuery, vector: Vector, limit: int
    ) -> list[Match]:
        """The nearest of what is held, best first."""
        together = where.together
        scores = together.score(self.matrix, vector) if together else self.matrix.score(vector)
        if where.narrowing is None:
            return self.matrix.nearest(where.scopes, where.allowed, scores, limit)
        found = self.matrix.nearest(where.scopes, None, scores, limit * _SAMPLED)
        passed = where.narrowing.best(found, limit)
        if len(passed) == limit or len(found) < limit * _SAMPLED:
            return passed
        return where.narrowing.best(self.matrix.nearest(where.scopes, None, scores, BUDGET), limit)


class CachedCodes(CachedVectors):
    """Codes: they find candidates, and the truth scores these."""

    def __init__(self, key: Key, dims: int, connection: Connection) -> None:
        """Codes are learnt; what is to be found is not read yet.

        Args:
            key: whose vectors.
            dims: the length of a vector.
            connection: where vectors to learn from are read.
        """
        super().__init__(key, dims)
        ns = list(self._documents(connection))
        chosen = ns[:: max(len(ns) // _SAMPLE, 1)]
        _, sample = read_vectors(connection, key[0], chosen, dims)
        self._learnt_for = len(ns)
        self._rows = CompressedVectors(
            dims, np.resize(sample, (max(len(sample), _LEAST_SAMPLE), dims))
        )

    @property
    def rows(self) -> CompressedVectors:
        """The vectors."""
        return self._rows

    def enough_for(self, many: int) -> int:
        """How many vectors these codes do for."""
        return max(many, _OUTGROWN * self._learnt_for)

    def _search(
        self, connection: Connection, where: VectorQuery, vector: Vector, limit: int
    ) -> list[Match]:
        """The nearest of what is held, best first."""
        wanted = max(limit * _FEWER, min(limit * _CANDIDATES, _ENOUGH))
        most = wanted if where.narrowing is None else max(wanted, BUDGET)
        ns = self._rows.nearest_candidates(where.scopes, where.allowed, vector, most)
        if where.narrowing is not None:
            passed = where.narrowing.best([Match(n, 0.0) for n in ns], wanted)
            ns = [match.n for match in passed]
        return score_exactly(connection, where.model, ns, vector, limit)


def create_cache(connection: Connection, key: Key, dims: int, many: int) -> CachedVectors:
    """Codes where there are more vectors than `many`, else a matrix; empty."""
    where = dict(zip(("model", "tenant", "kind"), key, strict=True))
    more = connection.execute(SQL["held"], where).fetchmany(many + 1)
    return CachedCodes(key, dims, connection) if len(more) > many else CachedMatrix(key, dims)
