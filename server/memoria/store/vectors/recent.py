"""Recent changes that vectors in memory have followed, to serve older snapshots.

Many searches go on at once, and what they share in memory is as new as the newest snapshot of them.
The others' snapshots lack what was changed meanwhile. As long as these changes are known document
by document, an older snapshot is served, too: without those documents, and with what the snapshot
has of them. Else it would have to read every vector.
"""

from collections import deque
from collections.abc import Set

_MOST = 200
"""Number of changes: many times what happens during a search."""


class RecentChanges:
    """The documents that were changed last. Not thread-safe."""

    def __init__(self) -> None:
        self._known_from = self._newest = 0
        self._changes: deque[tuple[int, int]] = deque()

    def begin_at(self, change: int) -> None:
        """Drop all changes up to this one: they were too many, or something was erased."""
        self._known_from = change
        self._changes.clear()

    def add(self, change: int, n: int) -> None:
        """Record a change of a document."""
        self._changes.append((change, n))
        self._newest = max(self._newest, change)
        if len(self._changes) > _MOST:
            gone, _ = self._changes.popleft()
            self._known_from = max(self._known_from, gone)

    def after(self, change: int) -> Set[int] | None:
        """Return the documents changed after this change; None if not all are known."""
        if change < self._known_from:
            return None
        if change >= self._newest:
            return frozenset()  # as nearly always
        return {n for changed, n in self._changes if changed > change}
