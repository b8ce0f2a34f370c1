"""Merging: memories that say the same become one, and a newer one replaces an older one.

The survivor has the evidence of all. All wordings stay: the other memories are superseded and
recorded as merged into the survivor. It is believed no more than the least of them, unless the user
has confirmed it.

Where a newer memory tells how things are now, the older one is superseded, if `policy/merging`
allows it. If not, or if nothing tells which of two holds, both stay, and a CONTRADICTS edge marks
them for a review.

People, places and things that go by one name are proposed to the user; no run joins them.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Literal

from memoria.lifecycle.interface import Item, ItemResult, PlannedStep, StepContext
from memoria.lifecycle.merge_candidates import MergeCandidates, adjudicate_pairs, find_candidates
from memoria.memories.entities import list_new_proposals, note_proposal
from memoria.memories.verdicts import list_apart
from memoria.memories.writer import MemoryWriter
from memoria.model import Memory, Relation
from memoria.model.memory import Trust
from memoria.model.nightly import WITHOUT_MODEL, StepOutcome
from memoria.model.provenance import NIGHTLY_CHANNEL, Channel
from memoria.policy.conflict import KeepBoth, Supersede
from memoria.policy.merging import (
    Pair,
    authority,
    decide_succession,
    may_merge,
    may_relate,
    merge_groups,
    survivor,
)
from memoria.store.rows.graph import EdgeKey
from memoria.store.rows.transaction import Transaction
from memoria.store.values import Filters

_AT_ONCE = 10
"""Number of turns that one item adds to the survivor's evidence."""
_RUNS = 100

_Deed = Literal["gather", "merge", "replace", "contradict", "keep apart"]
_DEEDS: Mapping[Relation, _Deed] = {
    "same": "keep apart",  # where they may not be merged
    "different": "keep apart",
    "contradicts": "contradict",
    "replaces": "replace",
}
_MOST_PAIRS = 20
"""Most pairs that one run proposes; the others wait for the next run."""
_EVERYWHERE = Filters(everywhere=True, include_history=True, include_processed=True)
_BY_NIGHT = Channel(name=NIGHTLY_CHANNEL, trust=Trust.REPORTED)


class PairItem(Item):
    """Two memories and what is to be done with them."""

    do: _Deed
    one: str
    """Id of the survivor of a merge; else of the older memory."""
    other: str
    wordings: tuple[int, int]
    """Numbers of the wordings that were compared."""


class MergeStep(PlannedStep[PairItem]):
    """Merges memories that say the same, and supersedes memories that a newer one replaces."""

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
        """Return a sentence on memories that the step can't or does not merge; None if none."""
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
        """Carry out the item, unless one of the memories was changed or forgotten since."""
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
    """Return the moment after which changes count: as asked for, or that of the step's last run.

    Runs that were undone do not count. None without such a run: then all memories count.
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
    """Drop pairs that a nightly run had merged or superseded and the user has restored.

    Merged memories stay two. A superseded memory is returned as contradicting its successor: the
    user has said that it holds.
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
    """Drop the pairs that a model found to be different when it read a conversation."""
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
    """Supersede an older memory by a newer one, if rules allow that; else mark a contradiction."""
    since = newer.current.valid_from
    verdict = decide_succession(newer, older, at)
    match writer.policy.decide_replacement(newer, older, since, verdict):
        case KeepBoth():
            tx.pairs.mark_distinct(older.id, newer.id)
            return ItemResult(StepOutcome.KEPT, older.id)
        case Supersede(valid_from=since):
            tx.pairs.mark_distinct(older.id, newer.id)
            writer.supersede(older.id, successor=newer, since=since)
            why = f"replaced by {newer.id}: that tells how it is now"
            return ItemResult(StepOutcome.DONE, older.id, why)
        case _:
            return _mark(tx, writer, older, newer)


def _mark(tx: Transaction, writer: MemoryWriter, older: Memory, newer: Memory) -> ItemResult:
    """Mark two memories as contradicting each other, for a review."""
    tx.pairs.mark_distinct(older.id, newer.id)
    writer.mark_contradiction(newer, [older])
    why = f"may contradict {older.id}: see memoria review"
    return ItemResult(StepOutcome.DONE, newer.id, why)


def _distinct_items(
    memories: Mapping[str, Memory], ruled: Mapping[Pair, Relation]
) -> Iterator[PairItem]:
    """Yield items for pairs that are not merged, ordered by the age of the older memory.

    So a memory that has replaced another may itself be replaced in the same run.
    """
    items = []
    for pair, relation in ruled.items():
        one, other = sorted((memories[i] for i in pair), key=_age_key)
        if relation != "same" or not may_merge(one, other):
            items.append((_age_key(one), _pair_item(_DEEDS[relation], one, other)))
    yield from (item for _, item in sorted(items, key=lambda each: each[0]))


def _age_key(memory: Memory) -> tuple[int, str]:
    return memory.current.valid_from, memory.id


def _pair_item(do: _Deed, one: Memory, other: Memory, piece: int = 0) -> PairItem:
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


class EdgeItem(Item):
    """An edge of evidence that is copied to another node; its key is the edge's place."""

    place: EdgeKey
    heir: int
    """Node to which the edge is copied."""


class GraphStep(PlannedStep[EdgeItem]):
    """Links the evidence of merged memories to the memories that survived."""

    name = "graph"
    summary = "Link what bore out a merged memory to the memory that survived."
    things = ("link between memories", "links between memories")
    deed = "handed on"
    item = EdgeItem
    rows = 8

    def plan(self, context: StepContext) -> Iterator[EdgeItem]:
        """Yield each edge of evidence that the survivor of a merge lacks."""
        with context.store.read(context.tenant) as tx:
            folded = tx.graph.list_evidence_to_transfer()
        for place, heir in folded:
            key = " ".join(map(str, (*place, heir)))
            yield EdgeItem(key=key, place=place, heir=heir)

    def apply(self, tx: Transaction, item: EdgeItem, _context: StepContext) -> ItemResult:
        """Copy the edge, unless it is gone or the survivor has it."""
        done = tx.graph.transfer_evidence(item.place, item.heir)
        return ItemResult(StepOutcome.DONE if done else StepOutcome.CHANGED_SINCE)


class JoinItem(Item):
    """Two entities that may be one."""

    one: str
    other: str


class ProposeJoinsStep(PlannedStep[JoinItem]):
    """Proposes pairs of entities with one name to the user, who may join them."""

    name = "propose_joins"
    summary = "Name people, places and things that may be one because they go by one name."
    things = ("pair of one name", "pairs of one name")
    deed = "named to you: one, or two?"
    item = JoinItem
    rows = 1

    def plan(self, context: StepContext) -> Iterator[JoinItem]:
        """Yield pairs of entities that may be one and that no run has proposed yet."""
        with context.store.read(context.tenant) as tx:
            pairs = list_new_proposals(tx, _EVERYWHERE, _MOST_PAIRS)
        for one, other in pairs:
            yield JoinItem(key=f"{one.id} {other.id}", one=one.id, other=other.id)

    def apply(self, tx: Transaction, item: JoinItem, context: StepContext) -> ItemResult:
        """Note that the pair was proposed, unless one of the two is gone."""
        one, other = (tx.graph.get_entity(each, _EVERYWHERE) for each in (item.one, item.other))
        if one is None or other is None:
            return ItemResult(StepOutcome.CHANGED_SINCE)
        note_proposal(tx, (one, other), _BY_NIGHT, context.at)
        why = f"may be one with {other.id}, for both have one name: memoria --workspace '*' review"
        return ItemResult(StepOutcome.DONE, one.id, why)
