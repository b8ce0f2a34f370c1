"""Compressed vectors: codes in memory, a quarter of a byte for each number of a vector.

Product quantisation (H. Jégou, M. Douze, C. Schmid, "Product Quantization for Nearest Neighbor
Search", 2011): every two numbers of a vector are replaced by the nearest of sixteen pairs learnt
from a sample, and a question is compared with codes by table look-up (Y. André and others, "Cache
locality is not enough", 2015). Four times as many as are wanted are looked up that way, and the
truth decides among them: their vectors are read from the file (decision 010).

faiss does the work, where it is installed: `memoria-server[fast]`.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence, Set
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memoria.model import Vector
from memoria.store.image.counts import BUDGET

_ROUNDS = 10
_BITS = 4
_BATCH = 4096
_DEAD = -1
_NOWHERE = -1
_SLACK = 1.25
_WORTH_REMOVING = 0.25
_MOST_UNCODED = 32
"""New vectors that are candidates of every search: coding one takes longer than reading it."""


class CompressedVectors:
    """Documents with the codes of their vectors, and visibilities. Not thread-safe."""

    def __init__(self, dims: int, sample: NDArray[np.float32]) -> None:
        """Learn codes from a sample.

        Args:
            dims: the length of a vector, an even number.
            sample: vectors to learn the pairs from.
        """
        import faiss  # noqa: PLC0415  (an extra, and slow to import)

        faiss.omp_set_num_threads(1)  # two are slower on a machine whose other core is busy
        self._dims = dims
        self._index: Any = faiss.IndexPQFastScan(dims, dims // 2, _BITS, faiss.METRIC_INNER_PRODUCT)
        self._index.pq.cp.niter = _ROUNDS
        self._index.pq.cp.min_points_per_centroid = 1
        self._index.train(sample)
        self.clear()

    def clear(self) -> None:
        """Drop all documents, and keep the codes that were learnt."""
        self._index.reset()
        self._ns = np.empty(0, np.int64)
        self._visibilities = np.empty(0, np.int32)
        self._row_of = np.empty(0, np.int32)
        self._codes: dict[str, int] = {}
        self._waiting: dict[int, tuple[int, bytes]] = {}
        """Visibility and vector by document, of those that have no code yet."""

    def __len__(self) -> int:
        return int(np.count_nonzero(self._visibilities != _DEAD)) + len(self._waiting)

    @property
    def nbytes(self) -> int:
        """Bytes that the rows take."""
        arrays = (self._ns, self._visibilities, self._row_of)
        return int(self._index.codes.size()) + sum(array.nbytes for array in arrays)

    def put(self, n: int, visibility: str, vector: bytes) -> None:
        """Add a document's vector, or replace it."""
        self._waiting[n] = self._codes.setdefault(visibility, len(self._codes)), vector
        if len(self._waiting) >= _BATCH:
            self.flush()

    def flush(self) -> None:
        """Code the vectors that have no code yet."""
        if not self._waiting:
            return
        waiting, self._waiting = self._waiting, {}
        ns = np.fromiter(waiting, np.int64, len(waiting))
        visibilities = np.fromiter((code for code, _ in waiting.values()), np.int32, len(waiting))
        vectors = np.frombuffer(b"".join(vector for _, vector in waiting.values()), np.float32)
        self._write(ns, visibilities, vectors.reshape(len(ns), self._dims))

    def drop(self, n: int) -> None:
        """Drop a document."""
        self._waiting.pop(n, None)
        row = self._row(n)
        if row != _NOWHERE:
            self._visibilities[row] = _DEAD
            self._row_of[n] = _NOWHERE

    def keep_only(self, ns: Iterable[int]) -> None:
        """Drop every document that is not among these, and wipe its vector."""
        self.flush()
        kept = np.isin(self._ns, np.fromiter(ns, np.int64)) & (self._visibilities != _DEAD)
        self._remove(np.flatnonzero(~kept))

    def nearest_candidates(
        self, scopes: Sequence[str], allowed: Collection[int] | None, vector: Vector, most: int
    ) -> list[int]:
        """List the documents of these visibilities whose codes are nearest, best first.

        Those without a code yet come before them.
        """
        if len(self._waiting) > _MOST_UNCODED:
            self.flush()
        codes = {self._codes[scope] for scope in scopes if scope in self._codes}
        coded = self._ns[self._nearest_rows(codes, allowed, vector, most)].tolist()
        new = [n for n, (code, _) in self._waiting.items() if code in codes]
        return [
            *(n for n in new if allowed is None or n in allowed),
            *(n for n in coded if n not in self._waiting),
        ]

    def _nearest_rows(
        self, codes: Set[int], allowed: Collection[int] | None, vector: Vector, most: int
    ) -> NDArray[np.intp]:
        wanted = np.zeros(len(self._visibilities), np.bool_)
        for code in codes:
            wanted |= self._visibilities == code
        if allowed is not None:
            wanted &= np.isin(self._ns, np.fromiter(allowed, np.int64, len(allowed)))
        many = int(np.count_nonzero(wanted))
        if many <= max(most, BUDGET):
            return self._nearest_of(np.flatnonzero(wanted), vector, most)
        asked = min(int(most * _SLACK * len(wanted) / many), len(wanted))
        _, found = self._index.search(vector[np.newaxis], asked)
        rows: NDArray[np.intp] = found[0][found[0] >= 0]
        return rows[wanted[rows]][:most]

    def _nearest_of(self, rows: NDArray[np.intp], vector: Vector, most: int) -> NDArray[np.intp]:
        """Return the nearest of a few rows by the vectors that are decoded from their codes."""
        if not len(rows):
            return rows
        scores = np.concatenate([part @ vector for part in self._decode(rows)])
        nearest: NDArray[np.intp] = rows[np.argsort(-scores, kind="stable")[:most]]
        return nearest

    def _decode(self, rows: NDArray[np.intp]) -> Iterator[NDArray[np.float32]]:
        for first in range(0, len(rows), _BATCH):
            yield self._index.reconstruct_batch(rows[first : first + _BATCH])

    def _write(
        self, ns: NDArray[np.int64], visibilities: NDArray[np.int32], vectors: NDArray[np.float32]
    ) -> None:
        self._make_room(int(ns.max()))
        rows = self._row_of[ns]
        new = rows == _NOWHERE
        known = np.flatnonzero(~new)
        if len(known):
            moved = known[self._differing_rows(rows[known], vectors[known])]
            self._visibilities[rows[moved]] = _DEAD
            new[moved] = True
        stay = ~new
        self._visibilities[rows[stay]] = visibilities[stay]
        self._append(ns[new], visibilities[new], vectors[new])
        dead = np.flatnonzero(self._visibilities == _DEAD)
        if len(dead) > _WORTH_REMOVING * len(self._visibilities):
            self._remove(dead)

    def _differing_rows(
        self, rows: NDArray[np.int32], vectors: NDArray[np.float32]
    ) -> NDArray[np.bool_]:
        """Return for each vector whether its code differs from the row's."""
        afresh = self._index.pq.decode(self._index.pq.compute_codes(vectors))
        held = self._index.reconstruct_batch(rows.astype(np.int64))
        differ: NDArray[np.bool_] = ~np.isclose(afresh, held, atol=1e-6).all(axis=1)
        return differ

    def _append(
        self, ns: NDArray[np.int64], visibilities: NDArray[np.int32], vectors: NDArray[np.float32]
    ) -> None:
        if len(ns):
            self._row_of[ns] = np.arange(len(self._ns), len(self._ns) + len(ns))
            self._ns = np.concatenate([self._ns, ns])
            self._visibilities = np.concatenate([self._visibilities, visibilities])
            self._index.add(vectors)

    def _remove(self, rows: NDArray[np.intp]) -> None:
        if not len(rows):
            return
        self._index.remove_ids(rows.astype(np.int64))
        self._row_of[self._ns[rows]] = _NOWHERE
        self._ns = np.delete(self._ns, rows)
        self._visibilities = np.delete(self._visibilities, rows)
        alive = self._visibilities != _DEAD
        self._row_of[self._ns[alive]] = np.flatnonzero(alive)

    def _row(self, n: int) -> int:
        return int(self._row_of[n]) if n < len(self._row_of) else _NOWHERE

    def _make_room(self, n: int) -> None:
        if n >= len(self._row_of):
            more = max(n + 1, len(self._row_of) * 5 // 4) - len(self._row_of)
            self._row_of = np.concatenate([self._row_of, np.full(more, _NOWHERE, np.int32)])
