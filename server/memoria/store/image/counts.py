"""Counts of documents by visibility, query and term, and the choice of terms to read.

BM25 is computed for every document that holds any of the terms, so the commonest terms cost the
most and tell the least. The rarest are taken first, as long as the documents they stand in are
within a budget (decision 011). Nothing is dropped if no more documents than that can be
meant: in a home, a tenant or a filtered search of that size.

To count the documents of a term is to walk its list in the index. So counts of the whole file are
of the documents up to a horizon, which moves on whenever a home has grown by about a tenth. The
horizon follows from the snapshot alone: every process chooses the same terms.
"""

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence

from memoria.store.image.tenant_image import ImageColumn, TenantChanges

BUDGET = 20_000
"""Documents that a search may read for its words; see decision 011."""
_MOST_KEPT = 20_000
_MOST_NEW = 1_000
"""Number of documents whose visibility is kept since they were new."""
_STEPS = 4

Age = tuple[int, int]
"""State that was counted: a later one compares greater."""


def choose_affordable(
    terms: Sequence[str], count: Callable[[str], int], budget: int = BUDGET
) -> tuple[str, ...]:
    """Choose the rarest terms that stand in no more than `budget` documents, taken together.

    Args:
        terms: what is asked for.
        count: in how many documents a term stands; more than `budget` need not be counted.
        budget: how many documents may be read.

    Returns:
        The terms in their order. At least one that stands anywhere.
    """
    counts = {term: count(term) for term in terms}
    kept: set[str] = set()
    left = budget
    for term in sorted(counts, key=counts.__getitem__):
        if counts[term] <= left or left == budget:
            kept.add(term)
            left -= counts[term]
    return tuple(term for term in terms if term in kept)


def count_horizon(newest: int) -> int:
    """Return the horizon up to which documents are counted: `newest` cut to its first four bits.

    >>> count_horizon(100_000)
    98304
    """
    shift = max(newest.bit_length() - _STEPS, 0)
    return newest >> shift << shift


class CountCache:
    """Counts of the file's documents by term, up to a horizon. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._age: Age = (0, 0)
        self._counts: dict[str, int] = {}

    def recall(self, terms: Iterable[str], age: Age) -> dict[str, int]:
        """Return the known counts of a state of the file."""
        with self._lock:
            known = self._counts if self._age == age else {}
            return {term: known[term] for term in terms if term in known}

    def keep(self, age: Age, counted: Mapping[str, int]) -> None:
        """Keep counts of a state of the file, and drop counts of older states."""
        with self._lock:
            if self._age < age or len(self._counts) >= _MOST_KEPT:
                self._age, self._counts = age, {}
            if self._age == age:
                self._counts.update(counted)

    def clear(self) -> None:
        """Drop all counts."""
        with self._lock:
            self._counts = {}


class QueryCounts(ImageColumn):
    """Counts of a tenant's documents by query of the index, until anything changes."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}

    def recall(self, queries: Iterable[str]) -> dict[str, int]:
        """Return the counts that are known."""
        return {query: self._counts[query] for query in queries if query in self._counts}

    def keep(self, counted: Mapping[str, int]) -> None:
        """Keep counts of the image's state."""
        if len(self._counts) >= _MOST_KEPT:
            self._counts = {}
        self._counts.update(counted)

    def apply(self, changes: TenantChanges) -> bool:  # noqa: ARG002
        """Return False: any document may match any query."""
        return False


class VisibleCounts(QueryCounts):
    """Counts of a tenant's documents by visibility.

    Every search asks which part of a home it sees. New documents are added to the counts. Of an
    older document only the present visibility is known, so unless the document was new lately, all
    are counted again.
    """

    def __init__(self) -> None:
        super().__init__()
        self._new: dict[int, str] = {}
        """Visibilities of documents that were applied."""

    def apply(self, changes: TenantChanges) -> bool:
        """Count new documents; return False if a former visibility is not known."""
        if not self._counts or changes.documents is None:
            return False
        for each in changes.documents:
            if each.words is None:  # it was taken out of the index, which tells how many there are
                return False
            before = self._new.get(each.n)
            if each.n <= changes.newest and before is None:
                return False
            self._add(before, -1)
            self._add(each.token, 1)
            self._new[each.n] = each.token
        while len(self._new) > _MOST_NEW:
            del self._new[next(iter(self._new))]
        return True

    def _add(self, token: str | None, many: int) -> None:
        if token in self._counts:
            self._counts[token] += many
