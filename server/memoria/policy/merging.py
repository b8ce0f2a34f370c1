"""Merging: memories that may be made one, and memories that take the place of older ones."""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass

from memoria.language.names.keys import predicate_key, subject_key
from memoria.language.reading.statement import says_the_same, wording_key
from memoria.language.words.analyser import tokens
from memoria.model import InferredBy, Memory, SourceKind, Trust, Validity
from memoria.model.provenance import NIGHTLY_CHANNEL
from memoria.policy.conflict import Claim, Contradict, NeedsReview, Supersede, decide_replacement

Pair = tuple[str, str]
_EQUAL_FIELDS = ("type", "project", "expires_at")
"""Fields that must be equal for two memories to be merged."""


def may_merge(one: Memory, other: Memory) -> bool:
    """Check whether two memories may be merged, whatever they say.

    Type, scope, expiry, event time, subject and predicate must agree, and neither may be under
    review or derived from other memories. Two memories that the user has confirmed are merged only
    if they use the same words.
    """
    if one.id == other.id or not (_is_mergeable(one) and _is_mergeable(other)):
        return False
    if one.current.event_at != other.current.event_at:
        return False
    if one.verified and other.verified and wording_key(one.content) != wording_key(other.content):
        return False
    has_equal_fields = all(getattr(one, name) == getattr(other, name) for name in _EQUAL_FIELDS)
    subjects = {subject_key(memory.subject) for memory in (one, other) if memory.subject}
    predicates = {predicate_key(memory.predicate) for memory in (one, other) if memory.predicate}
    is_one_topic = len(subjects) <= 1 and len(predicates) <= 1
    return has_equal_fields and is_one_topic and _may_be_of_one_task(one, other)


def may_relate(one: Memory, other: Memory) -> bool:
    """Check whether a model may be asked how two memories relate to each other.

    Type and scope must agree. One subject must equal the other or be a part of it ("Vi" and "Vi's
    car"). The times may differ, for then one memory may replace the other.
    """
    if one.id == other.id or not (_is_mergeable(one) and _is_mergeable(other)):
        return False
    scopes = {(memory.type, memory.project) for memory in (one, other)}
    is_one_task = _may_be_of_one_task(one, other)
    return len(scopes) == 1 and is_one_task and may_be_one_subject(one.subject, other.subject)


def _may_be_of_one_task(one: Memory, other: Memory) -> bool:
    """Check whether two memories of one type may be merged, going by their tasks.

    A rule or a preference holds for its task alone; all else was only learnt there.
    """
    is_named_once = one.task is None or other.task is None
    return one.task == other.task or (is_named_once and not one.type.is_guide)


def may_be_one_subject(one: str | None, other: str | None) -> bool:
    """Check whether two subjects may be one: equal, part of the other, or unknown."""
    if one is None or other is None:
        return True
    short, long = sorted((subject_key(one), subject_key(other)), key=len)
    words = set(tokens(short))
    return short == long or (bool(words) and words <= set(tokens(long)))


def _is_mergeable(memory: Memory) -> bool:
    active = memory.validity is Validity.ACTIVE and memory.flag is None
    is_derived = memory.type.is_derived or memory.versions[-1].provenance.channel == NIGHTLY_CHANNEL
    return active and not is_derived


def merge_groups(
    memories: Mapping[str, Memory], same: Iterable[Pair], two: Container[Pair] = ()
) -> list[list[Memory]]:
    """Group memories that say the same.

    A chain of similar memories is not enough: two groups are joined only if each memory of one may
    be merged with each memory of the other.

    Args:
        memories: by id.
        same: pairs of ids that say the same, the surest first; in a pair, the smaller id first.
        two: pairs of ids that a model found to say different things.
    """
    same_pairs = dict.fromkeys(same)
    found = {memory_id: [memory] for memory_id, memory in memories.items()}
    for one, other in same_pairs:
        some, more = found[one], found[other]
        if some is not more and all(_may_join(a, b, same_pairs, two) for a in some for b in more):
            some.extend(more)
            found.update((memory.id, some) for memory in more)
    distinct = {id(group): group for group in found.values()}
    return [group for group in distinct.values() if len(group) > 1]


def _may_join(a: Memory, b: Memory, same: Container[Pair], two: Container[Pair]) -> bool:
    pair = (min(a.id, b.id), max(a.id, b.id))
    is_one = pair in same or (pair not in two and says_the_same(a.content, b.content))
    return is_one and may_merge(a, b)


def survivor(memories: Sequence[Memory]) -> Memory:
    """Choose the memory to keep of some that say the same, independent of their order.

    It is one that the user confirmed, or else pinned, or else the one with the most evidence, or
    else the oldest.

    Args:
        memories: one or more.
    """
    return min(memories, key=_precedence)


def _precedence(memory: Memory) -> tuple[bool, bool, int, int, str]:
    first = min(version.valid_from for version in memory.versions)
    return (not memory.verified, not memory.pinned, -memory.evidence, first, memory.id)


@dataclass(frozen=True, slots=True)
class Authority:
    """Trust, confidence and source of a statement."""

    trust: Trust
    confidence: float
    source: SourceKind


_FROM_LEAST = (Trust.TOOL, Trust.REPORTED, Trust.USER)


def authority(memories: Sequence[Memory]) -> Authority:
    """Return the least trust and confidence of several memories that make one statement.

    If the user has confirmed some of them, only these count.

    Args:
        memories: one or more.
    """
    confirmed = [memory for memory in memories if memory.verified]
    sources = confirmed or memories
    least = min((memory.current.provenance.trust for memory in sources), key=_FROM_LEAST.index)
    kinds = {memory.current.provenance.source_kind for memory in sources}
    kind = kinds.pop() if len(kinds) == 1 else SourceKind.CONSOLIDATED
    return Authority(least, min(memory.confidence for memory in sources), kind)


SuccessionVerdict = Supersede | Contradict | NeedsReview


def decide_succession(newer: Memory, older: Memory, now: int) -> SuccessionVerdict:
    """Decide whether a memory replaces an older memory, as a model has ruled.

    Args:
        newer: what was said later.
        older: what was said before. It is never replaced if the user has confirmed or pinned it.
        now: UTC epoch milliseconds.

    Returns:
        `Supersede` with the moment from which the newer one holds; else a verdict that somebody has
        to review.
    """
    if older.verified or older.pinned:
        return Contradict()
    if newer.current.valid_from <= older.current.valid_from:
        return NeedsReview()
    return decide_replacement(_claim_of(newer), older, now)


def _claim_of(memory: Memory) -> Claim:
    current = memory.current
    return Claim(
        content=memory.content,
        predicate=memory.predicate or "",
        said_at=current.valid_from,
        event_at=current.event_at,
        source=current.provenance.source_kind,
        trust=current.provenance.trust,
        confidence=memory.confidence,
        is_stated=current.inferred_by is InferredBy.STATEMENT,
    )
