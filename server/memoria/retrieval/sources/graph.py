"""Walk: what the graph finds from what a question names, and from what has been found already.

The seeds are the entities that go by a name in the question, and the best documents that words and
meaning have found. From there the walk goes from entity to memory to entity to memory, strongest
bonds first and never beyond some hundred nodes; personalised PageRank says how much of a walker's
time each document gets. Names join what shares no word: an alias or another language's spelling
leads to what was told under the first name, and whom a hit speaks of leads to what else is known of
them.

Who is in everything tells nothing apart: a node's bonds count the less the more it has, and what
starts from nothing else counts as little. A document's score is what comes to it over its bonds;
that it was a seed is no news.
"""

import heapq
import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from memoria.graph.hops import Adjacency, find_neighbourhood
from memoria.graph.pagerank import personalised_pagerank
from memoria.store.base import Transaction
from memoria.store.values import Filters
from memoria.text.name import name_key

_HOPS = 2
_MOST_NODES = 150
_ROUNDS = 12
_START_DOCUMENTS = 2
_START_WEIGHT = 0.5
"""What a document found by words or meaning weighs as a seed beside a named entity."""
_HUB_FREE_BONDS = 8
"""Bonds up to which each of a node's counts in full."""
_TOO_MANY_EDGES = 200
"""Edges with which a node is in so much that it is not walked through at all."""


@dataclass(frozen=True, slots=True)
class GraphExpansion:
    """What the graph gives."""

    scores: Mapping[int, float] = field(default_factory=dict)
    """By document, 0 to 1: its share of the rank beside the best document's."""
    entity_names: Mapping[int, frozenset[str]] = field(default_factory=dict)
    """By document: the names in the question of what it is linked with directly."""
    via: Mapping[int, int] = field(default_factory=dict)
    """By document: the one found that leads there, by something that few others speak of."""


def expand_graph(
    tx: Transaction, names: Sequence[str], found: Mapping[int, float], seen: Filters
) -> GraphExpansion:
    """What lies near the entities named and the documents found.

    Args:
        tx: where to look.
        names: runs of words of the question.
        found: documents that words and meaning have found, and how well, 0 to 1.
        seen: from where it is looked.
    """
    entities = tx.graph.by_name(names, seen)
    starts = _find_start_nodes(tx, found)
    if not entities and not starts:
        return GraphExpansion()
    ground = _ExploredGraph(tx, seen, starts)
    reached = find_neighbourhood([*entities, *starts], _HOPS, ground.read_bonds, _MOST_NODES)
    adjacency = _take_weaker_end(_drop_dead_ends(reached.adjacency, ground, entities))
    direct = {n: ground.bonds.get(n, {}) for n in entities}
    seeds = {n: _START_WEIGHT * score for n, score in starts.items()}
    seeds |= {n: _hub_share(others) for n, others in direct.items()}
    return GraphExpansion(
        _document_scores(adjacency, seeds, ground.documents),
        _link_names(direct, entities, ground.documents),
        _find_bridges(adjacency, starts, ground.bonds, ground.documents),
    )


class _ExploredGraph:
    """What a walk steps on: the seeds first, then what the documents found speak of."""

    def __init__(self, tx: Transaction, seen: Filters, starts: Mapping[int, float]) -> None:
        self._tx = tx
        self._seen = seen
        self._starts = starts
        self.bonds: dict[int, Mapping[int, float]] = {}
        self.documents: dict[int, int] = {}

    def read_bonds(self, level: Sequence[int], _met: Collection[int], _room: int) -> Adjacency:
        """The bonds of a level's nodes: of the first of all, then of bridges from what was found.

        What leads on from a memory that merely shares a name is too far away to answer.
        """
        bridges = {n for start in self._starts for n in self.bonds.get(start, {})}
        going = [n for n in level if not self.bonds or (n in bridges and n not in self.documents)]
        busy = self._tx.graph.high_degree(going, _TOO_MANY_EDGES)
        found = self._tx.graph.neighbours([n for n in going if n not in busy], self._seen)
        self.bonds.update(found)
        self.documents.update(
            self._tx.graph.documents_of_nodes(sorted({*going, *_iterate_ends(found)}))
        )
        return {n: _damp_hub(others) for n, others in found.items()}


def _find_start_nodes(tx: Transaction, found: Mapping[int, float]) -> dict[int, float]:
    """The nodes of the best documents found."""
    best = heapq.nsmallest(_START_DOCUMENTS, found, key=lambda n: (-found[n], n))
    nodes = tx.graph.nodes_of_documents(best)
    return {nodes[n]: found[n] for n in best if n in nodes}


def _hub_share(others: Mapping[int, float]) -> float:
    """How much a node with these bonds says of what is at their other ends."""
    return min(1.0, _HUB_FREE_BONDS / len(others)) if others else 0.0


def _damp_hub(others: Mapping[int, float]) -> Mapping[int, float]:
    share = _hub_share(others)
    return {n: share * weight for n, weight in others.items()}


def _drop_dead_ends(
    adjacency: Adjacency, ground: _ExploredGraph, named: Collection[int]
) -> Adjacency:
    """Without what leads nowhere but back, or was not walked through: it would only echo."""
    passed = {
        n
        for n in adjacency
        if n in ground.documents or len(ground.bonds.get(n, ())) > (0 if n in named else 1)
    }
    return {
        n: {other: weight for other, weight in others.items() if other in passed}
        for n, others in adjacency.items()
        if n in passed
    }


def _take_weaker_end(adjacency: Adjacency) -> Adjacency:
    """Every bond as the end tells it that says less: a hub doubts all of its own."""
    return {
        n: {
            other: min(weight, adjacency.get(other, {}).get(n, weight))
            for other, weight in others.items()
        }
        for n, others in adjacency.items()
    }


def _iterate_ends(adjacency: Adjacency) -> Iterable[int]:
    return (other for others in adjacency.values() for other in others)


def _document_scores(
    adjacency: Adjacency, seeds: Mapping[int, float], documents: Mapping[int, int]
) -> dict[int, float]:
    came = _incoming_rank(adjacency, personalised_pagerank(adjacency, seeds, rounds=_ROUNDS))
    scores = {document: came[n] for n, document in documents.items() if came.get(n)}
    best = max(scores.values(), default=0.0)
    share = max(seeds.values())
    return {n: share * score / best for n, score in scores.items()}


def _incoming_rank(adjacency: Adjacency, rank: Mapping[int, float]) -> dict[int, float]:
    """What comes to each node over its bonds, and not by being a seed."""
    came: dict[int, float] = defaultdict(float)
    for n, others in adjacency.items():
        total = math.fsum(others.values())
        for other, weight in others.items():
            came[other] += rank.get(n, 0.0) * weight / (total or 1.0)
    return came


def _link_names(
    direct: Adjacency, entities: Mapping[int, str], documents: Mapping[int, int]
) -> dict[int, frozenset[str]]:
    linked: dict[int, frozenset[str]] = {}
    for entity, others in direct.items():
        for n in others.keys() & documents.keys():
            document = documents[n]
            linked[document] = linked.get(document, frozenset()) | {name_key(entities[entity])}
    return linked


def _find_bridges(
    adjacency: Adjacency,
    starts: Mapping[int, float],
    bonds: Adjacency,
    documents: Mapping[int, int],
) -> dict[int, int]:
    """What the documents found lead to, the best of them first; none leads to a better one."""
    through: dict[int, int] = {}
    before: set[int] = set()
    for start in sorted(starts, key=lambda n: (-starts[n], n)):
        before.add(start)
        for bridge in adjacency.get(start, {}).keys() - documents.keys():
            others = bonds.get(bridge, {})
            if len(others) <= _HUB_FREE_BONDS:
                for n in others.keys() & documents.keys() - before:
                    through.setdefault(documents[n], documents[start])
    return through
