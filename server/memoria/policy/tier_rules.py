"""Tiers: how a memory rises from the passing to the lasting, by rule and by a reviewer's word.

Falling is `policy/retention`'s: what a strength is too low for is not risen to.
"""

from dataclasses import replace

from memoria.model import DAY_MS
from memoria.model.memory_types import BINDING_TYPES, CONVERSATION_SUMMARIES
from memoria.model.retention import MemoryTier, RetentionAttributes, SupportCounts
from memoria.policy.retention import (
    RETENTION,
    AskReviewer,
    RetentionTable,
    has_recent_review,
    protection,
    retention_verdict,
    strength,
    tier_ceiling,
)

_MID_AFTER_MS = 7 * DAY_MS
"""An age at which what is short-term becomes mid-term (002 §6.2)."""
_THEME_SIZE = 3
"""So many of one theme do, too (002 §6.2)."""
_STABLE_SESSIONS, _STABLE_SOURCES = 2, 2
"""A stable pattern (002 §6.2), without its age of 30 days."""
SURE_CONFIDENCE = 0.8
"""The least confidence of what a stable pattern is made of."""
_SIGNS_OF_USE = 2
"""How much use makes a reviewer look: 2.5 of 5 is what a memory begins with."""


def may_rise_to_core(one: RetentionAttributes, at: int, table: RetentionTable = RETENTION) -> bool:
    """Whether a reviewer is to say if a memory belongs to the core.

    An episode does not: its quotes are all of one conversation, and no core file shows it.
    """
    signs = one.use_count + one.evidence - 1 + one.upvotes
    worth = one.importance >= table.promote and signs >= _SIGNS_OF_USE
    lasts = one.type not in CONVERSATION_SUMMARIES and not one.task and one.expires_at is None
    return (
        worth
        and lasts
        and one.tier is not MemoryTier.CORE
        and not has_recent_review(one, at, table)
    )


def is_fading(one: RetentionAttributes, at: int, table: RetentionTable = RETENTION) -> bool:
    """Whether a reviewer is to say if a memory is still worth anything."""
    return isinstance(retention_verdict(one, at, table, reviewer=True), AskReviewer)


def tier_after_promotion(
    one: RetentionAttributes, at: int, table: RetentionTable = RETENTION
) -> tuple[MemoryTier, float]:
    """Tier and importance of what a reviewer has promoted.

    The core is for what had risen towards it; what was fading counts as young again, and stands
    as high as that lets it.
    """
    if may_rise_to_core(one, at, table):
        return MemoryTier.CORE, core_importance(one.importance, table)
    young = strength(replace(one, reviewed_at=at), at, table)
    return max(one.tier, tier_ceiling(young, table), key=_tier_rank), one.importance


def may_be_archived(one: RetentionAttributes, table: RetentionTable = RETENTION) -> bool:
    """Whether a reviewer's word is enough to put a memory aside."""
    return one.type not in BINDING_TYPES and protection(one, table) is None


def core_importance(importance: float, table: RetentionTable = RETENTION) -> float:
    """The importance of what a reviewer has promoted to the core."""
    return max(importance, table.lasting)


def tier_by_rule(
    one: RetentionAttributes, support: SupportCounts, at: int, table: RetentionTable = RETENTION
) -> MemoryTier:
    """The tier that a memory has risen to by rule: never lower than its own, never the core.

    What is too weak for a tier does not rise to it, so that no night undoes what another step of
    it did.
    """
    if one.tier is MemoryTier.CORE:
        return one.tier
    reached = min(
        _tier_by_evidence(one, support, at),
        tier_ceiling(strength(one, at, table), table),
        key=_tier_rank,
    )
    return max(one.tier, reached, key=_tier_rank)


def _tier_by_evidence(one: RetentionAttributes, support: SupportCounts, at: int) -> MemoryTier:
    if not (at - one.learnt_at >= _MID_AFTER_MS or support.theme >= _THEME_SIZE):
        return MemoryTier.SHORT
    often = is_stable_pattern(support.sessions, support.sources)
    return MemoryTier.LONG if often and one.confidence >= SURE_CONFIDENCE else MemoryTier.MID


def is_stable_pattern(sessions: int, sources: int) -> bool:
    """Whether a pattern is stable: it was borne out in several sessions and by several sources."""
    return sessions >= _STABLE_SESSIONS and sources >= _STABLE_SOURCES


def _tier_rank(one: MemoryTier) -> int:
    return one.rank
