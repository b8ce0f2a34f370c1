"""Review: the chat model decides about memories that fade, and about those that may rise.

Its decision is carried out as far as rules allow: it promotes memories in lasting use into the
core, and archives those that nobody has pinned or confirmed. A doubtful memory is kept.
"""

from collections.abc import Iterator
from itertools import chain, zip_longest

from memoria.lifecycle.audit import log_action
from memoria.lifecycle.interface import Item, ItemResult, PlannedStep, StepContext
from memoria.lifecycle.reviewer import MemoryReviewer
from memoria.lifecycle.steps.decay import ARCHIVED_UNASKED, active_memories
from memoria.model.memory_types import DERIVED_TYPES
from memoria.model.nightly import StepOutcome
from memoria.model.reflection import Judgement
from memoria.model.retention import MemoryTier, RetentionAttributes
from memoria.policy.tier_rules import (
    is_fading,
    may_be_archived,
    may_rise_to_core,
    tier_after_promotion,
)
from memoria.store.rows.transaction import Transaction

MAX_REVIEWS = 40
"""Number of memories that are reviewed in one run."""
_FADING = "it has grown weak: it was not said again, used or confirmed for a long time"
_RISING = "it is important and is often used or said again"
_USED = "it is important and is often used"
"""Reason for a memory that was derived from others: nobody has said it."""


class ReviewItem(Item):
    """A memory that was reviewed; its key is its id."""

    decision: Judgement
    wording: int
    """The number of the wording that was reviewed."""


class ReviewStep(PlannedStep[ReviewItem]):
    """Promotes, keeps or archives the memories that a reviewer was asked about."""

    name = "review"
    summary = (
        "Ask the chat model which fading memories to keep and which important ones to promote."
    )
    things = ("memory", "memories")
    deed = "moved by the reviewing chat model"
    item = ReviewItem
    rows = 40

    def describe_limits(self, context: StepContext) -> str | None:
        """Say that without a chat model nobody is asked; with one, what got no decision."""
        if context.chat is None:
            return ARCHIVED_UNASKED
        return context.shortfalls.get(self.name)

    def plan(self, context: StepContext) -> Iterator[ReviewItem]:
        """Yield the reviewer's decisions, the most important memories first."""
        if context.chat is None:
            return
        cases = _find_cases(context)
        reviewer = MemoryReviewer(context, context.chat)
        for memory, decision in reviewer.review_memories(cases[:MAX_REVIEWS]):
            yield ReviewItem(key=memory.id, decision=decision, wording=memory.current.n)
        short = [*reviewer.shortfalls]
        if len(cases) > MAX_REVIEWS:
            short.append(f"{len(cases) - MAX_REVIEWS} more wait for the next run")
        context.shortfalls.update({self.name: "; ".join(short)} if short else {})

    def apply(self, tx: Transaction, item: ReviewItem, context: StepContext) -> ItemResult:
        """Carry the decision out, unless the memory was used, confirmed or changed since."""
        one, memory = tx.retention.get_attributes(item.key), tx.memories.get(item.key)
        if one is None or memory is None or memory.current.n != item.wording:
            return ItemResult(StepOutcome.CHANGED_SINCE, item.key)
        if _review_reason(one, context) is None:
            return ItemResult(StepOutcome.CHANGED_SINCE, item.key)
        if item.decision == "DELETE" and may_be_archived(one, context.retention):
            return _archive(tx, one, context)
        return _keep_or_promote(tx, one, item, context)


def _find_cases(context: StepContext) -> list[tuple[str, str]]:
    """Return pairs (memory, reason for the review): fading and rising ones by turns."""
    found: dict[str, list[RetentionAttributes]] = {_FADING: [], _RISING: [], _USED: []}
    for one in active_memories(context):
        why = _review_reason(one, context)
        if why is not None:
            found[why].append(one)
    queues = (
        [(one.id, why) for one in sorted(some, key=lambda one: (-one.importance, one.id))]
        for why, some in found.items()
    )
    return [case for case in chain.from_iterable(zip_longest(*queues)) if case is not None]


def _review_reason(one: RetentionAttributes, context: StepContext) -> str | None:
    if is_fading(one, context.at, context.retention):
        return _FADING
    if not may_rise_to_core(one, context.at, context.retention):
        return None
    return _USED if one.type in DERIVED_TYPES else _RISING


def _archive(tx: Transaction, one: RetentionAttributes, context: StepContext) -> ItemResult:
    why = "a reviewer found that nobody would miss it"
    context.memory_writer(tx).end(one.id, why)
    return ItemResult(StepOutcome.DONE, one.id, why)


def _keep_or_promote(
    tx: Transaction, one: RetentionAttributes, item: ReviewItem, context: StepContext
) -> ItemResult:
    tier, importance = one.tier, one.importance
    if item.decision == "PROMOTE":
        tier, importance = tier_after_promotion(one, context.at, context.retention)
    tx.retention.note_review(one.id, context.at, tier, importance)
    if tier is one.tier:
        return ItemResult(StepOutcome.KEPT)
    why = (
        "a reviewer lifted it into the core"
        if tier is MemoryTier.CORE
        else f"a reviewer: {tier}-term"
    )
    log_action(tx, context.at, f"promote to {tier}", one.id, why)
    return ItemResult(StepOutcome.DONE, one.id, why)
