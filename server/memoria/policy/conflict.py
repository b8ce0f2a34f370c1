"""Conflict between a new claim and a known memory of the same subject, and its verdict.

Claim and memory each have a priority: a weighted sum of the trust in the source, the recency, the
evidence and the confidence. What users say of themselves supersedes a memory whatever the
priorities are; anybody else's claim needs the higher priority. If the difference is too small, the
claim waits for a review, and the memory stays as it is until then.

What one statement is to another is told by a model, or by the names that a model or a person has
given their properties. Words alone tell only that two statements are the same. Two claims about one
property do not contradict each other if the property may have many values, if they tell of
different times, or if one of them is not a claim of fact.
"""

from dataclasses import dataclass
from math import exp

from memoria.language.names.keys import has_one_value, predicate_key
from memoria.language.reading.statement import differs_in_number_or_negation, says_the_same
from memoria.model import Memory, Relation, SourceKind, Trust

_TRUST, _RECENCY, _EVIDENCE, _CONSISTENCY = 0.45, 0.25, 0.15, 0.15
_TRUST_WEIGHT = {Trust.USER: 1.0, Trust.REPORTED: 0.7, Trust.TOOL: 0.2}
_INFERRED_WEIGHT = 0.8
"""Share of a channel's trust that counts if the source is somebody else than the user."""
_TAU_MS = 90 * 86_400_000
"""Recency falls to 1/e in this time, because facts grow old within months."""
CLOSE = 0.1
"""A smaller difference of priorities needs a person's review."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A new statement, ready to be compared with memories. Times are UTC epoch milliseconds."""

    content: str
    predicate: str
    said_at: int
    event_at: int | None
    source: SourceKind
    trust: Trust
    confidence: float
    subject: str | None = None
    """Person or thing that the claim is about, if known."""
    assertive: bool = True
    """True for a claim of fact; a plan, a wish or a rumour replaces nothing by itself."""
    is_stated: bool = False
    """True if somebody asks to have the claim remembered; else it follows from a turn."""
    place: tuple[str, int] | None = None
    """The session and the turn in it where it was said, by which claims are told apart in time
    where clocks are set back."""


@dataclass(frozen=True, slots=True)
class Unrelated:
    """Claim and memory have nothing to do with each other."""


@dataclass(frozen=True, slots=True)
class SameStatement:
    """The memory says the same; the claim is evidence for it."""


@dataclass(frozen=True, slots=True)
class KeepBoth:
    """Claim and memory are both true, each in its way or at its time."""


@dataclass(frozen=True, slots=True)
class Supersede:
    """The claim replaces the memory from a moment on."""

    valid_from: int


@dataclass(frozen=True, slots=True)
class Contradict:
    """The claim contradicts the memory and has less priority: it waits for confirmation."""


@dataclass(frozen=True, slots=True)
class NeedsReview:
    """The claim contradicts the memory and the priorities are too close: somebody is asked."""


ConflictVerdict = Unrelated | SameStatement | KeepBoth | Supersede | Contradict | NeedsReview


def compare_claim(
    claim: Claim, memory: Memory, now: int, relation: Relation | None = None
) -> ConflictVerdict:
    """Decide what a claim means for a memory of the same subject.

    Without a model's ruling, two statements about a property that has one value at a time
    contradict each other, unless they tell of two times.

    Args:
        claim: what is said now.
        memory: what is known.
        now: UTC epoch milliseconds.
        relation: how a model relates the claim to the memory, if it was asked. The model may say
            that two wordings mean the same or different things, that a plan replaces a plan, and it
            may decide where the priorities are too close. It tells a date that is in dispute from
            another time. What it calls a contradiction overwrites nothing: somebody is asked. It
            cannot give a claim more priority than its source has, and statements that differ in a
            number or a "not" are never the same.
    """
    if relation == "same" and differs_in_number_or_negation(claim.content, memory.content):
        relation = None
    if relation == "same" or says_the_same(claim.content, memory.content):
        return SameStatement()
    if relation is None:
        known = predicate_key(memory.predicate) if memory.predicate else ""
        if not claim.predicate or claim.predicate != known:
            return Unrelated()
        if not has_one_value(claim.predicate) or is_of_another_time(claim.event_at, memory):
            return KeepBoth()
    if relation == "different" or not (claim.assertive or relation == "replaces"):
        return KeepBoth()
    return _decide_as_ruled(claim, memory, now, relation)


def _decide_as_ruled(
    claim: Claim, memory: Memory, now: int, relation: Relation | None
) -> Supersede | Contradict | NeedsReview:
    """Decide whether a claim replaces a memory, with regard to a model's ruling, if any."""
    verdict = decide_replacement(claim, memory, now)
    if relation == "contradicts" and isinstance(verdict, Supersede):
        return NeedsReview()
    if relation == "replaces" and isinstance(verdict, NeedsReview):
        return Supersede(start_of(claim.event_at, claim.said_at, memory))
    return verdict


def start_of(event_at: int | None, said_at: int, memory: Memory) -> int:
    """Return the moment from which something holds in the place of a memory, UTC epoch ms.

    It is when it happened, where that lies after what it replaces began to hold; otherwise the
    former wording would never have held, and the new one counts from when it was said. So does one
    that tells of a date to come: that the recital is on Saturday is known before Saturday.
    """
    begins = memory.current.valid_from
    has_happened = event_at is not None and begins < event_at <= said_at
    return event_at if event_at is not None and has_happened else max(said_at, begins)


def decide_replacement(
    claim: Claim, memory: Memory, now: int
) -> Supersede | Contradict | NeedsReview:
    """Decide whether a claim replaces a memory that it contradicts."""
    since = start_of(claim.event_at, claim.said_at, memory)
    if claim.source is SourceKind.USER_SAID and _is_no_weaker(claim.trust, memory):
        return Supersede(since)
    if memory.verified or memory.pinned:
        return Contradict()
    if claim.is_stated and _is_as_trusted(claim.trust, memory):
        return Supersede(since)
    gap = _claim_priority(claim, now) - _memory_priority(memory, now)
    if abs(gap) < CLOSE:
        return NeedsReview()
    return Supersede(since) if gap > 0 else Contradict()


def is_older(claim: Claim, memory: Memory) -> bool:
    """Check whether a claim was said before a memory's present wording.

    Within one session the order of the turns decides, because clocks are set back at times.
    """
    origin = memory.current.provenance
    if claim.place is not None and origin.turn_index is not None:
        session_id, turn_index = claim.place
        if origin.session_id == session_id:
            return turn_index < origin.turn_index
    return claim.said_at < memory.current.valid_from


def is_of_another_time(event_at: int | None, memory: Memory) -> bool:
    """Check whether an event's time differs from the time that a memory tells of."""
    if event_at is None:
        return False
    known_at = memory.current.event_at
    return event_at < memory.current.valid_from if known_at is None else event_at != known_at


def _is_no_weaker(trust: Trust, memory: Memory) -> bool:
    """Check that a channel is trusted at least as much as that of a memory the user stated."""
    before = memory.current.provenance
    return before.source_kind is not SourceKind.USER_SAID or (
        _TRUST_WEIGHT[trust] >= _TRUST_WEIGHT[before.trust]
    )


def _is_as_trusted(trust: Trust, memory: Memory) -> bool:
    """Check whether a channel's trust is at least that of the memory's channel.

    An agent that is told of a change states it for the user, whoever concluded the memory.
    """
    return _TRUST_WEIGHT[trust] >= _TRUST_WEIGHT[memory.current.provenance.trust]


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
