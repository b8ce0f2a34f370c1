"""Review: a chat model says what is to become of memories that fade, and of those that rise.

Its word is obeyed as far as rules allow: it lifts into the core what is used and lasts, and puts
aside what nobody has pinned or confirmed. Where it gives no clear word the memory is kept.
"""

from collections.abc import Iterator
from itertools import chain, zip_longest

from memoria.lifecycle.audit import note
from memoria.lifecycle.face import Applied, Item, Night
from memoria.lifecycle.reviewer import Reviewer
from memoria.lifecycle.steps.decay import active
from memoria.model import Validity
from memoria.model.night import Outcome
from memoria.model.reflection import Judgement
from memoria.model.retention import Tier, Vitals
from memoria.policy.tiers import fading, may_go, promoted, rising
from memoria.store.base import Transaction

MOST = 40
"""Memories that are judged in a night."""
_FADING = "it has grown weak: it was not said again, used or confirmed for a long time"
_RISING = "it is important and is often used or said again"


class Reviewed(Item):
    """A memory that was judged; its key is its id."""

    decision: Judgement
    wording: int
    """The number of the wording that was judged."""


class Review:
    """Promotes, keeps or archives what a reviewer was asked about."""

    name = "review"
    item = Reviewed
    rows = 40

    def reduced(self, night: Night) -> str | None:
        """Whether nobody is asked, or of how many there is no word."""
        if night.gate is None:
            return "no chat model is asked: what has faded is archived by its strength alone"
        return night.short.get(self.name)

    def plan(self, night: Night) -> Iterator[Reviewed]:
        """What the reviewer has decided, the most important memories first."""
        if night.gate is None:
            return
        cases = _cases(night)
        reviewer = Reviewer(night, night.gate)
        for memory, decision in reviewer.judge(cases[:MOST]):
            yield Reviewed(key=memory.id, decision=decision, wording=memory.current.n)
        short = [*reviewer.short]
        if len(cases) > MOST:
            short.append(f"{len(cases) - MOST} more wait for the next night")
        night.short.update({self.name: "; ".join(short)} if short else {})

    def apply(self, tx: Transaction, item: Reviewed, night: Night) -> Applied:
        """Carry the decision out, unless the memory was used, confirmed or changed since."""
        one, memory = tx.retention.vitals_of(item.key), tx.memories.get(item.key)
        if one is None or memory is None or memory.current.n != item.wording:
            return Applied(Outcome.CHANGED_SINCE, item.key)
        if _why(one, night) is None:
            return Applied(Outcome.CHANGED_SINCE, item.key)
        if item.decision == "DELETE" and may_go(one, night.retention):
            return _put_aside(tx, one, night)
        return _kept(tx, one, item, night)


def _cases(night: Night) -> list[tuple[str, str]]:
    """(memory, why it is reviewed): of those that fade and those that rise by turns."""
    found: dict[str, list[Vitals]] = {_FADING: [], _RISING: []}
    for one in active(night):
        why = _why(one, night)
        if why is not None:
            found[why].append(one)
    queues = (
        [(one.id, why) for one in sorted(some, key=lambda one: (-one.importance, one.id))]
        for why, some in found.items()
    )
    return [case for case in chain.from_iterable(zip_longest(*queues)) if case is not None]


def _why(one: Vitals, night: Night) -> str | None:
    if fading(one, night.at, night.retention):
        return _FADING
    return _RISING if rising(one, night.at, night.retention) else None


def _put_aside(tx: Transaction, one: Vitals, night: Night) -> Applied:
    why = "a reviewer found that nobody would miss it"
    tx.memories.set_validity(one.id, Validity.ARCHIVED, night.at)
    note(tx, night.at, "archive", one.id, why)
    return Applied(Outcome.DONE, one.id, why)


def _kept(tx: Transaction, one: Vitals, item: Reviewed, night: Night) -> Applied:
    tier, importance = one.tier, one.importance
    if item.decision == "PROMOTE":
        tier, importance = promoted(one, night.at, night.retention)
    tx.retention.note_review(one.id, night.at, tier, importance)
    if tier is one.tier:
        return Applied(Outcome.KEPT)
    why = "a reviewer lifted it into the core" if tier is Tier.CORE else f"a reviewer: {tier}-term"
    note(tx, night.at, f"promote to {tier}", one.id, why)
    return Applied(Outcome.DONE, one.id, why)
