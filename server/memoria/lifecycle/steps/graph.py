"""Graph: edges that a walk does without are set aside, and come back when the reason is gone.

Three reasons. A neighbour by meaning that is archived is not shown, and takes room from those that
are. Where all are neighbours of all, an edge says nothing that nearer neighbours don't say: a walk
goes by these. And a node that has all of a kind that it may have keeps the weightiest (that is seen
to as edges are written, `Graph.put`). What names things, and what bears a memory out, stays.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from memoria.graph.edges import SIMILAR_ENOUGH
from memoria.graph.thinning import Tie, redundant
from memoria.lifecycle.face import Applied, Item, Night
from memoria.model.night import Outcome
from memoria.store.base import Place, Transaction, Waiting, Why

DENSE = 32.0
"""Neighbours by meaning that a memory has on average: half of what it may have. Beyond that it is
thinned out further."""
_ROOM, _LESS_ROOM = 16, 8
"""Neighbours up to which none is set aside: more than a memory finds by itself."""
_NEAR, _NEARER = SIMILAR_ENOUGH, 0.85
"""How alike two of many neighbours must be."""
_CROWDED = 2000
"""Nodes that are thinned out in a night, the most crowded first."""
_WAITING = 5000
_PAGE = 500


class Moved(Item):
    """An edge that is set aside, comes back or is taken over; its key is where it is."""

    place: Place
    why: Why | None = None
    """The reason for which it is set aside."""
    heir: int | None = None
    """The node that rests on the same from now on."""


class Graph:
    """Sets edges aside and brings them back."""

    name = "graph"
    item = Moved
    rows = 8

    def reduced(self, _night: Night) -> str | None:
        """It never needs a model."""
        return None

    def plan(self, night: Night) -> Iterator[Moved]:
        """What was merged is borne out by the survivor; then what is idle, crowded, or has room."""
        with night.store.read(night.tenant) as tx:
            folded = tx.cold.unfolded()
        for place, heir in folded:
            yield Moved(key=_key((*place, heir)), place=place, heir=heir)
        idle: set[Place] = set()
        for place in _idle(night):
            if place not in idle:  # as where both ends are archived
                yield Moved(key=_key(place), place=place, why="idle")
            idle.add(place)
        with night.store.read(night.tenant) as tx:
            dense = tx.metrics.links().neighbours > DENSE
            crowded = _crowded(tx, idle, dense=dense)
            roomy = _roomy(tx.cold.waiting(_WAITING), _LESS_ROOM if dense else _ROOM)
        for place in crowded:
            yield Moved(key=_key(place), place=place, why="dense")
        for place in roomy:
            yield Moved(key=_key(place), place=place)

    def apply(self, tx: Transaction, item: Moved, _night: Night) -> Applied:
        """Move it, unless it is gone or its memory counts again."""
        if item.heir is not None:
            done = tx.cold.fold(item.place, item.heir)
        elif item.why is not None:
            done = tx.cold.set_aside(item.place, item.why)
        else:
            done = tx.cold.bring_back(item.place)
        return Applied(Outcome.DONE if done else Outcome.CHANGED_SINCE)


def _key(place: tuple[int, ...]) -> str:
    return " ".join(map(str, place))


def _idle(night: Night) -> Iterator[Place]:
    after: int | None = 0
    while after is not None:
        with night.store.read(night.tenant) as tx:
            found, after = tx.cold.idle(after, _PAGE)
        yield from found


def _crowded(tx: Transaction, idle: set[Place], *, dense: bool) -> list[Place]:
    """The edges between crowded nodes that say nothing, without those that go anyway."""
    room, near = (_LESS_ROOM, _NEARER) if dense else (_ROOM, _NEAR)
    found = tx.cold.alike(tx.cold.crowded(room, _CROWDED))
    ties = (
        Tie(like.place, like.place[0], like.place[2], like.cosine, like.ruled)
        for like in found
        if like.place not in idle
    )
    return redundant(ties, room, near)


def _roomy(waiting: Sequence[Waiting], room: int) -> Iterator[Place]:
    """What there is room for again, at both ends, the strongest first."""
    more: Counter[tuple[int, int]] = Counter()
    for edge in waiting:
        src, code, dst = edge.place
        most = room if edge.why == "dense" else edge.cap
        if max(edge.at_src + more[src, code], edge.at_dst + more[dst, code]) < most:
            more.update([(src, code), (dst, code)])
            yield edge.place
