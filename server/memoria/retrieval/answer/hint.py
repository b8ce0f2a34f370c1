"""Hints that the transcript has more, in answers to a search of memories.

The transcript is looked at for the caller only where evidence is asked for, or where nothing that
was found answers; and then those of its turns that hold words of the question are counted, not
shown: whoever wants them asks for them.
"""

from collections.abc import Sequence

from memoria.retrieval.answer.conditions import ToldConditions
from memoria.retrieval.answer.notes import FOR_AGENTS
from memoria.retrieval.answer.record import COUNT_UP_TO, list_fitting_turns
from memoria.retrieval.query.plan import SearchPlan
from memoria.retrieval.ranking.score import ScoredCandidate
from memoria.retrieval.snapshot import ScoredSearch
from memoria.store.rows.transaction import Transaction


def find_hint(
    tx: Transaction,
    found: ScoredSearch,
    shown: Sequence[ScoredCandidate],
    told: ToldConditions,
    *,
    is_answered: bool,
) -> str | None:
    """Return a sentence on what the transcript has, None where there is no reason to look.

    Args:
        tx: where to look.
        found: what a search of memories has found.
        shown: what it shows.
        told: on what condition things were told.
        is_answered: whether anything of that answers.
    """
    plan = found.plan
    reason = _find_reason(plan, is_answered=is_answered)
    if plan.parsed.is_time_only:
        return _phrase_hint(reason, len(found.sources.recent))
    if reason is None and not plan.parsed.literals:
        return None
    fitting = list_fitting_turns(tx, plan, found)
    turns = [one for one, _ in told.take(fitting, len(fitting)) if one.signals.coverage > 0]
    literal = [each for each in turns if plan.parsed.occurs_in(each.text)]
    if literal and not plan.parsed.wants_record:
        return _phrase_hint(
            "Codes, paths and addresses stand in the record as they were written", len(literal)
        )
    known = {each.candidate.n for each in shown if not plan.parsed.wants_record}
    return _phrase_hint(reason, sum(each.candidate.n not in known for each in turns))


def _phrase_hint(reason: str | None, count: int) -> str | None:
    if reason is None or not count:
        return None
    many = f"{COUNT_UP_TO} or more turns" if count >= COUNT_UP_TO else f"{count} turns"
    match = "1 turn matches" if count == 1 else f"{many} match"
    return f"{reason}: {match}; {FOR_AGENTS.record}."


def _find_reason(plan: SearchPlan, *, is_answered: bool) -> str | None:
    if plan.parsed.wants_record:
        return "The exact words are in the record"
    return None if is_answered else "No sure match here"
