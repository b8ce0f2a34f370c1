"""Second level: when the first one says that the verbatim record has more.

The record is looked at for the caller only where evidence is asked for, where nothing was found, or
where what was found is not sure; and then counted, not shown: whoever wants it asks for it.
"""

from dataclasses import replace

from memoria.retrieval.candidates import QueryVector, gather
from memoria.retrieval.familiar import familiar_with
from memoria.retrieval.fuse import fuse
from memoria.retrieval.gate import RECORD
from memoria.retrieval.judge import Wording, judge
from memoria.retrieval.plan import Plan
from memoria.retrieval.select import Selected
from memoria.store.base import Transaction

_COUNTED = 10
_UNSURE = 0.35
"""A relevance below which the best hit is more a guess than an answer."""
_LOW_CONFIDENCE = 0.5


def hint(tx: Transaction, plan: Plan, query: QueryVector | str, selected: Selected) -> str | None:
    """A sentence on what the record has, where there is a reason to look."""
    why = _reason(plan, selected)
    if why is None:
        return None
    count = _traces(tx, plan, query)
    if not count:
        return None
    many = f"{count} or more traces match" if count == _COUNTED else f"{count} traces match"
    many = "1 trace matches" if count == 1 else many
    return f"{why}: {many}; call search_conversation_traces."


def _reason(plan: Plan, selected: Selected) -> str | None:
    if plan.question.for_the_record:
        return "The exact words are in the record"
    if plan.question.literal:
        return "Codes, paths and addresses stand in the record as they were written"
    if not selected.found:
        return "No conclusion fits"
    best = selected.found[0]
    memory = best.document.memory if isinstance(best.document, Wording) else None
    if memory is not None and memory.confidence < _LOW_CONFIDENCE:
        return "The best conclusion is unsure"
    if best.relevance < _UNSURE:
        return "The best hit fits only in part"
    return None


def _traces(tx: Transaction, plan: Plan, query: QueryVector | str) -> int:
    """How many turns of the record pass its gate, up to ten."""
    record = replace(
        plan,
        kinds=("turn",),
        filters=replace(plan.filters, settled=True, types=()),
        limit=_COUNTED,
        first_level=False,
    )
    candidates = gather(tx, record, query)
    asked = familiar_with(tx, record, candidates)
    judged = judge(tx, record, fuse(tx, record, candidates, _COUNTED), asked)
    if record.question.only_of_time:
        return len(judged)
    return sum(RECORD.turn.passed_by(each.support, asked) for each in judged)
