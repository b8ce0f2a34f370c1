"""Walks from names: what is a step or two beyond whom a question names.

"Where is Anna's company" is answered by a memory that says nothing of Anna. A walk goes from her
through the memories of her that match best, to whom or what these name besides, and to what is
known of that; then once more. Neither she nor what it goes through may be named by more than a few.
What it finds is placed right behind the memory that leads there (`ranking.selection`), but only if
it bears on the question, too.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from memoria.store.rows.transaction import Transaction
from memoria.store.values import Filters

_STEPS = 2
"""Number of times that a walk goes on from memories to other memories."""
_LEADERS = 3
"""Number of memories through which each step leads: those that match the question best."""
_FEW = 8
"""Number of memories up to which a walk goes on from them, and through what they name: whatever is
in many leads anywhere, and most of them match by the name alone."""
_MOST_EDGES = 3 * _FEW
"""Number of edges beyond which an entity's neighbours are not even read."""


@dataclass(frozen=True, slots=True)
class Walk:
    """Documents that were reached from others, by what both name."""

    leaders: Mapping[int, int] = field(default_factory=dict)
    """The document that leads to each document."""
    bridges: Mapping[int, int] = field(default_factory=dict)
    """Node of the entity that both documents name."""

    def trace(self, n: int) -> tuple[list[tuple[int, int]], int]:
        """Return how a document was reached, and from which document.

        Each step is a document and the node of the entity by which it leads on, the first first.
        """
        steps: list[tuple[int, int]] = []
        while n in self.leaders:
            steps.insert(0, (self.leaders[n], self.bridges[n]))
            n = self.leaders[n]
        return steps, n


NO_WALK = Walk()


def walk_from_names(
    tx: Transaction,
    named: Collection[int],
    entities: Iterable[int],
    found: Mapping[int, float],
    visible: Filters,
) -> Walk:
    """Walk on from the documents that name whom a question names.

    Args:
        tx: where to look.
        named: the documents.
        entities: nodes of the entities that the question names.
        found: scores of documents by words and meaning, 0 to 1.
        visible: what the asking workspace sees.
    """
    leaders: dict[int, int] = {}
    bridges: dict[int, int] = {}
    passed = set(entities)
    level = set(named)
    for _ in range(_STEPS):
        if len(level) > _FEW:
            break
        best = sorted(level, key=lambda n: (-found.get(n, 0.0), n))[:_LEADERS]
        level = set()
        for leader, bridge, n in list(_find_beyond(tx, best, passed, visible)):
            if n not in leaders and n not in named:
                leaders[n], bridges[n] = leader, bridge
                level.add(n)
        passed.update(bridges.values())
    return Walk(leaders, bridges)


def _find_beyond(
    tx: Transaction, best: Iterable[int], passed: Collection[int], visible: Filters
) -> Iterable[tuple[int, int, int]]:
    """Yield (leader, bridge, document): what the entities that each leader names lead to."""
    nodes = tx.graph.nodes_of_documents(list(best))
    out = tx.graph.neighbours(list(nodes.values()), visible)
    ends = {end for others in out.values() for end in others} - set(passed)
    bridges = ends - tx.graph.documents_of_nodes(sorted(ends)).keys()
    bridges -= tx.graph.high_degree(sorted(bridges), _MOST_EDGES)
    near = tx.graph.neighbours(sorted(bridges), visible)
    beyond = {bridge: others for bridge, others in near.items() if len(others) <= _FEW}
    documents = tx.graph.documents_of_nodes(
        sorted({end for others in beyond.values() for end in others})
    )
    for leader, node in nodes.items():
        for bridge in sorted(out[node].keys() & beyond.keys()):
            for end in sorted(beyond[bridge].keys() & documents.keys()):
                yield leader, bridge, documents[end]
