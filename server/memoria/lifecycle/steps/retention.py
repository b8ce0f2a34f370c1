"""Retention: memories fade and are archived, prove themselves and rise, expire and are deleted.

Strength is computed from the row and the run's moment and never stored (`policy.retention`), so a
run that finds everything still strong writes nothing.
"""

from collections.abc import Iterator, Sequence

from memoria.erasure.cascade import delete_memory, part_unsupported
from memoria.erasure.grace import purge_due
from memoria.lifecycle.generated_files import files_of
from memoria.lifecycle.interface import (
    Item,
    ItemResult,
    PiecewiseStep,
    PlannedStep,
    StepContext,
    log_action,
    read_pages,
)
from memoria.model import DAY_MS, Memory, Validity
from memoria.model.attachment import EXPIRED
from memoria.model.nightly import UNDO_MS, WITHOUT_MODEL, StepOutcome
from memoria.model.retention import MemoryTier, RetentionAttributes, SupportCounts
from memoria.policy.questions import Fate
from memoria.policy.retention import (
    ArchiveFaded,
    DemoteTier,
    ends_at,
    memories_over_limit,
    protection,
    retention_verdict,
    tier_by_rule,
)
from memoria.store.rows.transaction import Transaction

_PAGE = 500
_FADED = "faded"
_TOO_MANY = "there are more than are kept active"
_OVER = "its time was over"
_BY_POLICY = "the program's policy archives it"

ARCHIVED_UNASKED = f"{WITHOUT_MODEL} faded memories are archived by their strength alone"
_LARGEST_SUPPORT = SupportCounts(sessions=1 << 20, sources=1 << 20, theme=1 << 20)
_EXPIRED_PAGE = 200
_MEMORIES = 4
"""Number of memories deleted in one transaction: each takes many rows along."""
_IMAGES = 300
_MOST_COUNTED = 10_000


class DecayItem(Item):
    """A memory to be archived, or moved to a lower tier; its key is its id."""

    to: MemoryTier | None
    """Lower tier to which the memory moves; None if the memory is archived."""
    why: str


class DecayStep(PlannedStep[DecayItem]):
    """Archives faded memories and those above the limit; pinned and confirmed ones stay."""

    name = "decay"
    summary = (
        "Archive memories that have faded, and the weakest above the number that is kept active."
    )
    things = ("fading memory", "fading memories")
    deed = "archived or moved down"
    item = DecayItem
    rows = 40

    def describe_limits(self, context: StepContext) -> str | None:
        """Return the sentence that memories are archived without a review; None with a reviewer."""
        if has_reviewer(context):
            return None
        return ARCHIVED_UNASKED

    def plan(self, context: StepContext) -> Iterator[DecayItem]:
        """Yield the memories that have crossed a threshold, then the weakest above the limit."""
        staying: list[RetentionAttributes] = []
        for one in active_memories(context):
            item = _decide_with_policy(one, context)
            if item is not None:
                yield item
            if item is None or item.to is not None:
                staying.append(one)
        for one in memories_over_limit(staying, context.at, context.retention):
            if _ask_policy(one, "archive", context) == "archive":
                yield DecayItem(key=one.id, to=None, why=_TOO_MANY)

    def apply(self, tx: Transaction, item: DecayItem, context: StepContext) -> ItemResult:
        """Archive or demote the memory, unless it was used, confirmed or changed since."""
        one = tx.retention.get_attributes(item.key)
        if one is None or not _is_still_due(one, item, context):
            return ItemResult(StepOutcome.CHANGED_SINCE, item.key)
        if item.to is None:
            context.memory_writer(tx).end(item.key, item.why)
        else:
            tx.retention.set_tier(item.key, item.to)
            log_action(tx, context.at, f"demote to {item.to}", item.key, item.why)
        return ItemResult(StepOutcome.DONE, item.key, item.why)


def has_reviewer(context: StepContext) -> bool:
    """Check whether this run asks a chat model about faded memories before it archives them."""
    return context.chat is not None and "review" in context.run.options.steps


def active_memories(context: StepContext) -> Iterator[RetentionAttributes]:
    """Yield the retention attributes of all active memories, in the order of their numbers."""
    pages = read_pages(context, lambda tx, after: tx.retention.list_attributes(after, _PAGE))
    return (one for page in pages for _, one in page)


def _decide(one: RetentionAttributes, context: StepContext) -> DecayItem | None:
    end = ends_at(one, table=context.retention)
    if end is not None and end <= context.at:
        return DecayItem(key=one.id, to=None, why=_OVER)
    match retention_verdict(one, context.at, context.retention, reviewer=has_reviewer(context)):
        case ArchiveFaded():
            return DecayItem(key=one.id, to=None, why=_FADED)
        case DemoteTier(tier):
            return DecayItem(key=one.id, to=tier, why=_FADED)
        case _:
            return None


def _decide_with_policy(one: RetentionAttributes, context: StepContext) -> DecayItem | None:
    """Decide about a memory, and ask the policy; an end that somebody gave it stands."""
    item = _decide(one, context)
    if one.expires_at is not None and one.expires_at <= context.at:
        return item
    ours: Fate = "archive" if item is not None and item.to is None else "keep"
    match _ask_policy(one, ours, context):
        case "archive" if ours == "keep":
            return DecayItem(key=one.id, to=None, why=_BY_POLICY)
        case "keep" if ours == "archive":
            return None
        case _:
            return item


def _ask_policy(one: RetentionAttributes, ours: Fate, context: StepContext) -> Fate:
    """Return what the policy of the home makes of a memory."""
    if not context.policy.is_asked:
        return ours
    with context.store.read(context.tenant) as tx:
        memory = tx.memories.get(one.id)
    return ours if memory is None else context.policy.decide_fate(memory, ours)


def _is_still_due(one: RetentionAttributes, item: DecayItem, context: StepContext) -> bool:
    """Check whether an item still applies; above the limit, unless the memory is now protected."""
    if item.why == _BY_POLICY:
        return not (one.pinned or one.verified)
    if item.why == _TOO_MANY:
        return protection(one, context.retention) is None
    return _decide(one, context) == item


class PromotionItem(Item):
    """A memory to be promoted to a higher tier; its key is its id."""

    to: MemoryTier


class PromoteStep(PlannedStep[PromotionItem]):
    """Promotes from short to mid to long term, by age and breadth of support."""

    name = "promote"
    summary = (
        "Move memories from short-term to mid-term and long-term when they have proved themselves."
    )
    things = ("memory that has proved itself", "memories that have proved themselves")
    deed = "moved up"
    item = PromotionItem
    rows = 6

    def describe_limits(self, context: StepContext) -> str | None:
        """Return the sentence that no memory is promoted unreviewed; None with a reviewer."""
        if has_reviewer(context):
            return None
        return f"{WITHOUT_MODEL} no memory rises into the core by itself"

    def plan(self, context: StepContext) -> Iterator[PromotionItem]:
        """Yield the memories that have earned a higher tier."""
        for one in active_memories(context):
            if _tier_for(one, _LARGEST_SUPPORT, context) is one.tier:
                continue  # as most memories: their support need not be counted
            with context.store.read(context.tenant) as tx:
                reached = _tier_for(one, tx.retention.get_support(one.id), context)
            if reached is not one.tier:
                yield PromotionItem(key=one.id, to=reached)

    def apply(self, tx: Transaction, item: PromotionItem, context: StepContext) -> ItemResult:
        """Promote the memory, unless its support is gone."""
        one = tx.retention.get_attributes(item.key)
        if one is None or one.tier.rank >= item.to.rank:
            return ItemResult(StepOutcome.CHANGED_SINCE, item.key)
        if _tier_for(one, tx.retention.get_support(one.id), context) is not item.to:
            return ItemResult(StepOutcome.CHANGED_SINCE, item.key)
        tx.retention.set_tier(item.key, item.to)
        return ItemResult(StepOutcome.DONE)


def _tier_for(one: RetentionAttributes, support: SupportCounts, context: StepContext) -> MemoryTier:
    return tier_by_rule(one, support, context.at, context.retention)


class ExpiredItem(Item):
    """A memory whose expiry date has passed; its key is its id."""


class ArchiveExpiredStep(PlannedStep[ExpiredItem]):
    """Archives memories that have expired."""

    name = "archive_expired"
    summary = "Archive memories whose expiry date has passed."
    things = ("memory past its end", "memories past their end")
    deed = "archived"
    item = ExpiredItem
    rows = 40

    def plan(self, context: StepContext) -> Iterator[ExpiredItem]:
        """Yield the memories that have expired by the run's moment, in order of their numbers."""
        pages = read_pages(
            context, lambda tx, after: tx.retention.list_expired(context.at, after, _EXPIRED_PAGE)
        )
        for page in pages:
            yield from (ExpiredItem(key=memory_id) for _, memory_id in page)

    def apply(self, tx: Transaction, item: ExpiredItem, context: StepContext) -> ItemResult:
        """Archive the memory, unless it was pinned or given more time since."""
        memory = tx.memories.get(item.key)
        if memory is None or not _has_expired(memory, context.at):
            return ItemResult(StepOutcome.CHANGED_SINCE, item.key)
        context.memory_writer(tx).end(item.key, "expired")
        return ItemResult(StepOutcome.DONE, item.key, "its time was over")


def _has_expired(memory: Memory, at: int) -> bool:
    return (
        memory.validity is Validity.ACTIVE
        and not memory.pinned
        and memory.expires_at is not None
        and memory.expires_at <= at
    )


class DeleteExpiredStep(PiecewiseStep):
    """Deletes memories for good whose retention has ended."""

    name = "delete_expired"
    summary = (
        "Delete archived memories and files of messages whose retention has ended; no undo brings "
        "them back."
    )
    things = ("archived memory or file", "archived memories and files")
    deed = "erased for good"

    def count_work(self, context: StepContext) -> int:
        """Count the memories and files that are to be deleted."""
        with context.store.read(context.tenant) as tx:
            files = _files_due(tx, context, _MOST_COUNTED)
            return len(_memories_due(tx, context, _MOST_COUNTED)) + len(files)

    def do_piece(self, context: StepContext) -> Sequence[ItemResult]:
        """Delete some memories and files; wipe the database once none is left to delete."""
        with context.store.write(context.tenant) as tx:
            due = _memories_due(tx, context, _MEMORIES)
            for memory_id, why in due.items():
                _delete_memory(tx, context, memory_id, why)
            due |= _clear_files(tx, context)
            part_unsupported(tx)
            tx.purge.close_runs(context.at - UNDO_MS)
            images = 0 if due else tx.purge.drop_images(_IMAGES)
        if images:
            return [ItemResult(StepOutcome.UNCHANGED)]
        if not due:
            purge_due(context.store, context.tenant, str(context.settings.home_path))
            _erase_leftovers(context)
        return [ItemResult(StepOutcome.DONE, memory_id, why) for memory_id, why in due.items()]


def _memories_due(tx: Transaction, context: StepContext, limit: int) -> dict[str, str]:
    """Map ids of memories to be deleted to the reasons."""
    spent = tx.purge.list_short_lived(context.at - UNDO_MS, limit)
    due = dict.fromkeys(spent, "it was to count for a day at most")
    days = context.settings.archive_days
    if days:
        kept_from = context.at - max(UNDO_MS, round(days * DAY_MS))
        old = tx.purge.list_archived(kept_from, limit - len(due))
        due |= dict.fromkeys(old, f"it was archived more than {days:g} days ago")
    return due


def _files_due(tx: Transaction, context: StepContext, limit: int) -> list[int]:
    """List the numbers of files that have been kept as long as they are to be."""
    days = context.settings.attachment_days
    before = context.at - round(days * DAY_MS)
    return tx.attachments.list_old(before, limit) if days else []


def _clear_files(tx: Transaction, context: StepContext) -> dict[str, str]:
    """Erase the content of some files; name, type and size stay on record."""
    why = f"it was kept for {context.settings.attachment_days:g} days"
    turns = tx.conversations.turns(_files_due(tx, context, _MEMORIES)).values()
    for turn in turns:
        told = turn.tool_args if isinstance(turn.tool_args, dict) else {}
        tx.attachments.clear(turn, {**told, "not_kept": EXPIRED})
        log_action(tx, context.at, "delete", turn.id, why)
    return dict.fromkeys((turn.id for turn in turns), why)


def _erase_leftovers(context: StepContext) -> None:
    """Delete copies of files that no undo needs, and wipe what was deleted from the database."""
    with context.store.read(context.tenant) as tx:
        runs = tx.nightly_runs.list_runs(_MOST_COUNTED)
    files_of(context).drop_other_images({run.id for run in runs if run.undoable})
    if context.store.needs_scrub():
        context.store.scrub()


def _delete_memory(tx: Transaction, context: StepContext, memory_id: str, why: str) -> None:
    delete_memory(tx, memory_id, context.at)
    log_action(tx, context.at, "delete", memory_id, why)
