"""Decay: what has faded leaves the active memories, or sinks a tier.

Strength is reckoned from the row and the night's moment and never stored (`policy.retention`), so a
night that finds everything still strong writes nothing.
"""

from collections.abc import Iterator

from memoria.lifecycle.audit import note
from memoria.lifecycle.face import Applied, Item, Night
from memoria.model import Validity
from memoria.model.night import Outcome
from memoria.model.retention import Tier, Vitals
from memoria.policy.retention import Archive, Demote, beyond_bound, ends_at, protected, verdict
from memoria.store.base import Transaction

_PAGE = 500
_FADED = "faded"
_TOO_MANY = "there are more than are kept active"
_OVER = "its time was over"


class Faded(Item):
    """A memory that is to be archived or to sink; its key is its id."""

    to: Tier | None
    """The tier it sinks to; None where it is archived."""
    why: str


class Decay:
    """Archives what has faded and what there is too much of; pinned and confirmed ones stay."""

    name = "decay"
    item = Faded
    rows = 40

    def reduced(self, night: Night) -> str | None:
        """Whether nobody is asked before something is archived."""
        if reviewed(night):
            return None
        return "no model reviews what has faded: it is archived by its strength alone"

    def plan(self, night: Night) -> Iterator[Faded]:
        """What has crossed a threshold, then what goes to keep within the bound."""
        staying: list[Vitals] = []
        for one in active(night):
            item = _judged(one, night)
            if item is not None:
                yield item
            if item is None or item.to is not None:
                staying.append(one)
        for one in beyond_bound(staying, night.at, night.retention):
            yield Faded(key=one.id, to=None, why=_TOO_MANY)

    def apply(self, tx: Transaction, item: Faded, night: Night) -> Applied:
        """Archive or demote it, unless it was used, confirmed or changed since."""
        one = tx.retention.vitals_of(item.key)
        if one is None or not _still(one, item, night):
            return Applied(Outcome.CHANGED_SINCE, item.key)
        if item.to is None:
            tx.memories.set_validity(item.key, Validity.ARCHIVED, night.at)
        else:
            tx.retention.set_tier(item.key, item.to)
        action = "archive" if item.to is None else f"demote to {item.to}"
        note(tx, night.at, action, item.key, item.why)
        return Applied(Outcome.DONE, item.key, item.why)


def reviewed(night: Night) -> bool:
    """Whether a model is asked this night about what has faded, before it is archived."""
    return night.gate is not None and "review" in night.run.options.steps


def active(night: Night) -> Iterator[Vitals]:
    """The vitals of all active memories, in the order of their numbers."""
    after = 0
    while True:
        with night.store.read(night.tenant) as tx:
            page = tx.retention.vitals(after, _PAGE)
        if not page:
            return
        yield from (one for _, one in page)
        after = page[-1][0]


def _judged(one: Vitals, night: Night) -> Faded | None:
    end = ends_at(one, table=night.retention)
    if end is not None and end <= night.at:
        return Faded(key=one.id, to=None, why=_OVER)
    match verdict(one, night.at, night.retention, reviewer=reviewed(night)):
        case Archive():
            return Faded(key=one.id, to=None, why=_FADED)
        case Demote(tier):
            return Faded(key=one.id, to=tier, why=_FADED)
        case _:
            return None


def _still(one: Vitals, item: Faded, night: Night) -> bool:
    """Whether the plan holds. One that is only too many goes unless it is protected by now."""
    if item.why == _TOO_MANY:
        return protected(one, night.retention) is None
    return _judged(one, night) == item
