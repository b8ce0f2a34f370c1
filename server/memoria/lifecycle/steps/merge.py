"""Merge: memories that say the same become one, and a newer one replaces an older one.

The survivor has the evidence of all. Its wording stays as it is, and so do those of the others, in
the record: they are superseded and known to be merged into it. It is believed no more than the
least of them, unless the user has confirmed it.

Where a newer memory tells how it is now, the older one is superseded, if `policy/succession` allows
it. If it does not, or if nothing tells which of two holds, both stay, and a CONTRADICTS edge marks
them for a review.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Literal

from memoria.lifecycle.adjudicate import adjudicate_pairs
from memoria.lifecycle.interface import Item, ItemResult, PlannedStep, StepContext
from memoria.lifecycle.merge_candidates import MergeCandidates, find_candidates
from memoria.memories.apart import list_apart
from memoria.memories.writer import MemoryWriter
from memoria.model import Memory, Relation
from memoria.model.nightly import WITHOUT_MODEL, StepOutcome
from memoria.policy.conflict import Supersede
from memoria.policy.merging import (
    Pair,
    authority,
    may_merge,
    may_relate,
    merge_groups,
    survivor,
)
from memoria.policy.succession import decide_succession
from memoria.store.rows.transaction import Transaction

_AT_ONCE = 10
"""Number of turns that one item adds to the survivor's evidence."""
_RUNS = 100


_Deed = Literal["gather", "merge", "replace", "contradict", "keep apart"]


class PairItem(Item):
    """Two memories and what is to be done with them."""

    do: _Deed
    one: str
    """Id of the survivor, where one of them is merged; else of the older one."""
    other: str
    wordings: tuple[int, int]
    """Numbers of their present wordings, which were ruled upon."""


class MergeStep(PlannedStep[PairItem]):
    """Merges memories that say the same."""

    name = "merge"
    summary = "Merge memories that say the same, and supersede what a newer one replaces."
    things = (
        "pair of memories that say the same or exclude each other",
        "pairs of memories that say the same or exclude each other",
    )
    deed = "settled"
    item = PairItem
    rows = 120

    def describe_limits(self, context: StepContext) -> str | None:
        """Say that without a chat model only the same words are merged, or what was left out."""
        if context.chat is None:
            return f"{WITHOUT_MODEL} only memories in the same words are merged, none is superseded"
        return context.shortfalls.get(self.name)

    def plan(self, context: StepContext) -> Iterator[PairItem]:
        """Yield the pairs in the same words, and those that a chat model has ruled on."""
        found = find_candidates(context, _last_run_at(context, self.name))
        ruled: dict[Pair, Relation] = _drop_restored_pairs(context, found)
        ruled |= _drop_parted_pairs(context, found)
        if context.chat is not None:
            answers, short = adjudicate_pairs(context, context.chat, found.memories, found.doubtful)
            ruled |= answers
            context.shortfalls.update({} if short is None else {self.name: short})
        same = [*found.same, *(pair for pair, relation in ruled.items() if relation == "same")]
        two = {pair for pair, relation in ruled.items() if relation != "same"}
        for group in merge_groups(found.memories, same, two):
            yield from _merge_items(group)
        yield from _distinct_items(
            found.memories,
            {
                pair: relation
                for pair, relation in ruled.items()
                if relation != "different" or pair not in found.unlinked
            },
        )

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
            case "replace":
                return _replace(tx, writer, one, other, context.at)
            case "contradict":
                return _mark(tx, writer, one, other)
            case "keep apart":
                tx.pairs.mark_distinct(one.id, other.id)
        return ItemResult(StepOutcome.DONE)


def _last_run_at(context: StepContext, step: str) -> int | None:
    """Return the moment since which a step looks: the one asked for, or that of its last run.

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


def _drop_restored_pairs(context: StepContext, found: MergeCandidates) -> dict[Pair, Relation]:
    """Drop the pairs that a night has parted or joined and the user has put back.

    Merged memories stay two. A replaced one is marked beside its successor, for the user has said
    that it holds.
    """
    ids = list(found.memories)
    with context.store.read(context.tenant) as tx:
        merged = _as_pairs(tx.pairs.merge_targets(ids).items())
        replaced = _as_pairs(tx.pairs.list_successions(ids)) - merged
    marked = [pair for pair in found.doubtful if pair in replaced]
    found.same = [pair for pair in found.same if pair not in merged]
    found.doubtful = [pair for pair in found.doubtful if pair not in merged | replaced]
    return dict.fromkeys(marked, "contradicts")


def _drop_parted_pairs(context: StepContext, found: MergeCandidates) -> dict[Pair, Relation]:
    """Drop the pairs that a reading has found to be two, whichever of them was new then."""
    asked = {memory_id for pair in found.doubtful for memory_id in pair}
    with context.store.read(context.tenant) as tx:
        apart = list_apart(tx, (found.memories[one] for one in asked))
    parted = [pair for pair in found.doubtful if pair in apart]
    found.doubtful = [pair for pair in found.doubtful if pair not in apart]
    return dict.fromkeys(parted, "different")


def _as_pairs(pairs: Iterable[tuple[str, str]]) -> set[Pair]:
    return {(min(one, other), max(one, other)) for one, other in pairs}


def _merge_items(group: Iterable[Memory]) -> Iterator[PairItem]:
    members = sorted(group, key=lambda memory: memory.id)
    kept = survivor(members)
    for other in members:
        if other is not kept:
            pieces = range(other.evidence // _AT_ONCE)
            yield from (_pair_item("gather", kept, other, piece) for piece in pieces)
            yield _pair_item("merge", kept, other)


def _replace(
    tx: Transaction, writer: MemoryWriter, older: Memory, newer: Memory, at: int
) -> ItemResult:
    """Let a memory take the place of an older one, as far as that is allowed."""
    match decide_succession(newer, older, at):
        case Supersede(valid_from=since):
            tx.pairs.mark_distinct(older.id, newer.id)
            writer.supersede(older.id, successor=newer, since=since)
            why = f"replaced by {newer.id}: that tells how it is now"
            return ItemResult(StepOutcome.DONE, older.id, why)
        case _:
            return _mark(tx, writer, older, newer)


def _mark(tx: Transaction, writer: MemoryWriter, older: Memory, newer: Memory) -> ItemResult:
    """Mark two memories that cannot both be true, for somebody to look at."""
    tx.pairs.mark_distinct(older.id, newer.id)
    writer.mark_contradiction(newer, [older])
    why = f"may contradict {older.id}: see memoria review"
    return ItemResult(StepOutcome.DONE, newer.id, why)


_DEEDS: Mapping[Relation, _Deed] = {
    "same": "keep apart",  # where they may not be merged
    "different": "keep apart",
    "contradicts": "contradict",
    "replaces": "replace",
}


def _distinct_items(
    memories: Mapping[str, Memory], ruled: Mapping[Pair, Relation]
) -> Iterator[PairItem]:
    """Yield items for pairs that are not merged, in the order in which the older one was said.

    So a memory that has replaced another one may then be replaced itself.
    """
    items = []
    for pair, relation in ruled.items():
        one, other = sorted((memories[i] for i in pair), key=_age_key)
        if relation != "same" or not may_merge(one, other):
            items.append((_age_key(one), _pair_item(_DEEDS[relation], one, other)))
    yield from (item for _, item in sorted(items, key=lambda each: each[0]))


def _age_key(memory: Memory) -> tuple[int, str]:
    return memory.current.valid_from, memory.id


def _pair_item(
    do: _Deed,
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
    if (one.current.n, other.current.n) != item.wordings:
        return False
    if item.do not in ("gather", "merge"):
        return may_relate(one, other)
    return may_merge(one, other) and survivor([one, other]) is one
