"""Found: what the ranking reads of the best candidates and of what surrounds them."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Self

from memoria.retrieval.sources.gather import SourceScores
from memoria.store.base import Transaction
from memoria.store.values import IndexTokens, TurnPosition

_REACH = 2
_RECOUNT_DEPTH = 120
"""How many of what BM25 found are counted anew. With 200, LoCoMo's figures over categories 1 to
4 are within a fifth of a point."""
_NEIGHBOUR_DEPTH = 70
"""How many of the best of either list are ranked with what surrounds them."""
_MOST_CHARS = 8_000
"""Characters. A longer document keeps the score the index gave it."""


@dataclass(frozen=True, slots=True)
class RankingInput:
    """Everything that is read before documents are scored."""

    places: Sequence[TurnPosition]
    """Where the best candidates stand, and the turns around those that have words to lend."""
    documents: Mapping[int, IndexTokens]
    """The best of BM25, in an order that no plan of a query decides."""
    speakers: Set[str | None]
    """Who said the very best of BM25."""

    @classmethod
    def read(cls, tx: Transaction, sources: SourceScores, *, include_processed: bool) -> Self:
        """What the candidates of the sources lead to."""
        counted = best_documents(sources.bm25, _RECOUNT_DEPTH)
        central = counted[:_NEIGHBOUR_DEPTH]
        near = tx.conversations.list_positions(central, _REACH, include_processed=include_processed)
        known = {place.n for place in near}
        further = dict.fromkeys((*counted, *best_documents(sources.cosine, _NEIGHBOUR_DEPTH)))
        rest = [n for n in further if n not in known]
        return cls(
            near + tx.conversations.list_positions(rest, 0, include_processed=include_processed),
            dict(sorted(tx.documents.index_tokens(counted, _MOST_CHARS).items())),
            tx.conversations.speakers(central),
        )


def best_documents(scores: Mapping[int, float], most: int) -> list[int]:
    """The documents with the highest scores, best first; of equals, the oldest first."""
    return sorted(sorted(scores), key=scores.__getitem__, reverse=True)[:most]
