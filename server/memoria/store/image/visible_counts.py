"""Visible counts: numbers of a tenant's documents by visibility, as far as they were asked for.

Every search asks which part of a home it sees. What a process has counted follows the file, as
`posting_cache` does: new documents are added. Of an older document only its present visibility is
known, so unless it was new lately all is counted again.
"""

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from memoria.store.image.changed import read_followed
from memoria.store.sql.statements import TenantRows

if TYPE_CHECKING:
    from memoria.store.image.tenants import StoreTenant

_MOST_NEW = 1_000
"""Number of documents whose visibility is kept since they were new."""

Count = Callable[[Sequence[str]], Mapping[str, int]]
"""Counts the documents of visibilities on a snapshot."""


class VisibleCounts:
    """Documents by visibility, as of one state of the file. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._age = (0, 0)
        self._counts: dict[str, int] = {}
        self._new: dict[int, str] = {}
        """Visibilities of the documents that were followed."""

    def look_up(
        self, rows: TenantRows, tenant: "StoreTenant", tokens: Sequence[str], count: Count
    ) -> dict[str, int]:
        """Return the number of documents of each visibility on a snapshot.

        Args:
            rows: the statements about documents, on that snapshot.
            tenant: as the snapshot has it.
            tokens: the visibilities.
            count: counts those that are not known.
        """
        with self._lock:
            if not self._follow(rows, tenant):
                return dict(count(tokens))
            unknown = [token for token in tokens if token not in self._counts]
            if unknown:
                self._counts |= count(unknown)
            return {token: self._counts[token] for token in tokens}

    def _follow(self, rows: TenantRows, tenant: "StoreTenant") -> bool:
        """Bring the counts up to a snapshot; return False if others have followed a newer one."""
        now = tenant.age
        if now < self._age:
            return False
        if now == self._age:
            return True
        is_kept = bool(self._counts) and tenant.last_erasure <= self._age[0]
        if not (is_kept and self._take_in(rows, tenant)):
            self._counts, self._new = {}, {}
        self._age = now
        return True

    def _take_in(self, rows: TenantRows, tenant: "StoreTenant") -> bool:
        """Count new documents; return False if the counts can't be kept right that way."""
        seen, newest = self._age
        followed = read_followed(rows, tenant, seen, newest)
        if followed is None:
            return False
        for each in followed:
            if each.words is None:  # it was taken out of the index, which tells how many there are
                return False
            before = self._new.get(each.n)
            if each.n <= newest and before is None:
                return False
            self._add(before, -1)
            self._add(each.token, 1)
            self._new[each.n] = each.token
        while len(self._new) > _MOST_NEW:
            del self._new[next(iter(self._new))]
        return True

    def _add(self, token: str | None, many: int) -> None:
        if token in self._counts:
            self._counts[token] += many
