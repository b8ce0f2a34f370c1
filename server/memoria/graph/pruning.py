"""Pruning: finds the edges of a dense group that graph expansion can do without.

An edge between two nodes adds nothing if several other nodes are more similar to both of them than
they are to each other: expansion reaches one from the other through those.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping
from typing import Generic, NamedTuple, TypeVar

BETWEEN = 3
"""An edge is redundant if this many nodes are more similar to both of its ends."""
NameT = TypeVar("NameT", bound=Hashable)


class PrunableEdge(NamedTuple, Generic[NameT]):
    """An edge that may be redundant."""

    name: NameT
    """The caller's identifier of the edge."""
    one: int
    other: int
    weight: float
    is_protected: bool = False
    """True if it must stay."""


def find_redundant_edges(
    ties: Iterable[PrunableEdge[NameT]], room: int, near: float
) -> list[NameT]:
    """Find the redundant edges, the weakest first.

    Args:
        ties: all edges of the nodes in question.
        room: a node keeps at least so many edges.
        near: an edge that weighs less is redundant at a node with more edges than that.
    """
    beside: dict[int, dict[int, float]] = defaultdict(dict)
    weakest = sorted(ties, key=lambda tie: (tie.weight, tie.one, tie.other))
    for tie in weakest:
        beside[tie.one][tie.other] = beside[tie.other][tie.one] = tie.weight
    gone: list[NameT] = []
    for tie in weakest:
        one, other = beside[tie.one], beside[tie.other]
        if tie.is_protected or min(len(one), len(other)) <= room:
            continue
        if tie.weight < near or _count_between(one, other, tie.weight) >= BETWEEN:
            del one[tie.other], other[tie.one]
            gone.append(tie.name)
    return gone


def _count_between(one: Mapping[int, float], other: Mapping[int, float], weight: float) -> int:
    return sum(1 for n in one.keys() & other.keys() if min(one[n], other[n]) > weight)
