"""What the writer of memories takes: a wording with its provenance, its evidence and its links."""

from dataclasses import dataclass

from memoria.model import InferredBy, Memory, MemoryType, Mention, Modality, Provenance
from memoria.model.channel import EXTRACTION_CHANNEL

RULES_CONFIDENCE = 0.4
"""How sure the rules are of what they read in a wording; a model says for itself."""
REFINE = "refine"
"""What a wording is logged as that adds to the former one, or says the same: that holds still."""


@dataclass(frozen=True, slots=True)
class Author:
    """Who writes, as provenance and the audit log name them."""

    channel: str
    client: str | None = None
    """The program or the model; `rules` where no model is involved."""


RULES_AUTHOR = Author(EXTRACTION_CHANNEL, "rules")
"""The rules that read what a user states plainly."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interpretation:
    """What a memory's wording says, as a model or the rules understand it."""

    mentions: tuple[Mention, ...] = ()
    subject: str | None = None
    """Of whom or what it speaks; one of the mentions, or a name of its own."""
    negated: bool = False
    modality: Modality = "actual"
    event_at: int | None = None
    event_expression: str | None = None
    confidence: float = RULES_CONFIDENCE
    inferred_by: InferredBy = InferredBy.RULES


@dataclass(frozen=True, slots=True, kw_only=True)
class StructuralLinks:
    """What a memory belongs together with, by id: memories, unless it says turns."""

    turns: tuple[str, ...] = ()
    """Turns it rests on, beside the one its wording was drawn from."""
    follows: str | None = None
    """The memory before it, where that is not the last one of the same session."""
    replaces: str | None = None
    """The memory whose place it has taken."""
    contradicts: tuple[str, ...] = ()
    """Memories that cannot be true together with it."""


@dataclass(frozen=True, slots=True)
class Passage:
    """Words of a turn that bear a memory out."""

    turn_n: int
    quote: str


@dataclass(frozen=True, slots=True)
class Derivation:
    """The memories that another one is derived from."""

    sources: tuple[Memory, ...] = ()
    """What it quotes."""
    shown: tuple[Memory, ...] = ()
    """What its model was shown beside them, and may have taken a word from."""
    confidence: float = 1.0
    """How surely it follows from them."""
    turns_per_source: int = 0
    """How many turns of each source the derived memory rests on at most, beside the turn of the
    source's own wording."""


_NO_DERIVATION = Derivation()


@dataclass(frozen=True, slots=True, kw_only=True)
class NewWording:
    """What a memory is to say from now on. Times are UTC epoch milliseconds."""

    content: str
    valid_from: int
    provenance: Provenance
    """Whose word it is and which channel it came by; stamped by us, never by the caller."""
    turn_n: int | None = None
    """The turn that the wording was drawn from."""
    inferred_by: InferredBy = InferredBy.STATEMENT
    event_at: int | None = None
    event_expression: str | None = None
    subject: str | None = None
    """Of whom or what a memory speaks now that it says this; as before without one."""
    predicate: str | None = None
    type: MemoryType | None = None
    """What kind of conclusion the memory is, now that it says this; as before without one."""
    task: str | None = None
    """The task at which the memory was learnt, now that it says this; as before without one."""
    importance: float | None = None
    """How much the memory matters, now that it says this; as before without one."""
    expires_at: int | None = None
    """When it stops to count. A wording never inherits the end of the one before it."""
    passages: tuple[Passage, ...] = ()
    """Further words that bear it out."""
    derivation: Derivation = _NO_DERIVATION
    interpretation: Interpretation | None = None
    """Whom and what it speaks of; without one, the rules read the content."""
    structural: StructuralLinks | None = None
    """What it belongs together with: for a new memory its turn and the memory before it, at least.
    A memory that is revised keeps the links it has, gets one to its new turn, and others only where
    some are given."""
