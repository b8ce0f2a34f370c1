"""Walk: what the graph finds from the people, places and things a question names.

The seeds are the entities that go by a name in the question, and the best that words and meaning
have found. From there the walk goes from entity to memory to entity to memory (three edges, two
steps of reasoning), strongest bonds first and never beyond a few hundred nodes; personalised
PageRank says how much of a walker's time each document gets. Names join what shares no word: an
alias or another language's spelling leads to what was told under the first name.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from memoria.graph.hops import neighbourhood
from memoria.graph.pagerank import personalised_pagerank
from memoria.store.base import Transaction
from memoria.store.values import Filters
from memoria.text.name import name_key

_HOPS = 3
_MOST_NODES = 400
_FOUND_SEEDS = 5
_FOUND_SHARE = 0.5
"""What a document found by words or meaning weighs as a seed beside a named entity."""


@dataclass(frozen=True, slots=True)
class Walked:
    """What the graph gives."""

    scores: Mapping[int, float] = field(default_factory=dict)
    """By document, 0 to 1: its share of the rank, relative to the best document's."""
    named: Mapping[int, frozenset[str]] = field(default_factory=dict)
    """By document: the names in the question of what it is linked with directly."""


def walk(
    tx: Transaction, names: Sequence[str], found: Mapping[int, float], seen: Filters
) -> Walked:
    """What lies near the entities named, nothing where the graph knows none of them.

    Args:
        tx: where to look.
        names: runs of words of the question.
        found: documents that words and meaning have found, and how well.
        seen: from where it is looked.
    """
    entities = tx.graph.called(names, seen)
    if not entities:
        return Walked()
    found_nodes = _nodes(tx, found)
    reached = neighbourhood(
        [*entities, *found_nodes],
        _HOPS,
        lambda level, met, room: tx.graph.neighbours(level, seen, met, room),
        _MOST_NODES,
    )
    shares = {n: _FOUND_SHARE * score for n, score in found_nodes.items()}
    seeds = {**shares, **dict.fromkeys(entities, 1.0)}
    rank = personalised_pagerank(reached.adjacency, seeds)
    documents = tx.graph.documents(list(reached.distances))
    best = max((rank.get(n, 0.0) for n in documents), default=0.0)
    if best <= 0:
        return Walked()
    return Walked(
        {documents[n]: rank.get(n, 0.0) / best for n in documents},
        _linked(reached.adjacency, entities, documents),
    )


def _nodes(tx: Transaction, found: Mapping[int, float]) -> dict[int, float]:
    best = sorted(found, key=lambda n: (-found[n], n))[:_FOUND_SEEDS]
    nodes = tx.graph.of_documents(best)
    return {nodes[n]: found[n] for n in best if n in nodes}


def _linked(
    adjacency: Mapping[int, Mapping[int, float]],
    entities: Mapping[int, str],
    documents: Mapping[int, int],
) -> dict[int, frozenset[str]]:
    linked: dict[int, frozenset[str]] = {}
    for entity, name in entities.items():
        for n in adjacency.get(entity, {}):
            if n in documents:
                document = documents[n]
                linked[document] = linked.get(document, frozenset()) | {name_key(name)}
    return linked
