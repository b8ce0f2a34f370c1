"""Fusion: scores of text and meaning joined by those of the graph and the calendar.

Text and meaning come joined already, in the context of their conversation (`evidence`). The graph
is one more independent witness (noisy-or, as there): alone it makes a weak hit, together with
words or meaning a surer one. A sum with fixed weights (λ1·BM25 + λ2·vector + λ3·graph) would need
other weights for every source that is absent; here one that is absent leaves the others' scores as
they are.
"""

from collections.abc import Iterable, Set
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from memoria.language.reading.passages import Span
from memoria.retrieval.query.plan import SearchPlan
from memoria.retrieval.ranking.evidence.ranked import (
    RANK_DEPTH,
    EvidenceQuery,
    Ranking,
    phrase_share,
)
from memoria.retrieval.sources.gather import SourceScores
from memoria.store.index_tokens import IndexTokens
from memoria.store.rows.transaction import Transaction
from memoria.store.values import Frequencies

if TYPE_CHECKING:
    from memoria.retrieval.ranking.evidence.priors import Lift
    from memoria.retrieval.ranking.evidence.words import Floats, Integers

_Score = TypeVar("_Score", float, "Floats")
GRAPH_CEILING = 0.3
"""Most that the graph alone makes of its best document."""
_GRAPH_ONLY_MOST = 30
"""Most documents that only the graph has found and that are looked at."""


class FusedCandidate(NamedTuple):
    """A document with what each source says for it, 0 to 1."""

    n: int
    score: float
    """Score of text and meaning in context, and the graph."""
    lexical: float = 0.0
    cosine: float = 0.0
    graph: float = 0.0
    context: float = 0.0
    """Share of the query's words in it and around it; a speaker's name is no word."""
    entity_names: frozenset[str] = frozenset()
    """Names in the query of what it is linked with directly."""
    via: int | None = None
    """Number of the document found that leads to it."""
    is_indexed: bool = True
    """True if an index found it; else only the graph or the calendar knows of it."""
    indexed: IndexTokens | None = None
    """Tokens, where they were read."""
    phrase: float = 1.0
    """Factor, less than 1 where others hold a phrase that the query quotes, and this does not."""
    passage: Span | None = None
    """Part of a long turn's whole text that is nearest to the question by meaning."""


def rank_documents(
    tx: Transaction, plan: SearchPlan, sources: SourceScores, frequencies: Frequencies, most: int
) -> Ranking:
    """Rank the documents by words and meaning: as many as it takes to fuse `most`."""
    if plan.parsed.is_time_only or not (sources.bm25 or sources.cosine):
        return Ranking()
    import numpy as np  # noqa: PLC0415  (who finds nothing does not wait for it)

    from memoria.retrieval.ranking.evidence.rank import rank_by_evidence  # noqa: PLC0415

    known = sources.expansion.scores
    query = EvidenceQuery(plan.parsed, plan.filters, frequencies)

    def lift(ns: "Integers") -> "Lift":
        graph = np.array([known.get(n, 0.0) for n in ns.tolist()])
        return lambda scores: add_graph_score(scores, graph)

    return rank_by_evidence(tx, query, sources, most, plan.options.stages, lift)


def fuse(
    plan: SearchPlan, sources: SourceScores, ranking: Ranking, most: int
) -> list[FusedCandidate]:
    """Fuse the best candidates, `most` at most beside those only the graph knows, best first.

    Args:
        plan: the search.
        sources: what they have found.
        ranking: the best of it by words and meaning, for as many candidates or for more.
        most: how many are wanted.
    """
    if plan.parsed.is_time_only:
        return [FusedCandidate(n, 1 / (1 + place), is_indexed=False)
                for place, n in enumerate(sources.recent[:most])]  # fmt: skip
    expansion = sources.expansion
    found = ranking.best[: _depth(sources, most)]
    scores = {item.n: add_graph_score(item.score, expansion.scores.get(item.n, 0.0))
              for item in found}  # fmt: skip
    best = sorted(found, key=lambda item: (-scores[item.n], item.n))[:most]
    fused = [
        FusedCandidate(
            item.n,
            scores[item.n],
            item.lexical,
            item.cosine,
            expansion.scores.get(item.n, 0.0),
            item.trust * item.lexical,
            expansion.entity_names.get(item.n, frozenset()),
            expansion.via.get(item.n),
            indexed=item.indexed,
            phrase=phrase_share(sources.holding_phrase, item.n),
            passage=sources.passages.get(item.n),
        )
        for item in best
    ]
    if not plan.filters.is_narrow:  # the graph knows no filters
        fused += _graph_only_candidates(sources, ranking.passed | {item.n for item in found})
    return _sort_candidates(fused)


def _depth(sources: SourceScores, most: int) -> int:
    """Return the number to look at: the graph may lift what stands far down."""
    return max(most, RANK_DEPTH) if sources.expansion.scores else most


def _sort_candidates(candidates: Iterable[FusedCandidate]) -> list[FusedCandidate]:
    return sorted(candidates, key=lambda item: (-item.score, item.n))


def add_graph_score(score: _Score, graph: _Score) -> _Score:
    """Join to the score, or to each of a column, that of the graph."""
    return 1 - (1 - score) * (1 - GRAPH_CEILING * graph)


def _graph_only_candidates(sources: SourceScores, known: Set[int]) -> list[FusedCandidate]:
    expansion = sources.expansion
    others = sorted(
        (n for n in expansion.scores if n not in known), key=lambda n: (-expansion.scores[n], n)
    )
    return [
        FusedCandidate(
            n,
            add_graph_score(0.0, expansion.scores[n]),
            graph=expansion.scores[n],
            entity_names=expansion.entity_names.get(n, frozenset()),
            via=expansion.via.get(n),
            cosine=sources.cosine.get(n, 0.0),
            is_indexed=False,
        )
        for n in others[:_GRAPH_ONLY_MOST]
    ]
