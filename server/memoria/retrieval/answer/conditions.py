"""Conditions under which hits were told, and the hits they keep out of an answer."""

from collections.abc import Iterator, Sequence

from memoria.memories.conditions import condition_of_memory, conditions_of_turns
from memoria.model import StoredTurn
from memoria.model.condition import Condition
from memoria.retrieval.query.plan import SearchPlan
from memoria.retrieval.ranking.documents import MemoryWording
from memoria.retrieval.ranking.score import ScoredCandidate
from memoria.store.rows.transaction import Transaction

Told = tuple[ScoredCandidate, Condition | None]


class ToldConditions:
    """Conditions of candidates, read together as far as they may be shown."""

    def __init__(self, tx: Transaction, plan: SearchPlan) -> None:
        self._tx = tx
        self._hidden = {Condition.WITHHELD}
        if not plan.profile.shows_confidences:
            self._hidden.add(Condition.CONFIDED)

    def take(self, candidates: Sequence[ScoredCandidate], most: int) -> list[Told]:
        """Return the first that may be in an answer, each with its condition."""
        return self._take(candidates, most, self._hidden)

    def take_open(self, candidates: Sequence[ScoredCandidate], most: int) -> list[Told]:
        """Return the first that were told openly."""
        return self._take(candidates, most, {Condition.WITHHELD, Condition.CONFIDED})

    def _take(
        self, candidates: Sequence[ScoredCandidate], most: int, hidden: set[Condition]
    ) -> list[Told]:
        taken: list[Told] = []
        start = 0
        while len(taken) < most and start < len(candidates):
            part = candidates[start : start + most - len(taken)]
            start += len(part)
            taken += [each for each in self._read(part) if each[1] not in hidden]
        return taken

    def _read(self, candidates: Sequence[ScoredCandidate]) -> Iterator[Told]:
        turns = [each.document for each in candidates if isinstance(each.document, StoredTurn)]
        of_turns = conditions_of_turns(self._tx, turns) if turns else {}
        for each in candidates:
            match each.document:
                case MemoryWording(memory, _):
                    yield each, condition_of_memory(self._tx, memory)
                case turn:
                    yield each, of_turns[turn.n]
