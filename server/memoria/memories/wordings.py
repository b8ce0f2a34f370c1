"""Wordings: checked texts for the writer of memories, with their evidence, names and trust.

Nothing that an agent does may raise the trust in a memory: a wording that replaces another one is
trusted as little as that. Only the user's own word stands by itself.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from memoria.bare.lazy_regex import lazy_regex
from memoria.errors import InvalidInputError
from memoria.language.names.keys import USER, subject_key
from memoria.language.names.mentions import find_names
from memoria.language.names.roles import parse_sentence
from memoria.language.reading.clean import Tally, clean_text
from memoria.language.reading.fences import drop_invisible
from memoria.language.reading.quotes import is_borne_out
from memoria.language.reading.statement import fingerprint
from memoria.language.statements.confided import read_condition_of_statement
from memoria.language.words.analyser import name_key
from memoria.model import (
    Add,
    EdgeType,
    InferredBy,
    Memory,
    MemoryType,
    Mention,
    Modality,
    Node,
    Provenance,
    SourceKind,
    Trust,
    Validity,
)
from memoria.model.memory import Condition, MemoryVersion
from memoria.model.provenance import EXTRACTION_CHANNEL
from memoria.store.rows.transaction import Transaction
from memoria.store.values import Filters, NewVersion

RULES_CONFIDENCE = 0.4
"""Confidence of the rules in what they read in a wording; a model gives its own."""
CONFIDENCE = {Trust.USER: 0.9, Trust.REPORTED: 0.7, Trust.TOOL: 0.4}
"""Confidence in a statement, by the trust in its channel."""
REFINE = "refine"
"""Action in the audit log for a wording that adds to the former one or repeats it."""


@dataclass(frozen=True, slots=True)
class Author:
    """Writer of a memory, by the names in provenance and the audit log."""

    channel: str
    client: str | None = None
    """Program or model; `rules` where no model is involved."""
    caller: str | None = None
    """Whoever called over HTTP, as `Channel.caller`."""


RULES_AUTHOR = Author(EXTRACTION_CHANNEL, "rules")
"""The rules that read what a user states plainly."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interpretation:
    """Meaning of a memory's wording, as a model or the rules understand it."""

    mentions: tuple[Mention, ...] = ()
    subject: str | None = None
    """Person or thing that the wording is about: one of the mentions, or another name."""
    negated: bool = False
    modality: Modality = "actual"
    event_at: int | None = None
    event_expression: str | None = None
    confidence: float = RULES_CONFIDENCE
    inferred_by: InferredBy = InferredBy.RULES


@dataclass(frozen=True, slots=True, kw_only=True)
class StructuralLinks:
    """Links of a memory, by id, beside those that follow from its wording."""

    turns: tuple[str, ...] = ()
    """Turns that support the memory, beside the source of its wording."""
    follows: str | None = None
    """The memory before this one, if that is not the last of the same session."""
    replaces: str | None = None
    """The memory that this one replaces."""
    contradicts: tuple[str, ...] = ()
    """Memories that contradict this one."""


@dataclass(frozen=True, slots=True)
class Passage:
    """Words of a turn that support a memory."""

    turn_n: int
    quote: str


@dataclass(frozen=True, slots=True)
class Derivation:
    """Sources of a derived memory."""

    sources: tuple[Memory, ...] = ()
    """Memories that the derived one quotes."""
    shown: tuple[Memory, ...] = ()
    """Memories that the model was shown beside the sources, and may have used."""
    confidence: float = 1.0
    """Certainty with which the derived memory follows from its sources."""
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
    """Time when the wording expires. A wording never inherits the former one's end."""
    metadata: str | None = None
    """JSON of the memory's metadata from now on; None leaves it as before."""
    passages: tuple[Passage, ...] = ()
    """Further words that support the wording."""
    derivation: Derivation = _NO_DERIVATION
    interpretation: Interpretation | None = None
    """People and things in the wording; None lets the rules read the content."""
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
        metadata=wording.metadata,
    )


def repeat_wording(tx: Transaction, memory: Memory, version: MemoryVersion) -> NewWording:
    """Return a wording of a memory to be written anew, as it was said, up to the memory's end."""
    turn_id = version.provenance.turn_id
    turn = None if turn_id is None else tx.conversations.turn(turn_id)
    return NewWording(
        content=version.content,
        valid_from=version.valid_from,
        provenance=version.provenance,
        turn_n=None if turn is None else turn.n,
        inferred_by=version.inferred_by,
        event_at=version.event_at,
        event_expression=version.event_expression,
        expires_at=memory.expires_at,
    )


_MOST_MENTIONS = 8
_EVERYTHING = Filters(everywhere=True, include_history=True, include_processed=True)


def interpretation_by_model(add: Add, event_at: int | None = None) -> Interpretation:
    """Return the meaning that a model gave for the memory it proposed."""
    return Interpretation(
        mentions=add.entities,
        subject=add.subject,
        negated=add.negated,
        modality=add.modality,
        event_at=event_at,
        event_expression=add.event_time,
        confidence=add.confidence,
        inferred_by=InferredBy.MODEL,
    )


_OF_THEIR_PEOPLE = lazy_regex(
    r"""(?xi)^[^"“:：]{1,40}(?:\ssays:\s*"(?=my\s)|说：“(?=我的?[爸妈父母爷奶哥姐弟妹叔姑舅姨丈妻儿女老]))"""
)
"""Beginning of a report such as "Bob says: my mother …", which is no mention of Bob."""


def interpretation_by_rules(
    content: str, time: str | None = None, event_at: int | None = None
) -> Interpretation:
    """Return the meaning of a wording, found by rules without a model.

    `time` holds the words in the wording that say when; `event_at` is the moment they mean.
    """
    content = _OF_THEIR_PEOPLE.sub("", content)
    sentence = parse_sentence(content, time)
    parts = {name_key(one.name) for one in sentence.roles}
    others = (one.mention for one in find_names(content) if name_key(one.name) not in parts)
    agent = next((one.name for one in sentence.roles if one.role == "agent"), None)
    return Interpretation(
        mentions=(*sentence.roles, *others)[:_MOST_MENTIONS],
        subject=agent,
        negated=sentence.negated,
        modality=sentence.modality,
        event_at=event_at,
        event_expression=sentence.time,
    )


def interpretation_of_update(
    tx: Transaction, memory: Memory, content: str, time: str | None, event_at: int | None
) -> Interpretation:
    """Interpret a model's new wording of a memory.

    A model names the things of a memory when it adds it. Those of them that still stand in the new
    wording are mentioned there, what else is named the rules find, and the rest is gone with the
    former wording.
    """
    by_rules = interpretation_by_rules(content, time, event_at)
    mentions: dict[str, Mention] = {}
    subject = by_rules.subject
    for edge in tx.graph.list_edges(Node("memory", memory.id), _EVERYTHING):
        entity = tx.graph.get_entity(edge.dst.id, _EVERYTHING) if edge.type.is_extracted else None
        if entity is None:
            continue
        if edge.type is EdgeType.ABOUT:
            subject = entity.name
        for name in (entity.name, *entity.aliases):
            if name_key(name) in name_key(content):
                known = mentions.get(name_key(name))
                role = edge.role or (known.role if known else None)
                mentions[name_key(name)] = Mention(name=name, kind=entity.kind, role=role)
    others = {name_key(one.name): one for one in by_rules.mentions}
    found = tuple({**others, **mentions}.values())
    return replace(
        by_rules,
        mentions=found[:_MOST_MENTIONS],
        subject=subject,
        confidence=memory.confidence,
        inferred_by=InferredBy.MODEL,
    )


def interpret_revision(
    tx: Transaction, memory: Memory, wording: NewWording
) -> Interpretation | None:
    """Return a new wording's meaning if a model linked the memory; None if no model linked it."""
    if tx.graph.links_inferred_by(memory.id) is not InferredBy.MODEL:
        return None
    read = interpretation_of_update(tx, memory, wording.content, None, None)
    if wording.subject is not None:
        return replace(read, subject=wording.subject)
    return read if may_speak_of(read.subject, wording.content) else replace(read, subject=None)


def may_speak_of(subject: str | None, content: str) -> bool:
    """Return whether a wording may be about a subject: the user, nobody, or a name it has."""
    key = None if subject is None else subject_key(subject)
    return key is None or key.startswith(USER) or key in content.casefold()


def interpretation_by_agent(
    content: str, mentions: Sequence[Mention], subject: str | None, confidence: float
) -> Interpretation:
    """Interpret a statement by its author's details; the rules add what the details leave out."""
    by_rules = interpretation_by_rules(content)
    known = {name_key(one.name): one for one in by_rules.mentions}
    given = {name_key(one.name): _complete_mention(one, known) for one in mentions}
    others = [one for key, one in known.items() if key not in given]
    return replace(
        by_rules,
        mentions=(*given.values(), *others)[:_MOST_MENTIONS],
        subject=subject or by_rules.subject,
        confidence=confidence,
        inferred_by=InferredBy.MODEL,
    )


def _complete_mention(given: Mention, known: Mapping[str, Mention]) -> Mention:
    """Add the kind and role that the rules read, where a mention leaves them open."""
    read = known.get(name_key(given.name))
    if read is None:
        return given
    kind = read.kind if given.kind == "other" else given.kind
    return given.model_copy(update={"kind": kind, "role": given.role or read.role})


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
    """Return whether a memory waits for the user's confirmation, or was archived while it did."""
    is_held = memory.flag is not None and memory.validity is not Validity.ACTIVE
    return memory.validity is Validity.PENDING_CONFIRMATION or (is_held and not memory.verified)


def is_fixed_for(memory: Memory, trust: Trust) -> bool:
    """Return whether only the user may change a memory, and the speaker is not the user."""
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


MAX_CHARS = 4000
MOST_GIVEN_CHARS = 10 * MAX_CHARS
"""Most characters as they are given; of these, secrets and what is invisible are left out."""


def require_short(text: str, most: int = MAX_CHARS) -> None:
    """Check that a text is no longer than a statement may be.

    Raises:
        InvalidInputError: it is longer.
    """
    if len(text) > most:
        raise InvalidInputError(
            f"A memory has at most {MAX_CHARS:,} characters and this has {len(text):,}. Remember "
            "the conclusion; record the long text with record_conversation.",
            for_person=f"A memory has at most {MAX_CHARS:,} characters and this has {len(text):,}. "
            "Remember the conclusion, and bring in the long text: `memoria import FILE`.",
        )


def check_statement(content: str, tally: Tally) -> str:
    """Return a text without secrets and without invisible characters.

    Raises:
        InvalidInputError: it is empty, too long, or asks itself not to be kept.
    """
    require_short(content, MOST_GIVEN_CHARS)  # before any work is done
    text = drop_invisible(clean_text(content, tally)).strip()
    if not text:
        raise InvalidInputError("There is nothing to remember: say it in a sentence.")
    require_short(text)
    if read_condition_of_statement(text) is Condition.WITHHELD:
        raise InvalidInputError(
            "Nothing was kept: this asks itself not to be kept. Go on without storing it. What may "
            "be kept can be remembered without that request; a standing order begins with "
            '"from now on".'
        )
    return text
