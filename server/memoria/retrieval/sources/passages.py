"""Passages: the meaning of sentences of long turns.

The vector of a long turn says what it is about, and a fact among ten sentences hardly changes it.
So a turn found by words or meaning is as near as the nearest of its passages. But the nearest of
many is near by chance as well: about as much nearer than its turn as those of the other turns are
than theirs. What is more than that counts. So it holds for any embedder and any record, and a
question about something else finds a long answer no nearer than before.

Nothing is looked for by passages alone: what neither its words nor its whole brings among the found
is not found by a part.
"""

import math
from collections.abc import Mapping

from memoria.language.reading.passages import Span
from memoria.retrieval.query.plan import SearchPlan
from memoria.retrieval.sources.vectors import QueryVector
from memoria.store.rows.transaction import Transaction

CosinesAndSpans = tuple[Mapping[int, float], Mapping[int, Span]]
"""Cosines with the passages taken into account, and the span of each turn's nearest passage."""


def read_passages(
    tx: Transaction,
    plan: SearchPlan,
    query: QueryVector | str,
    bm25: Mapping[int, float],
    cosine: Mapping[int, float],
) -> CosinesAndSpans:
    """Return the cosines of what was found, of long turns that of the passage that is nearest.

    Args:
        tx: where to look.
        plan: the search.
        query: the query's vector, or why there is none.
        bm25: what the text search has found.
        cosine: what the vector search has found; where that is nothing, so are passages.
    """
    if isinstance(query, str) or not cosine or not plan.options.stages.passages:
        return cosine, {}
    found = sorted(cosine.keys() | bm25.keys())
    nearest = tx.documents.nearest_passages(found, query.model, query.vector)
    if not nearest:
        return cosine, {}
    last = min(cosine.values())
    gains = {n: match.score - cosine.get(n, last) for n, match in nearest.items()}
    chances = _gains_by_chance(gains)
    nearer = {n: match.score - chances[n] for n, match in nearest.items() if gains[n] > chances[n]}
    spans = {n: (match.start, match.end) for n, match in nearest.items()}
    return {**cosine, **nearer}, spans


def _gains_by_chance(gains: Mapping[int, float]) -> dict[int, float]:
    """Return the gain of each turn's passage by chance: mean of the others' and their spread."""
    others = len(gains) - 1
    if others < 1:
        return dict.fromkeys(gains, 0.0)
    total, squares = sum(gains.values()), sum(gain * gain for gain in gains.values())
    chances = {}
    for n, gain in gains.items():
        mean = (total - gain) / others
        spread = math.sqrt(max((squares - gain * gain) / others - mean * mean, 0.0))
        chances[n] = max(mean + spread, 0.0)
    return chances
