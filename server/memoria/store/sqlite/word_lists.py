"""Word lists: where words stand, as a reader of a home within the budget has read it.

No word is kept beyond the transaction. Who looks for what nobody has said does not wait for NumPy.
"""

from collections.abc import Collection, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from memoria.bare.lazy_regex import lazy_regex
from memoria.store.sqlite.rows import TenantRows, as_json
from memoria.store.sqlite.tenants import ReaderKnowledge
from memoria.store.values import Match

if TYPE_CHECKING:
    from memoria.store.sqlite.postings import Postings

_ONE_WORD = lazy_regex(r"[0-9a-z_\x80-\U0010ffff]+")
"""What the index has as one word, written as it has it."""


class WordLists:
    """The documents of each word that was asked for."""

    def __init__(
        self, rows: TenantRows, reading: ReaderKnowledge, most: int, context_weight: float
    ) -> None:
        """Nothing is read yet.

        Args:
            rows: the statements about documents.
            reading: what the reader knows from the start.
            most: the number of the newest document up to which lists are read.
            context_weight: what a word counts that stands in who said it and when.
        """
        self._rows = rows
        self._reading = reading
        self._most = most
        self._context_weight = context_weight
        self._places: dict[str, str] = {}
        """By word, as `Postings` takes it in."""

    def can_tell(self, terms: Sequence[str]) -> bool:
        """Whether these are words, and their lists are short enough."""
        return self._is_small and all(map(_ONE_WORD.fullmatch, terms))

    def count(self, terms: Sequence[str], scope: Sequence[str]) -> dict[str, int]:
        """In how many of the documents of these visibilities each word stands."""
        if not self._find(terms):
            return dict.fromkeys(terms, 0)
        return self._postings.count(terms, scope)

    def best(
        self, terms: Sequence[str], scope: Sequence[str], among: Collection[int] | None, limit: int
    ) -> list[Match]:
        """The best documents of these visibilities; among the ones that are wanted, if not all."""
        return self._postings.best(terms, scope, among, limit) if self._find(terms) else []

    def _find(self, terms: Sequence[str]) -> bool:
        """Read the lists of these words, and tell whether any stands anywhere."""
        unknown = [term for term in dict.fromkeys(terms) if term not in self._places]
        if unknown:
            rows = self._rows.all("places", terms=as_json(unknown))
            found = {term: places or "" for term, places in rows}
            self._places |= found
            if any(found.values()) or "_postings" in self.__dict__:
                self._postings.put(found)
        return any(map(self._places.__getitem__, terms))

    @cached_property
    def _is_small(self) -> bool:
        return self._rows.number("newest_of_all") <= self._most

    @cached_property
    def _postings(self) -> "Postings":
        from memoria.store.sqlite.postings import Postings  # noqa: PLC0415  (brings NumPy)

        tenant = self._reading.tenant
        standings = self._reading.counted.standings_of(tenant.number)
        return Postings(self._rows, tenant, standings, self._context_weight)
