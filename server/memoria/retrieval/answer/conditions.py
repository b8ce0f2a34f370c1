"""Conditions: what may be in an answer at all, and on what condition it was told."""

from collections.abc import Iterable, Iterator

from memoria.memories.conditions import condition_of_memory, condition_of_turn
from memoria.model.condition import Condition
from memoria.retrieval.query.plan import SearchPlan
from memoria.retrieval.ranking.documents import MemoryWording
from memoria.retrieval.ranking.score import ScoredCandidate
from memoria.store.base import Transaction


def find_condition(tx: Transaction, candidate: ScoredCandidate) -> Condition | None:
    """Return on what condition that was told which a candidate says; None where it is open."""
    match candidate.document:
        case MemoryWording(memory, _):
            return condition_of_memory(tx, memory)
        case turn:
            return condition_of_turn(tx, turn)


def list_answerable(
    tx: Transaction, plan: SearchPlan, candidates: Iterable[ScoredCandidate]
) -> list[tuple[ScoredCandidate, Condition | None]]:
    """List the candidates that may be in the answer to a search, each with its condition."""
    hidden = {Condition.WITHHELD}
    if not plan.profile.shows_confidences:
        hidden.add(Condition.CONFIDED)
    told = ((one, find_condition(tx, one)) for one in candidates)
    return [(one, condition) for one, condition in told if condition not in hidden]


def list_open(tx: Transaction, candidates: Iterable[ScoredCandidate]) -> Iterator[ScoredCandidate]:
    """Give the candidates of which a few words may be told without their condition."""
    return (one for one in candidates if find_condition(tx, one) is None)
