"""Records whole as JSON: a memory with all it rests on, its life, and what is known of a name.

What `--json` prints on the command line; times are ISO 8601, absent values are left out.
"""

from typing import Literal

from pydantic import BaseModel

from memoria.model import AuditEntry, Entity, Evidence, Memory, MemoryVersion, SummedUp, iso
from memoria.model.provenance import (
    Bond,
    EntityRecord,
    History,
    MemoryRecord,
    Namesakes,
    Telling,
    TurnOrigin,
    Wording,
)
from memoria.surface.wire import WireRecord, WireWording, wire_memory, wire_turn, wire_wording

_WHOLE = 10_000_000


class WireEnd(BaseModel):
    """One end of an edge."""

    kind: str
    id: str
    text: str | None = None
    detail: str | None = None


class WireBond(BaseModel):
    """An edge from where it is looked."""

    type: str
    direction: Literal["out", "in", "both"]
    other: WireEnd
    weight: float
    confidence: float
    inferred_by: str
    made_at: str
    role: str | None = None
    negated: bool | None = None
    modality: str | None = None
    event_at: str | None = None
    event_expression: str | None = None
    turn_id: str | None = None


class WireEvidence(BaseModel):
    """A turn that a memory rests on."""

    turn_id: str
    client: str
    session_id: str
    turn_index: int
    role: str
    at: str
    noted_at: str
    message_id: str | None = None
    speaker: str | None = None
    quote: str | None = None
    version: int | None = None


class WireVersion(WireWording):
    """A wording with who concluded it, and from what."""

    inferred_by: str
    model: str | None = None
    source_kind: str
    channel: str
    ingested_at: str
    event_at: str | None = None
    event_expression: str | None = None


class WireMemoryRecord(WireRecord):
    """A memory with all it rests on and all it is linked with."""

    wordings: list[WireVersion]
    evidence: list[WireEvidence]
    links: list[WireBond]
    importance: float
    confidence: float
    upvotes: int
    downvotes: int
    use_count: int
    created_at: str
    updated_at: str
    subject: str | None = None
    predicate: str | None = None
    task: str | None = None
    workspace: str | None = None
    flag: str | None = None
    expires_at: str | None = None
    last_used_at: str | None = None
    sums_up: SummedUp | None = None


class WireMemoryLine(BaseModel):
    """A memory in a line."""

    id: str
    type: str
    validity: str
    text: str


class WireTurnOrigin(WireRecord):
    """A turn with what was drawn from it."""

    memories: list[WireMemoryLine]
    says_again: list[WireMemoryLine]
    summed_up_in: list[WireMemoryLine]


class WireEvent(BaseModel):
    """Something in the life of a memory."""

    at: str
    event: Literal["wording", "said_again", "action"]
    wording: WireVersion | None = None
    said: WireEvidence | None = None
    action: str | None = None
    channel: str | None = None
    client: str | None = None
    detail: str | None = None


class WireHistory(BaseModel):
    """The life of a memory, oldest first."""

    id: str
    text: str
    type: str
    validity: str
    verified: bool
    events: list[WireEvent]


class WireEntity(BaseModel):
    """A named thing."""

    id: str
    kind: str
    name: str
    aliases: list[str] | None = None
    distinct: str | None = None
    mentions: int
    same_as: str | None = None


class WireTelling(WireMemoryLine):
    """A memory that speaks of an entity."""

    links: list[WireBond]
    beyond: list[WireBond] | None = None


class WireKnown(BaseModel):
    """What is known of a name: of one entity all of it, of several which there are."""

    entity: WireEntity | None = None
    memories: list[WireTelling] | None = None
    omitted: int | None = None
    namesakes: list[WireEntity] | None = None


class WireReview(BaseModel):
    """What waits for the user's word."""

    waiting: list[WireMemoryRecord]


def wire_memory_record(record: MemoryRecord) -> WireMemoryRecord:
    """A memory whole."""
    memory = record.memory
    return WireMemoryRecord(
        **dict(wire_memory(memory)),
        wordings=list(map(_version, record.wordings)),
        evidence=list(map(_evidence, record.evidence)),
        links=list(map(_bond, record.bonds)),
        importance=memory.importance,
        confidence=memory.confidence,
        upvotes=memory.upvotes,
        downvotes=memory.downvotes,
        use_count=memory.use_count,
        sums_up=record.sums_up,
        created_at=iso(memory.created_at),
        updated_at=iso(memory.updated_at),
        subject=memory.subject,
        predicate=memory.predicate,
        task=memory.task,
        workspace=memory.workspace,
        flag=memory.flag,
        expires_at=_iso(memory.expires_at),
        last_used_at=_iso(memory.last_used_at),
    )


def wire_turn_origin(origin: TurnOrigin) -> WireTurnOrigin:
    """A turn whole, with what was drawn from it."""
    whole = wire_turn(origin.record, 0, _WHOLE)
    return WireTurnOrigin(
        **dict(whole),
        memories=list(map(_line, origin.memories)),
        says_again=list(map(_line, origin.says_again)),
        summed_up_in=list(map(_line, origin.summed_up_in)),
    )


def wire_history(history: History) -> WireHistory:
    """The life of a memory."""
    memory = history.memory
    return WireHistory(
        id=memory.id,
        text=memory.content,
        type=memory.type,
        validity=memory.validity,
        verified=memory.verified,
        events=list(map(_event, history.events)),
    )


def wire_known(found: EntityRecord | Namesakes) -> WireKnown:
    """What is known of a name."""
    match found:
        case EntityRecord():
            return WireKnown(
                entity=_entity(found.entity),
                memories=list(map(_telling, found.tellings)),
                omitted=found.omitted or None,
            )
        case Namesakes():
            return WireKnown(
                namesakes=list(map(_entity, found.entities)),
            )


def _event(event: Wording | Evidence | AuditEntry) -> WireEvent:
    match event:
        case Wording(version=version):
            at = iso(version.ingested_at)
            return WireEvent(at=at, event="wording", wording=_version(event), said=_said(event))
        case Evidence(noted_at=noted_at):
            return WireEvent(at=iso(noted_at), event="said_again", said=_evidence(event))
        case AuditEntry():
            fields = event.model_dump(exclude={"at"})
            return WireEvent(at=iso(event.at), event="action", **fields)


def _said(wording: Wording) -> WireEvidence | None:
    return None if wording.said is None else _evidence(wording.said)


def _version(wording: Wording) -> WireVersion:
    version = wording.version
    origin = version.provenance
    return WireVersion(
        **dict(_plain(version)),
        inferred_by=version.inferred_by,
        model=origin.client if version.inferred_by == "model" else None,
        source_kind=origin.source_kind,
        channel=origin.channel,
        ingested_at=iso(version.ingested_at),
        event_at=_iso(version.event_at),
        event_expression=version.event_expression,
    )


def _plain(version: MemoryVersion) -> WireWording:
    return wire_wording(version).model_copy(update={"quote": version.provenance.quote})


def _evidence(one: Evidence) -> WireEvidence:
    times = {"at": iso(one.at), "noted_at": iso(one.noted_at)}
    kept = one.model_dump(exclude={"source", "at", "noted_at"})
    return WireEvidence(**kept, **times, client=one.source)


def _bond(bond: Bond) -> WireBond:
    edge, other = bond.edge, bond.other
    told = edge.model_dump(include={"weight", "confidence", "role", "event_expression", "turn_id"})
    return WireBond(
        **told,
        type=edge.type,
        direction="both" if edge.type.mutual else "out" if bond.outward else "in",
        other=WireEnd(**{**other.model_dump(), "detail": other.detail or None}),
        inferred_by=edge.inferred_by,
        made_at=iso(edge.made_at),
        negated=edge.negated or None,
        modality=None if edge.modality == "actual" else edge.modality,
        event_at=_iso(edge.event_at),
    )


def _telling(telling: Telling) -> WireTelling:
    return WireTelling(
        **dict(_line(telling.memory)),
        links=list(map(_bond, telling.bonds)),
        beyond=list(map(_bond, telling.beyond)) or None,
    )


def _line(memory: Memory) -> WireMemoryLine:
    return WireMemoryLine(
        id=memory.id, type=memory.type, validity=memory.validity, text=memory.content
    )


def _entity(entity: Entity) -> WireEntity:
    return WireEntity(
        id=entity.id,
        kind=entity.kind,
        name=entity.name,
        aliases=list(entity.aliases) or None,
        distinct=entity.distinct,
        mentions=entity.mentions,
        same_as=entity.canonical_id,
    )


def _iso(millis: int | None) -> str | None:
    return None if millis is None else iso(millis)
