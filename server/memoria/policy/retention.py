"""Retention: how long a memory counts, how it fades, and when it changes its tier.

The strength of a memory is computed and never stored: `floor + (importance − floor) · exp(−age/τ)`.
Its age begins some days of grace after it was last learnt, said again, used or reviewed. Crossing a
threshold demotes or archives a memory, and never rewrites or deletes it. A memory rises by rule or
by a reviewer's decision, and never to a tier that its strength is too low for.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from math import exp
from types import MappingProxyType
from typing import Any, TypeVar

from memoria.model import DAY_MS, Duration
from memoria.model.memory_types import (
    ARCHIVED_FIRST,
    BINDING_TYPES,
    CONVERSATION_SUMMARIES,
    DERIVED_TYPES,
    MEMORY_TYPES,
    FadingCurve,
)
from memoria.model.retention import (
    TASK_RULE,
    MemoryTier,
    RetentionAttributes,
    RetentionChanges,
    SupportCounts,
)

_SESSION_MS = DAY_MS
"""A session has no certain end, but after a day it is over."""
_UNITS_MS = {"d": DAY_MS, "h": DAY_MS // 24}


def expires_at(duration: Duration, since: int) -> int | None:
    """Return when a memory expires that counts from `since` on, UTC epoch ms; None for never.

    >>> expires_at("2d", 0)
    172800000
    """
    if duration == "permanent":
        return None
    lasting_ms = (
        _SESSION_MS if duration == "session" else int(duration[:-1]) * _UNITS_MS[duration[-1]]
    )
    return since + lasting_ms


_CURVES: Mapping[str, FadingCurve] = MappingProxyType(
    {
        **{kind.value: row.fading for kind, row in MEMORY_TYPES.items()},
        TASK_RULE: FadingCurve(None, ttl=1),  # counted from the task's last turn
    }
)


@dataclass(frozen=True, slots=True)
class RetentionTable:
    """The numbers of retention. Times are days, thresholds are strengths from 0 to 1."""

    kinds: Mapping[str, FadingCurve] = field(default_factory=lambda: _CURVES)
    demote: float = 0.3
    """A memory under this strength is not long-term."""
    review: float = 0.15
    """A memory of this strength or less is at most short-term, and a reviewer is asked about it:
    before it is weak enough to be archived."""
    promote: float = 0.5
    """The importance from which a memory in use is reviewed for the core."""
    lasting: float = 0.6
    """The importance from which a memory does not fade."""
    grace: float = 7
    """The time before a memory begins to fade."""
    access: float = 3
    """Time by which use delays a memory's fading."""
    again: float = 30
    """Time for which a reviewer's decision holds."""
    active: int = 5000
    """Number of active memories that a tenant keeps, apart from protected ones."""


RETENTION = RetentionTable()
_RowT = TypeVar("_RowT", FadingCurve, RetentionTable)


def retention_table(changes: RetentionChanges | None) -> RetentionTable:
    """Return the default table with the configured numbers in it.

    Args:
        changes: the configured numbers, checked by `model.retention.parse_retention_changes`.
    """
    table = RETENTION
    for name, number in (changes or {}).items():
        kind, _, figure = name.rpartition(".")
        if kind:
            row = _replace_number(table.kinds[kind], figure, number)
            table = replace(table, kinds={**table.kinds, kind: row})
        else:
            table = _replace_number(table, name, number)
    return table


def _replace_number(row: _RowT, name: str, number: float | None) -> _RowT:
    """Return the row with another number, which has been checked."""
    new_number: Any = int(number) if name == "active" and number is not None else number
    return replace(row, **{name: new_number})


def fading_curve(one: RetentionAttributes, table: RetentionTable = RETENTION) -> FadingCurve:
    """Return the curve by which a memory fades."""
    return table.kinds[TASK_RULE if one.type in BINDING_TYPES and one.task else one.type]


def protection(one: RetentionAttributes, table: RetentionTable = RETENTION) -> str | None:
    """Return why a memory may not fade or make room, in a word; None if nothing protects it."""
    if one.pinned:
        return "pinned"
    if one.verified:
        return "verified"
    if one.tier is MemoryTier.CORE:
        return "core"
    if one.type in BINDING_TYPES and not one.task:
        return one.type
    return "important" if one.importance >= table.lasting else None


def strength(one: RetentionAttributes, at: int, table: RetentionTable = RETENTION) -> float:
    """Return the strength of a memory: what is left of its importance, from 0 to 1."""
    row = fading_curve(one, table)
    if row.tau is None or protection(one, table) is not None:
        return one.importance
    age = max(0, at - _age_start(one, table) - table.grace * DAY_MS)
    above = max(one.importance, row.floor) - row.floor
    return row.floor + above * exp(-age / (row.tau * DAY_MS))


def _age_start(one: RetentionAttributes, table: RetentionTable) -> float:
    """Return the latest moment of learning, event, evidence, review and spared use of a memory."""
    spared_until = None if one.last_used_at is None else one.last_used_at + table.access * DAY_MS
    moments = (one.learnt_at, one.event_at, one.evidence_at, one.reviewed_at, spared_until)
    return max(moment for moment in moments if moment is not None)


@dataclass(frozen=True, slots=True)
class KeepAsIs:
    """The memory stays as it is."""


@dataclass(frozen=True, slots=True)
class AskReviewer:
    """A reviewer is asked whether the memory should be kept."""


@dataclass(frozen=True, slots=True)
class DemoteTier:
    """The memory is too weak for its tier."""

    to: MemoryTier


@dataclass(frozen=True, slots=True)
class ArchiveFaded:
    """The memory is archived until somebody restores it."""


RetentionVerdict = KeepAsIs | AskReviewer | DemoteTier | ArchiveFaded


def retention_verdict(
    one: RetentionAttributes, at: int, table: RetentionTable = RETENTION, *, reviewer: bool = False
) -> RetentionVerdict:
    """Decide what becomes of an active memory at its present strength.

    A verdict that has been carried out is not given again at the same moment.

    Args:
        one: the memory.
        at: UTC epoch milliseconds.
        table: the numbers.
        reviewer: whether a reviewer is asked before a memory is archived for its strength. One
            that the reviewer has kept is not archived for its strength for a while.
    """
    if protection(one, table) is not None:
        return KeepAsIs()
    strength_left, row = strength(one, at, table), fading_curve(one, table)
    may_fade = row.tau is not None and not has_recent_review(one, at, table)
    if may_fade and reviewer and strength_left <= table.review:
        return AskReviewer()
    if may_fade and strength_left < row.archive:
        return ArchiveFaded()
    most = tier_ceiling(strength_left, table)
    return DemoteTier(most) if one.tier.rank > most.rank else KeepAsIs()


def has_recent_review(one: RetentionAttributes, at: int, table: RetentionTable) -> bool:
    """Check whether a reviewer's decision about a memory still holds."""
    return one.reviewed_at is not None and at - one.reviewed_at < table.again * DAY_MS


def tier_ceiling(strength_left: float, table: RetentionTable) -> MemoryTier:
    """Return the highest tier below the core that a strength allows."""
    if strength_left <= table.review:
        return MemoryTier.SHORT
    return MemoryTier.MID if strength_left < table.demote else MemoryTier.LONG


def memories_over_limit(
    active: Iterable[RetentionAttributes], at: int, table: RetentionTable = RETENTION
) -> tuple[RetentionAttributes, ...]:
    """List the active memories to archive so that the limit is kept, the first to go first.

    Faded memories come first, then those types that the conversation record keeps anyway, then the
    weakest, then the oldest. Protected memories stay, however many they are.
    """
    everything = list(active)
    too_many = max(0, len(everything) - table.active)
    unprotected = (one for one in everything if protection(one, table) is None)
    return tuple(sorted(unprotected, key=lambda one: _archive_order(one, at, table))[:too_many])


def _archive_order(
    one: RetentionAttributes, at: int, table: RetentionTable
) -> tuple[bool, int, float, int, str]:
    strength_left = strength(one, at, table)
    first = ARCHIVED_FIRST.index(one.type) if one.type in ARCHIVED_FIRST else len(ARCHIVED_FIRST)
    return (strength_left >= table.demote, first, strength_left, one.learnt_at, one.id)


def ends_at(
    one: RetentionAttributes, task_last_at: int | None = None, table: RetentionTable = RETENTION
) -> int | None:
    """Return when a memory expires, counted from when it was said, UTC epoch ms; None for never.

    Args:
        one: the memory; it never expires if the user pinned or confirmed it.
        task_last_at: the time of the last turn of the task that a rule is for.
        table: the numbers.
    """
    if one.pinned or one.verified:
        return None
    lasting_ms = fading_curve(one, table).ttl
    said_at = one.learnt_at if one.said_at is None else one.said_at
    since = max(said_at, task_last_at or 0)
    by_table = None if lasting_ms is None else since + round(lasting_ms * DAY_MS)
    return min((end for end in (one.expires_at, by_table) if end is not None), default=None)


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
