"""Choosing the terms of a question that are worth reading, and caching their counts.

BM25 is computed for every document that holds any of the terms, so the commonest terms cost the
most and tell the least. The rarest are taken first, as long as the documents they stand in are
within a budget (decision 011). Nothing is dropped if no more documents than that can be
meant: in a home, a tenant or a filtered search of that size.

To count the documents of a term is to walk its list in the index. So counts are cached, of the
documents up to a mark that moves on whenever a home has grown by about a tenth. The mark follows
from the snapshot alone: every process chooses the same terms, whatever it was asked before.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from memoria.language.lazy import forget_results
from memoria.store.image.kept_tokens import KeptTokens
from memoria.store.image.tenants import StoreTenant
from memoria.store.image.visible_counts import VisibleCounts

if TYPE_CHECKING:
    from memoria.store.image.posting_cache import PostingCache
    from memoria.store.image.turn_table import TurnTable
    from memoria.store.image.visibility_columns_cache import VisibilityColumnsCache

_Value = TypeVar("_Value")
BUDGET = 20_000
"""Documents that a search may read for its words; see decision 011."""
_MOST_REMEMBERED = 20_000
_MOST_TENANTS = 50
_MOST_WITH_TOKENS = 8
"""Number of tenants; the tokens of one take some MiB."""
_STEPS = 4
_LATELY_S = 60.0
"""Time after a search in which changes are followed before the next one."""

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
    """Return the number up to which documents are counted: `newest` cut to its first four bits.

    >>> count_horizon(100_000)
    98304
    """
    shift = max(newest.bit_length() - _STEPS, 0)
    return newest >> shift << shift


class CountCache:
    """Numbers of documents by term, as counted by a process. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._age: Age = (0, 0)
        self._counts: dict[str, int] = {}

    def look_up(self, term: str, age: Age, count: Callable[[str], int]) -> int:
        """Return the number of documents that hold a term.

        Args:
            term: the term, or any other query of the index.
            age: the state that is counted; counts of an older one are dropped.
            count: counts afresh.
        """
        return self.look_up_all([term], age, lambda _: {term: count(term)})[term]

    def look_up_all(
        self,
        terms: Sequence[str],
        age: Age,
        count_all: Callable[[Sequence[str]], Mapping[str, int]],
    ) -> dict[str, int]:
        """Return the counts of several terms; those that are not known are counted together."""
        known = self.recall(terms, age)
        unknown = [term for term in terms if term not in known]
        if unknown:
            counted = count_all(unknown)
            self._remember(age, counted)
            known |= counted
        return known

    def recall(self, terms: Iterable[str], age: Age) -> dict[str, int]:
        """Return the counts of the terms that are known already."""
        with self._lock:
            remembered = self._counts if self._age == age else {}
            return {term: remembered[term] for term in terms if term in remembered}

    def clear(self) -> None:
        """Drop all counts."""
        with self._lock:
            self._counts = {}

    def _remember(self, age: Age, counted: Mapping[str, int]) -> None:
        with self._lock:
            if self._age < age or len(self._counts) >= _MOST_REMEMBERED:
                self._age, self._counts = age, {}
            if self._age == age:
                self._counts.update(counted)


class TermStatistics:
    """Caches of one file's full text in this process. Thread-safe."""

    def __init__(self, standings: "VisibilityColumnsCache") -> None:
        """Make empty caches.

        Args:
            standings: the cache of the file's documents.
        """
        self.terms = CountCache()
        """Counts by term, up to the mark."""
        self.standings = standings
        self._lock = threading.Lock()
        self._tenants: OrderedDict[int, CountCache] = OrderedDict()
        self._visible: OrderedDict[int, VisibleCounts] = OrderedDict()
        self._postings: OrderedDict[int, PostingCache] = OrderedDict()
        self._turns: OrderedDict[int, TurnTable] = OrderedDict()
        self._tokens: OrderedDict[int, KeptTokens] = OrderedDict()
        self._erasures: dict[int, int] = {}
        self._asked_at: dict[int, float] = {}

    def of_tenant(self, tenant: int) -> CountCache:
        """Return a tenant's counts by query (LRU, 50 tenants)."""
        with self._lock:
            return _recall(self._tenants, tenant, CountCache)

    def visible_of(self, tenant: int) -> VisibleCounts:
        """Return a tenant's counts of documents by visibility (LRU, 50 tenants)."""
        with self._lock:
            return _recall(self._visible, tenant, VisibleCounts)

    def note_question(self, tenant: int) -> None:
        """Note that somebody searches, and may soon search again."""
        self._asked_at[tenant] = monotonic()

    def was_asked_lately(self, tenant: int) -> bool:
        """Check whether somebody has searched so lately that the next search may be near."""
        asked_at = self._asked_at.get(tenant)
        return asked_at is not None and monotonic() - asked_at < _LATELY_S

    def has_postings(self, tenant: int) -> bool:
        """Check whether lists of words were read for a tenant already."""
        with self._lock:
            return tenant in self._postings

    def postings_of(self, tenant: int) -> "PostingCache":
        """Return a tenant's cache of lists of words (LRU, 50 tenants)."""
        from memoria.store.image.posting_cache import (  # noqa: PLC0415  (brings NumPy)
            PostingCache,
        )

        with self._lock:
            return _recall(self._postings, tenant, PostingCache)

    def turns_of(self, tenant: int) -> "TurnTable":
        """Return a tenant's cache of turns (LRU, 50 tenants)."""
        from memoria.store.image.turn_table import TurnTable  # noqa: PLC0415  (brings NumPy)

        with self._lock:
            return _recall(self._turns, tenant, TurnTable)

    def tokens_of(self, tenant: int) -> KeptTokens:
        """Return a tenant's cache of documents' tokens (LRU, 8 tenants)."""
        with self._lock:
            return _recall(self._tokens, tenant, KeptTokens, _MOST_WITH_TOKENS)

    def has_turns(self, tenant: int) -> bool:
        """Check whether turns of a tenant were read already."""
        with self._lock:
            return tenant in self._turns

    def drop_erased(self, tenant: int, last_erasure: int) -> None:
        """Drop a tenant's caches if it has erased something since, though nobody asks for it."""
        with self._lock:
            if last_erasure <= self._erasures.get(tenant, 0):
                return
            self._erasures[tenant] = last_erasure
            kept = self._tenants, self._visible, self._postings, self._turns, self._tokens
            for held in kept:
                held.pop(tenant, None)
        self.terms.clear()
        forget_results()


class ReaderKnowledge(NamedTuple):
    """Tenant and caches of a reader. A writer has neither, for its own changes count."""

    tenant: StoreTenant
    counted: TermStatistics
    """Caches of the full text in this process."""


def _recall(
    held: OrderedDict[int, _Value],
    tenant: int,
    make: Callable[[], _Value],
    most: int = _MOST_TENANTS,
) -> _Value:
    """Return a tenant's cache, made if missing, and drop the one unused longest beyond `most`."""
    if tenant not in held:
        held[tenant] = make()
    held.move_to_end(tenant)
    if len(held) > most:
        held.popitem(last=False)
    return held[tenant]
