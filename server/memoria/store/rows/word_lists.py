"""Word lists: for each word of a question, the documents that hold the word.

The process caches lists in a home of one tenant (`posting_cache`), in other homes the transaction
does. A question of words that no document holds does not load NumPy.
"""

from collections.abc import Collection, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from memoria.bare.lazy_regex import lazy_regex
from memoria.store.image.index_size import IndexSize, read_index_size
from memoria.store.image.terms import ReaderKnowledge
from memoria.store.sql.statements import TenantRows, as_json
from memoria.store.values import Match

if TYPE_CHECKING:
    from memoria.store.rows.postings import Postings

_ONE_WORD = lazy_regex(r"[0-9a-z_\x80-\U0010ffff]+")
"""Pattern of a word that the index has as one word, in the same form."""


class WordLists:
    """The documents of each word that was asked for."""

    def __init__(
        self, rows: TenantRows, reading: ReaderKnowledge, most: int, context_weight: float
    ) -> None:
        """Bind to a snapshot.

        Args:
            rows: the statements about documents.
            reading: the reader's tenant and caches.
            most: the largest number of documents in a home whose lists are read.
            context_weight: the weight of a word that is speaker or time of a document.
        """
        self._rows = rows
        self._reading = reading
        self._most = most
        self._context_weight = context_weight
        self._stands: dict[str, bool] = {}
        """True by word if any document has the word."""

    @cached_property
    def size(self) -> IndexSize:
        """Size of the index."""
        return read_index_size(self._rows)

    def follow_changes(self) -> None:
        """Bring the cached lists up to date with the file, if the process has any."""
        if self._reading.counted.has_postings(self._reading.tenant.number):
            self._postings.follow_changes()

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
        tenant, standings = self._reading.tenant, self._reading.counted.standings
        if standings.find_whole(tenant) is not None:
            return True
        standings.learn(tenant)
        return False

    def sees_more(self, scope: Sequence[str], most: int) -> bool:
        """Check whether more than `most` documents are known to have one of the visibilities."""
        tenant = self._reading.tenant
        known = self._reading.counted.standings.find_whole(tenant)
        return known is not None and known.has_more(self._rows, tenant, scope, most)

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

    def _find(self, terms: Sequence[str]) -> bool:
        """Read the unknown lists of words; return True if any document holds one of the words."""
        unknown = {term: "" for term in terms if term not in self._stands}
        if unknown and self._reading.counted.has_postings(self._reading.tenant.number):
            known = self._postings.recall(unknown)
            self._stands |= known
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

        return Postings(self._rows, self._reading, self.size, self._context_weight)


def _are_words(terms: Sequence[str]) -> bool:
    return all(map(_ONE_WORD.fullmatch, terms))
