"""Text: the documents that hold the query's words, by BM25."""

from memoria.retrieval.query.plan import SearchPlan
from memoria.retrieval.sources.report import (
    DEPTH,
    FoundScores,
    report_idle,
    report_off,
    report_used,
)
from memoria.store.rows.transaction import Transaction

_DEPTH_IN_TIME = 100
"""Number of further documents looked for in the time that the query names."""


def search_text(tx: Transaction, plan: SearchPlan) -> FoundScores:
    """Search the full text; where it finds too much, also within the time asked for.

    Args:
        tx: where to look.
        plan: the search.
    """
    if "text" in plan.options.without:
        return {}, report_off("text")
    if not plan.terms:
        return {}, report_idle("text", "the question holds no word")
    found = dict(tx.documents.match(plan.kinds, plan.terms, plan.filters, DEPTH))
    in_time = plan.filters_in_time
    if in_time is not None and len(found) >= DEPTH:
        found.update(tx.documents.match(plan.kinds, plan.terms, in_time, _DEPTH_IN_TIME))
    return found, report_used("text", len(found))


def search_phrases(tx: Transaction, plan: SearchPlan) -> dict[int, float]:
    """Find documents that hold a phrase of the query word for word, scored by the phrase alone."""
    if "text" in plan.options.without or not plan.options.stages.phrases:
        return {}
    found: dict[int, float] = {}
    for phrase in plan.parsed.phrases:
        of_runs = [
            dict(tx.documents.match(plan.kinds, [run], plan.filters, DEPTH)) for run in phrase
        ]
        held = set.intersection(*map(set, of_runs))
        found |= {n: sum(scores[n] for scores in of_runs) for n in held}
    return found
