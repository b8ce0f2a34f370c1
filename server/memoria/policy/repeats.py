"""Failures that come again, and whether sessions told what memory has meet fewer of them.

A share lies, 95 times of 100, in Wilson's interval, and a difference of two shares in Newcombe's,
which is made of those of both (R. G. Newcombe, "Interval estimation for the difference between
independent proportions", 1998, method 10). Neither collapses where nothing happened.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from statistics import NormalDist
from typing import NamedTuple

from memoria.model.value import SessionGroup, ShareInterval

LEAST_SESSIONS = 20
"""Sessions of either kind below which a comparison says too little."""
_Z = NormalDist().inv_cdf(0.975)


class CommandRun(NamedTuple):
    """A command that a session ran."""

    session: str
    project: int
    command: str
    """The whole command, without what only surrounds it."""
    has_failed: bool
    has_worked: bool


def count_repeats(runs: Iterable[CommandRun]) -> dict[str, int]:
    """Count the repeats of each session that ran a command.

    A command that fails is a repeat if it failed in an earlier session of the project and has not
    worked since. Its further failures in the same session count once.

    Args:
        runs: in the order in which they were made.
    """
    failed: dict[tuple[int, str], str] = {}
    counted: dict[str, set[tuple[int, str]]] = defaultdict(set)
    for run in runs:
        key = (run.project, run.command)
        repeats = counted[run.session]
        if run.has_worked:
            failed.pop(key, None)
        elif run.has_failed and failed.setdefault(key, run.session) != run.session:
            repeats.add(key)
    return {session: len(keys) for session, keys in counted.items()}


def describe_group(repeats: Mapping[str, int], tokens: Mapping[str, int]) -> SessionGroup:
    """Describe sessions of one kind.

    Args:
        repeats: of each session.
        tokens: that each was told unasked.
    """
    repeating = sum(count > 0 for count in repeats.values())
    number = len(repeats)
    return SessionGroup(
        sessions=number,
        repeats=sum(repeats.values()),
        repeating=repeating,
        share=find_share(repeating, number) if number else None,
        tokens=sum(tokens[one] for one in repeats) / number if number else 0.0,
    )


def find_share(count: int, total: int) -> ShareInterval:
    """Return a share of a total, which is not 0, with Wilson's interval."""
    share, square = count / total, _Z * _Z
    middle = (share + square / (2 * total)) / (1 + square / total)
    spread = math.sqrt(share * (1 - share) / total + square / (4 * total * total))
    half = _Z * spread / (1 + square / total)
    return ShareInterval(value=share, low=max(0.0, middle - half), high=min(1.0, middle + half))


def find_difference(one: ShareInterval, other: ShareInterval) -> ShareInterval:
    """Return one share less another with Newcombe's interval."""
    value = one.value - other.value
    below = math.hypot(one.value - one.low, other.high - other.value)
    above = math.hypot(one.high - one.value, other.value - other.low)
    return ShareInterval(value=value, low=value - below, high=value + above)


def count_missing(*groups: SessionGroup) -> int:
    """Count the sessions that are missing before each group has enough."""
    return sum(max(0, LEAST_SESSIONS - group.sessions) for group in groups)
