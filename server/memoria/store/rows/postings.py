"""Postings: lists of the documents that hold a question's words, read once and scored at once.

FTS5 walks the list of each word of a query several times, and scores one document after the other.
Postings read the list of each word once; the number of visible documents with the word and the BM25
score of each document are arithmetic over arrays, equal to the last bit to the score of FTS5.

A list also has documents that are not visible, so postings serve homes within the budget, and words
in no more documents than the budget. The tables of FTS5 that are read are part of SQLite's file
format, which newer versions of SQLite can't change.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from memoria.store.image.index_size import IndexSize
from memoria.store.image.sorted_rows import Bits, Integers
from memoria.store.image.tenant_images import ImageReader
from memoria.store.image.visibility_columns import Standing, VisibilityColumns
from memoria.store.image.words import CONTEXT_WEIGHT, Posting, PostingLists
from memoria.store.sql.statements import TenantRows
from memoria.store.values import Match

Floats = NDArray[np.float64]
Indexes = NDArray[np.intp]

_K1 = 1.2
_B = 0.75
_LEAST_IDF = 1e-6
"""Weight of a word that half of all documents hold; all three constants are those of FTS5."""
_FEW = 1000
"""Number of documents up to which all are sorted: selecting the best first takes longer."""
_NOWHERE = Posting(np.zeros(0, np.int32), np.zeros(0))


class _WordPlaces(NamedTuple):
    """Documents with each of some words, one list after the other."""

    ns: Integers
    """Numbers of the documents."""
    at: Integers
    """Index of the word."""
    times: Floats
    standing: Standing
    """Standing of the documents."""

    def select(self, kept: Bits) -> "_WordPlaces":
        """Return the selected rows."""
        return _WordPlaces(
            self.ns[kept], self.at[kept], self.times[kept], self.standing.select(kept)
        )


class RankedDocuments(Sequence[Match]):
    """Documents with their scores, best first; of equal scores the oldest document first.

    Only documents that are looked at are sorted: mostly the first of many.
    """

    def __init__(self, ns: Integers, scores: Floats) -> None:
        """Keep arrays that are not sorted yet.

        Args:
            ns: the numbers of the documents, oldest first.
            scores: the scores of the documents.
        """
        self._ns, self._scores = ns, scores

    def __len__(self) -> int:
        return len(self._ns)

    @overload
    def __getitem__(self, at: int) -> Match: ...
    @overload
    def __getitem__(self, at: slice) -> list[Match]: ...
    def __getitem__(self, at: int | slice) -> Match | list[Match]:
        if isinstance(at, int):
            return self[:][at]
        first, last, step = at.indices(len(self))
        best = self._order(last)[first:last:step]
        return Match.list_of(zip(self._ns[best].tolist(), self._scores[best].tolist(), strict=True))

    def _order(self, most: int) -> Indexes:
        """Return the indexes of at least the `most` best, sorted."""
        scores = self._scores
        if len(scores) <= max(_FEW, most):
            return (-scores).argsort(kind="stable")
        least = np.partition(scores, -most)[-most] if most else np.inf
        likely = (scores >= least).nonzero()[0]
        order: Indexes = likely[(-scores[likely]).argsort(kind="stable")]
        return order


class Postings:
    """Documents of words, counted and scored on one snapshot."""

    def __init__(self, rows: TenantRows, reading: ImageReader, size: IndexSize) -> None:
        """Bind to a snapshot.

        Args:
            rows: the statements about documents.
            reading: the reader's image.
            size: of the index.
        """
        self._rows = rows
        self._reading = reading
        self._size = size
        self._known: dict[str, Posting] = {}
        self._last: tuple[object, _WordPlaces] | None = None
        """Lists of the words that were last asked for."""
        self._last_seen: tuple[object, _WordPlaces] | None = None
        """Visible part of the lists last asked for: a question counts words, then searches."""
        self._ranked: dict[tuple[str, ...], RankedDocuments] = {}

    def add(self, found: Mapping[str, Posting]) -> None:
        """Add the lists of words."""
        self._known |= found

    def put(self, places: Mapping[str, str | None]) -> None:
        """Add the documents of words.

        Args:
            places: by word, a number for each occurrence in order of the documents: twice the
                document's number, plus one for an occurrence in speaker or time.
        """
        many = [text.count(",") + 1 if text else 0 for text in places.values()]
        run = ",".join(filter(None, places.values()))
        numbers = np.fromstring(run, np.int32, sep=",") if run else np.empty(0, np.int32)
        at = np.repeat(np.arange(len(many)), many)
        ns, weights = numbers >> 1, np.where(numbers & 1, CONTEXT_WEIGHT, 1.0)
        begins = np.ones(len(ns), np.bool_)
        begins[1:] = (ns[1:] != ns[:-1]) | (at[1:] != at[:-1])
        times: Floats = np.bincount(begins.cumsum() - 1, weights).astype(np.float64)
        ends = np.bincount(at[begins], minlength=len(many)).cumsum().tolist()
        ns = ns[begins]
        found = {
            term: Posting(ns[start:end].copy(), times[start:end].copy())
            for term, start, end in zip(places, [0, *ends], ends, strict=False)
        }
        self._known |= found
        if not self._reading.tenant.has_others:
            with self._reading.open() as image:
                image.column(PostingLists).keep(self._size, found)

    def sees_more(self, scope: Sequence[str], most: int) -> bool:
        """Check whether more than `most` documents are known to have one of these visibilities."""
        with self._reading.open() as image:
            return image.column(VisibilityColumns).has_more(scope, most)

    def count(self, terms: Sequence[str], scope: Sequence[str]) -> dict[str, int]:
        """Count the visible documents that hold each word.

        Args:
            terms: the words.
            scope: the visibilities that a question may see.
        """
        counts = np.bincount(self._list_seen(terms, scope).at, minlength=len(terms))
        return dict(zip(terms, counts.tolist(), strict=True))

    def may_hold_all(self, terms: Sequence[str], scope: Sequence[str]) -> bool:
        """Check whether a visible document holds all the words, speaker and time included."""
        places = self._list_places(terms)
        ns = places.ns[places.standing.is_of(scope)]
        return len(ns) >= len(terms) and bool((np.bincount(ns) == len(terms)).any())

    def best(
        self, terms: Sequence[str], scope: Sequence[str], among: Collection[int] | None, limit: int
    ) -> list[Match]:
        """Return the best documents by BM25; of equal scores the oldest document first.

        Args:
            terms: any of these words, in the order of the query.
            scope: the visibilities that a question may see.
            among: the only documents that are wanted; None for all.
            limit: the largest number of documents.
        """
        return self._rank(terms, scope, among)[:limit]

    def rank(self, terms: Sequence[str], scope: Sequence[str]) -> RankedDocuments:
        """Rank all documents of some visibilities with one of the words, best first."""
        asked = (*terms, *scope)
        if asked not in self._ranked:
            self._ranked[asked] = self._rank(terms, scope, None)
        return self._ranked[asked]

    def _rank(
        self, terms: Sequence[str], scope: Sequence[str], among: Collection[int] | None
    ) -> RankedDocuments:
        places = self._list_seen(terms, scope)
        if among is not None:
            places = places.select(np.isin(places.ns, np.fromiter(among, np.int64, len(among))))
        gains = self._saturate(places.times, places.standing.lengths)
        weights: Floats = self._weigh(terms)[places.at] * gains
        scores: Floats = np.bincount(places.ns, weights).astype(np.float64, copy=False)
        found = scores.nonzero()[0]
        return RankedDocuments(found, scores[found])

    def _weigh(self, terms: Sequence[str]) -> Floats:
        """Return the weight of each word: the rarer in the file, the higher."""
        held = [len(self._known.get(term, _NOWHERE).ns) for term in terms]
        tells = [math.log((self._size.documents - many + 0.5) / (many + 0.5)) for many in held]
        return np.array([idf if idf > 0 else _LEAST_IDF for idf in tells])

    def _saturate(self, times: Floats, lengths: NDArray[np.int32]) -> Floats:
        """Return the gain of a word by its numbers of occurrences in documents of some lengths."""
        norms = _K1 * (1 - _B + _B * lengths / self._size.mean_length)
        return (times * (_K1 + 1)) / (times + norms)

    def _list_seen(self, terms: Sequence[str], scope: Sequence[str]) -> _WordPlaces:
        """List the visible documents of each of the words."""
        asked = (*terms,), (*scope,)
        if self._last_seen is None or self._last_seen[0] != asked:
            places = self._list_places(terms)
            self._last_seen = asked, places.select(places.standing.is_of(scope))
        return self._last_seen[1]

    def _list_places(self, terms: Sequence[str]) -> _WordPlaces:
        """List the documents of each of the words."""
        asked = (*terms,)
        if self._last is None or self._last[0] != asked:
            found = [self._known.get(term, _NOWHERE) for term in terms]
            at = np.repeat(np.arange(len(found)), [len(each.ns) for each in found])
            ns = np.concatenate([each.ns for each in found], dtype=np.int64)
            times = np.concatenate([each.times for each in found])
            self._last = asked, _WordPlaces(ns, at, times, self._read_standing(ns))
        return self._last[1]

    def _read_standing(self, ns: Integers) -> Standing:
        with self._reading.open() as image:
            return image.column(VisibilityColumns).read(self._rows, ns)
