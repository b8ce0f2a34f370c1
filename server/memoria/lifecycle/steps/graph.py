"""Graph: edges that graph expansion does without are pruned, and restored when the reason is gone.

There are three reasons. An archived neighbour is not shown, and takes room from those that are.
Where all memories are neighbours of all, an edge says nothing that nearer neighbours don't say:
expansion goes by these. And a node that has all edges of a kind that it may have keeps the
heaviest, which is seen to as edges are written. Edges to entities and edges of evidence stay.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from memoria.graph.pruning import PrunableEdge, find_redundant_edges
from memoria.inference import Calibration
from memoria.lifecycle.interface import Item, ItemResult, PlannedStep, StepContext
from memoria.model.nightly import StepOutcome
from memoria.store.rows.pruned_edges import EdgeKey, PruneReason, RestorableEdge
from memoria.store.rows.transaction import Transaction

_ROOM = 16
"""Number of neighbours up to which none is pruned: more than a memory finds by itself."""
_MAX_CROWDED_NODES = 2000
"""Number of nodes whose edges are pruned in a run, the most crowded first."""
_MAX_PRUNED_READ = 5000
_PAGE = 500


class EdgeItem(Item):
    """An edge that is pruned, restored or handed on to another node; its key is where it is."""

    place: EdgeKey
    why: PruneReason | None = None
    """Reason for which it is pruned."""
    heir: int | None = None
    """Node that has the edge from now on."""


class GraphStep(PlannedStep[EdgeItem]):
    """Prunes edges and restores them."""

    name = "graph"
    summary = (
        "Prune edges that searches do without, and restore pruned edges that are needed again."
    )
    things = ("link between memories", "links between memories")
    deed = "pruned or restored"
    item = EdgeItem
    rows = 8

    def plan(self, context: StepContext) -> Iterator[EdgeItem]:
        """Yield evidence to move to the survivors of merges, then edges to prune and restore."""
        with context.store.read(context.tenant) as tx:
            folded = tx.edge_pruning.list_evidence_to_transfer()
        for place, heir in folded:
            yield EdgeItem(key=_place_key((*place, heir)), place=place, heir=heir)
        idle: set[EdgeKey] = set()
        for place in _edges_to_archived(context):
            if place not in idle:  # as where both ends are archived
                yield EdgeItem(key=_place_key(place), place=place, why="inactive")
            idle.add(place)
        with context.store.read(context.tenant) as tx:
            crowded = _redundant_edges(tx, idle, context.calibration)
            roomy = _edges_with_room(tx.edge_pruning.list_restorable(_MAX_PRUNED_READ))
        for place in crowded:
            yield EdgeItem(key=_place_key(place), place=place, why="redundant")
        for place in roomy:
            yield EdgeItem(key=_place_key(place), place=place)

    def apply(self, tx: Transaction, item: EdgeItem, _context: StepContext) -> ItemResult:
        """Carry the item out, unless the edge is gone or its memory is active again."""
        if item.heir is not None:
            done = tx.edge_pruning.transfer(item.place, item.heir)
        elif item.why is not None:
            done = tx.edge_pruning.prune(item.place, item.why)
        else:
            done = tx.edge_pruning.restore(item.place)
        return ItemResult(StepOutcome.DONE if done else StepOutcome.CHANGED_SINCE)


def _place_key(place: tuple[int, ...]) -> str:
    return " ".join(map(str, place))


def _edges_to_archived(context: StepContext) -> Iterator[EdgeKey]:
    after: int | None = 0
    while after is not None:
        with context.store.read(context.tenant) as tx:
            found, after = tx.edge_pruning.list_inactive_edges(after, _PAGE)
        yield from found


def _redundant_edges(
    tx: Transaction, idle: set[EdgeKey], calibration: Calibration
) -> list[EdgeKey]:
    """List the redundant edges between crowded nodes, without those that are pruned anyway."""
    found = tx.edge_pruning.list_similar_pairs(
        tx.edge_pruning.list_dense_nodes(_ROOM, _MAX_CROWDED_NODES)
    )
    ties = (
        PrunableEdge(like.edge, like.edge[0], like.edge[2], like.cosine, like.is_ruled_distinct)
        for like in found
        if like.edge not in idle
    )
    return find_redundant_edges(ties, _ROOM, calibration.neighbour)


def _edges_with_room(waiting: Sequence[RestorableEdge]) -> Iterator[EdgeKey]:
    """Yield the pruned edges that both ends have room for again, the strongest first."""
    more: Counter[tuple[int, int]] = Counter()
    for edge in waiting:
        src, code, dst = edge.edge
        most = _ROOM if edge.reason == "redundant" else edge.cap
        if max(edge.src_degree + more[src, code], edge.dst_degree + more[dst, code]) < most:
            more.update([(src, code), (dst, code)])
            yield edge.edge
