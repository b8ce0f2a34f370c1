"""Second level: when the first one says that the verbatim record has more.

The record is looked at for the caller only where evidence is asked for, where nothing was found, or
where what was found is not sure; and then counted, not shown: whoever wants it asks for it. What
words find there is judged, with what meaning has found for the first level: no second search.
"""

from dataclasses import replace

from memoria.retrieval.candidates import Candidates
from memoria.retrieval.familiar import Familiarity
from memoria.retrieval.fuse import Fused
from memoria.retrieval.gate import RECORD
from memoria.retrieval.judge import Judged, Wording, judge
from memoria.retrieval.plan import Plan
from memoria.retrieval.select import Selected
from memoria.store.base import Transaction

_COUNTED = 10
_UNSURE = 0.35
"""A relevance below which the best hit is more a guess than an answer."""
_LOW_CONFIDENCE = 0.5


def hint(
    tx: Transaction, plan: Plan, candidates: Candidates, asked: Familiarity, selected: Selected
) -> str | None:
    """A sentence on what the record has, where there is a reason to look."""
    why = _reason(plan, selected)
    if plan.question.only_of_time:
        return _told(why, len(candidates.recent))
    if why is None and not plan.question.literal:
        return None
    passed = _traces(tx, plan, candidates, asked)
    held = [each for each in passed if plan.question.stands_in(each.text)]
    if held and not plan.question.for_the_record:
        return _told(
            "Codes, paths and addresses stand in the record as they were written", len(held)
        )
    return _told(why, len(passed))


def _told(why: str | None, count: int) -> str | None:
    if why is None or not count:
        return None
    many = f"{_COUNTED} or more traces match" if count >= _COUNTED else f"{count} traces match"
    many = "1 trace matches" if count == 1 else many
    return f"{why}: {many}; call search_conversation_traces."


def _reason(plan: Plan, selected: Selected) -> str | None:
    if plan.question.for_the_record:
        return "The exact words are in the record"
    if not selected.found:
        return "No conclusion fits"
    best = selected.found[0]
    memory = best.document.memory if isinstance(best.document, Wording) else None
    if memory is not None and memory.confidence < _LOW_CONFIDENCE:
        return "The best conclusion is unsure"
    if best.relevance < _UNSURE:
        return "The best hit fits only in part"
    return None


def _traces(
    tx: Transaction, plan: Plan, candidates: Candidates, asked: Familiarity
) -> list[Judged]:
    """The turns of the record that pass its gate, of the best ones."""
    record = replace(
        plan,
        kinds=("turn",),
        filters=replace(plan.filters, settled=True, types=()),
        first_level=False,
    )
    judged = judge(tx, record, _found(tx, record, candidates), asked)
    threshold = RECORD.before(asked)
    return [each for each in judged if threshold.margin(each.kind, each.support) >= 0]


def _found(tx: Transaction, record: Plan, candidates: Candidates) -> list[Fused]:
    """The best by words, and the nearest of what has been found already."""
    cosine = candidates.cosine
    by_words = (
        []
        if "text" in record.way.without
        else [
            match.n
            for match in tx.documents.match(
                record.kinds, record.terms, record.filters, 2 * _COUNTED
            )
        ]
    )
    nearest = sorted(cosine, key=lambda n: (-cosine[n], n))[: 2 * _COUNTED]
    return [Fused(n, 0.0, cosine=cosine.get(n, 0.0)) for n in dict.fromkeys([*by_words, *nearest])]
