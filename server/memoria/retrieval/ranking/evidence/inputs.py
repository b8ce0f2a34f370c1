"""Inputs: what the ranking reads of the best candidates and of what surrounds them."""

from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import Self

from memoria.retrieval.ranking.evidence.columns import Scores
from memoria.retrieval.ranking.evidence.places import Places
from memoria.retrieval.ranking.evidence.ranked import MOST_CHARS
from memoria.retrieval.sources.gather import SourceScores
from memoria.store.index_tokens import IndexTokens
from memoria.store.rows.transaction import Transaction

_RECOUNT_DEPTH = 120
"""Number of documents BM25 found that are counted anew. With 200, LoCoMo's figures over
categories 1 to 4 are within a fifth of a point."""
_NEIGHBOUR_DEPTH = 70
"""Number of the best of either list that are ranked with what surrounds them."""


@dataclass(frozen=True, slots=True)
class RankingInput:
    """Everything that is read before documents are scored."""

    bm25: Scores
    cosine: Scores
    places: Places
    """Places of the best candidates, and of the turns around those that have words to lend."""
    documents: Mapping[int, IndexTokens]
    """Tokens of the best of BM25, oldest first."""
    speakers: Set[str]
    """Speakers of the very best of BM25."""

    @classmethod
    def read(cls, tx: Transaction, sources: SourceScores, *, include_processed: bool) -> Self:
        """Read what surrounds the candidates of the sources."""
        bm25, cosine = Scores.of_mapping(sources.bm25), Scores.of_mapping(sources.cosine)
        counted = bm25.list_best(_RECOUNT_DEPTH)
        others = counted[_NEIGHBOUR_DEPTH:] + cosine.list_best(_NEIGHBOUR_DEPTH)
        around = tx.turn_columns.surroundings(
            counted[:_NEIGHBOUR_DEPTH], others, include_processed=include_processed
        )
        documents = tx.documents.index_tokens(counted, MOST_CHARS)
        return cls(bm25, cosine, Places.of_turns(around), documents, around.speakers)
