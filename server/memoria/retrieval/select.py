"""Select: which of the judged documents are shown, and what becomes of the others."""

from collections.abc import Sequence
from dataclasses import dataclass

from memoria.retrieval.diversify import diversified, shares
from memoria.retrieval.gate import Threshold
from memoria.retrieval.judge import Judged, Wording
from memoria.retrieval.plan import Plan

DECIDE = 10
"""How many of the best decide whether the record has anything to say, whatever is asked for."""
_REPEATS = 0.9


@dataclass(frozen=True, slots=True)
class Selected:
    """The hits in their order, and the documents that came to nothing."""

    found: tuple[Judged, ...]
    turned_away: tuple[Judged, ...] = ()
    """Best first."""
    repeats: tuple[Judged, ...] = ()
    """What another hit says already."""


def select(plan: Plan, judged: Sequence[Judged], threshold: Threshold) -> Selected:
    """What passes the gate, in an order in which no hit repeats the one before."""
    if plan.question.only_of_time:
        return Selected(tuple(judged))
    if not plan.terms:
        return Selected((), tuple(judged))  # no word was asked for, so nothing is an answer
    if not threshold.gate.each:
        speaks = any(_passes(each, threshold) for each in judged[:DECIDE])
        return Selected(tuple(judged[: plan.limit])) if speaks else Selected((), tuple(judged))
    passed = [each for each in judged if _passes(each, threshold)]
    passed = _with_what_they_lead_to(judged, passed)
    ids = {each.fused.n for each in passed}
    turned_away = tuple(each for each in judged if each.fused.n not in ids)
    repeats = _drawn_on(passed)
    repeats |= _repeated([each for each in passed if each.fused.n not in repeats])
    kept = [each for each in passed if each.fused.n not in repeats]
    said_already = tuple(each for each in passed if each.fused.n in repeats)
    if plan.way.stages.diversity:
        kept = diversified(kept, plan.limit)
    return Selected(tuple(kept), turned_away, said_already)


def _passes(each: Judged, threshold: Threshold) -> bool:
    return threshold.margin(each.kind, each.support) >= 0


def _with_what_they_lead_to(judged: Sequence[Judged], passed: Sequence[Judged]) -> list[Judged]:
    """Where a hit names somebody, what else is known of them comes with it: the second step.

    "Who looks after the server" is answered by a name, and "how do I reach whoever does" by what
    is told under that name, which shares no word with the question and little of its meaning.
    """
    ids = {each.fused.n for each in passed}
    return [each for each in judged if each.fused.n in ids or each.fused.through in ids]


def _drawn_on(found: Sequence[Judged]) -> set[int]:
    """The turns from which one of the memories found was drawn: it answers for them."""
    drawn_from = {
        each.document.version.provenance.turn_id
        for each in found
        if isinstance(each.document, Wording)
    }
    return {each.fused.n for each in found if each.kind == "turn" and each.id in drawn_from}


def _repeated(found: Sequence[Judged]) -> set[int]:
    """Turns that say word for word what a better hit says."""
    kept: list[Judged] = []
    repeats: set[int] = set()
    for each in found:
        if each.kind == "turn" and any(
            shares(each.words, better.words, _REPEATS) for better in kept
        ):
            repeats.add(each.fused.n)
        else:
            kept.append(each)
    return repeats
