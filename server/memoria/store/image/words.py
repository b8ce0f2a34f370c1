"""Words of documents: tokens by document, and lists of documents by word.

Questions share their common words, whose lists are long. The words of a new document are added to
the lists. Later changes of a document seldom touch its words; if they might have, all lists are
dropped. Tokens are bytes, which Python's collector does not look at (decision 113).
"""

from collections import Counter, OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from sys import getsizeof
from typing import TYPE_CHECKING, NamedTuple

from memoria.store.features import IndexTokens
from memoria.store.image.index_size import IndexSize
from memoria.store.image.tenant_image import ImageColumn, TenantChanges

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


LONGEST_KEPT = 2_000
"""Bytes. Few documents have more words, and they would take the room of many."""
_MOST_BYTES = 3 << 20
"""Room for the words of some 8,000 documents."""
_ENTRY = 120
"""Bytes of overhead for an entry of the dictionary."""
_PART = 16
"""Part that is dropped if there is no room: one entry of so many."""


class KeptTokens(ImageColumn):
    """Tokens by document, as read by searches."""

    def __init__(self) -> None:
        self._known: dict[int, IndexTokens] = {}
        """Tokens by document, in the order in which they were read."""
        self._room = _MOST_BYTES

    def recall(self, ns: Sequence[int]) -> dict[int, IndexTokens]:
        """Return the known tokens of documents."""
        known = self._known
        return {n: known[n] for n in ns if n in known}

    def keep(self, found: Mapping[int, IndexTokens]) -> None:
        """Keep tokens of documents; each document must carry the number of its last change."""
        for n, tokens in found.items():
            if len(tokens) <= LONGEST_KEPT and n not in self._known:
                self._known[n] = tokens
                self._room -= _weigh(tokens)
        while self._room < 0:  # many at once: to find the first of a dict is to walk to it
            for n in [*islice(self._known, 1 + len(self._known) // _PART)]:
                self._drop(n)

    def apply(self, changes: TenantChanges) -> bool:
        """Drop the tokens of changed documents."""
        for n in changes.changed:
            self._drop(n)
        return True

    def _drop(self, n: int) -> None:
        tokens = self._known.pop(n, None)
        if tokens is not None:
            self._room += _weigh(tokens)


def _weigh(tokens: IndexTokens) -> int:
    return getsizeof(tokens) + _ENTRY


CONTEXT_WEIGHT = 0.6
"""Weight of a word in who said a document and when. On LoCoMo, 0.3 to 1.0 are within a point."""
_FEWEST_PLACES = 200_000
_MOST_PLACES = 1_000_000
"""Places of all lists together: from 3 MB in a home of 20,000 documents to 12 MB in a large one."""
_PLACES_OF_EACH = 10
"""Places for each document, between these bounds."""
_EACH = 32
"""Overhead of a list, in places."""
_MOST_DIGESTS = 1_000


class Posting(NamedTuple):
    """Documents that hold a word."""

    ns: "NDArray[np.int32]"
    """Numbers of the documents, in order."""
    times: "NDArray[np.float64]"
    """Number of times in each; a word of who said it and when counts less."""


class PostingLists(ImageColumn):
    """Lists of documents by word, in a home of one tenant."""

    def __init__(self) -> None:
        self._begin(IndexSize())

    def recall(self, size: IndexSize, terms: Iterable[str]) -> dict[str, Posting]:
        """Return the known lists of words.

        Args:
            size: of the index on the snapshot; if it is not what the lists have come to, other
                tenants have documents too, and all lists are dropped.
            terms: the words.
        """
        if size != self._size:
            self._begin(size)
        return {term: self._recall(term) for term in terms if term in self._known}

    def keep(self, size: IndexSize, found: Mapping[str, Posting]) -> None:
        """Keep lists that were read on a snapshot with this size of the index."""
        if size != self._size:
            self._begin(size)
        for term, posting in found.items():
            if term in self._known:
                self._drop(term)
            self._known[term] = posting
            self._room -= _room_of(posting)
        while self._room < 0:
            self._drop(next(iter(self._known)))

    def apply(self, changes: TenantChanges) -> bool:
        """Add the words of new documents; return False if other words may have changed.

        Of an older document, only a known digest shows that its words are the same.
        """
        if not self._known or changes.documents is None:
            return False
        for each in changes.documents:
            if each.words is None or each.context is None:  # it was taken out of the index
                return False
            digest = hash((each.words, each.context))
            if each.n > changes.newest:
                self._add(each.n, each.words.split(), each.context.split())
                self._digests[each.n] = digest
            elif self._digests.get(each.n) != digest:
                return False
        while len(self._digests) > _MOST_DIGESTS:
            del self._digests[next(iter(self._digests))]
        return True

    def _begin(self, size: IndexSize) -> None:
        """Drop all lists."""
        self._size = size
        self._known: OrderedDict[str, Posting] = OrderedDict()
        self._later: dict[str, list[tuple[int, float]]] = {}
        """Additions to lists, made when these are next asked for: mostly not all of them are, and a
        list may grow several times before."""
        self._room = min(max(_FEWEST_PLACES, _PLACES_OF_EACH * size.documents), _MOST_PLACES)
        """Number of places for which there is room left."""
        self._digests: dict[int, int] = {}
        """Digests of the words of applied documents, to see whether they have changed."""

    def _recall(self, term: str) -> Posting:
        """Return a list with its additions, and mark the list as used."""
        posting, later = self._known[term], self._later.pop(term, None)
        if later:
            import numpy as np  # noqa: PLC0415  (a list that is there has brought it)

            ns, times = zip(*later, strict=True)
            posting = Posting(
                np.append(posting.ns, np.array(ns, np.int32)), np.append(posting.times, times)
            )
            self._known[term] = posting
        self._known.move_to_end(term)
        return posting

    def _drop(self, term: str) -> None:
        self._room += _room_of(self._known.pop(term)) + len(self._later.pop(term, ()))

    def _add(self, n: int, words: list[str], context: list[str]) -> None:
        """Add a document that comes after all others to the lists of its words."""
        said, framing = Counter(words), Counter(context)
        for term in self._known.keys() & {*said, *framing}:
            times = float(said[term])
            for _ in range(framing[term]):  # in this order, as where a list is read
                times += CONTEXT_WEIGHT
            self._later.setdefault(term, []).append((n, times))
            self._room -= 1
        length = len(words) + len(context) + 1
        self._size = IndexSize(self._size.documents + 1, self._size.words + length, n)


def _room_of(posting: Posting) -> int:
    return len(posting.ns) + _EACH
