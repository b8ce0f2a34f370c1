"""Settled: what every search reads of a file, and what hardly ever changes.

Who the tenant is, which workspaces and models there are, how large the index is: it stays the same
until somebody writes, and SQLite tells each connection whether anybody has. As long as nobody does
it is asked for once.
"""

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

_Value = TypeVar("_Value")
_MOST = 200


class SettledReads:
    """What one connection has read. Only `forget` may be called from other threads."""

    def __init__(self) -> None:
        """Nothing is read yet."""
        self._commits = -1
        self._known: dict[Hashable, Any] = {}

    def follow(self, commits: int) -> None:
        """Forget everything, if somebody has written to the file since.

        Args:
            commits: a number that is another then.
        """
        if commits != self._commits:
            self._commits, self._known = commits, {}

    def look_up(self, what: Hashable, read: Callable[[], _Value]) -> _Value:
        """What was read, or is read now."""
        known = self._known
        if what not in known:
            if len(known) >= _MOST:
                known.clear()
            known[what] = read()
        value: _Value = known[what]
        return value

    def forget(self) -> None:
        """Remember nothing that a snapshot from now on might not have."""
        self._known = {}
