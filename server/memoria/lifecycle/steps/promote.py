"""Promote: what has proved itself rises from the passing to the lasting."""

from collections.abc import Iterator

from memoria.lifecycle.face import Applied, Item, Night
from memoria.lifecycle.steps.decay import active, reviewed
from memoria.model.night import Outcome
from memoria.model.retention import Support, Tier, Vitals
from memoria.policy.tiers import tier
from memoria.store.base import Transaction

_EVERYTHING = Support(sessions=1 << 20, sources=1 << 20, theme=1 << 20)


class Risen(Item):
    """A memory that rises; its key is its id."""

    to: Tier


class Promote:
    """Short to mid to long term, by age and by how broadly a memory is borne out."""

    name = "promote"
    item = Risen
    rows = 6

    def reduced(self, night: Night) -> str | None:
        """Whether nobody puts anything into the core."""
        if reviewed(night):
            return None
        return "no model reviews what belongs to the core: nothing rises beyond long-term"

    def plan(self, night: Night) -> Iterator[Risen]:
        """What has earned a higher tier than it has."""
        for one in active(night):
            if _reached(one, _EVERYTHING, night) is one.tier:
                continue  # as most: so nobody counts what they rest on
            with night.store.read(night.tenant) as tx:
                reached = _reached(one, tx.retention.support(one.id), night)
            if reached is not one.tier:
                yield Risen(key=one.id, to=reached)

    def apply(self, tx: Transaction, item: Risen, night: Night) -> Applied:
        """Let it rise, unless what it rests on is gone."""
        one = tx.retention.vitals_of(item.key)
        if one is None or one.tier.rank >= item.to.rank:
            return Applied(Outcome.CHANGED_SINCE, item.key)
        if _reached(one, tx.retention.support(one.id), night) is not item.to:
            return Applied(Outcome.CHANGED_SINCE, item.key)
        tx.retention.set_tier(item.key, item.to)
        return Applied(Outcome.DONE)


def _reached(one: Vitals, support: Support, night: Night) -> Tier:
    return tier(one, support, night.at, night.retention)
