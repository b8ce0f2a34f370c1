"""Boosts: factors that favour one of two hits that match about equally well.

They are importance, use, evidence, recency by type, feedback, task and trust. Each is near 1 and
what is counted saturates (the first uses say most), so that they choose between equals and no more.
Together they are bounded: a memory that has everything in its favour must not stand before one that
answers, and without a bound it mostly did (`bench.recall.weighted`). What holds whatever its age
(preferences, rules, skills, who somebody is) does not fade; what tells of a moment does, by e in τ,
down to a floor.
"""

import math
from collections.abc import Mapping
from types import MappingProxyType

from memoria.language.dates import Interval
from memoria.language.names.keys import same_task
from memoria.model import DAY_MS, Memory, MemoryType, MemoryVersion, Role, StoredTurn, Trust
from memoria.retrieval.query.plan import SearchPlan

_CONCLUSION = 1.1
"""Factor of a memory beside a turn that says the same: somebody thought it worth keeping."""
_IMPORTANCE = 0.2
_PINNED = 1.15
_VERIFIED = 1.05
_VOTES = 0.1
_USE = 0.12
_HALF_USED = 8
"""Number of uses that earn half of what use can."""
_EVIDENCE = 0.08
_HALF_PROVEN = 4
"""Number of further turns that earn half of what evidence can."""
_TRUST = {Trust.USER: 1.02, Trust.REPORTED: 1.0, Trust.TOOL: 0.9}
_TOOL_TRAFFIC = 0.6
"""Factor of a tool's output, which is seldom the conclusion, and vouched for by nobody."""
_FADES = 0.1
"""Most that age takes."""
_SAME_TASK = 1.15
_IN_TIME = 0.25
"""Gain of what was said in the time asked for."""
NO_BOOSTS: Mapping[str, float] = MappingProxyType({})
_BOUND = math.log(1.6) / 2
"""Bound of the logarithm: the most that all can make of a memory is 1.6 times the least."""


def turn_boosts(turn: StoredTurn, plan: SearchPlan) -> Mapping[str, float]:
    """Return factors for a turn that stands in for a memory; most have none."""
    if plan.parsed.time is None and turn.role is not Role.TOOL:
        return NO_BOOSTS
    tool = _TOOL_TRAFFIC if turn.role is Role.TOOL else 1.0
    return _drop_neutral({"tool": tool, "time": _time_boost(plan.parsed.time, turn.at)})


def memory_boosts(memory: Memory, version: MemoryVersion, plan: SearchPlan) -> dict[str, float]:
    """Return factors for a memory in one of its wordings."""
    votes = math.tanh((memory.upvotes - memory.downvotes) / 2)
    at = version.event_at if version.event_at is not None else version.valid_from
    factors = _limit_product(
        {
            "importance": 1 + _IMPORTANCE * (memory.importance - 0.5),
            "pinned": _PINNED if memory.pinned else 1.0,
            "verified": _VERIFIED if memory.verified else 1.0,
            "votes": 1 + _VOTES * votes,
            "use": 1 + _USE * _saturate(memory.use_count, _HALF_USED),
            "evidence": 1 + _EVIDENCE * _saturate(_count_repeats(memory), _HALF_PROVEN),
            "recency": 1.0 if memory.pinned else _recency_boost(memory.type, plan.now - at),
            "trust": _TRUST[version.provenance.trust],
            "task": _SAME_TASK if same_task(memory.task, plan.options.task) else 1.0,
            "time": _time_boost(plan.parsed.time, at),
        }
    )
    return _drop_neutral({"conclusion": _CONCLUSION, **factors})


def combine_boosts(factors: Mapping[str, float]) -> float:
    """Multiply all factors."""
    return math.prod(factors.values())


def _limit_product(factors: Mapping[str, float]) -> dict[str, float]:
    """Add the factor that keeps the product within bounds: tanh of its logarithm."""
    earned = math.log(combine_boosts(factors))
    granted = _BOUND * math.tanh(earned / _BOUND)
    return {**factors, "bound": math.exp(granted - earned)}


def _count_repeats(memory: Memory) -> int:
    """Count how often it was said again. What is derived from others was said by nobody."""
    return 0 if memory.type.is_derived else memory.evidence - 1


def _saturate(count: int, half: int) -> float:
    """Map a count to a share from 0 towards 1, never reached: BM25's curve of term frequency."""
    return max(count, 0) / (max(count, 0) + half)


def _recency_boost(kind: MemoryType, age_ms: int) -> float:
    tau = kind.row.recency_tau_days
    if tau is None:
        return 1.0
    return 1 - _FADES * (1 - math.exp(-max(age_ms, 0) / (tau * DAY_MS)))


def _time_boost(asked: Interval | None, at: int) -> float:
    if asked is None:
        return 1.0
    return 1 + _IN_TIME * math.exp(-_distance_ms(asked, at) / _span_ms(asked))


def _distance_ms(asked: Interval, at: int) -> int:
    """Return the distance from the time asked for, in milliseconds; 0 inside."""
    early = 0 if asked.from_ms is None else asked.from_ms - at
    late = 0 if asked.until_ms is None else at - asked.until_ms
    return max(early, late, 0)


def _span_ms(asked: Interval) -> int:
    """Return the length of the time asked for, a day at least: "in March" may mean 1 April."""
    if asked.from_ms is None or asked.until_ms is None:
        return DAY_MS
    return max(asked.until_ms - asked.from_ms, DAY_MS)


def _drop_neutral(factors: Mapping[str, float]) -> dict[str, float]:
    rounded = ((name, round(factor, 4)) for name, factor in factors.items() if factor != 1)
    return {name: factor for name, factor in rounded if factor != 1}
