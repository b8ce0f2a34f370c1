"""Succession: a newer memory on record takes the place of an older one.

A memory that comes in is compared with what is known at once (`policy/conflict`). Two memories may
also come together later: a night has a model compare them, or two homes were imported into one.
Nobody is there to be asked then, so what a user has fixed is left to a review.
"""

from memoria.model import InferredBy, Memory
from memoria.policy.conflict import (
    Claim,
    Contradict,
    NeedsReview,
    Supersede,
    decide_replacement,
)

SuccessionVerdict = Supersede | Contradict | NeedsReview


def decide_succession(newer: Memory, older: Memory, now: int) -> SuccessionVerdict:
    """Decide whether a memory replaces an older one, as a model has said.

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
