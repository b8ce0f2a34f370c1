"""Recent: the newest documents, for a query that asks for a time and for nothing in particular."""

from dataclasses import replace

from memoria.model import PartReport
from memoria.retrieval.query.plan import SearchPlan
from memoria.retrieval.sources.report import report_idle, report_used
from memoria.store.base import Transaction

_DEPTH = 100


def search_recent(tx: Transaction, plan: SearchPlan) -> tuple[tuple[int, ...], PartReport]:
    """The newest of the time asked for, newest first."""
    if not plan.parsed.is_time_only:
        return (), report_idle("recent", "the question asks for more than a time")
    found = _list_recent(tx, plan, _DEPTH)
    return found, report_used("recent", len(found))


def fall_back_to_words(tx: Transaction, plan: SearchPlan) -> SearchPlan:
    """The plan; where its time holds nothing and nothing else is asked for, one for its words."""
    if not plan.parsed.is_time_only or _list_recent(tx, plan, 1):
        return plan
    return replace(plan, parsed=plan.parsed.without_time())


def _list_recent(tx: Transaction, plan: SearchPlan, most: int) -> tuple[int, ...]:
    return tuple(tx.documents.recent(plan.kinds, plan.filters_in_time or plan.filters, most))
