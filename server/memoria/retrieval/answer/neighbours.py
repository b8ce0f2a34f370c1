"""Neighbours: the turns said before and after a hit, shown beside it."""

from collections.abc import Sequence
from typing import NamedTuple

from memoria.memories.conditions import condition_of_turn
from memoria.model import AdjacentTurn, StoredTurn
from memoria.model.condition import Condition
from memoria.retrieval.answer.cite import adjacent_turn
from memoria.retrieval.ranking.score import ScoredCandidate
from memoria.store.rows.transaction import Transaction


class NeighbourTurns(NamedTuple):
    """The turns shown with a hit, each side in order."""

    before: tuple[AdjacentTurn, ...]
    after: tuple[AdjacentTurn, ...]


NO_NEIGHBOURS = NeighbourTurns((), ())


def read_neighbours(
    tx: Transaction, shown: Sequence[ScoredCandidate], reach: int
) -> list[NeighbourTurns]:
    """Read the turns up to `reach` places from each hit, whole, without those that are hits.

    One that stands beside two hits is read for both.
    """
    hits = [each.document for each in shown if isinstance(each.document, StoredTurn)]
    if not hits:
        return []
    positions = tx.conversations.list_positions([turn.n for turn in hits], reach)
    taken = {(turn.session_n, turn.turn_index) for turn in hits}
    ns = [n for n, session_n, index in positions if (session_n, index) not in taken]
    near = tx.conversations.turns(ns).values()
    told = ((turn, condition_of_turn(tx, turn)) for turn in near)
    turns = {
        (turn.session_n, turn.turn_index): adjacent_turn(turn, condition)
        for turn, condition in told
        if condition is not Condition.WITHHELD
    }

    def around(turn: StoredTurn, steps: range) -> tuple[AdjacentTurn, ...]:
        places = ((turn.session_n, turn.turn_index + step) for step in steps)
        return tuple(turns[place] for place in places if place in turns)

    return [
        NeighbourTurns(around(turn, range(-reach, 0)), around(turn, range(1, reach + 1)))
        for turn in hits
    ]
