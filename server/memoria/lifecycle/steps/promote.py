"""Promote: memories that have proved themselves rise from short-term to long-term."""

from collections.abc import Iterator

from memoria.lifecycle.interface import Item, ItemResult, PlannedStep, StepContext
from memoria.lifecycle.steps.decay import active_memories, has_reviewer
from memoria.model.nightly import WITHOUT_MODEL, StepOutcome
from memoria.model.retention import MemoryTier, RetentionAttributes, SupportCounts
from memoria.policy.tier_rules import tier_by_rule
from memoria.store.rows.transaction import Transaction

_LARGEST_SUPPORT = SupportCounts(sessions=1 << 20, sources=1 << 20, theme=1 << 20)


class PromotionItem(Item):
    """A memory that rises; its key is its id."""

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
        """Say that without a reviewer nothing is put into the core."""
        if has_reviewer(context):
            return None
        return f"{WITHOUT_MODEL} no memory rises into the core by itself"

    def plan(self, context: StepContext) -> Iterator[PromotionItem]:
        """Yield the memories that have earned a higher tier than they have."""
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
