"""Cached reads of a connection or a transaction, kept as long as nothing can change them.

A tenant, its workspaces, the models and the size of the index stay the same until somebody writes,
and SQLite tells each connection whether anybody has. Rows of documents are kept for one
transaction: a question is several searches if it asks several things, and the neighbours of a hit
were often candidates themselves.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Generic, TypeVar

_Value = TypeVar("_Value")
_MOST_READS = 200


class SnapshotCache:
    """Cached reads of one connection. Only `forget` may be called from other threads."""

    def __init__(self) -> None:
        self._commits = -1
        self._known: dict[Hashable, Any] = {}

    def follow(self, commits: int) -> None:
        """Drop everything if somebody has written to the file.

        Args:
            commits: a number that changes when somebody has.
        """
        if commits != self._commits:
            self._commits, self._known = commits, {}

    def look_up(self, what: Hashable, read: Callable[[], _Value]) -> _Value:
        """Return the cached value of a key; call `read` if nothing is cached."""
        known = self._known
        if what not in known:
            if len(known) >= _MOST_READS:
                known.clear()
            known[what] = read()
        value: _Value = known[what]
        return value

    def forget(self) -> None:
        """Drop everything."""
        self._known = {}


_MOST_ROWS = 2_000
"""Documents: more than the searches of a question read, and enough for reading a record once."""


class RememberedRows(Generic[_Value]):
    """Rows of documents that a transaction has read."""

    def __init__(self, *, is_kept: bool) -> None:
        """Make an empty cache.

        Args:
            is_kept: True if nothing changes meanwhile; for a writer, every call reads.
        """
        self._is_kept = is_kept
        self._known: dict[int, _Value | None] = {}

    def look_up(
        self, ns: Sequence[int], read: Callable[[Sequence[int]], Mapping[int, _Value]]
    ) -> dict[int, _Value]:
        """Map documents to their values, oldest first; documents without a value are missing.

        Args:
            ns: their numbers.
            read: reads those that are not known.
        """
        if not self._is_kept or len(self._known) > _MOST_ROWS:
            self._known = {}
        unknown = [n for n in ns if n not in self._known]
        if unknown:
            found = read(unknown)
            self._known.update(dict.fromkeys(unknown))
            self._known.update(found)
        return self._select(sorted({*ns}))

    def list_kept(self, ns: Sequence[int]) -> dict[int, _Value]:
        """Map documents to the values that were read already."""
        return self._select(ns) if self._is_kept else {}

    def _select(self, ns: Sequence[int]) -> dict[int, _Value]:
        known = self._known
        return {n: value for n in ns if (value := known.get(n)) is not None}
