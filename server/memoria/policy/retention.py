"""Retention: how long a conclusion counts, how it fades, and what becomes of it then.

Strength is reckoned, never stored: `floor + (importance − floor) · exp(−age / τ)`. Its age begins
a grace after the memory was last learnt, said again, used or reviewed. Nothing is rewritten as it
fades; only a threshold that is crossed has a consequence, and none of these deletes.

The numbers come from three documents of the seeds that disagree: the tutor's memory (001: chapters
on decay and review; importance from 0 to 5, divided by 5 here), Graph Memory (002: §6.2, §15) and
the agent's memory (004: §4, §7). How they are settled is argued in docs/decisions.md, "Retention".
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from math import exp
from types import MappingProxyType
from typing import Any, TypeVar

from memoria.model import DAY_MS, Duration
from memoria.model.memory_types import ARCHIVED_FIRST, BINDING_TYPES, MEMORY_TYPES, FadingCurve
from memoria.model.retention import TASK_RULE, MemoryTier, RetentionAttributes, RetentionChanges

_DURATION_MS: dict[Duration, int | None] = {
    "permanent": None,
    "30d": 30 * DAY_MS,
    "7d": 7 * DAY_MS,
    "3d": 3 * DAY_MS,
    "24h": DAY_MS,
    "session": DAY_MS,  # a session has no certain end; a day later nobody is in it
}


def expires_at(duration: Duration, since: int) -> int | None:
    """When a conclusion drawn at `since` stops to count, UTC epoch ms; None for never."""
    lasting_ms = _DURATION_MS[duration]
    return None if lasting_ms is None else since + lasting_ms


_CURVES: Mapping[str, FadingCurve] = MappingProxyType(
    {
        **{kind.value: row.fading for kind, row in MEMORY_TYPES.items()},
        TASK_RULE: FadingCurve(None, ttl=1),  # counted from the task's last turn
    }
)


@dataclass(frozen=True, slots=True)
class RetentionTable:
    """The table of retention. Times are days."""

    kinds: Mapping[str, FadingCurve] = field(default_factory=lambda: _CURVES)
    demote: float = 0.3
    """Under this strength none is long-term (004 §7, which gives it a day to live instead)."""
    review: float = 0.15
    """From this strength down a reviewer is asked, and none is more than short-term. 001's 0.5 of
    5 is 0.1: there the threshold of archiving would be quicker than the reviewer."""
    promote: float = 0.5
    """Importance from which one that is used may be reviewed for the core (001: 2.5 of 5)."""
    lasting: float = 0.6
    """Importance from which nothing fades (001: 3.0 of 5)."""
    grace: float = 7
    """Before anything begins to fade (001)."""
    access: float = 3
    """How much longer what was used is spared (002 §6.2)."""
    again: float = 30
    """How long a reviewer's word stands."""
    active: int = 5000
    """How many active memories a tenant keeps, as far as they are not protected."""


RETENTION = RetentionTable()
_RowT = TypeVar("_RowT", FadingCurve, RetentionTable)


def retention_table(changes: RetentionChanges | None) -> RetentionTable:
    """The table with the numbers that are configured.

    Args:
        changes: as `model.retention.retention_changes` has checked them.
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
    """The row with another number, of which it is known that it may stand there."""
    new_number: Any = int(number) if name == "active" and number is not None else number
    return replace(row, **{name: new_number})


def fading_curve(one: RetentionAttributes, table: RetentionTable = RETENTION) -> FadingCurve:
    """The row of the table that a memory is under."""
    return table.kinds[TASK_RULE if one.type in BINDING_TYPES and one.task else one.type]


def protection(one: RetentionAttributes, table: RetentionTable = RETENTION) -> str | None:
    """Why a memory neither fades nor makes room for others, in a word; None if it does."""
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
    """What is left of a memory's importance, from 0 to 1."""
    row = fading_curve(one, table)
    if row.tau is None or protection(one, table) is not None:
        return one.importance
    age = max(0, at - _age_start(one, table) - table.grace * DAY_MS)
    above = max(one.importance, row.floor) - row.floor
    return row.floor + above * exp(-age / (row.tau * DAY_MS))


def _age_start(one: RetentionAttributes, table: RetentionTable) -> float:
    """The moment its age counts from: what is told of last year was learnt today all the same."""
    spared_until = None if one.last_used_at is None else one.last_used_at + table.access * DAY_MS
    moments = (one.learnt_at, one.event_at, one.evidence_at, one.reviewed_at, spared_until)
    return max(moment for moment in moments if moment is not None)


@dataclass(frozen=True, slots=True)
class KeepAsIs:
    """It stays as it is."""


@dataclass(frozen=True, slots=True)
class AskReviewer:
    """A reviewer is to say whether it is still worth anything."""


@dataclass(frozen=True, slots=True)
class DemoteTier:
    """It is too weak for its tier."""

    to: MemoryTier


@dataclass(frozen=True, slots=True)
class ArchiveFaded:
    """It no longer counts, until somebody restores it."""


RetentionVerdict = KeepAsIs | AskReviewer | DemoteTier | ArchiveFaded


def retention_verdict(
    one: RetentionAttributes, at: int, table: RetentionTable = RETENTION, *, reviewer: bool = False
) -> RetentionVerdict:
    """What becomes of an active memory at its present strength.

    Where it has been carried out, it is not given again at the same moment.

    Args:
        one: the memory.
        at: UTC epoch milliseconds.
        table: the numbers.
        reviewer: whether there is one to be asked before anything is archived for its strength.
            What was kept by one is not archived for that for a while.
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
    """Whether a reviewer's word on it still stands."""
    return one.reviewed_at is not None and at - one.reviewed_at < table.again * DAY_MS


def tier_ceiling(strength_left: float, table: RetentionTable) -> MemoryTier:
    """The highest tier for a strength, short of the core."""
    if strength_left <= table.review:
        return MemoryTier.SHORT
    return MemoryTier.MID if strength_left < table.demote else MemoryTier.LONG


def memories_over_limit(
    active: Iterable[RetentionAttributes], at: int, table: RetentionTable = RETENTION
) -> tuple[RetentionAttributes, ...]:
    """The active memories that go so that no more than the bound stay, the first to go first.

    What has faded goes before what has not, of that what the record keeps anyway, of that the
    weakest, then the oldest. Protected ones stay, however many they are.
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
    """When a memory stops to count by its date, UTC epoch ms; None for never.

    Args:
        one: the memory. What the user pinned or confirmed stays beyond any date.
        task_last_at: the last turn of the task that a rule holds for, if there is one.
        table: the numbers.
    """
    if one.pinned or one.verified:
        return None
    lasting_ms = fading_curve(one, table).ttl
    since = max(one.learnt_at, task_last_at or 0)
    by_table = None if lasting_ms is None else since + round(lasting_ms * DAY_MS)
    return min((end for end in (one.expires_at, by_table) if end is not None), default=None)
