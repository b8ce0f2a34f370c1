"""Input of the writer of memories: a wording with its provenance, evidence and links."""

from dataclasses import dataclass

from memoria.language.reading.statement import fingerprint
from memoria.model import InferredBy, Memory, MemoryType, Mention, Modality, Provenance
from memoria.model.channel import EXTRACTION_CHANNEL
from memoria.store.values import NewVersion

RULES_CONFIDENCE = 0.4
"""Confidence of the rules in what they read in a wording; a model gives its own."""
REFINE = "refine"
"""Action in the log of a wording that adds to the former one, or repeats it: that holds still."""


@dataclass(frozen=True, slots=True)
class Author:
    """Writer of a memory, by the names in provenance and the audit log."""

    channel: str
    client: str | None = None
    """Program or model; `rules` where no model is involved."""


RULES_AUTHOR = Author(EXTRACTION_CHANNEL, "rules")
"""The rules that read what a user states plainly."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interpretation:
    """Meaning of a memory's wording, as a model or the rules understand it."""

    mentions: tuple[Mention, ...] = ()
    subject: str | None = None
    """Person or thing it speaks of; one of the mentions, or a name of its own."""
    negated: bool = False
    modality: Modality = "actual"
    event_at: int | None = None
    event_expression: str | None = None
    confidence: float = RULES_CONFIDENCE
    inferred_by: InferredBy = InferredBy.RULES


@dataclass(frozen=True, slots=True, kw_only=True)
class StructuralLinks:
    """Links of a memory beside those of its wording, by id: memories, unless it says turns."""

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
    """Memories it quotes."""
    shown: tuple[Memory, ...] = ()
    """Memories its model was shown beside them, and may have taken a word from."""
    confidence: float = 1.0
    """Certainty with which it follows from them."""
    turns_per_source: int = 0
    """Most turns of each source that the derived memory rests on, beside the turn of the source's
    own wording."""


_NO_DERIVATION = Derivation()


@dataclass(frozen=True, slots=True, kw_only=True)
class NewWording:
    """A new wording of a memory. Times are UTC epoch milliseconds."""

    content: str
    valid_from: int
    provenance: Provenance
    """Author and channel of the words; stamped by us, never by the caller."""
    turn_n: int | None = None
    """Number of the turn that the wording was drawn from."""
    inferred_by: InferredBy = InferredBy.STATEMENT
    event_at: int | None = None
    event_expression: str | None = None
    subject: str | None = None
    """New subject of the memory; None leaves it as before."""
    predicate: str | None = None
    type: MemoryType | None = None
    """New type of the memory; None leaves it as before."""
    task: str | None = None
    """Task at which the memory was learnt by this wording; None leaves it as before."""
    importance: float | None = None
    """New importance of the memory; None leaves it as before."""
    expires_at: int | None = None
    """Time from which it does not count any more. A wording never inherits the former one's end."""
    passages: tuple[Passage, ...] = ()
    """Further words that bear it out."""
    derivation: Derivation = _NO_DERIVATION
    interpretation: Interpretation | None = None
    """People and things it speaks of; without one, the rules read the content."""
    structural: StructuralLinks | None = None
    """Links of the memory: for a new one to its turn and the memory before it, at least. A memory
    that is revised keeps its links, gets one to its new turn, and others only where given."""


def make_version(wording: NewWording, now: int) -> NewVersion:
    """Return a wording as the store takes it, with the time at which it is written."""
    return NewVersion(
        content=wording.content,
        fingerprint=fingerprint(wording.content),
        valid_from=wording.valid_from,
        ingested_at=now,
        provenance=wording.provenance,
        turn_n=wording.turn_n,
        inferred_by=wording.inferred_by,
        event_at=wording.event_at,
        event_expression=wording.event_expression,
        subject=wording.subject,
        predicate=wording.predicate,
        type=wording.type,
        task=wording.task,
        importance=wording.importance,
        expires_at=wording.expires_at,
    )
