"""Visibility columns: the visibility and the length of each document.

Both are needed of every document that holds a word of a question, and hardly ever change. So they
are kept in two arrays by document number, which hold no word of anybody. Those of a small home are
read as they are asked for, those of a large one all at once (`tenant_images`).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from memoria.store.image.index_size import sum_varints
from memoria.store.image.sorted_rows import Bits, Integers, list_once
from memoria.store.image.tenant_image import ImageColumn, TenantChanges
from memoria.store.image.visibility import write_token
from memoria.store.sql.statements import TenantRows, list_numbers

_Array = NDArray[np.int32]
_UNKNOWN = 0
_THEIRS = 1
"""Code of a document that is another tenant's."""
_OWN = 2
_PAGE = 1000
_COUNTED_AT_ONCE = 1 << 16
_MOST_FLEETING = 1000
"""Number of documents read anew after any change, up to which a home counts as known."""


class Standing(NamedTuple):
    """Visibilities and lengths of some documents."""

    codes: _Array
    """Codes of their visibilities."""
    lengths: _Array
    """Numbers of their words."""
    by_token: Mapping[str, int]
    """Codes by visibility."""

    def select(self, kept: Bits) -> "Standing":
        """Return the selected documents."""
        return Standing(self.codes[kept], self.lengths[kept], self.by_token)

    def is_of(self, tokens: Sequence[str]) -> Bits:
        """Return True for each document of one of these visibilities."""
        return _select(self.codes, tokens, self.by_token)


class VisibilityColumns(ImageColumn):
    """Visibilities and lengths of a tenant's documents, as far as they are known."""

    def __init__(self) -> None:
        self._codes = np.zeros(0, np.int32)
        self._lengths = np.zeros(0, np.int32)
        self._by_token: dict[str, int] = {}
        self._fleeting: list[int] = []
        """Documents that do not tell when they are changed."""
        self.is_read = False
        """True if all documents of a snapshot were read."""

    @property
    def is_whole(self) -> bool:
        """True if the column has the visibility of every document of the tenant."""
        return self.is_read and len(self._fleeting) <= _MOST_FLEETING

    def read_all(self, rows: TenantRows, newest: int, going_on: Callable[[], bool]) -> None:
        """Read all documents of a snapshot into an empty column.

        Args:
            rows: the statements about documents, on that snapshot.
            newest: the number of the tenant's newest document there.
            going_on: asked now and then; False ends the reading.
        """
        self._grow(newest)
        self._codes[: newest + 1] = _THEIRS
        after = 0
        while page := rows.tuples("all_standings", after=after, limit=_PAGE):
            if not going_on():
                return
            self._put(page)
            after = page[-1][0]
        self.is_read = True

    def read(self, rows: TenantRows, ns: Integers) -> Standing:
        """Return visibilities and lengths of documents, and read unknown documents.

        Args:
            rows: the statements about documents, on a snapshot of the image's state.
            ns: the numbers of documents, each as often as you like.
        """
        if len(ns):
            self._grow(int(ns.max()))
        codes = self._codes[ns]
        unknown = ns[codes == _UNKNOWN]
        if len(unknown):
            self._learn(rows, list_once(unknown).tolist())
            codes = self._codes[ns]
        return Standing(codes, self._lengths[ns], self._by_token)

    def has_more(self, tokens: Sequence[str], most: int) -> bool:
        """Check whether more than `most` documents of these visibilities are known."""
        left = most
        for start in range(0, len(self._codes), _COUNTED_AT_ONCE):
            page = self._codes[start : start + _COUNTED_AT_ONCE]
            left -= int(np.count_nonzero(_select(page, tokens, self._by_token)))
            if left < 0:
                return True
        return False

    def apply(self, changes: TenantChanges) -> bool:
        """Mark changed documents, to be read again when they are next asked for."""
        self._codes[[n for n in changes.changed if n < len(self._codes)]] = _UNKNOWN
        if changes.now.changes > changes.seen:
            self._codes[self._fleeting] = _UNKNOWN
            self._fleeting = []
        self._codes[changes.newest + 1 :] = _UNKNOWN
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


def _select(codes: _Array, tokens: Sequence[str], by_token: Mapping[str, int]) -> Bits:
    seen = [by_token[token] for token in tokens if token in by_token]
    is_seen = np.zeros(_OWN + len(by_token), np.bool_)
    is_seen[seen] = True
    found: Bits = is_seen[codes]
    return found
