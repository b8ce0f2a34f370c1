"""Graph: what bore out a merged memory bears out the one that survived.

So a turn leads to what is believed now.
"""

from collections.abc import Iterator

from memoria.lifecycle.interface import Item, ItemResult, PlannedStep, StepContext
from memoria.model.nightly import StepOutcome
from memoria.store.rows.graph import EdgeKey
from memoria.store.rows.transaction import Transaction


class EdgeItem(Item):
    """An edge that is handed on to another node; its key is where it is."""

    place: EdgeKey
    heir: int
    """Node that has the edge from now on."""


class GraphStep(PlannedStep[EdgeItem]):
    """Hands evidence of merged memories on."""

    name = "graph"
    summary = "Link what bore out a merged memory to the memory that survived."
    things = ("link between memories", "links between memories")
    deed = "handed on"
    item = EdgeItem
    rows = 8

    def plan(self, context: StepContext) -> Iterator[EdgeItem]:
        """Plan an item for each edge of evidence that the survivor lacks."""
        with context.store.read(context.tenant) as tx:
            folded = tx.graph.list_evidence_to_transfer()
        for place, heir in folded:
            key = " ".join(map(str, (*place, heir)))
            yield EdgeItem(key=key, place=place, heir=heir)

    def apply(self, tx: Transaction, item: EdgeItem, _context: StepContext) -> ItemResult:
        """Copy the edge, unless it is gone or the survivor has it."""
        done = tx.graph.transfer_evidence(item.place, item.heir)
        return ItemResult(StepOutcome.DONE if done else StepOutcome.CHANGED_SINCE)
