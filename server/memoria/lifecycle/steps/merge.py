"""Merge: memories that say the same become one, which has the evidence of all.

The survivor's wording stays as it is, and so do those of the others, in the record: they are
superseded and known to be merged into it. What is to be believed of it is no more than of the least
of them, unless the user has confirmed it.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Literal

from memoria.lifecycle.adjudicate import adjudicate_pairs
from memoria.lifecycle.interface import Item, ItemResult, PlannedStep, StepContext
from memoria.lifecycle.merge_candidates import MergeCandidates, find_candidates
from memoria.model import EdgeType, Memory, Relation
from memoria.model.nightly import StepOutcome
from memoria.policy.merging import Pair, authority, may_merge, merge_groups, survivor
from memoria.store.base import Transaction

_AT_ONCE = 10
"""Turns that one item lets the survivor rest on as well."""
_RUNS = 100
_CONTRADICTION_CONFIDENCE = 0.7
"""How sure a model's word is that two memories contradict each other."""


class PairItem(Item):
    """Two memories and what is to be done with them."""

    do: Literal["gather", "merge", "contradict", "keep apart"]
    one: str
    """The survivor, where one of them is merged."""
    other: str
    wordings: tuple[int, int]
    """Their present wordings, by number: what was ruled upon."""


class MergeStep(PlannedStep[PairItem]):
    """Merges memories that say the same."""

    name = "merge"
    summary = "Merge memories that say the same."
    item = PairItem
    rows = 120

    def describe_limits(self, context: StepContext) -> str | None:
        """Without a chat model only nearly identical memories are merged."""
        if context.chat is None:
            return "without a chat model only memories that are nearly identical are merged"
        return context.shortfalls.get(self.name)

    def plan(self, context: StepContext) -> Iterator[PairItem]:
        """The pairs that are nearly identical, and those that a chat model has ruled on."""
        found = _drop_restored_pairs(
            context,
            find_candidates(
                context, _last_run_at(context, self.name), ask=context.chat is not None
            ),
        )
        ruled: dict[Pair, Relation] = {}
        if context.chat is not None:
            ruled, short = adjudicate_pairs(context, context.chat, found.memories, found.doubtful)
            context.shortfalls.update({} if short is None else {self.name: short})
        same = [*found.same, *(pair for pair, relation in ruled.items() if relation == "same")]
        two = {pair for pair, relation in ruled.items() if relation != "same"}
        for group in merge_groups(found.memories, same, two):
            yield from _merge_items(group)
        for pair, relation in ruled.items():
            if relation != "same":
                yield _distinct_item(found.memories, pair, relation)

    def apply(self, tx: Transaction, item: PairItem, context: StepContext) -> ItemResult:
        """Carry the item out, unless one of the memories was changed or forgotten since."""
        one, other = tx.memories.get(item.one), tx.memories.get(item.other)
        if one is None or other is None or not _is_as_planned(item, one, other):
            return ItemResult(StepOutcome.CHANGED_SINCE, item.other)
        writer = context.memory_writer(tx)
        match item.do:
            case "gather":
                writer.copy_evidence(one.id, other.id, _AT_ONCE)
            case "merge":
                writer.merge(one, other, authority([one, other]), _AT_ONCE)
                return ItemResult(
                    StepOutcome.DONE, other.id, f"merged into {one.id}: it says the same"
                )
            case "contradict":
                tx.pairs.mark_distinct(one.id, other.id)
                writer.link(other, EdgeType.CONTRADICTS, one.id, _CONTRADICTION_CONFIDENCE)
                return ItemResult(StepOutcome.DONE, other.id, f"may contradict {one.id}")
            case "keep apart":
                tx.pairs.mark_distinct(one.id, other.id)
        return ItemResult(StepOutcome.DONE)


def _last_run_at(context: StepContext, step: str) -> int | None:
    """The moment since which a step looks: the one asked for, or that of its last run.

    A run that was undone does not count. None where there is no such run: all is new.
    """
    if context.run.options.since is not None:
        return context.run.options.since
    with context.store.read(context.tenant) as tx:
        runs = tx.nightly_runs.list_runs(_RUNS)
    done = (
        run.at
        for run in runs
        if run.state in ("finished", "stopped")
        and any(report.name == step and report.state == "applied" for report in run.steps)
    )
    return max(done, default=None)


def _drop_restored_pairs(context: StepContext, found: MergeCandidates) -> MergeCandidates:
    """The candidates without pairs that were merged before and separated by the user."""
    with context.store.read(context.tenant) as tx:
        merged = tx.pairs.merge_targets(list(found.memories))
    back = {(min(one, other), max(one, other)) for one, other in merged.items()}
    found.same = [pair for pair in found.same if pair not in back]
    found.doubtful = [pair for pair in found.doubtful if pair not in back]
    return found


def _merge_items(group: Iterable[Memory]) -> Iterator[PairItem]:
    members = sorted(group, key=lambda memory: memory.id)
    kept = survivor(members)
    for other in members:
        if other is not kept:
            pieces = range(other.evidence // _AT_ONCE)
            yield from (_pair_item("gather", kept, other, piece) for piece in pieces)
            yield _pair_item("merge", kept, other)


def _distinct_item(memories: Mapping[str, Memory], pair: Pair, relation: Relation) -> PairItem:
    one, other = sorted((memories[i] for i in pair), key=lambda m: (m.current.valid_from, m.id))
    return _pair_item("keep apart" if relation == "different" else "contradict", one, other)


def _pair_item(
    do: Literal["gather", "merge", "contradict", "keep apart"],
    one: Memory,
    other: Memory,
    piece: int = 0,
) -> PairItem:
    return PairItem(
        key=f"{do}|{one.id}|{other.id}|{piece}",
        do=do,
        one=one.id,
        other=other.id,
        wordings=(one.current.n, other.current.n),
    )


def _is_as_planned(item: PairItem, one: Memory, other: Memory) -> bool:
    if (one.current.n, other.current.n) != item.wordings or not may_merge(one, other):
        return False
    return item.do not in ("gather", "merge") or survivor([one, other]) is one
