"""Fit: whether anything that was found is likely an answer.

An index always finds something, and an asked search shows it. How well the best of it fits tells an
answer from what merely comes nearest: its cosine and its share of the question's words, the rare
ones counting more, less what the question names and no record knows. Chosen on MemoryBank's
questions, asked of whom they are about and of others, and on small lives with questions of our own:
at the bound .07 to .17 and 0 to .10 of what can be answered are called no answer. Without a cosine,
of the record, and where a reranker has read both, the threshold decides.
"""

from collections.abc import Iterable

from memoria.retrieval.query.plan import SearchPlan
from memoria.retrieval.ranking.score import ScoredCandidate
from memoria.retrieval.ranking.statistics import QueryStatistics

_WORDS = 0.33
"""What all of the question's words count beside a cosine of 1."""
_STRANGE = 0.72
"""What it counts against an answer that nothing of what is named is on record."""


def is_answered(
    plan: SearchPlan, statistics: QueryStatistics, shown: Iterable[ScoredCandidate]
) -> bool:
    """Whether the best of what is shown fits well enough to be an answer."""
    if plan.parsed.is_time_only:
        return any(True for _ in shown)
    every = list(shown)
    read = [each for each in every if each.signals.rerank_score is not None]
    return any(_answers(plan, statistics, each) for each in read or every)


def _answers(plan: SearchPlan, statistics: QueryStatistics, each: ScoredCandidate) -> bool:
    is_of_record = not plan.profile.every_hit_must_fit
    signals = each.signals
    if is_of_record or not statistics.has_vectors or signals.rerank_score is not None:
        return each.margin >= 0
    return measure_fit(statistics, each) >= plan.calibration.answers


def measure_fit(statistics: QueryStatistics, each: ScoredCandidate) -> float:
    """How well a candidate fits a question."""
    signals = each.signals
    known = signals.cosine + _WORDS * signals.coverage
    return known - _STRANGE * statistics.strange_share
