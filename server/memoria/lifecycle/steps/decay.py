"""Decay: memories that have faded are archived, or sink a tier.

Strength is computed from the row and the run's moment and never stored (`policy.retention`), so a
run that finds everything still strong writes nothing.
"""

from collections.abc import Iterator
from operator import itemgetter

from memoria.lifecycle.audit import log_action
from memoria.lifecycle.interface import Item, ItemResult, PlannedStep, StepContext
from memoria.lifecycle.pages import read_pages
from memoria.model.nightly import WITHOUT_MODEL, StepOutcome
from memoria.model.retention import MemoryTier, RetentionAttributes
from memoria.policy.retention import (
    ArchiveFaded,
    DemoteTier,
    ends_at,
    memories_over_limit,
    protection,
    retention_verdict,
)
from memoria.store.rows.transaction import Transaction

_PAGE = 500
_FADED = "faded"
_TOO_MANY = "there are more than are kept active"
_OVER = "its time was over"


ARCHIVED_UNASKED = f"{WITHOUT_MODEL} faded memories are archived by their strength alone"


class DecayItem(Item):
    """A memory that is to be archived or to sink; its key is its id."""

    to: MemoryTier | None
    """The tier it sinks to; None where it is archived."""
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
        """Say that without a reviewer nobody is asked before a memory is archived."""
        if has_reviewer(context):
            return None
        return ARCHIVED_UNASKED

    def plan(self, context: StepContext) -> Iterator[DecayItem]:
        """Yield the memories that have crossed a threshold, then the weakest above the limit."""
        staying: list[RetentionAttributes] = []
        for one in active_memories(context):
            item = _decide(one, context)
            if item is not None:
                yield item
            if item is None or item.to is not None:
                staying.append(one)
        for one in memories_over_limit(staying, context.at, context.retention):
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
    pages = read_pages(
        context, lambda tx, after: tx.retention.list_attributes(after, _PAGE), itemgetter(0), 0
    )
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


def _is_still_due(one: RetentionAttributes, item: DecayItem, context: StepContext) -> bool:
    """Check whether the plan holds. One above the limit goes unless it is protected by now."""
    if item.why == _TOO_MANY:
        return protection(one, context.retention) is None
    return _decide(one, context) == item
