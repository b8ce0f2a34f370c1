"""Reranking: candidates ordered anew by a model, and the rankings of several wordings joined.

A reranker reads query and text; it is optional. Its score and ours are averaged. It knows what the
words mean together; we know what it is not shown: what was said around a text, who is meant, when,
and what the graph has. Which of the two is right more often depends on the model, so they count the
same. A candidate that the model was not asked about is taken to answer no better than the worst
that it was asked about: otherwise whatever is out of its sight would overtake what it has seen and
thought little of.

The model is asked while no snapshot is open, because a network keeps its own time. Where something
was written meanwhile, the hits are scored anew for the answer. Scores go by the words they were
given for: what was forgotten meanwhile is not shown, and what was said meanwhile has no score of
another's.

Wordings of a question are searched for each by itself, with its own statistics and threshold; then
a document counts by its places in their rankings (reciprocal rank fusion: G. Cormack, C. Clarke, S.
Büttcher, "Reciprocal rank fusion outperforms Condorcet and individual rank learning methods",
2009). Scores of different wordings are not of one measure, and added up they let a wording that
leads astray push answers down. How good a document is beside the best is what it is in the wording
that it fits best.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, chain
from math import prod

from memoria.bare.spans import spans
from memoria.errors import RerankerError
from memoria.inference.reranker import Reranker, score_texts
from memoria.language.asking.parse import ParsedQuery
from memoria.language.reading.excerpt import find_excerpt, weigh_evenly
from memoria.model import PartReport, StoredTurn
from memoria.retrieval.query.plan import SearchPlan
from memoria.retrieval.ranking.candidates import ScoredCandidate
from memoria.retrieval.ranking.statistics import QueryStatistics
from memoria.retrieval.ranking.threshold import RelevanceThreshold

RERANK_DEPTH = 20
"""Number of the best candidates that the reranker is asked about."""
_CHARS = 1000
"""Most characters of a candidate that the reranker is shown: the part that answers."""


@dataclass(frozen=True, slots=True)
class RerankOpinion:
    """Scores of the reranker, and the report of asking."""

    scores: Mapping[str, float] = field(default_factory=dict)
    """Scores by the text that the reranker was shown."""
    reports: tuple[PartReport, ...] = ()


NO_OPINION = RerankOpinion()
"""Opinion where there is no reranker."""
SWITCHED_OFF = RerankOpinion(reports=(PartReport(part="rerank", state="off", why="switched off"),))


def passages(plan: SearchPlan, scored: Sequence[ScoredCandidate]) -> tuple[str, ...]:
    """List the texts that the reranker is shown: the part of each of the best that answers."""
    if plan.parsed.is_time_only or not plan.terms:
        return ()
    shown = (_passage_text(plan, each) for each in scored[:RERANK_DEPTH])
    return tuple(dict.fromkeys(text for text in shown if text.strip()))


def ask_reranker(reranker: Reranker, query: str, texts: Sequence[str]) -> RerankOpinion:
    """Ask the reranker to score texts; its failure is reported, not raised."""
    if not texts:
        why = "there is nothing to put in order"
        return RerankOpinion(reports=(PartReport(part="rerank", state="idle", why=why),))
    try:
        with spans.time("rerank", texts=len(texts)):
            scores = score_texts(reranker, query, texts)
    except RerankerError as error:
        return RerankOpinion(reports=(PartReport(part="rerank", state="missing", why=str(error)),))
    used = PartReport(part="rerank", state="used", found=len(texts))
    return RerankOpinion(dict(zip(texts, scores, strict=True)), (used,))


def apply_opinion(
    plan: SearchPlan,
    scored: Sequence[ScoredCandidate],
    opinion: RerankOpinion,
    threshold: RelevanceThreshold,
) -> Sequence[ScoredCandidate]:
    """Order candidates by the mean of our score and the reranker's, best first."""
    if not opinion.scores:
        return scored
    worst = min(opinion.scores.values())
    both = (
        _apply_score(each, opinion.scores.get(_passage_text(plan, each)), worst) for each in scored
    )
    return sorted((each.with_margin(threshold) for each in both), key=lambda each: -each.score)


def _apply_score(each: ScoredCandidate, score: float | None, otherwise: float) -> ScoredCandidate:
    relevance = (each.relevance + (otherwise if score is None else score)) / 2
    return each._replace(
        signals=each.signals._replace(rerank_score=score),
        relevance=relevance,
        score=relevance * prod(each.boosts.values()),
    )


def _passage_text(plan: SearchPlan, each: ScoredCandidate) -> str:
    """Return the part of a candidate that answers, with its speaker: who "I" is."""
    document, text = each.document, each.text
    start, end = find_excerpt(text, weigh_evenly(plan.terms), _CHARS)
    speaker = document.speaker if isinstance(document, StoredTurn) else None
    return f"{speaker}: {text[start:end]}" if speaker else text[start:end]


def keep_holding(
    parsed: ParsedQuery, statistics: QueryStatistics, scored: Sequence[ScoredCandidate]
) -> Sequence[ScoredCandidate]:
    """Keep the candidates that hold a code, path or address of the question; all, if none does."""
    if not parsed.literals:
        return scored
    codes = statistics.codes
    return [
        each for each in scored if parsed.occurs_in(each.text) or not codes.isdisjoint(each.words)
    ] or scored


SEVERAL_DEPTH = 40
"""Number of the best candidates of each wording whose rankings are joined; the others follow."""
_VARIANT_WEIGHT = 0.8
"""Weight of a place in another wording's ranking, beside a place in the question's."""
_RANK_OFFSET = 2
"""Number added to a place, so that agreement counts beside first places. The usual 60 is for lists
of hundreds."""


def join_searches(rankings: Sequence[Sequence[ScoredCandidate]]) -> Sequence[ScoredCandidate]:
    """Join the rankings of the question, then of each other wording, to one ranking."""
    if len(rankings) == 1:
        return rankings[0]
    fused = fuse_searches([ranking[:SEVERAL_DEPTH] for ranking in rankings])
    once = {each.identity: each for each in fused}
    for each in chain.from_iterable(ranking[SEVERAL_DEPTH:] for ranking in rankings):
        once.setdefault(each.identity, each)
    return list(once.values())


def fuse_searches(rankings: Sequence[Sequence[ScoredCandidate]]) -> list[ScoredCandidate]:
    """Fuse rankings to one, best first; each candidate is as in the ranking where it fits best."""
    best: dict[tuple[str, int], ScoredCandidate] = {}
    gains: dict[tuple[str, int], float] = {}
    for position, ranking in enumerate(rankings):
        weight = _VARIANT_WEIGHT if position else 1.0
        for place, each in enumerate(ranking):
            key = each.identity
            gains[key] = gains.get(key, 0.0) + weight / (_RANK_OFFSET + place)
            if key not in best or each.margin > best[key].margin:
                best[key] = each
    shares = _list_shares(rankings)
    order = sorted(best, key=lambda key: (-gains[key], best[key].n))
    # What follows may be better in one wording alone: none is called worse than what is behind it.
    rising = accumulate((shares[key] for key in reversed(order)), max)
    top = max((each.score for ranking in rankings for each in ranking), default=0.0)
    scores = reversed([top * share for share in rising])
    return [best[key]._replace(score=score) for key, score in zip(order, scores, strict=True)]


def _list_shares(rankings: Sequence[Sequence[ScoredCandidate]]) -> dict[tuple[str, int], float]:
    """Map each candidate to its highest share of the best score of a ranking."""
    shares: dict[tuple[str, int], float] = {}
    for ranking in rankings:
        own = max((each.score for each in ranking), default=0.0) or 1.0
        for each in ranking:
            shares[each.identity] = max(each.score / own, shares.get(each.identity, 0.0))
    return shares
