"""Posting cache: the lists of documents for the words of the last questions.

Questions share their common words, whose lists are long. The lists follow what is said: the words
of a new document are added to them. Later changes of a document seldom touch its words; if they
might have, or if something was erased, all lists are dropped.
"""

import threading
from collections import Counter, OrderedDict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memoria.store.image.changed import read_followed
from memoria.store.image.index_size import IndexSize
from memoria.store.image.tenants import StoreTenant
from memoria.store.sql.statements import TenantRows

_FEWEST_PLACES = 200_000
_MOST_PLACES = 1_000_000
"""Places of all lists together: from 3 MB in a home of 20,000 documents to 12 MB in a large one."""
_PLACES_OF_EACH = 10
"""Places for each document, between these bounds."""
_EACH = 32
"""Overhead of a list, in places."""
_MOST_DIGESTS = 1_000

_Age = tuple[int, int]
"""Number of a tenant's changes, and its newest document."""


class Posting(NamedTuple):
    """The documents that hold a word."""

    ns: NDArray[np.int32]
    """Numbers of the documents, in order."""
    times: NDArray[np.float64]
    """Number of times in each; a word of who said it and when counts less."""


class PostingCache:
    """The lists that were read last, in a home of one tenant. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._age: _Age = (0, 0)
        self._size = IndexSize()
        self._known: OrderedDict[str, Posting] = OrderedDict()
        self._later: dict[str, list[tuple[int, float]]] = {}
        """Additions to lists, made when these are next asked for: mostly not all of them are, and a
        list may grow several times before."""
        self._room = _FEWEST_PLACES
        """Number of places for which there is room left."""
        self._digests: dict[int, int] = {}
        """Digests of the words of followed documents, to see whether they have changed."""

    def recall(
        self,
        rows: TenantRows,
        tenant: StoreTenant,
        size: IndexSize,
        context_weight: float,
        terms: Iterable[str],
    ) -> dict[str, Posting]:
        """Return the known lists of words on a snapshot; none if others have followed a newer one.

        Args:
            rows: the statements about documents, on that snapshot.
            tenant: as the snapshot has it.
            size: of the index there.
            context_weight: the weight of a word in who said it and when.
            terms: the words.
        """
        with self._lock:
            if tenant.age < self._age:
                return {}
            self._follow(rows, tenant, size, context_weight)
            return {term: self._recall(term) for term in terms if term in self._known}

    def keep(self, tenant: StoreTenant, size: IndexSize, found: Mapping[str, Posting]) -> None:
        """Keep lists that were read on a snapshot, unless others have followed a newer one."""
        with self._lock:
            if not self._known:
                self._age, self._size, self._room = tenant.age, size, _room_in(size)
            if (tenant.age, size) != (self._age, self._size):
                return
            for term, posting in found.items():
                self._put(term, posting)
            while self._room < 0:
                self._drop(next(iter(self._known)))

    def _recall(self, term: str) -> Posting:
        """Return a list with its additions, and make it the last to be dropped."""
        posting, later = self._known[term], self._later.pop(term, None)
        if later:
            ns, times = zip(*later, strict=True)
            ns_there, times_there = posting
            posting = Posting(
                np.append(ns_there, np.array(ns, np.int32)), np.append(times_there, times)
            )
            self._known[term] = posting
        self._known.move_to_end(term)
        return posting

    def _put(self, term: str, posting: Posting) -> None:
        if term in self._known:
            self._drop(term)
        self._room -= _room_of(posting)
        self._known[term] = posting

    def _drop(self, term: str) -> None:
        self._room += _room_of(self._known.pop(term)) + len(self._later.pop(term, ()))

    def _follow(
        self, rows: TenantRows, tenant: StoreTenant, size: IndexSize, context_weight: float
    ) -> None:
        if (tenant.age, size) == (self._age, self._size):
            return
        is_followed = (
            bool(self._known)
            and tenant.last_erasure <= self._age[0]
            and self._take_in(rows, tenant, context_weight)
        )
        if not is_followed or size != self._size:
            self._known.clear()
            self._later.clear()
            self._digests.clear()
            self._room = _room_in(size)
        self._age, self._size = tenant.age, size

    def _take_in(self, rows: TenantRows, tenant: StoreTenant, context_weight: float) -> bool:
        """Add the words of new documents; return False if other words may have changed.

        A change whose number no document carries may concern any words, and of an older document
        only a known digest shows that its words are the same.
        """
        seen, newest = self._age
        found = read_followed(rows, tenant, seen, newest)
        if found is None:
            return False
        for each in found:
            if each.words is None or each.context is None:  # it was taken out of the index
                return False
            digest = hash((each.words, each.context))
            if each.n > newest:
                self._add(each.n, each.words.split(), each.context.split(), context_weight)
                self._digests[each.n] = digest
            elif self._digests.get(each.n) != digest:
                return False
        while len(self._digests) > _MOST_DIGESTS:
            del self._digests[next(iter(self._digests))]
        return True

    def _add(self, n: int, words: list[str], context: list[str], context_weight: float) -> None:
        """Add a document that comes after all others to the lists of its words."""
        said, framing = Counter(words), Counter(context)
        for term in self._known.keys() & {*said, *framing}:
            times = float(said[term])
            for _ in range(framing[term]):  # in this order, as where a list is read
                times += context_weight
            self._later.setdefault(term, []).append((n, times))
            self._room -= 1
        length = len(words) + len(context) + 1
        self._size = IndexSize(self._size.documents + 1, self._size.words + length, n)


def _room_in(size: IndexSize) -> int:
    return min(max(_FEWEST_PLACES, _PLACES_OF_EACH * size.documents), _MOST_PLACES)


def _room_of(posting: Posting) -> int:
    return len(posting.ns) + _EACH
