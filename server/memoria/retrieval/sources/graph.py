"""Graph expansion: what is linked with the names in a query, and with what was found already.

It starts from the entities that go by a name in the query, and from the best documents that words
and meaning have found. It goes from entity to memory to entity to memory, along the strongest edges
first and never beyond some hundred nodes; personalised PageRank says what share of a random walk
each document gets. Names join what shares no word: an alias or another language's spelling leads to
what was said under the first name, and whom a hit mentions leads to what else is known of them.
What is further from whom the query names, a walk finds (`sources.walk`).

An entity that is in everything tells nothing apart: a node's edges count the less the more it has,
and what starts from nothing else counts as little. A document's score is what comes to it over its
edges; that the expansion started there is no news.
"""

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from memoria.graph.algorithms import Adjacency, find_neighbourhood, personalised_pagerank
from memoria.language.words.analyser import name_key
from memoria.model import PartReport
from memoria.retrieval.query.plan import SearchPlan
from memoria.retrieval.sources.vectors import OFF
from memoria.retrieval.sources.walk import NO_WALK, Walk, walk_from_names
from memoria.store.rows.transaction import Transaction
from memoria.store.values import Filters

_HOPS = 2
_MOST_NODES = 150
_ROUNDS = 12
_START_DOCUMENTS = 2
"""Number of the best documents found from which the expansion starts."""
_START_WEIGHT = 0.5
"""Weight of a found document as a start, beside a named entity."""
_HUB_FREE_EDGES = 8
"""Number of a node's edges up to which each edge counts in full."""
_TOO_MANY_EDGES = 200
"""Number of edges from which on nothing is reached through a node."""
_NAMING_TURNS = 20
"""Most turns that are listed for each entity named, the newest first."""
_WALKED = 0.6
"""Share that a document which a walk reaches has of the score of the document that leads to it."""


@dataclass(frozen=True, slots=True)
class GraphExpansion:
    """Results of the graph."""

    scores: Mapping[int, float] = field(default_factory=dict)
    """Score by document, 0 to 1, relative to the best document."""
    entity_names: Mapping[int, frozenset[str]] = field(default_factory=dict)
    """Names in the query of the entities that each document is linked with directly."""
    beside: Walk = NO_WALK
    """What found documents lead to, by an entity that few documents mention."""
    walk: Walk = NO_WALK
    """What a walk from the entities named has reached."""

    @property
    def via(self) -> Mapping[int, int]:
        """Found document that leads to each document."""
        return self.beside.leaders


def search_graph(
    tx: Transaction, plan: SearchPlan, found: Mapping[int, float]
) -> tuple[GraphExpansion, PartReport]:
    """Expand the graph from the documents found, and report."""
    if "graph" in plan.options.without:
        return GraphExpansion(), PartReport(part="graph", state="off", why=OFF)
    expansion = expand_graph(tx, plan.parsed.names, found, plan.filters)
    if not (found or expansion.scores):
        expansion = list_naming_turns(tx, plan.parsed.names, plan.filters)
    if not expansion.scores:
        why = "the question names nobody and nothing that memories are linked with"
        return expansion, PartReport(part="graph", state="idle", why=why)
    return expansion, PartReport(part="graph", state="used", found=len(expansion.scores))


def expand_graph(
    tx: Transaction, names: Sequence[str], found: Mapping[int, float], visible: Filters
) -> GraphExpansion:
    """Find documents near the entities named and the documents found.

    Args:
        tx: where to look.
        names: runs of words of the query.
        found: scores of the documents found by words and meaning, 0 to 1.
        visible: what the asking workspace sees.
    """
    entities = tx.graph.by_name(names, visible)
    starts = _find_start_nodes(tx, found)
    if not entities and not starts:
        return GraphExpansion()
    explored = _ExploredGraph(tx, visible, starts)
    reached = find_neighbourhood([*entities, *starts], _HOPS, explored.read_edges, _MOST_NODES)
    adjacency = _take_weaker_end(_drop_dead_ends(reached.adjacency, explored, entities))
    direct = {n: explored.edges.get(n, {}) for n in entities}
    weights = {n: _START_WEIGHT * score for n, score in starts.items()}
    weights |= {n: _hub_share(others) for n, others in direct.items()}
    scores = _document_scores(adjacency, weights, explored.documents)
    linked = _link_names(direct, entities, explored.documents)
    walk = walk_from_names(tx, linked, entities, found, visible) if linked else NO_WALK
    for n, leader in walk.leaders.items():  # each leader before what it leads to
        scores[n] = max(scores.get(n, 0.0), _WALKED * scores.get(leader, 0.0))
    return GraphExpansion(
        scores, linked, _find_bridges(adjacency, starts, explored.edges, explored.documents), walk
    )


def list_naming_turns(tx: Transaction, names: Sequence[str], visible: Filters) -> GraphExpansion:
    """List the turns that name whom a query names, for a query that nothing else answers.

    Where words are searched, these turns are found by them, and the graph adds nothing.
    """
    entities = tx.graph.find_entities(names, visible)
    naming = tx.graph.list_naming(entities, visible, _NAMING_TURNS) if entities else {}
    ids = dict.fromkeys(node.id for own in naming.values() for node in own if node.kind == "turn")
    newest = sorted((turn.n for turn in tx.conversations.list_turns_by_id(list(ids))), reverse=True)
    return GraphExpansion({n: 1 / place for place, n in enumerate(newest, 1)})


class _ExploredGraph:
    """Part of the graph that has been read: the starts, then the nodes linked with these."""

    def __init__(self, tx: Transaction, visible: Filters, starts: Mapping[int, float]) -> None:
        self._tx = tx
        self._visible = visible
        self._starts = starts
        self.edges: dict[int, Mapping[int, float]] = {}
        self.documents: dict[int, int] = {}

    def read_edges(self, level: Sequence[int], _met: Collection[int], _room: int) -> Adjacency:
        """Read the edges of a level's nodes.

        Of the first level all nodes are read, after that only entities linked with a start: what
        leads on from a memory that merely shares a name is too far away to answer.
        """
        bridges = {n for start in self._starts for n in self.edges.get(start, {})}
        going = [n for n in level if not self.edges or (n in bridges and n not in self.documents)]
        if not going:
            return {}
        hubs = self._tx.graph.high_degree(going, _TOO_MANY_EDGES)
        found = self._tx.graph.neighbours([n for n in going if n not in hubs], self._visible)
        self.edges.update(found)
        self.documents.update(
            self._tx.graph.documents_of_nodes(sorted({*going, *_iterate_ends(found)}))
        )
        return {n: _damp_hub(others) for n, others in found.items()}


def _find_start_nodes(tx: Transaction, found: Mapping[int, float]) -> dict[int, float]:
    """Map the nodes of the best documents found to their scores."""
    best = sorted(found, key=lambda n: (-found[n], n))[:_START_DOCUMENTS]
    nodes = tx.graph.nodes_of_documents(best)
    return {nodes[n]: found[n] for n in best if n in nodes}


def _hub_share(others: Mapping[int, float]) -> float:
    """Return the weight of a node's edges, 0 to 1: the more edges the node has, the less."""
    return min(1.0, _HUB_FREE_EDGES / len(others)) if others else 0.0


def _damp_hub(others: Mapping[int, float]) -> Mapping[int, float]:
    share = _hub_share(others)
    return {n: share * weight for n, weight in others.items()}


def _drop_dead_ends(
    adjacency: Adjacency, explored: _ExploredGraph, entities: Collection[int]
) -> Adjacency:
    """Drop nodes that were not gone through, or lead nowhere but back."""
    passed = {
        n
        for n in adjacency
        if n in explored.documents or len(explored.edges.get(n, ())) > (0 if n in entities else 1)
    }
    return {
        n: {other: weight for other, weight in others.items() if other in passed}
        for n, others in adjacency.items()
        if n in passed
    }


def _take_weaker_end(adjacency: Adjacency) -> Adjacency:
    """Give every edge the lesser of the weights that its two ends have for it."""
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
    adjacency: Adjacency, starts: Mapping[int, float], documents: Mapping[int, int]
) -> dict[int, float]:
    incoming = _incoming_rank(adjacency, personalised_pagerank(adjacency, starts, rounds=_ROUNDS))
    scores = {document: incoming[n] for n, document in documents.items() if incoming.get(n)}
    best = max(scores.values(), default=0.0)
    share = max(starts.values())
    return {n: share * score / best for n, score in scores.items()}


def _incoming_rank(adjacency: Adjacency, rank: Mapping[int, float]) -> dict[int, float]:
    """Return the rank that comes to each node over its edges."""
    incoming: dict[int, float] = defaultdict(float)
    for n, others in adjacency.items():
        total = math.fsum(others.values())
        for other, weight in others.items():
            incoming[other] += rank.get(n, 0.0) * weight / (total or 1.0)
    return incoming


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
    edges: Adjacency,
    documents: Mapping[int, int],
) -> Walk:
    """Find the documents that found documents lead to, each from the best of these."""
    via: dict[int, int] = {}
    bridges: dict[int, int] = {}
    before: set[int] = set()
    for start in sorted(starts, key=lambda n: (-starts[n], n)):
        before.add(start)
        for bridge in sorted(adjacency.get(start, {}).keys() - documents.keys()):
            others = edges.get(bridge, {})
            if len(others) <= _HUB_FREE_EDGES:
                for n in others.keys() & documents.keys() - before:
                    if documents[n] not in via:
                        via[documents[n]], bridges[documents[n]] = documents[start], bridge
    return Walk(via, bridges)
