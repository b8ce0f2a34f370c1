"""Hint: where a search of memories says that the transcript has more.

The transcript is looked at for the caller only where evidence is asked for, where nothing was
found, or where what was found is not sure; and then its turns are counted, not shown: whoever wants
them asks for them.
"""

from memoria.retrieval.answer.conditions import list_answerable
from memoria.retrieval.answer.notes import FOR_AGENTS
from memoria.retrieval.answer.record import COUNT_UP_TO, list_fitting_turns
from memoria.retrieval.query.plan import SearchPlan
from memoria.retrieval.ranking.documents import MemoryWording
from memoria.retrieval.ranking.selection import Selection
from memoria.retrieval.snapshot import ScoredSearch
from memoria.store.base import Transaction

_UNSURE_RELEVANCE = 0.35
"""A relevance below which the best hit is more a guess than an answer."""
_LOW_CONFIDENCE = 0.5
_FEW_HITS = 2
_SURE_RELEVANCE = 0.6
"""A relevance from which on even a single hit is likely the whole answer."""


def find_hint(
    tx: Transaction,
    plan: SearchPlan,
    found: ScoredSearch,
    selection: Selection,
) -> str | None:
    """A sentence on what the transcript has, where there is a reason to look.

    Args:
        tx: where to look.
        plan: the search of memories.
        found: what it has found.
        selection: what the search answers.
    """
    reason = _find_reason(plan, selection)
    if plan.parsed.is_time_only:
        return _phrase_hint(reason, len(found.sources.recent))
    if reason is None and not plan.parsed.literals:
        return None
    fitting = list_fitting_turns(tx, plan, found)
    turns = [one for one, _ in list_answerable(tx, plan, fitting)]
    literal = [each for each in turns if plan.parsed.occurs_in(each.text)]
    if literal and not plan.parsed.wants_record:
        return _phrase_hint(
            "Codes, paths and addresses stand in the record as they were written", len(literal)
        )
    shown = {each.candidate.n for each in selection.hits if not plan.parsed.wants_record}
    return _phrase_hint(reason, sum(each.candidate.n not in shown for each in turns))


def _phrase_hint(reason: str | None, count: int) -> str | None:
    if reason is None or not count:
        return None
    many = f"{COUNT_UP_TO} or more turns" if count >= COUNT_UP_TO else f"{count} turns"
    match = "1 turn matches" if count == 1 else f"{many} match"
    return f"{reason}: {match}; {FOR_AGENTS.record}."


def _find_reason(plan: SearchPlan, selection: Selection) -> str | None:
    if plan.parsed.wants_record:
        return "The exact words are in the record"
    if not selection.hits:
        return "No sure match here"
    best = selection.hits[0]
    memory = best.document.memory if isinstance(best.document, MemoryWording) else None
    if memory is not None and memory.confidence < _LOW_CONFIDENCE:
        return "The best conclusion is unsure"
    if best.relevance < _UNSURE_RELEVANCE:
        return "The best hit fits only in part"
    if len(selection.hits) <= _FEW_HITS and best.relevance < _SURE_RELEVANCE:
        return "Little was found here"
    return None
