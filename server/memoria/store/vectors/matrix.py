"""Matrix: vectors in memory, searched by one multiplication.

Rows lie in blocks of two thousand: growing copies nothing, and a gap is closed with the last row.
The product is taken row by row (`vecdot`), which stays on one thread: a matrix-vector product on
two is much slower on a machine whose other core is busy.
"""

from collections import Counter, OrderedDict
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memoria.model import Vector
from memoria.store.values import Match

_BLOCK = 2048
_SAMPLED = 64
"""One score in so many is sampled to guess the lowest that is needed."""
_SPARE = 4
"""Factor by which the guess lets through more scores than are wanted."""
_SCORE_BYTES = 4
_MOST_ASKED = 4
"""Number of questions whose scores are kept: an agent asks the same of both levels."""


class _ScoredQuestion(NamedTuple):
    """A question's vector, and the scores of all rows."""

    vector: Vector
    scores: NDArray[np.float32]
    """Scores of all rows, those that are still free included."""


class Matrix:
    """Documents with their vectors and visibilities. Not thread-safe."""

    def __init__(self, dims: int) -> None:
        self._dims = dims
        self.clear()

    def clear(self) -> None:
        """Drop all documents."""
        self._blocks: list[NDArray[np.float32]] = []
        self._ns = np.empty(0, np.int64)
        self._visibilities = np.empty(0, np.int32)
        self._rows: dict[int, int] = {}
        self._codes: dict[str, int] = {}
        self._visible_counts: Counter[int] = Counter()
        self._asked: OrderedDict[bytes, _ScoredQuestion] = OrderedDict()

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def nbytes(self) -> int:
        """Bytes that the rows take."""
        return (
            sum(block.nbytes for block in self._blocks)
            + len(self._asked) * len(self._ns) * _SCORE_BYTES
            + self._ns.nbytes
            + self._visibilities.nbytes
        )

    def put(self, n: int, visibility: str, vector: bytes) -> None:
        """Add a document's vector, or replace it."""
        row = self._rows.get(n)
        if row is None:
            row = self._rows[n] = len(self._rows)
        else:
            self._visible_counts[int(self._visibilities[row])] -= 1
        if row == len(self._ns):
            self._grow()
        self._ns[row] = n
        self._visibilities[row] = code = self._codes.setdefault(visibility, len(self._codes))
        self._visible_counts[code] += 1
        self._at(row)[:] = np.frombuffer(vector, np.float32)
        for asked in self._asked.values():
            asked.scores[row] = np.vecdot(self._at(row), asked.vector)

    def drop(self, n: int) -> None:
        """Drop a document, and wipe its vector."""
        row = self._rows.pop(n, None)
        if row is None:
            return
        self._visible_counts[int(self._visibilities[row])] -= 1
        last = len(self._rows)
        if row != last:
            self._at(row)[:] = self._at(last)
            self._ns[row], self._visibilities[row] = self._ns[last], self._visibilities[last]
            self._rows[int(self._ns[row])] = row
            for asked in self._asked.values():
                asked.scores[row] = asked.scores[last]
        self._at(last).fill(0)

    def keep_only(self, ns: Iterable[int]) -> None:
        """Drop all other documents, and all kept scores."""
        self._asked.clear()
        for n in self._rows.keys() - set(ns):
            self.drop(n)

    def nearest(
        self,
        scopes: Sequence[str],
        allowed: Collection[int] | None,
        scores: NDArray[np.float32],
        limit: int,
    ) -> list[Match]:
        """Return the nearest documents of these visibilities, best first; of equals, oldest first.

        Args:
            scopes: the visibilities.
            allowed: the documents to choose from; None for all.
            scores: of every row, as `score` gives them.
            limit: the largest number of documents.
        """
        wanted = self._select_rows(scopes, allowed)
        if wanted is not None:
            rows = np.flatnonzero(wanted)
            scores = scores[rows]
        best = _highest(scores, limit)
        scores, rows = scores[best], best if wanted is None else rows[best]
        ns = self._ns[rows]
        order = np.lexsort((ns, -scores))[:limit]
        return Match.list_of(zip(ns[order].tolist(), scores[order].tolist(), strict=True))

    def _select_rows(
        self, scopes: Sequence[str], allowed: Collection[int] | None
    ) -> NDArray[np.bool_] | None:
        """Return a mask of the wanted rows; None if all rows are wanted."""
        size = len(self)
        codes = [self._codes[scope] for scope in scopes if scope in self._codes]
        if allowed is None and sum(self._visible_counts[code] for code in codes) == size:
            return None
        is_wanted = np.zeros(len(self._codes), np.bool_)
        is_wanted[codes] = True
        wanted: NDArray[np.bool_] = is_wanted[self._visibilities[:size]]
        if allowed is not None:
            wanted &= np.isin(self._ns[:size], np.fromiter(allowed, np.int64, len(allowed)))
        return wanted

    def score(self, vector: Vector) -> NDArray[np.float32]:
        """Return the product of each row with a vector; products of the last vectors are kept."""
        key = vector.tobytes()
        asked = self._asked.get(key)
        if asked is None:
            scores = np.empty(len(self._ns), np.float32)
            for place, rows in self._list_parts():
                np.vecdot(rows, vector, out=scores[place])
            asked = self._asked[key] = _ScoredQuestion(vector.copy(), scores)
            if len(self._asked) > _MOST_ASKED:
                self._asked.popitem(last=False)
        return asked.scores[: len(self)]

    def _list_parts(self) -> Iterator[tuple[slice, NDArray[np.float32]]]:
        """Yield the rows block by block, each with its place among all."""
        for start, block in zip(range(0, len(self), _BLOCK), self._blocks, strict=False):
            end = min(start + _BLOCK, len(self))
            yield slice(start, end), block[: end - start]

    def _grow(self) -> None:
        self._asked.clear()
        self._blocks.append(np.zeros((_BLOCK, self._dims), np.float32))
        self._ns = np.concatenate([self._ns, np.zeros(_BLOCK, np.int64)])
        self._visibilities = np.concatenate([self._visibilities, np.zeros(_BLOCK, np.int32)])

    def _at(self, row: int) -> NDArray[np.float32]:
        block, at = divmod(row, _BLOCK)
        row_vector: NDArray[np.float32] = self._blocks[block][at]
        return row_vector


def _highest(scores: NDArray[np.float32], limit: int) -> NDArray[np.intp]:
    """Return the indexes of the `limit` highest scores, with all scores equal to the lowest."""
    if len(scores) <= limit:
        return np.arange(len(scores))
    sample, nth = scores[::_SAMPLED], limit * _SPARE // _SAMPLED
    if nth < len(sample):
        likely = (scores >= np.partition(sample, -nth - 1)[-nth - 1]).nonzero()[0]
        if len(likely) >= limit:
            best: NDArray[np.intp] = likely[_select_highest(scores[likely], limit)]
            return best
    return _select_highest(scores, limit)


def _select_highest(scores: NDArray[np.float32], limit: int) -> NDArray[np.intp]:
    highest: NDArray[np.intp] = (scores >= np.partition(scores, -limit)[-limit]).nonzero()[0]
    return highest
