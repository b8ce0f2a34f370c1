"""Standings: the visibility and the length of each document, as far as a process has read them.

Both are needed of every document that holds a word of a question, and hardly ever change. So they
are kept in two columns by document number, which hold no word of anybody. A tenant's count of
changes tells which documents were changed: these are read again when they are next asked for, and
all of them once something was erased, for numbers may be given again. A document that was never
embedded does not tell when it is changed, so it is read anew after any change.

Those of a small home are read as they are asked for, those of a large one all at once
(`standings_cache`).
"""

import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from memoria.store.image.changed import list_changed
from memoria.store.image.sorted_rows import Bits, Integers, list_once
from memoria.store.image.tenants import StoreTenant
from memoria.store.image.varints import sum_varints
from memoria.store.image.visibility import write_token
from memoria.store.sql.statements import TenantRows, list_numbers

_Column = NDArray[np.int32]
_UNKNOWN = 0
_THEIRS = 1
"""Code of a document that is another tenant's."""
_OWN = 2
_PAGE = 1000
_COUNTED_AT_ONCE = 1 << 16
_MOST_FLEETING = 1000
"""Number of documents read anew after any change, up to which a home counts as known."""


class Standing(NamedTuple):
    """Some documents, in columns."""

    codes: _Column
    """Codes of their visibilities."""
    lengths: _Column
    """Numbers of their words."""


class VisibilityColumns:
    """The visibilities and lengths known of one tenant's documents. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._changes = self._newest = 0
        self._codes = np.zeros(0, np.int32)
        self._lengths = np.zeros(0, np.int32)
        self._by_token: dict[str, int] = {}
        self._fleeting: list[int] = []
        """Documents that do not tell when they are changed."""
        self._is_whole = False

    def is_whole(self, tenant: StoreTenant) -> bool:
        """Check whether all of a snapshot's documents are known, but for new or changed ones."""
        with self._lock:
            is_kept = self._is_whole and tenant.last_erasure <= self._changes
            return is_kept and len(self._fleeting) <= _MOST_FLEETING

    def read_all(self, rows: TenantRows, tenant: StoreTenant, going_on: Callable[[], bool]) -> None:
        """Read the standing of all documents of a snapshot, into an empty object.

        Args:
            rows: the statements about documents, on that snapshot.
            tenant: as the snapshot has it.
            going_on: asked now and then; False ends the reading.
        """
        with self._lock:
            self._follow(rows, tenant)
            self._grow(tenant.newest_document)
            self._codes[: tenant.newest_document + 1] = _THEIRS
            after = 0
            while page := rows.tuples("all_standings", after=after, limit=_PAGE):
                if not going_on():
                    return
                self._put(page)
                after = page[-1][0]
            self._is_whole = True

    def read(self, rows: TenantRows, tenant: StoreTenant, ns: Integers) -> Standing | None:
        """Return the standing of documents on a snapshot; None if others have followed a newer one.

        Args:
            rows: the statements about documents, on that snapshot.
            tenant: as the snapshot has it.
            ns: the numbers of documents, each as often as you like.
        """
        with self._lock:
            if not self._follow(rows, tenant):
                return None
            if len(ns):
                self._grow(int(ns.max()))
            codes = self._codes[ns]
            unknown = ns[codes == _UNKNOWN]
            if len(unknown):
                self._learn(rows, list_once(unknown).tolist())
                codes = self._codes[ns]
            return Standing(codes, self._lengths[ns])

    def has_more(
        self, rows: TenantRows, tenant: StoreTenant, tokens: Sequence[str], most: int
    ) -> bool:
        """Check whether more than `most` documents of these visibilities are known on a snapshot.

        Args:
            rows: the statements about documents, on that snapshot.
            tenant: as the snapshot has it.
            tokens: the visibilities.
            most: the number to exceed.
        """
        with self._lock:
            if not self._follow(rows, tenant):
                return False
            left = most
            for start in range(0, len(self._codes), _COUNTED_AT_ONCE):
                page = self._codes[start : start + _COUNTED_AT_ONCE]
                left -= int(np.count_nonzero(self.select(page, tokens)))
                if left < 0:
                    return True
        return False

    def select(self, codes: _Column, tokens: Sequence[str]) -> Bits:
        """Return for each code whether it is of one of these visibilities."""
        seen = [self._by_token[token] for token in tokens if token in self._by_token]
        is_seen = np.zeros(_OWN + len(self._by_token), np.bool_)
        is_seen[seen] = True
        found: Bits = is_seen[codes]
        return found

    def _follow(self, rows: TenantRows, tenant: StoreTenant) -> bool:
        now, before = tenant.age, (self._changes, self._newest)
        if now <= before:
            return now == before
        if tenant.last_erasure > self._changes:
            self._codes.fill(_UNKNOWN)
            self._is_whole = False
        elif tenant.changes > self._changes and len(self._codes):
            changed = list_changed(rows, self._changes)
            self._codes[[n for n in changed if n < len(self._codes)]] = _UNKNOWN
        if tenant.changes > self._changes:
            self._codes[self._fleeting] = _UNKNOWN
            self._fleeting = []
        self._codes[self._newest + 1 :] = _UNKNOWN
        self._changes, self._newest = now
        return True

    def _grow(self, newest: int) -> None:
        more = newest + 1 - len(self._codes)
        if more > 0:
            room = np.zeros(more + len(self._codes) // 8, np.int32)
            self._codes = np.concatenate([self._codes, room])
            self._lengths = np.concatenate([self._lengths, room])

    def _learn(self, rows: TenantRows, ns: Sequence[int]) -> None:
        self._codes[ns] = _THEIRS
        self._put(rows.tuples("standings", ns=list_numbers(ns)))

    def _put(self, found: Iterable[tuple[Any, ...]]) -> None:
        for n, kind, tenant, place, current, suppressed, processed, changed, sizes in found:
            token = write_token(kind, tenant, place, current, suppressed, processed)
            self._codes[n] = self._by_token.setdefault(token, _OWN + len(self._by_token))
            self._lengths[n] = sum_varints(sizes)
            if not changed:
                self._fleeting.append(n)
