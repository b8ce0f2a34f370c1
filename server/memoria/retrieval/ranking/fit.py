"""Fit: the likelihood that anything that was found is an answer.

An index always finds something, and an asked search shows it. How well the best of it fits tells an
answer from what merely comes nearest: how near it lies to the question, by what an embedder has
learnt of answers where it has, and its share of the question's words, the rare ones counting more,
less what the question names and no record knows. Without a cosine, of the record, and where a
reranker has read both, the threshold decides.
"""

from collections.abc import Sequence

from memoria.model import Vector
from memoria.retrieval.query.plan import SearchPlan
from memoria.retrieval.ranking.score import ScoredCandidate
from memoria.retrieval.ranking.statistics import QueryStatistics
from memoria.retrieval.sources.vectors import AskedVector, QueryVector, list_query_vectors
from memoria.store.rows.transaction import Transaction

_WORDS = 0.33
"""Weight of all of the question's words beside a cosine of 1."""
_STRANGE = 0.72
"""Weight against an answer where nothing of what is named is on record."""
_FEW_WORDS = 2
"""Number of words up to which the meaning has to speak, where nothing on record holds any of them:
that another script spells a name in its own way excuses a sentence."""


def is_answered(
    tx: Transaction,
    plan: SearchPlan,
    statistics: QueryStatistics,
    asked: Sequence[AskedVector],
    shown: Sequence[ScoredCandidate],
) -> bool:
    """Return whether the best of what is shown fits well enough to be an answer.

    Args:
        tx: where the vectors of what is shown are read.
        plan: the search.
        statistics: what the record knows of the question.
        asked: the vector of each wording.
        shown: best first.
    """
    if plan.parsed.is_time_only:
        return bool(shown)
    deciding = [each for each in shown if each.signals.rerank_score is not None] or shown
    is_of_record = not plan.profile.every_hit_must_fit
    if is_of_record or not statistics.has_vectors or deciding is not shown:
        relief = _find_relief(plan, statistics, deciding) if is_of_record else 0.0
        return any(each.margin >= relief * each.signals.is_cross_language for each in deciding)
    nearness = _measure_nearness(tx, plan, asked, shown)
    fits = (
        near + _measure_words(statistics, each) for near, each in zip(nearness, shown, strict=True)
    )
    return any(fit >= plan.calibration.answers for fit in fits)


def _find_relief(
    plan: SearchPlan, statistics: QueryStatistics, shown: Sequence[ScoredCandidate]
) -> float:
    """Return the bonus that hits in another language lose: that for a bare word none shares."""
    is_shared = any(
        one.coverage or one.context_coverage or one.rerank_score is not None
        for one in (each.signals for each in shown)
    )
    is_bare = statistics.telling_terms <= _FEW_WORDS and statistics.has_vectors
    return plan.calibration.transcript.cross_language if is_bare and not is_shared else 0.0


def _measure_nearness(
    tx: Transaction,
    plan: SearchPlan,
    asked: Sequence[AskedVector],
    shown: Sequence[ScoredCandidate],
) -> list[float]:
    """Measure how near each lies, as an answer, to the wording that it lies nearest to."""
    cosines = [each.signals.cosine for each in shown]
    read = plan.calibration.read_answering
    wordings = [] if read is None else list_query_vectors(asked)
    if read is None or not wordings:
        return cosines
    vectors = tx.documents.vectors([each.candidate.n for each in shown], wordings[0].model)
    beyond = read() - 1
    return [
        cosine + (_add_beyond(beyond, wordings, vectors[n]) if n in vectors else 0.0)
        for cosine, n in zip(cosines, (each.candidate.n for each in shown), strict=True)
    ]


def _add_beyond(beyond: Vector, wordings: Sequence[QueryVector], text: Vector) -> float:
    """Return what the weights add to the cosine of a text with the wording nearest to it."""
    nearest = max((each.vector for each in wordings), key=lambda vector: float(vector @ text))
    return float((beyond * nearest) @ text)


def _measure_words(statistics: QueryStatistics, each: ScoredCandidate) -> float:
    """Return what the words of a question and its names count for a candidate."""
    return _WORDS * each.signals.coverage - _STRANGE * statistics.strange_share
