"""Answers as JSON documents on where memories come from, what became of them, and what waits.

These are the documents of `memoria show`, of `memoria review` and of REST.
"""

from collections.abc import Sequence

from memoria.model import AuditEntry, Entity, Evidence, Memory
from memoria.model.base import write_document
from memoria.model.memory import CARRIED_COLUMNS
from memoria.model.provenance import (
    EntityMemory,
    EntityRecord,
    MemoryHistory,
    MemoryRecord,
    Namesakes,
    SourcedVersion,
    TurnOrigin,
)
from memoria.surface.documents import Document, write_memory, write_turn, write_wording

_WHOLE = 10_000_000
_LINE = ("id", "type", "validity", "text")
_FIGURES = ("importance", "confidence", "upvotes", "downvotes", "use_count")
_CARRIED = (
    *("created_at", "updated_at", "subject", "predicate", "task", "workspace", "flag"),
    *("expires_at", "last_used_at"),
    *CARRIED_COLUMNS,
)


def write_memory_record(record: MemoryRecord) -> Document:
    """Return a memory whole, with its evidence and its links."""
    memory = record.memory
    return write_document(
        **write_memory(memory),
        wordings=list(map(_write_sourced, record.versions)),
        evidence=record.evidence,
        links=record.edges,
        **memory.to_json(*_FIGURES, *_CARRIED),
        turn_range=record.turn_range,
        last_confirmed=record.last_confirmed,
        weighing=record.weighing,
    )


def write_turn_origin(origin: TurnOrigin) -> Document:
    """Return a turn whole, with the memories that rest on it."""
    return {
        **write_turn(origin.record, 0, _WHOLE),
        "memories": list(map(_write_line, origin.memories)),
        "restated_memories": list(map(_write_line, origin.restated_memories)),
        "episodes": list(map(_write_line, origin.episodes)),
    }


def write_history(history: MemoryHistory) -> Document:
    """Return the history of a memory, oldest first."""
    head = history.memory.to_json("id", "text", "type", "validity", "verified")
    return {**head, "events": list(map(_write_event, history.events))}


def write_graph_answer(found: EntityRecord | Namesakes) -> Document:
    """Return what is known of an entity, or the list of entities that share a name."""
    match found:
        case EntityRecord():
            return write_document(
                entity=found.entity,
                memories=list(map(_write_mention, found.entity_memories)),
                omitted=found.omitted or None,
                turns=found.entity_turns or None,
                omitted_turns=found.omitted_turns or None,
            )
        case Namesakes():
            return write_document(namesakes=found.entities)


def write_review(
    pending: Sequence[MemoryRecord],
    contradicted: Sequence[Memory],
    moved: Sequence[Memory],
    quotes: Sequence[str],
    proposed: Sequence[tuple[Entity, Entity]],
) -> Document:
    """Return what waits for the user: memories, quotes, and pairs of entities of one name.

    `moved` are memories whose files have changed or are gone.
    """
    return write_document(
        pending=list(map(write_memory_record, pending)),
        contradicted=[one.to_json("id", "text", "contradicts") for one in contradicted],
        moved=[one.to_json("id", "text", "ground") for one in moved] or None,
        quotes=quotes or None,
        may_be_one=proposed or None,
    )


def _write_event(event: SourcedVersion | Evidence | AuditEntry) -> Document:
    match event:
        case SourcedVersion(version=version, said=said):
            at = version.to_json("ingested_at")["ingested_at"]
            wording = _write_sourced(event)
            return write_document(at=at, event="wording", wording=wording, evidence=said)
        case Evidence():
            shown = event.to_json()
            return {"at": shown["noted_at"], "event": "evidence", "evidence": shown}
        case AuditEntry():
            shown = event.to_json()
            return {"at": shown.pop("at"), "event": "action", **shown}


def _write_sourced(wording: SourcedVersion) -> Document:
    """Return a wording with who drew the conclusion, and from what."""
    version, origin = wording.version, wording.version.provenance
    return write_document(
        **write_wording(version, quotes_itself=True),
        inferred_by=version.inferred_by,
        model=origin.client if version.inferred_by == "model" else None,
        source_kind=origin.source_kind,
        channel=origin.channel,
        **version.to_json("ingested_at", "event_at", "event_expression"),
    )


def _write_mention(mention: EntityMemory) -> Document:
    return write_document(
        **_write_line(mention.memory),
        links=mention.edges,
        further_links=mention.further_edges or None,
    )


def _write_line(memory: Memory) -> Document:
    return memory.to_json(*_LINE)
