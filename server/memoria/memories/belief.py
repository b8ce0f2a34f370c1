"""Belief: what takes the place of a wording is believed as little as that was.

Nothing that an agent does may raise the trust in a memory: a tool's claim with one full stop more
is still a tool's claim. Only the user's own word stands by itself, whatever it replaces: what they
state through a channel of their own, and what they say in a turn. Of what a model concludes from a
turn, their word is only what the quoted words bear out.
"""

from dataclasses import replace

from memoria.language.reading.literal import is_borne_out
from memoria.memories.values import NewWording
from memoria.model import InferredBy, Memory, SourceKind, Trust, Validity

_STANDS_ALONE = (SourceKind.USER_SAID, SourceKind.CONSOLIDATED)
"""Kinds of source that are not tempered: memories derived anew are as trusted as their sources."""


def temper_wording(wording: NewWording, memory: Memory) -> NewWording:
    """Lower a wording's trust to that of the memory whose text it replaces."""
    new, now = wording.provenance, memory.current.provenance
    trust = new.trust.at_most(now.trust)
    if trust is new.trust or _stands_alone(wording):
        return wording
    less = {"trust": trust, "source_kind": now.source_kind}
    return replace(wording, provenance=new.model_copy(update=less))


def needs_users_word(memory: Memory) -> bool:
    """Return whether a memory was held back for the user, who has not confirmed it since.

    It may have been archived meanwhile, so that it is not asked about any more.
    """
    is_held = memory.flag is not None and memory.validity is not Validity.ACTIVE
    return memory.validity is Validity.PENDING_CONFIRMATION or (is_held and not memory.verified)


def is_fixed_for(memory: Memory, trust: Trust) -> bool:
    """Return whether the user has fixed a memory and the present speaker is not the user."""
    return (memory.verified or memory.pinned) and trust is not Trust.USER


def describe_belief(memory: Memory) -> str:
    """Describe a memory's trust and confidence, for the audit log."""
    trust = memory.current.provenance.trust.value
    return f"trust {trust}, confidence {memory.confidence:.2f}"


def _stands_alone(wording: NewWording) -> bool:
    origin = wording.provenance
    if origin.source_kind not in _STANDS_ALONE:
        return False
    is_reading = (
        origin.source_kind is SourceKind.USER_SAID and wording.inferred_by is InferredBy.MODEL
    )
    return not is_reading or is_borne_out(wording.content, origin.quote or "")
