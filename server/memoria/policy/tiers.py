"""Tiers: how a memory rises from the passing to the lasting, by rule and by a reviewer's word.

Falling is `policy/retention`'s: what a strength is too low for is not risen to.
"""

from dataclasses import replace

from memoria.model import DAY_MS
from memoria.model.retention import Support, Tier, Vitals
from memoria.policy.retention import (
    RETENTION,
    Retention,
    Review,
    ceiling,
    heard,
    protected,
    strength,
    verdict,
)

_MID_AFTER = 7 * DAY_MS
"""An age at which what is short-term becomes mid-term (002 §6.2)."""
_THEME = 3
"""So many of one theme do, too (002 §6.2)."""
_SESSIONS, _SOURCES = 2, 2
"""A stable pattern (002 §6.2), without its age of 30 days."""
SURE = 0.8
"""The least confidence of what a stable pattern is made of."""
_SIGNS_OF_USE = 2
"""How much use makes a reviewer look: 2.5 of 5 is what a memory begins with."""


def rising(one: Vitals, at: int, table: Retention = RETENTION) -> bool:
    """Whether a reviewer is to say if a memory belongs to the core.

    An episode does not: its quotes are all of one conversation, and no core file shows it.
    """
    signs = one.use_count + one.evidence - 1 + one.upvotes
    worth = one.importance >= table.promote and signs >= _SIGNS_OF_USE
    lasts = one.type != "episode" and not one.task and one.expires_at is None
    return worth and lasts and one.tier is not Tier.CORE and not heard(one, at, table)


def fading(one: Vitals, at: int, table: Retention = RETENTION) -> bool:
    """Whether a reviewer is to say if a memory is still worth anything."""
    return isinstance(verdict(one, at, table, reviewer=True), Review)


def promoted(one: Vitals, at: int, table: Retention = RETENTION) -> tuple[Tier, float]:
    """Tier and importance of what a reviewer has promoted.

    The core is for what had risen towards it; what was fading counts as young again, and stands
    as high as that lets it.
    """
    if rising(one, at, table):
        return Tier.CORE, core_importance(one.importance, table)
    young = strength(replace(one, reviewed_at=at), at, table)
    return max(one.tier, ceiling(young, table), key=_rank), one.importance


def may_go(one: Vitals, table: Retention = RETENTION) -> bool:
    """Whether a reviewer's word is enough to put a memory aside."""
    return one.type != "rule" and protected(one, table) is None


def core_importance(importance: float, table: Retention = RETENTION) -> float:
    """The importance of what a reviewer has promoted to the core."""
    return max(importance, table.lasting)


def tier(one: Vitals, support: Support, at: int, table: Retention = RETENTION) -> Tier:
    """The tier that a memory has risen to by rule: never lower than its own, never the core.

    What is too weak for a tier does not rise to it, so that no night undoes what another step of
    it did.
    """
    if one.tier is Tier.CORE:
        return one.tier
    reached = min(_earned(one, support, at), ceiling(strength(one, at, table), table), key=_rank)
    return max(one.tier, reached, key=_rank)


def _earned(one: Vitals, support: Support, at: int) -> Tier:
    if not (at - one.learnt_at >= _MID_AFTER or support.theme >= _THEME):
        return Tier.SHORT
    often = broad(support.sessions, support.sources)
    return Tier.LONG if often and one.confidence >= SURE else Tier.MID


def broad(sessions: int, sources: int) -> bool:
    """Whether a pattern is stable: it was borne out in several sessions and by several sources."""
    return sessions >= _SESSIONS and sources >= _SOURCES


def _rank(one: Tier) -> int:
    return one.rank
