"""Settled: a cache of what every search reads of a file and what hardly ever changes.

The tenant, its workspaces, the models, the size of the index: they stay the same until somebody
writes, and SQLite tells each connection whether anybody has. Until then each is read once.
"""

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

_Value = TypeVar("_Value")
_MOST = 200


class SnapshotCache:
    """Cached reads of one connection. Only `forget` may be called from other threads."""

    def __init__(self) -> None:
        self._commits = -1
        self._known: dict[Hashable, Any] = {}

    def follow(self, commits: int) -> None:
        """Drop everything, if somebody has written to the file since.

        Args:
            commits: a number that changes when somebody has.
        """
        if commits != self._commits:
            self._commits, self._known = commits, {}

    def look_up(self, what: Hashable, read: Callable[[], _Value]) -> _Value:
        """Return what was read under a key; read it now if it is not cached."""
        known = self._known
        if what not in known:
            if len(known) >= _MOST:
                known.clear()
            known[what] = read()
        value: _Value = known[what]
        return value

    def forget(self) -> None:
        """Drop everything that a later snapshot might not have."""
        self._known = {}
