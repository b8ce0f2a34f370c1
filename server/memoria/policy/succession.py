"""Succession: whether of two memories on record the newer takes the place of the older.

A memory that comes in is compared with what is known at once (`policy/conflict`). Two memories may
also come together later: a night compares them, or two homes were imported into one. Nobody is
there to be asked then, so a night decides only what is plain, and leaves the rest to a review.
"""

from memoria.graph.roles import parse_sentence
from memoria.model import InferredBy, Memory
from memoria.policy.conflict import (
    Claim,
    Contradict,
    KeepBoth,
    NeedsReview,
    Supersede,
    decide_replacement,
    is_of_another_time,
    predicate_key,
)

SuccessionVerdict = Supersede | Contradict | NeedsReview | KeepBoth


def decide_succession(newer: Memory, older: Memory, now: int) -> SuccessionVerdict:
    """Decide whether a memory replaces an older one that cannot be true beside it.

    Args:
        newer: what was said later.
        older: what was said before. It is never replaced if the user has confirmed or pinned it.
        now: UTC epoch milliseconds.

    Returns:
        `Supersede` with the moment from which the newer one holds; `KeepBoth` where the newer one
        is a plan, a wish or a rumour, and the older one a fact; else a verdict that somebody has to
        review.
    """
    if not _is_actual(newer):
        return KeepBoth() if _is_actual(older) else Contradict()
    if older.verified or older.pinned or _have_two_properties(newer, older):
        return Contradict()
    if newer.current.valid_from <= older.current.valid_from or is_of_another_time(
        newer.current.event_at, older
    ):
        return NeedsReview()
    return decide_replacement(_claim_of(newer), older, now)


def _is_actual(memory: Memory) -> bool:
    return parse_sentence(memory.content, memory.current.event_expression).modality == "actual"


def _have_two_properties(one: Memory, other: Memory) -> bool:
    return len({predicate_key(each.predicate) for each in (one, other) if each.predicate}) > 1


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
