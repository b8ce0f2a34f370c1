"""Word lists: for each word of a question, the documents that hold the word.

In a home of one tenant the process keeps the lists in its image of the tenant, elsewhere the lists
last no longer than the transaction: the tenant's count of changes leaves those of others out. A
question of words that nobody has said does not wait for NumPy.
"""

from collections.abc import Collection, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from memoria.bare.lazy_regex import lazy_regex
from memoria.store.image.index_size import IndexSize, read_index_size
from memoria.store.image.tenant_images import ImageReader
from memoria.store.image.words import PostingLists
from memoria.store.sql.statements import TenantRows, as_json
from memoria.store.values import Match

if TYPE_CHECKING:
    from memoria.store.rows.postings import Postings

_ONE_WORD = lazy_regex(r"[0-9a-z_\x80-\U0010ffff]+")
"""Pattern of a word that the index has as one word, in the same form."""


class WordLists:
    """The documents of each word that was asked for."""

    def __init__(self, rows: TenantRows, reading: ImageReader, most: int) -> None:
        """Bind to a snapshot.

        Args:
            rows: the statements about documents.
            reading: the reader's image.
            most: the number of the newest document up to which lists are read.
        """
        self._rows = rows
        self._reading = reading
        self._most = most
        self._stands: dict[str, bool] = {}
        """True by word if any document has the word."""

    @cached_property
    def size(self) -> IndexSize:
        """Size of the index."""
        return read_index_size(self._rows)

    def can_tell(self, terms: Sequence[str]) -> bool:
        """Check whether the terms are words, and the home is small enough to read their lists."""
        return self.size.newest <= self._most and _are_words(terms)

    def can_rank(self, terms: Sequence[str]) -> bool:
        """Check whether the terms are words, and the visibility of every document is known.

        Unknown visibilities are read in the background: waiting for all of them would take longer
        than a query of the index.
        """
        if not _are_words(terms):
            return False
        if self._is_whole():
            return True
        self._reading.images.read_visibilities(self._reading.tenant)
        return False

    def sees_more(self, scope: Sequence[str], most: int) -> bool:
        """Check whether more than `most` documents are known to have one of these visibilities."""
        return self._is_whole() and self._postings.sees_more(scope, most)

    def count(self, terms: Sequence[str], scope: Sequence[str]) -> dict[str, int]:
        """Count the documents of the visibilities that hold each word."""
        if not self._find(terms):
            return dict.fromkeys(terms, 0)
        return self._postings.count(terms, scope)

    def best(
        self, terms: Sequence[str], scope: Sequence[str], among: Collection[int] | None, limit: int
    ) -> list[Match]:
        """Return the best documents of the visibilities, of all or of those in `among`."""
        return self._postings.best(terms, scope, among, limit) if self._find(terms) else []

    def rank(self, terms: Sequence[str], scope: Sequence[str]) -> Sequence[Match]:
        """Rank all documents of the visibilities with one of the words, best first."""
        return self._postings.rank(terms, scope) if self._find(terms) else []

    def may_hold_all(self, terms: Sequence[str], scope: Sequence[str]) -> bool:
        """Check whether a visible document holds all the words, speaker and time included."""
        return self._find(terms) and self._postings.may_hold_all(terms, scope)

    def _is_whole(self) -> bool:
        with self._reading.open() as image:
            return image.is_whole

    def _find(self, terms: Sequence[str]) -> bool:
        """Read the unknown lists of words; return True if any document holds one of the words."""
        unknown = {term: "" for term in terms if term not in self._stands}
        if unknown and not self._reading.tenant.has_others:
            with self._reading.open() as image:
                known = image.column(PostingLists).recall(self.size, unknown)
            self._stands |= {term: bool(len(posting.ns)) for term, posting in known.items()}
            if known:
                self._postings.add(known)
            unknown = {term: "" for term in unknown if term not in known}
        if unknown:
            places = unknown | dict(self._rows.tuples("places", terms=as_json(unknown)))
            self._stands |= {term: bool(found) for term, found in places.items()}
            if any(places.values()) or "_postings" in self.__dict__:
                self._postings.put(places)
        return any(map(self._stands.__getitem__, terms))

    @cached_property
    def _postings(self) -> "Postings":
        from memoria.store.rows.postings import Postings  # noqa: PLC0415  (brings NumPy)

        return Postings(self._rows, self._reading, self.size)


def _are_words(terms: Sequence[str]) -> bool:
    return all(map(_ONE_WORD.fullmatch, terms))
