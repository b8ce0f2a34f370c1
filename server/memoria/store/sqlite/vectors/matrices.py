"""The matrices a process holds: one a model, tenant and kind, shared by its connections.

A matrix is as old as the snapshot it was last brought up to, counted by `change_sequence`. A
search on a newer snapshot first reads what changed in between; one on an older snapshot would see
what is not there yet, so it is sent away. Only readers come here: what a transaction that writes
sees may yet be rolled back.
"""

import threading
from collections import OrderedDict

from memoria.errors import EmbedderError
from memoria.model import Vector
from memoria.store.sqlite.driver import Connection, Row
from memoria.store.sqlite.standing import standing
from memoria.store.sqlite.terms import BUDGET
from memoria.store.sqlite.vectors.models import SQL, Neighbourhood
from memoria.store.values import Match

_MOST_BYTES = 1 << 30
_FLOAT_BYTES = 4
_LOOKED_AT = 4
"""How many of the nearest are held against filters first, for each that is wanted."""

Key = tuple[int, int, str]
"""(model, tenant, kind)"""


class Held:
    """A matrix with the change it is brought up to, and a lock for both."""

    def __init__(self, key: Key, dims: int) -> None:
        self.lock = threading.Lock()
        self._where = dict(zip(("model", "tenant", "kind"), key, strict=True))
        self._dims = dims
        self._empty()

    def _empty(self) -> None:
        from memoria.store.sqlite.vectors.matrix import Matrix  # noqa: PLC0415  (brings NumPy)

        self.matrix = Matrix(self._dims)
        self.seen = 0

    def follow(self, connection: Connection) -> bool:
        """Bring it up to the connection's snapshot; False if it is already beyond that."""
        now = connection.execute(SQL["change_sequence"]).fetchone()
        if now["n"] > self.seen:
            try:
                self._read_changes(connection, now)
            except BaseException:
                self._empty()  # half of the changes may be in it
                raise
        return bool(now["n"] == self.seen)

    def nearest(self, where: Neighbourhood, vector: Vector, limit: int) -> list[Match]:
        """The nearest documents, best first."""
        if where.narrowing is None:
            return self.matrix.nearest(where.scopes, where.allowed, vector, limit)
        found = self.matrix.nearest(where.scopes, None, vector, limit * _LOOKED_AT)
        passed = where.narrowing.best(found, limit)
        if len(passed) == limit or len(found) < limit * _LOOKED_AT:
            return passed
        return where.narrowing.best(self.matrix.nearest(where.scopes, None, vector, BUDGET), limit)

    def _read_changes(self, connection: Connection, now: Row) -> None:
        if now["erased_at"] > self.seen and len(self.matrix):
            self.matrix.keep_only(row["n"] for row in connection.execute(SQL["held"], self._where))
        for row in connection.execute(SQL["changed"], {**self._where, "seen": self.seen}):
            self._apply(row)
        self.seen = now["n"]

    def _apply(self, row: Row) -> None:
        if not row["current"]:
            self.matrix.drop(row["n"])
        elif len(row["vector"]) != self._dims * _FLOAT_BYTES:
            raise EmbedderError(f"the stored vector of document {row['n']} is damaged")
        else:
            self.matrix.put(row["n"], standing(row).token, row["vector"])


class Matrices:
    """Every matrix of a process over one file. Thread-safe."""

    def __init__(self, most_bytes: int = _MOST_BYTES) -> None:
        """Nothing is held yet.

        Args:
            most_bytes: what all of them together may take; those unused longest go first. One
                that is greater by itself is held alone.
        """
        self._most_bytes = most_bytes
        self._lock = threading.Lock()
        self._held: OrderedDict[Key, Held] = OrderedDict()
        self._asked: set[Key] = set()

    @property
    def nbytes(self) -> int:
        """The memory all of them take."""
        with self._lock:
            return sum(held.matrix.nbytes for held in self._held.values())

    def holds(self, where: Neighbourhood) -> bool:
        """Whether there is a matrix for it."""
        with self._lock:
            return _key(where) in self._held

    def asked_before(self, where: Neighbourhood) -> bool:
        """Whether this is not the first question there."""
        with self._lock:
            before = _key(where) in self._asked
            self._asked.add(_key(where))
        return before

    def nearest(
        self, connection: Connection, where: Neighbourhood, vector: Vector, limit: int
    ) -> list[Match] | None:
        """The nearest documents, best first; None if the snapshot is older than what is held."""
        held = self._hold(_key(where), len(vector))
        with held.lock:
            if not held.follow(connection):
                return None
            found = held.nearest(where, vector, limit)
        self._keep_within_bounds()
        return found

    def drop_erased(self, connection: Connection) -> None:
        """Let nothing that was erased stay in memory because nobody asks."""
        with self._lock:
            held = list(self._held.values())
        if held:
            erased_at = connection.execute(SQL["change_sequence"]).fetchone()["erased_at"]
            for each in held:
                with each.lock:
                    if each.seen < erased_at:
                        each.follow(connection)

    def clear(self) -> None:
        """Hold nothing more."""
        with self._lock:
            self._held.clear()

    def _hold(self, key: Key, dims: int) -> Held:
        with self._lock:
            if key not in self._held:
                self._held[key] = Held(key, dims)
            self._held.move_to_end(key)
            return self._held[key]

    def _keep_within_bounds(self) -> None:
        with self._lock:
            total = sum(held.matrix.nbytes for held in self._held.values())
            while total > self._most_bytes and len(self._held) > 1:
                _, gone = self._held.popitem(last=False)
                total -= gone.matrix.nbytes


def _key(where: Neighbourhood) -> Key:
    return where.model, where.tenant, where.kind
