"""Ranked: what a ranking by evidence is asked, and what comes of it."""

from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import NamedTuple

from memoria.language.asking.parse import ParsedQuery
from memoria.store.index_tokens import IndexTokens
from memoria.store.values import Filters, Frequencies

RANK_DEPTH = 100
"""How many of the best are ranked by their priors, however many are wanted: with 60, recall@10 is a
fifth of a point lower."""
MOST_CHARS = 8_000
"""Characters. A longer document keeps the score the index gave it."""
_WITHOUT_PHRASE = 0.1
"""Of a turn that lacks what the query quotes, where another has it."""


@dataclass(frozen=True, slots=True)
class EvidenceQuery:
    """What the ranking knows of a query."""

    parsed: ParsedQuery
    filters: Filters
    frequencies: Frequencies
    """Of its terms."""


class RankedDocument(NamedTuple):
    """A document with its score and what the score is made of."""

    n: int
    score: float
    lexical: float
    """0 to 1, context included, relative to the best of this search."""
    cosine: float
    """As near as the last of the nearest, where the document is not among them."""
    trust: float = 1.0
    """How much of the query's words the best of this search holds in its context, 0 to 1."""
    indexed: IndexTokens | None = None
    """Its tokens, where they were read."""


class Ranking(NamedTuple):
    """What a search has found, by words and meaning."""

    best: Sequence[RankedDocument] = ()
    """Best first; ties by age, oldest first."""
    passed: frozenset[int] = frozenset()
    """Those of which it is known that they can't come among the best wanted, whatever they say."""


def phrase_share(holding: Set[int], n: int) -> float:
    """What a document's score counts for where some hold a phrase word for word that is quoted."""
    return 1.0 if not holding or n in holding else _WITHOUT_PHRASE
