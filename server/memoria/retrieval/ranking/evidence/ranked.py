"""Values of a ranking by evidence: its query and its results."""

from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import NamedTuple

from memoria.language.asking.parse import ParsedQuery
from memoria.store.index_tokens import IndexTokens
from memoria.store.values import Filters, Frequencies

RANK_DEPTH = 100
"""Number of the best that are ranked by their priors, however many are wanted: with 60, recall@10
is a fifth of a point lower."""
MOST_CHARS = 8_000
"""Most characters. A longer document keeps the score the index gave it."""
_WITHOUT_PHRASE = 0.1
"""Factor of a turn that lacks what the query quotes, where another has it."""


@dataclass(frozen=True, slots=True)
class EvidenceQuery:
    """A query, as far as the ranking knows it."""

    parsed: ParsedQuery
    filters: Filters
    frequencies: Frequencies
    """Frequencies of its terms."""


class RankedDocument(NamedTuple):
    """A document with its score and the parts of that."""

    n: int
    score: float
    lexical: float
    """Score by words, context included, 0 to 1, relative to the best of this search."""
    cosine: float
    """Cosine; that of the last of the nearest, where the document is not among them."""
    trust: float = 1.0
    """Share of the query's words that the best of this search holds in its context, 0 to 1."""
    indexed: IndexTokens | None = None
    """Tokens, where they were read."""


class Ranking(NamedTuple):
    """Results of a search, by words and meaning."""

    best: Sequence[RankedDocument] = ()
    """Best first; ties by age, oldest first."""
    passed: frozenset[int] = frozenset()
    """Documents known not to come among the best wanted, whatever they say."""


def phrase_share(holding: Set[int], n: int) -> float:
    """Return a document's factor: less than 1 if others hold a quoted phrase and it does not."""
    return 1.0 if not holding or n in holding else _WITHOUT_PHRASE
