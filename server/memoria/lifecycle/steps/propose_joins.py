"""Proposals of joins: two people, places or things that may be one are named to the user.

That two go by one name is a sign, and no more. The night joins nobody: its report names the pair,
once, and `memoria review` lists it until somebody has said that they are one, or two.
"""

from collections.abc import Iterator

from memoria.lifecycle.interface import Item, ItemResult, PlannedStep, StepContext
from memoria.memories.entities import list_new_proposals, note_proposal
from memoria.model.channel import NIGHTLY_CHANNEL, Channel
from memoria.model.memory import Trust
from memoria.model.nightly import StepOutcome
from memoria.store.rows.transaction import Transaction
from memoria.store.values import Filters

_MOST_PAIRS = 20
"""Number of pairs that one run proposes; the rest in the next run."""
_EVERYWHERE = Filters(everywhere=True, include_history=True, include_processed=True)
_BY_NIGHT = Channel(name=NIGHTLY_CHANNEL, trust=Trust.REPORTED)


class JoinItem(Item):
    """Two entities that may be one."""

    one: str
    other: str


class ProposeJoinsStep(PlannedStep[JoinItem]):
    """Names pairs with one name to the user, who may join them."""

    name = "propose_joins"
    summary = "Name people, places and things that may be one because they go by one name."
    things = ("pair of one name", "pairs of one name")
    deed = "named to you: one, or two?"
    item = JoinItem
    rows = 1

    def plan(self, context: StepContext) -> Iterator[JoinItem]:
        """Yield the pairs that no run has named yet."""
        with context.store.read(context.tenant) as tx:
            pairs = list_new_proposals(tx, _EVERYWHERE, _MOST_PAIRS)
        for one, other in pairs:
            yield JoinItem(key=f"{one.id} {other.id}", one=one.id, other=other.id)

    def apply(self, tx: Transaction, item: JoinItem, context: StepContext) -> ItemResult:
        """Note that the pair was named, unless one of the two is gone."""
        one, other = (tx.graph.get_entity(each, _EVERYWHERE) for each in (item.one, item.other))
        if one is None or other is None:
            return ItemResult(StepOutcome.CHANGED_SINCE)
        note_proposal(tx, (one, other), _BY_NIGHT, context.at)
        why = f"may be one with {other.id}, for both have one name: memoria --workspace '*' review"
        return ItemResult(StepOutcome.DONE, one.id, why)
