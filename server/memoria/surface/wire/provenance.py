"""Origins of memories, as structured data: evidence, history, links, entities.

The command line prints this with `--json`.
"""

from typing import Literal

from pydantic import BaseModel

from memoria.model import (
    AuditEntry,
    Entity,
    Evidence,
    Memory,
    MemoryVersion,
    RelatedStatement,
    TurnRange,
    to_iso,
)
from memoria.model.provenance import (
    EntityMemory,
    EntityRecord,
    IncidentEdge,
    MemoryHistory,
    MemoryRecord,
    Namesakes,
    SourcedVersion,
    TurnOrigin,
)
from memoria.surface.wire.record import (
    WireRecord,
    WireWording,
    wire_memory,
    wire_turn,
    wire_wording,
)

_WHOLE = 10_000_000


class WireLinkEnd(BaseModel):
    """One end of an edge."""

    kind: str
    id: str
    text: str | None = None
    detail: str | None = None


class WireLink(BaseModel):
    """An edge, seen from one of its ends."""

    type: str
    direction: Literal["out", "in", "both"]
    other: WireLinkEnd
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
    """A memory with its evidence and its links."""

    wordings: list[WireVersion]
    evidence: list[WireEvidence]
    links: list[WireLink]
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
    turn_range: TurnRange | None = None


class WireMemoryLine(BaseModel):
    """A memory in a line."""

    id: str
    type: str
    validity: str
    text: str


class WireTurnOrigin(WireRecord):
    """A turn with the memories that rest on it."""

    memories: list[WireMemoryLine]
    restated_memories: list[WireMemoryLine]
    episodes: list[WireMemoryLine]


class WireEvent(BaseModel):
    """An event in the history of a memory."""

    at: str
    event: Literal["wording", "evidence", "action"]
    wording: WireVersion | None = None
    evidence: WireEvidence | None = None
    action: str | None = None
    channel: str | None = None
    client: str | None = None
    detail: str | None = None


class WireHistory(BaseModel):
    """The history of a memory, oldest first."""

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


class WireMention(WireMemoryLine):
    """A memory that mentions an entity."""

    links: list[WireLink]
    further_links: list[WireLink] | None = None


class WireGraphAnswer(BaseModel):
    """Knowledge of a name: of one entity all of it, of several which there are."""

    entity: WireEntity | None = None
    memories: list[WireMention] | None = None
    omitted: int | None = None
    turns: list[WireLink] | None = None
    """The turns that name it, no model has read and no memory here is drawn from."""
    omitted_turns: int | None = None
    namesakes: list[WireEntity] | None = None


class WireContradiction(BaseModel):
    """A memory, and what cannot be true together with it."""

    id: str
    text: str
    contradicts: list[RelatedStatement]


class WireReview(BaseModel):
    """Memories that the user is asked about."""

    pending: list[WireMemoryRecord]
    """Memories that wait for confirmation."""
    contradicted: list[WireContradiction]
    quotes: list[str] | None = None
    """Wishes in a conversation, a dated line each; not a memory."""
    may_be_one: list[tuple[WireEntity, WireEntity]] | None = None
    """Pairs that go by one name."""


def wire_contradiction(memory: Memory) -> WireContradiction:
    """Describe a memory with what cannot be true together with it."""
    return WireContradiction(
        id=memory.id, text=memory.content, contradicts=list(memory.contradicts)
    )


def wire_memory_record(record: MemoryRecord) -> WireMemoryRecord:
    """Describe a memory whole."""
    memory = record.memory
    return WireMemoryRecord(
        **dict(wire_memory(memory)),
        wordings=list(map(_wire_version, record.versions)),
        evidence=list(map(_wire_evidence, record.evidence)),
        links=list(map(_link, record.edges)),
        importance=memory.importance,
        confidence=memory.confidence,
        upvotes=memory.upvotes,
        downvotes=memory.downvotes,
        use_count=memory.use_count,
        turn_range=record.turn_range,
        created_at=to_iso(memory.created_at),
        updated_at=to_iso(memory.updated_at),
        subject=memory.subject,
        predicate=memory.predicate,
        task=memory.task,
        workspace=memory.workspace,
        flag=memory.flag,
        expires_at=_optional_iso(memory.expires_at),
        last_used_at=_optional_iso(memory.last_used_at),
    )


def wire_turn_origin(origin: TurnOrigin) -> WireTurnOrigin:
    """Describe a turn whole, with the memories that rest on it."""
    whole = wire_turn(origin.record, 0, _WHOLE)
    return WireTurnOrigin(
        **dict(whole),
        memories=list(map(_wire_line, origin.memories)),
        restated_memories=list(map(_wire_line, origin.restated_memories)),
        episodes=list(map(_wire_line, origin.episodes)),
    )


def wire_history(history: MemoryHistory) -> WireHistory:
    """Describe the history of a memory."""
    memory = history.memory
    return WireHistory(
        id=memory.id,
        text=memory.content,
        type=memory.type,
        validity=memory.validity,
        verified=memory.verified,
        events=list(map(_wire_event, history.events)),
    )


def wire_graph_answer(found: EntityRecord | Namesakes) -> WireGraphAnswer:
    """Describe what is known of a name."""
    match found:
        case EntityRecord():
            return WireGraphAnswer(
                entity=wire_entity(found.entity),
                memories=list(map(_mention, found.entity_memories)),
                omitted=found.omitted or None,
                turns=list(map(_link, found.entity_turns)) or None,
                omitted_turns=found.omitted_turns or None,
            )
        case Namesakes():
            return WireGraphAnswer(
                namesakes=list(map(wire_entity, found.entities)),
            )


def _wire_event(event: SourcedVersion | Evidence | AuditEntry) -> WireEvent:
    match event:
        case SourcedVersion(version=version):
            at = to_iso(version.ingested_at)
            return WireEvent(
                at=at,
                event="wording",
                wording=_wire_version(event),
                evidence=_wording_source(event),
            )
        case Evidence(noted_at=noted_at):
            return WireEvent(at=to_iso(noted_at), event="evidence", evidence=_wire_evidence(event))
        case AuditEntry():
            fields = event.model_dump(exclude={"at"})
            return WireEvent(at=to_iso(event.at), event="action", **fields)


def _wording_source(wording: SourcedVersion) -> WireEvidence | None:
    return None if wording.said is None else _wire_evidence(wording.said)


def _wire_version(wording: SourcedVersion) -> WireVersion:
    version = wording.version
    origin = version.provenance
    return WireVersion(
        **dict(_wording_with_quote(version)),
        inferred_by=version.inferred_by,
        model=origin.client if version.inferred_by == "model" else None,
        source_kind=origin.source_kind,
        channel=origin.channel,
        ingested_at=to_iso(version.ingested_at),
        event_at=_optional_iso(version.event_at),
        event_expression=version.event_expression,
    )


def _wording_with_quote(version: MemoryVersion) -> WireWording:
    return wire_wording(version).model_copy(update={"quote": version.provenance.quote})


def _wire_evidence(one: Evidence) -> WireEvidence:
    times = {"at": to_iso(one.at), "noted_at": to_iso(one.noted_at)}
    kept = one.model_dump(exclude={"source", "at", "noted_at"})
    return WireEvidence(**kept, **times, client=one.source)


def _link(incident: IncidentEdge) -> WireLink:
    edge, other = incident.edge, incident.other
    fields = edge.model_dump(
        include={"weight", "confidence", "role", "event_expression", "turn_id"}
    )
    return WireLink(
        **fields,
        type=edge.type,
        direction="both" if edge.type.is_symmetric else "out" if incident.outward else "in",
        other=WireLinkEnd(**{**other.model_dump(), "detail": other.detail or None}),
        inferred_by=edge.inferred_by,
        made_at=to_iso(edge.made_at),
        negated=edge.negated or None,
        modality=None if edge.modality == "actual" else edge.modality,
        event_at=_optional_iso(edge.event_at),
    )


def _mention(mention: EntityMemory) -> WireMention:
    return WireMention(
        **dict(_wire_line(mention.memory)),
        links=list(map(_link, mention.edges)),
        further_links=list(map(_link, mention.further_edges)) or None,
    )


def _wire_line(memory: Memory) -> WireMemoryLine:
    return WireMemoryLine(
        id=memory.id, type=memory.type, validity=memory.validity, text=memory.content
    )


def wire_entity(entity: Entity) -> WireEntity:
    """Describe a named thing with its names."""
    return WireEntity(
        id=entity.id,
        kind=entity.kind,
        name=entity.name,
        aliases=list(entity.aliases) or None,
        distinct=entity.distinct,
        mentions=entity.mentions,
        same_as=entity.canonical_id,
    )


def _optional_iso(millis: int | None) -> str | None:
    return None if millis is None else to_iso(millis)
