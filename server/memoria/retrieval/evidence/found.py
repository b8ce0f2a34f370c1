"""Found: what the ranking reads of the best candidates and of what surrounds them."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Self

from memoria.retrieval.candidates import Candidates
from memoria.store.base import Transaction
from memoria.store.values import Indexed, Place

_REACH = 2
_COUNTED = 120
"""How many of what BM25 found are counted anew. With 200, LoCoMo's figures over categories 1 to
4 are within a fifth of a point."""
_CENTRAL = 70
"""How many of the best of either list are ranked with what surrounds them."""
_LONGEST = 8_000
"""Characters. A longer document keeps the score the index gave it."""


@dataclass(frozen=True, slots=True)
class Found:
    """Everything that is read before documents are scored."""

    places: Sequence[Place]
    """Where the best candidates stand, and the turns around those that have words to lend."""
    documents: Mapping[int, Indexed]
    """The best of BM25, in an order that no plan of a query decides."""
    speakers: Set[str | None]
    """Who said the very best of BM25."""

    @classmethod
    def by(cls, tx: Transaction, candidates: Candidates, *, settled: bool) -> Self:
        """What the candidates lead to."""
        counted = best(candidates.bm25, _COUNTED)
        central = counted[:_CENTRAL]
        near = tx.conversations.places(central, _REACH, settled=settled)
        known = {place.n for place in near}
        further = dict.fromkeys((*counted, *best(candidates.cosine, _CENTRAL)))
        rest = [n for n in further if n not in known]
        return cls(
            near + tx.conversations.places(rest, 0, settled=settled),
            dict(sorted(tx.documents.indexed(counted, _LONGEST).items())),
            tx.conversations.speakers(central),
        )


def best(scores: Mapping[int, float], most: int) -> list[int]:
    """The documents with the highest scores, best first; of equals, the oldest first."""
    return sorted(sorted(scores), key=scores.__getitem__, reverse=True)[:most]
