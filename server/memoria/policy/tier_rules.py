"""Tier rules: the way of a memory from short-term to long-term and into the core.

It rises by rule or by a reviewer's decision, and never to a tier that its strength is too low for.
How a memory falls is in `policy/retention`.
"""

from dataclasses import replace

from memoria.model import DAY_MS
from memoria.model.memory_types import BINDING_TYPES, CONVERSATION_SUMMARIES, DERIVED_TYPES
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
"""The age at which a short-term memory becomes mid-term."""
_THEME_SIZE = 3
"""Number of memories of one theme that become mid-term earlier."""
_STABLE_SESSIONS, _STABLE_SOURCES = 2, 2
"""Numbers of sessions and of sources from which a stable pattern has evidence."""
SURE_CONFIDENCE = 0.7
"""Least confidence of a memory in a stable pattern: that of a model without a doubt."""
_SIGNS_OF_USE = 2
"""Number of uses, repetitions and upvotes before a reviewer is asked."""


def may_rise_to_core(one: RetentionAttributes, at: int, table: RetentionTable = RETENTION) -> bool:
    """Check whether a reviewer is asked if a memory belongs to the core.

    An episode never does: it is about one conversation, and no core file shows it. A concept does
    if it is used: nobody has said it, and the turns it rests on say something else.
    """
    repeats = 0 if one.type in DERIVED_TYPES else one.evidence - 1
    signs = one.use_count + repeats + one.upvotes
    worth = one.importance >= table.promote and signs >= _SIGNS_OF_USE
    lasts = one.type not in CONVERSATION_SUMMARIES and not one.task and one.expires_at is None
    return (
        worth
        and lasts
        and one.tier is not MemoryTier.CORE
        and not has_recent_review(one, at, table)
    )


def is_fading(one: RetentionAttributes, at: int, table: RetentionTable = RETENTION) -> bool:
    """Check whether a reviewer is asked if a fading memory should be kept."""
    return isinstance(retention_verdict(one, at, table, reviewer=True), AskReviewer)


def tier_after_promotion(
    one: RetentionAttributes, at: int, table: RetentionTable = RETENTION
) -> tuple[MemoryTier, float]:
    """Return the tier and importance of a memory that a reviewer has promoted.

    A memory that was reviewed for the core gets into it. A fading one counts as young again, and
    gets the tier that its new strength allows.
    """
    if may_rise_to_core(one, at, table):
        return MemoryTier.CORE, core_importance(one.importance, table)
    young = strength(replace(one, reviewed_at=at), at, table)
    return max(one.tier, tier_ceiling(young, table), key=_tier_rank), one.importance


def may_be_archived(one: RetentionAttributes, table: RetentionTable = RETENTION) -> bool:
    """Check whether a reviewer may archive a memory."""
    return one.type not in BINDING_TYPES and protection(one, table) is None


def core_importance(importance: float, table: RetentionTable = RETENTION) -> float:
    """Return the importance of a memory that a reviewer has promoted to the core."""
    return max(importance, table.lasting)


def tier_by_rule(
    one: RetentionAttributes, support: SupportCounts, at: int, table: RetentionTable = RETENTION
) -> MemoryTier:
    """Return the tier that a memory has by rule: never below its own; none rises into the core.

    A memory does not rise to a tier that it is too weak for, so that no nightly step undoes what
    another one did.
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
    is_said = one.type not in DERIVED_TYPES
    often = is_said and is_stable_pattern(support.sessions, support.sources)
    return MemoryTier.LONG if often and one.confidence >= SURE_CONFIDENCE else MemoryTier.MID


def is_stable_pattern(sessions: int, sources: int) -> bool:
    """Check whether a pattern has evidence from several sessions and several sources."""
    return sessions >= _STABLE_SESSIONS and sources >= _STABLE_SOURCES


def _tier_rank(one: MemoryTier) -> int:
    return one.rank
