"""Walk: what the graph finds from what a question names, and from what has been found already.

The seeds are the entities that go by a name in the question, and the best documents that words and
meaning have found. From there the walk goes from entity to memory to entity to memory, strongest
bonds first and never beyond some hundred nodes; personalised PageRank says how much of a walker's
time each document gets. Names join what shares no word: an alias or another language's spelling
leads to what was told under the first name, and whom a hit speaks of leads to what else is known of
them.

Who is in everything tells nothing apart: a node's bonds count the less the more it has, and what
starts from nothing else counts as little. A document's rank is what comes to it from elsewhere;
that it was a seed is no news.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from memoria.graph.hops import Adjacency, neighbourhood
from memoria.graph.pagerank import DAMPING, personalised_pagerank
from memoria.store.base import Transaction
from memoria.store.values import Filters
from memoria.text.name import name_key

_HOPS = 3
_MOST_NODES = 200
_FOUND_SEEDS = 5
_FOUND_SHARE = 0.5
"""What a document found by words or meaning weighs as a seed beside a named entity."""
_TELLING = 8
"""Bonds up to which each of a node's counts in full."""


@dataclass(frozen=True, slots=True)
class Walked:
    """What the graph gives."""

    scores: Mapping[int, float] = field(default_factory=dict)
    """By document, 0 to 1: its share of the rank beside the best document's."""
    named: Mapping[int, frozenset[str]] = field(default_factory=dict)
    """By document: the names in the question of what it is linked with directly."""
    through: Mapping[int, int] = field(default_factory=dict)
    """By document: the one found that leads there, by something that few others speak of."""


def walk(
    tx: Transaction, names: Sequence[str], found: Mapping[int, float], seen: Filters
) -> Walked:
    """What lies near the entities named and the documents found.

    Args:
        tx: where to look.
        names: runs of words of the question.
        found: documents that words and meaning have found, and how well, 0 to 1.
        seen: from where it is looked.
    """
    entities = tx.graph.called(names, seen)
    starts = _starts(tx, found)
    bonds: dict[int, Mapping[int, float]] = {}

    def beside(level: Sequence[int]) -> Adjacency:
        bonds.update(tx.graph.neighbours(level, seen))
        return {n: _damped(bonds[n]) for n in level if n in bonds}

    reached = neighbourhood([*entities, *starts], _HOPS, beside, _MOST_NODES)
    adjacency = _doubted(reached.adjacency)
    direct = {n: bonds.get(n, {}) for n in entities}
    documents = tx.graph.documents(sorted({*reached.distances, *_ends(direct)}))
    seeds = {n: _FOUND_SHARE * score for n, score in starts.items()}
    seeds |= {n: _telling(others) for n, others in direct.items()}
    return Walked(
        _scores(adjacency, seeds, documents),
        _linked(direct, entities, documents),
        _through(adjacency, starts, bonds, documents),
    )


def _starts(tx: Transaction, found: Mapping[int, float]) -> dict[int, float]:
    """The nodes of the best documents found."""
    best = sorted(found, key=lambda n: (-found[n], n))[:_FOUND_SEEDS]
    nodes = tx.graph.of_documents(best)
    return {nodes[n]: found[n] for n in best if n in nodes}


def _telling(others: Mapping[int, float]) -> float:
    """How much a node with these bonds says of what is at their other ends."""
    return min(1.0, _TELLING / len(others)) if others else 0.0


def _damped(others: Mapping[int, float]) -> Mapping[int, float]:
    share = _telling(others)
    return {n: share * weight for n, weight in others.items()}


def _doubted(adjacency: Adjacency) -> Adjacency:
    """Every bond as the end tells it that says less: a hub doubts all of its own."""
    return {
        n: {
            other: min(weight, adjacency.get(other, {}).get(n, weight))
            for other, weight in others.items()
        }
        for n, others in adjacency.items()
    }


def _ends(adjacency: Adjacency) -> Iterable[int]:
    return (other for others in adjacency.values() for other in others)


def _scores(
    adjacency: Adjacency, seeds: Mapping[int, float], documents: Mapping[int, int]
) -> dict[int, float]:
    rank = personalised_pagerank(adjacency, seeds)
    total = sum(seeds.values())
    came = {
        n: rank[n] - (1 - DAMPING) * seeds.get(n, 0.0) / total for n in documents if n in rank
    }
    best = max(came.values(), default=0.0)
    if best <= 0:
        return {}
    share = max(seeds.values()) / best
    return {documents[n]: share * score for n, score in came.items() if score > 0}


def _linked(
    direct: Adjacency, entities: Mapping[int, str], documents: Mapping[int, int]
) -> dict[int, frozenset[str]]:
    linked: dict[int, frozenset[str]] = {}
    for entity, others in direct.items():
        for n in others.keys() & documents.keys():
            document = documents[n]
            linked[document] = linked.get(document, frozenset()) | {name_key(entities[entity])}
    return linked


def _through(
    adjacency: Adjacency,
    starts: Mapping[int, float],
    bonds: Adjacency,
    documents: Mapping[int, int],
) -> dict[int, int]:
    """What the documents found lead to, the best of them first."""
    through: dict[int, int] = {}
    for start in sorted(starts, key=lambda n: (-starts[n], n)):
        bridges = (n for n in adjacency.get(start, {}) if n not in documents)
        for bridge in bridges:
            others = bonds.get(bridge, {})
            if len(others) <= _TELLING:
                for n in others.keys() & documents.keys() - starts.keys():
                    through.setdefault(documents[n], documents[start])
    return through
