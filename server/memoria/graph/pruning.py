"""Thinning out: where everything is like everything, most of it need not be said.

In a dense group an edge between two nodes adds nothing to a walk if several nodes lie nearer to
both than they do to each other: it gets from the one to the other by these, and sooner.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping
from typing import Generic, NamedTuple, TypeVar

BETWEEN = 3
"""Nodes nearer to both that make an edge say nothing."""
NameT = TypeVar("NameT", bound=Hashable)


class PrunableEdge(NamedTuple, Generic[NameT]):
    """An edge that may be too many."""

    name: NameT
    """Which edge it is."""
    one: int
    other: int
    weight: float
    is_protected: bool = False
    """Whether it stays in any case."""


def find_redundant_edges(
    ties: Iterable[PrunableEdge[NameT]], room: int, near: float
) -> list[NameT]:
    """Which ties say nothing, the weakest first.

    Args:
        ties: all those of the nodes in question.
        room: how many a node keeps at least.
        near: what weighs less is nothing in a crowd.
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
