"""Weighing: confidence follows the evidence, and a dispute that the evidence decides is settled.

Looked at are memories in dispute, and of the others the important and the often used ones that the
user has not confirmed. So much is looked at in a night, and the next one goes on from there. No
model is asked. What the evidence does not decide stays with the user, in `memoria review`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple, TypeVar

from memoria.lifecycle.interface import Item, ItemResult, PlannedStep, StepContext
from memoria.lifecycle.steps.retention import active_memories
from memoria.memories.weighing import (
    Said,
    find_restatements,
    gather_case,
    read_last_weighing,
    set_weighed_confidence,
)
from memoria.memories.wordings import Passage
from memoria.memories.writer import MemoryWriter
from memoria.model import DAY_MS, Memory, Validity
from memoria.model.memory_types import DERIVED_TYPES
from memoria.model.nightly import StepOutcome
from memoria.policy.conflict import Supersede
from memoria.policy.weighing import DOUBTED, MemoryCase, Settlement, move_confidence, settle, weigh
from memoria.store.rows.transaction import Transaction

MOST_WEIGHED = 200
"""Most memories, and most disputes, that a night looks at."""
OFTEN_USED = 5
_AT_ONCE = 400
_Pair = tuple[str, str]
_T = TypeVar("_T")


class WeighItem(Item):
    """A memory whose confidence changes, or that a dispute ends; its key is its id."""

    wording: int
    """Number of the wording that was weighed."""
    before: float
    confidence: float
    why: str
    found: tuple[tuple[int, str], ...] = ()
    """Turns, by number, that say it again, with the words."""
    successor: str | None = None
    """Memory that holds in its place; None if it stays active."""

    def describe(self) -> str:
        """Return why, and what is done with the memory."""
        end = "" if self.successor is None else f"; ended, replaced by {self.successor}"
        return f"{self.why}; confidence {self.before:.2f} → {self.confidence:.2f}{end}"


class WeighStep(PlannedStep[WeighItem]):
    """Weighs memories in dispute, and important or often used ones that nobody confirmed."""

    name = "weigh"
    summary = (
        "Weigh what speaks for and against memories in dispute, and unconfirmed ones that are "
        "important or often used."
    )
    things = ("memory", "memories")
    deed = "weighed anew"
    item = WeighItem
    rows = 120

    def plan(self, context: StepContext) -> Iterator[WeighItem]:
        """Yield the memories of which the evidence says something else than their confidence."""
        chosen, pairs = _choose_memories(context)
        disputed = {*chain(*pairs)}
        gathered = {
            one.memory.id: one
            for memory_id in dict.fromkeys((*chain(*pairs), *chosen))
            if (one := _gather(context, memory_id, is_disputed=memory_id in disputed)) is not None
        }
        settled = _settle_all(pairs, gathered)
        for one in gathered.values():
            item = _plan_item(one, settled.get(one.memory.id))
            if item is not None:
                yield item

    def apply(self, tx: Transaction, item: WeighItem, context: StepContext) -> ItemResult:
        """Set the confidence and settle the dispute, unless somebody changed the memory since."""
        memory = tx.memories.get(item.key)
        planned = (item.wording, item.before, Validity.ACTIVE)
        if memory is None or (memory.current.n, memory.confidence, memory.validity) != planned:
            return ItemResult(StepOutcome.CHANGED_SINCE, item.key)
        writer = context.memory_writer(tx)
        if item.successor is not None:
            outcome = _end(tx, writer, memory, item.successor, item.why)
            if outcome is not StepOutcome.DONE:
                return ItemResult(outcome, item.key)
        turns = tx.conversations.turns([n for n, _ in item.found])
        for n, quote in item.found:
            if n in turns and not turns[n].suppressed and quote in turns[n].content:
                writer.add_evidence(memory.id, Passage(n, quote))
        if item.confidence != memory.confidence:
            set_weighed_confidence(tx, memory, item.confidence, item.why, context.at)
        return ItemResult(StepOutcome.DONE, item.key, item.describe())


def _end(
    tx: Transaction, writer: MemoryWriter, memory: Memory, successor_id: str, why: str
) -> StepOutcome:
    """End a memory that has lost a dispute, unless the home's policy has both hold."""
    successor = tx.memories.get(successor_id)
    if successor is None or successor.validity is not Validity.ACTIVE:
        return StepOutcome.CHANGED_SINCE
    since = max(successor.current.valid_from, memory.current.valid_from)
    answer = writer.policy.decide_replacement(successor, memory, since, Supersede(since))
    if not isinstance(answer, Supersede):
        return StepOutcome.KEPT
    why = f"{why}; replaced by {successor.id}"
    writer.supersede(memory.id, why, successor=successor, since=answer.valid_from)
    return StepOutcome.DONE


class _Gathered(NamedTuple):
    """A memory with the evidence on it."""

    memory: Memory
    case: MemoryCase
    found: Sequence[Said]
    former: float | None
    """Confidence from before a night lowered it; None if none has."""


def _choose_memories(context: StepContext) -> tuple[list[str], list[_Pair]]:
    """Choose the memories to look at tonight, and the pairs that are in dispute."""
    active = [one for one in active_memories(context) if one.type not in DERIVED_TYPES]
    worth = [
        one.id
        for one in active
        if not one.verified
        and (one.importance >= context.retention.lasting or one.use_count >= OFTEN_USED)
    ]
    known = {one.id for one in active}
    pairs = {pair for pair in _list_disputes(context, sorted(known)) if known.issuperset(pair)}
    return take_turn(worth, context.at), take_turn(sorted(pairs), context.at)


def _list_disputes(context: StepContext, ids: Sequence[str]) -> Iterator[_Pair]:
    """Yield the pairs that contradict each other, the smaller id first.

    Left out are those of which one had taken the place of the other until the user restored it.
    """
    for start in range(0, len(ids), _AT_ONCE):
        with context.store.read(context.tenant) as tx:
            rivals = tx.memories.list_contradictions(ids[start : start + _AT_ONCE])
            both = {*rivals, *chain(*rivals.values())}
            replaced = {frozenset(pair) for pair in tx.pairs.list_successions(sorted(both))}
        for one, others in rivals.items():
            yield from (
                (min(one, other), max(one, other))
                for other in others
                if {one, other} not in replaced
            )


def take_turn(items: Sequence[_T], at: int) -> list[_T]:
    """Take as many as a night looks at; the next nights take the following ones, in a circle."""
    start = at // DAY_MS * MOST_WEIGHED % max(len(items), 1)
    return [*items[start:], *items[:start]][:MOST_WEIGHED]


def _gather(context: StepContext, memory_id: str, *, is_disputed: bool) -> _Gathered | None:
    """Gather the evidence on a memory; None if it has ended, or a user has undone a weighing."""
    with context.store.read(context.tenant) as tx:
        memory = tx.memories.get(memory_id)
        if memory is None or memory.validity is not Validity.ACTIVE:
            return None
        last = read_last_weighing(tx, memory)
        if last is not None and last.is_undone:
            return None
        marks = (
            context.grounds.read_marks(context.tenant, tx, [memory_id]) if context.grounds else {}
        )
        found = find_restatements(tx, memory)
        case = gather_case(tx, memory, marks.get(memory_id), found, is_disputed=is_disputed)
    was_doubted = last is not None and last.stands and memory.confidence <= DOUBTED
    return _Gathered(memory, case, found, last.before if last and was_doubted else None)


def _settle_all(pairs: Iterable[_Pair], gathered: Mapping[str, _Gathered]) -> dict[str, Settlement]:
    """Map memories to the dispute that they lose, or else to one that they win."""
    lost, won = dict[str, Settlement](), dict[str, Settlement]()
    for one, other in pairs:
        if one not in gathered or other not in gathered or {one, other} & lost.keys():
            continue
        outcome = settle(gathered[one].case, gathered[other].case)
        if outcome is None:
            continue
        project = gathered[outcome.winner].memory.project
        if project in (None, gathered[outcome.loser].memory.project):  # seen wherever the loser is
            lost[outcome.loser] = won[outcome.winner] = outcome
    return won | lost


def _plan_item(one: _Gathered, settlement: Settlement | None) -> WeighItem | None:
    memory, weighing = one.memory, weigh(one.case, settlement)
    confidence = move_confidence(memory.confidence, weighing.tendency)
    if weighing.tendency == "same" and one.former is not None:
        confidence = one.former
    is_loser = settlement is not None and settlement.loser == memory.id
    if confidence == memory.confidence and not one.found and not is_loser:
        return None
    return WeighItem(
        key=memory.id,
        wording=memory.current.n,
        before=memory.confidence,
        confidence=confidence,
        why=f"{weighing.reason}; {weighing.why}",
        found=tuple((turn.n, words) for turn, words in one.found),
        successor=settlement.winner if settlement is not None and is_loser else None,
    )
