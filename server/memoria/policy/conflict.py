"""Conflict: what a new claim means for a memory that speaks of the same thing.

A memory is judged by its priority, a weighted sum of how far its source is trusted, how recent it
is, how much it rests on and how well it fits (Graph Memory §7.2, in the seeds). But a person who
says of themselves that something has changed need not win by points: what the user says
supersedes, and what anybody else says of the user has to be worth more than what it replaces. A
difference too small to tell goes to a review, and until then what is known stays.

Two claims on the same property don't contradict each other where the property may have many
values, where they tell of different times, or where one of them is no claim of fact at all.
"""

import re
from dataclasses import dataclass
from math import exp

from memoria.model import Memory, Relation, SourceKind, Trust
from memoria.text.statement import canonical_form, differs_in_number_or_negation, says_the_same

_TRUST, _RECENCY, _EVIDENCE, _CONSISTENCY = 0.45, 0.25, 0.15, 0.15
_TRUST_WEIGHT = {Trust.USER: 1.0, Trust.REPORTED: 0.7, Trust.TOOL: 0.2}
_INFERRED_WEIGHT = 0.8
"""What a source is worth that the user is not: of what the channel vouches for."""
_TAU_MS = 90 * 86_400_000
"""Facts fade over months (τ of a fact, Graph Memory appendix A)."""
CLOSE = 0.1
"""Priorities nearer than this are for a person to tell apart."""
_USER_WORDS = frozenset("i me my myself user 我 用户 本人 主人 自己".split())
USER = "user"
_BETWEEN_CHINESE = re.compile("(?<=[一-鿿]) (?=[一-鿿])")
_ONE_VALUE_PREDICATES = frozenset(
    """
    address age birthday birth_date blood_type boss city company country email employer first_name
    full_name gender height home hometown job job_title last_name location manager marital_status
    name nickname occupation phone phone_number position residence role school timezone title weight
    workplace 住址 地址 年龄 生日 出生日期 血型 上司 城市 公司 国家 邮箱 雇主 名字 全名 性别 身高 家
    家乡 工作 职位 姓氏 所在地 经理 婚姻状况 姓名 昵称 职业 电话 手机 手机号 居住地 职务 学校 时区
    体重
    """.split()
)


@dataclass(frozen=True, slots=True)
class Claim:
    """What is said now, ready to be compared. Times are UTC epoch milliseconds."""

    content: str
    predicate: str
    said_at: int
    event_at: int | None
    source: SourceKind
    trust: Trust
    confidence: float
    assertive: bool = True
    """Whether it claims something to be so: a wish or a rumour replaces nothing."""


@dataclass(frozen=True, slots=True)
class Unrelated:
    """The two have nothing to do with each other."""


@dataclass(frozen=True, slots=True)
class SameStatement:
    """The memory says it already: it has gained evidence."""


@dataclass(frozen=True, slots=True)
class KeepBoth:
    """Both hold, each in its way or at its time."""


@dataclass(frozen=True, slots=True)
class Supersede:
    """The claim takes the memory's place from a moment on."""

    valid_from: int


@dataclass(frozen=True, slots=True)
class Contradict:
    """The claim stands against the memory and is worth less: it waits for confirmation."""


@dataclass(frozen=True, slots=True)
class NeedsReview:
    """Too close to call: the claim waits, and somebody is asked."""

    gap: float


ConflictVerdict = Unrelated | SameStatement | KeepBoth | Supersede | Contradict | NeedsReview


def subject_key(subject: str) -> str:
    """A subject's normal form: every word for the user is the same."""
    plain = _name_key(subject)
    return USER if plain in _USER_WORDS or plain.replace("the ", "") in _USER_WORDS else plain


def predicate_key(predicate: str) -> str:
    """A property's normal form: `Job title` and `job_title` are the same."""
    return "_".join(_name_key(predicate.replace("_", " ")).split())


def _name_key(name: str) -> str:
    """A name's words with a space between; Chinese ones stand as they are written."""
    return _BETWEEN_CHINESE.sub("", canonical_form(name))


def compare_claim(
    claim: Claim, memory: Memory, now: int, relation: Relation | None = None
) -> ConflictVerdict:
    """What a claim means for a memory of the same subject.

    Args:
        claim: what is said now.
        memory: what is known.
        now: UTC epoch milliseconds.
        relation: what a model says the claim is to the memory, where one was asked. It may tell
            that two wordings say the same or speak of different things, and it may call what is
            too close to call. It can't give a claim more weight than its source has, nor make
            one of a number or a "not" more say the same.
    """
    if relation == "same" and differs_in_number_or_negation(claim.content, memory.content):
        relation = None
    if relation == "same" or says_the_same(claim.content, memory.content):
        return SameStatement()
    topic_verdict = _compare_topics(claim, memory) if relation is None else None
    if topic_verdict is not None:
        return topic_verdict
    if relation == "different" or not claim.assertive or _has_another_time(claim, memory):
        return KeepBoth()
    verdict = decide_replacement(claim, memory, now)
    if relation == "replaces" and isinstance(verdict, NeedsReview):
        return Supersede(max(claim.event_at or claim.said_at, memory.current.valid_from))
    return verdict


def decide_replacement(
    claim: Claim, memory: Memory, now: int
) -> Supersede | Contradict | NeedsReview:
    """Whether a claim that can't hold beside a memory takes its place."""
    since = max(claim.event_at or claim.said_at, memory.current.valid_from)
    if claim.source is SourceKind.USER_SAID and _is_no_weaker(claim.trust, memory):
        return Supersede(since)
    if memory.verified or memory.pinned:
        return Contradict()
    gap = _claim_priority(claim, now) - _memory_priority(memory, now)
    if abs(gap) < CLOSE:
        return NeedsReview(gap)
    return Supersede(since) if gap > 0 else Contradict()


def _compare_topics(claim: Claim, memory: Memory) -> Unrelated | KeepBoth | None:
    """Whether the two are told apart by what they speak of; None if they may be rivals."""
    if memory.predicate is None or claim.predicate != memory.predicate:
        return Unrelated()
    return None if has_one_value(claim.predicate) else KeepBoth()


def _has_another_time(claim: Claim, memory: Memory) -> bool:
    """Whether the two tell of different times: a measurement each, or what was so before."""
    if claim.event_at is None:
        return False
    known_at = memory.current.event_at
    if known_at is None:
        return claim.event_at < memory.current.valid_from
    return claim.event_at != known_at


def has_one_value(predicate: str) -> bool:
    """Whether there is only one of it: a name, a home."""
    return predicate in _ONE_VALUE_PREDICATES


def _is_no_weaker(trust: Trust, memory: Memory) -> bool:
    """Whether a channel vouches for the user's word at least as far as the memory's did."""
    before = memory.current.provenance
    return before.source_kind is not SourceKind.USER_SAID or (
        _TRUST_WEIGHT[trust] >= _TRUST_WEIGHT[before.trust]
    )


def _claim_priority(claim: Claim, now: int) -> float:
    return _priority_score(
        _source_weight(claim.trust, claim.source), claim.said_at, now, 1, claim.confidence
    )


def _memory_priority(memory: Memory, now: int) -> float:
    origin = memory.current.provenance
    return _priority_score(
        _source_weight(origin.trust, origin.source_kind),
        memory.current.valid_from,
        now,
        memory.evidence + memory.upvotes - memory.downvotes,
        memory.confidence,
    )


def _source_weight(trust: Trust, source: SourceKind) -> float:
    is_users_own = source is SourceKind.USER_SAID
    return _TRUST_WEIGHT[trust] * (1.0 if is_users_own else _INFERRED_WEIGHT)


def _priority_score(source: float, at: int, now: int, evidence: int, confidence: float) -> float:
    recency = exp(-max(now - at, 0) / _TAU_MS)
    support = 1 - 0.5 ** max(evidence, 0)
    return _TRUST * source + _RECENCY * recency + _EVIDENCE * support + _CONSISTENCY * confidence
