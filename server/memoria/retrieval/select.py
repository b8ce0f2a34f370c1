"""Select: which of the judged documents are shown, and what becomes of the others."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memoria.retrieval.diversify import diversified, likeness
from memoria.retrieval.familiar import Familiarity
from memoria.retrieval.gate import Gate
from memoria.retrieval.judge import Judged, Wording
from memoria.retrieval.plan import Plan

_REPEATS = 0.9
_CONSIDERED = 3
"""How many hits, for each that is wanted, are considered for a place."""


@dataclass(frozen=True, slots=True)
class Selected:
    """The hits in their order, and the documents that came to nothing."""

    found: tuple[Judged, ...]
    turned_away: tuple[Judged, ...] = ()
    """Best first."""
    repeats: tuple[Judged, ...] = ()
    """What another hit says already."""


def select(plan: Plan, judged: Sequence[Judged], gate: Gate, asked: Familiarity) -> Selected:
    """What passes the gate, in an order in which no hit repeats the one before."""
    if plan.question.only_of_time:
        return Selected(tuple(judged))
    if not plan.terms:
        return Selected((), tuple(judged))  # no word was asked for, so nothing is an answer
    passed = [each for each in judged if gate.bar(each.kind).passed_by(each.support, asked)]
    if not gate.each:
        return Selected(tuple(judged[: plan.limit])) if passed else Selected((), tuple(judged))
    ids = {each.fused.n for each in passed}
    turned_away = tuple(each for each in judged if each.fused.n not in ids)
    once = _once(passed)
    repeats = _repeated(once)
    kept = [each for each in once if each.fused.n not in repeats]
    return Selected(
        tuple(diversified(kept, _CONSIDERED * plan.limit)), turned_away, tuple(repeats.values())
    )


def _once(found: Sequence[Judged]) -> list[Judged]:
    """Without the turns from which one of the memories found was drawn: it answers for them."""
    drawn_from = {
        each.document.version.provenance.turn_id
        for each in found
        if isinstance(each.document, Wording)
    }
    return [
        each
        for each in found
        if isinstance(each.document, Wording) or each.document.id not in drawn_from
    ]


def _repeated(found: Sequence[Judged]) -> Mapping[int, Judged]:
    """Turns that say word for word what a better hit says."""
    kept: list[Judged] = []
    repeats: dict[int, Judged] = {}
    for each in found:
        same = any(likeness(each.words, better.words) >= _REPEATS for better in kept)
        if each.kind == "turn" and same:
            repeats[each.fused.n] = each
        else:
            kept.append(each)
    return repeats
