"""Reranking: scores of the best hits by a model that reads query and text. Optional.

Its score and ours are averaged. It knows what the words mean together; we know what it is not
shown: what was said around a text, who is meant, when, and what the graph has. Which of the two is
right more often depends on the model, and none could be measured here (none comes in a wheel), so
they count the same. What it was not asked about is taken to answer no better than the worst it was
asked about: otherwise whatever is out of its sight would overtake what it has seen and thought
little of.

It is asked while no snapshot is open, because a network keeps its own time. Where something was
written meanwhile, the hits are scored anew, as the home is by then, for the answer. Scores go by
the words they were given for. What was forgotten meanwhile is not there to be shown, and what was
said meanwhile has no score of another's.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from memoria.errors import RerankerError
from memoria.inference.rerank.base import Reranker, score_texts
from memoria.language.reading.excerpt import find_excerpt, weigh_evenly
from memoria.model import PartReport, StoredTurn
from memoria.retrieval.query.plan import SearchPlan
from memoria.retrieval.ranking.boosts import combine_boosts
from memoria.retrieval.ranking.score import ScoredCandidate
from memoria.retrieval.ranking.threshold import RelevanceThreshold

RERANK_DEPTH = 20
"""Number of the best hits the reranker is asked about."""
_CHARS = 1000
"""Most characters of each that it is shown: of a long one, the part that answers."""


@dataclass(frozen=True, slots=True)
class RerankOpinion:
    """Scores of the reranker, and the report of asking it."""

    scores: Mapping[str, float] = field(default_factory=dict)
    """Scores by the words that it was shown."""
    reports: tuple[PartReport, ...] = ()


NO_OPINION = RerankOpinion()
"""Opinion where there is no reranker."""
SWITCHED_OFF = RerankOpinion(reports=(PartReport(part="rerank", state="off", why="switched off"),))


def passages(plan: SearchPlan, scored: Sequence[ScoredCandidate]) -> tuple[str, ...]:
    """List what the reranker is to be shown: of the best hits, the words that answer."""
    if plan.parsed.is_time_only or not plan.terms:
        return ()
    shown = (_passage_text(plan, each) for each in scored[:RERANK_DEPTH])
    return tuple(dict.fromkeys(text for text in shown if text.strip()))


def ask_reranker(reranker: Reranker, query: str, texts: Sequence[str]) -> RerankOpinion:
    """Ask the reranker about these texts; its failure is reported, not raised."""
    if not texts:
        why = "there is nothing to put in order"
        return RerankOpinion(reports=(PartReport(part="rerank", state="idle", why=why),))
    try:
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
    """Order the hits by our score and the reranker's, best first."""
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
        score=relevance * combine_boosts(each.boosts),
    )


def _passage_text(plan: SearchPlan, each: ScoredCandidate) -> str:
    """Return the speaker, for "I" says nothing to a stranger, and the part that answers."""
    document, text = each.document, each.text
    start, end = find_excerpt(text, weigh_evenly(plan.terms), _CHARS)
    speaker = document.speaker if isinstance(document, StoredTurn) else None
    return f"{speaker}: {text[start:end]}" if speaker else text[start:end]
