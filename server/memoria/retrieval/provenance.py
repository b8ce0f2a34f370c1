"""Provenance: from a memory back to the words it rests on, and on to what it is linked with."""

from collections.abc import Iterable
from functools import cache

from memoria.errors import InvalidInputError, NotFoundError, brief
from memoria.model import (
    AuditEntry,
    Edge,
    EdgeType,
    Evidence,
    Memory,
    Node,
    TurnRecord,
)
from memoria.model.provenance import Bond, End, History, MemoryRecord, TurnOrigin, Wording
from memoria.retrieval.plan import EVERYWHERE
from memoria.retrieval.records import any_record
from memoria.store.base import Transaction
from memoria.store.missing import missing
from memoria.store.values import Filters
from memoria.text.document import full_text

FIRST_CHARS = 72
_SAME_MOMENT_MS = 2_000
"""A wording and the line that logs it are written in one transaction."""
_TOLD_BY_A_WORDING = ("remember", "correct")
_ORDER = (
    EdgeType.CONTRADICTS,
    EdgeType.VERSION_NEXT,
    EdgeType.SAME_AS,
    EdgeType.ABOUT,
    EdgeType.ROLE,
    EdgeType.MENTIONS,
    EdgeType.CAUSES,
    EdgeType.SUPPORTS,
    EdgeType.REFERS_TO,
    EdgeType.SIMILAR_TO,
    EdgeType.DERIVED_FROM,
    EdgeType.TEMPORAL_NEXT,
)


def looking_from(workspace: str | None) -> Filters:
    """All that is seen from a workspace: what no longer holds, and turns that were read, too."""
    everywhere = workspace == EVERYWHERE
    return Filters(workspace=workspace, everywhere=everywhere, history=True, settled=True)


def origin(
    tx: Transaction, record_id: str, context: int, seen: Filters
) -> MemoryRecord | TurnOrigin:
    """A memory with all it rests on and is linked with, or a turn with what was drawn from it.

    Raises:
        NotFoundError: the tenant has neither.
    """
    match any_record(tx, record_id, context):
        case Memory() as memory:
            return _memory_record(tx, memory, seen)
        case TurnRecord() as record:
            ns = [version.n for version in record.versions]
            return TurnOrigin(
                record=record,
                memories=tuple(_memories(tx, tx.memories.resting_on(ns))),
                says_again=tuple(_memories(tx, tx.memories.said_again_in(ns))),
                summed_up_in=tuple(_memories(tx, tx.episodes.over(ns))),
            )


def history(tx: Transaction, memory_id: str) -> History:
    """The life of a memory, whatever became of it.

    Raises:
        InvalidInputError: the id is a turn's.
        NotFoundError: there is no such memory, or no longer.
    """
    memory = tx.memories.get(memory_id)
    if memory is None:
        raise _no_memory(tx, memory_id)
    evidence = tx.memories.evidence(memory_id)
    wordings = _wordings(memory, evidence)
    again = [one for one in evidence if one.version is None]
    done = [entry for entry in tx.audit.of(memory_id) if not _told(entry, wordings)]
    events: list[Wording | Evidence | AuditEntry] = [*wordings, *again, *done]
    return History(memory=memory, events=tuple(sorted(events, key=_moment)))


def waiting(tx: Transaction, limit: int, seen: Filters) -> list[MemoryRecord]:
    """What waits for the user's word, as it is seen from here, newest first."""
    held = tx.memories.held_back(limit, seen.workspace)
    return [_memory_record(tx, memory, seen) for memory in held]


def bonds(tx: Transaction, node: Node, seen: Filters) -> tuple[Bond, ...]:
    """Every edge at a node with its other end in words, the most telling first."""
    return described(tx, node, tx.graph.edges(node, seen), seen)


def described(
    tx: Transaction, node: Node, edges: Iterable[Edge], seen: Filters
) -> tuple[Bond, ...]:
    """These edges at a node with their other ends in words, the most telling first."""
    in_words = cache(lambda end: _in_words(tx, end, seen))
    found = [_bond(edge, in_words(other_end(edge, node))) for edge in edges]
    return tuple(sorted(found, key=lambda bond: (_ORDER.index(bond.edge.type), -bond.edge.weight)))


def other_end(edge: Edge, node: Node) -> Node:
    """The end that is not the node; of an entity that others are the same as, the memory."""
    if node.kind == "entity":
        return edge.src if edge.dst.kind == "entity" else edge.dst
    return edge.dst if edge.src == node else edge.src


def _memory_record(tx: Transaction, memory: Memory, seen: Filters) -> MemoryRecord:
    evidence = tx.memories.evidence(memory.id)
    return MemoryRecord(
        memory=memory,
        wordings=_wordings(memory, evidence),
        evidence=tuple(evidence),
        sums_up=tx.episodes.stretch(memory.id),
        bonds=bonds(tx, Node("memory", memory.id), seen),
    )


def _wordings(memory: Memory, evidence: Iterable[Evidence]) -> tuple[Wording, ...]:
    said = {one.version: one for one in evidence if one.version is not None}
    return tuple(Wording(version=v, said=said.get(v.version)) for v in memory.versions)


def _memories(tx: Transaction, ids: Iterable[str]) -> list[Memory]:
    return [memory for one in ids if (memory := tx.memories.get(one)) is not None]


def _no_memory(tx: Transaction, memory_id: str) -> InvalidInputError | NotFoundError:
    if tx.conversations.turn(memory_id) is not None:
        return InvalidInputError(
            f"{brief(memory_id)} is a turn, and a turn has no history. `memoria show` shows it and "
            "the memories drawn from it."
        )
    if tx.tombstones.of(memory_id) is not None:
        return missing(tx, "memory", memory_id)
    return NotFoundError(
        f"There is no memory {brief(memory_id)}. Find its id with search_memory "
        "(in a shell: memoria search --history)."
    )


def _told(entry: AuditEntry, wordings: Iterable[Wording]) -> bool:
    """Whether a wording says the same as this line of the log, and more."""
    return entry.action in _TOLD_BY_A_WORDING and any(
        abs(wording.version.ingested_at - entry.at) <= _SAME_MOMENT_MS for wording in wordings
    )


def _moment(event: Wording | Evidence | AuditEntry) -> tuple[int, int]:
    """When we learnt of it; of what happened in one moment, wordings come first."""
    match event:
        case Wording(version=version):
            return version.ingested_at, version.version
        case Evidence(noted_at=at):
            return at, 1 << 30
        case AuditEntry(at=at):
            return at, 1 << 31


def _bond(edge: Edge, other: End) -> Bond:
    outward = edge.dst.id == other.id and edge.dst.kind == other.kind
    return Bond(edge=edge, outward=outward, other=other)


def _in_words(tx: Transaction, node: Node, seen: Filters) -> End:
    text, detail = "", ""
    match node.kind:
        case "memory":
            memory = tx.memories.get(node.id)
            if memory is not None:
                text, detail = memory.content, memory.validity.value
        case "turn":
            turn = tx.conversations.turn(node.id)
            if turn is not None:
                text, detail = full_text(turn), turn.speaker or turn.role.value
        case "entity":
            entity = tx.graph.entity(node.id, seen)
            if entity is not None:
                kind = None if entity.kind == "other" else entity.kind
                text, detail = entity.name, ", ".join(filter(None, (entity.distinct, kind)))
    return End(kind=node.kind, id=node.id, text=_first_words(text), detail=detail)


def _first_words(text: str) -> str:
    """A text's beginning, on one line."""
    line = " ".join(text[: 4 * FIRST_CHARS].split())
    whole = len(line) <= FIRST_CHARS and len(text) <= 4 * FIRST_CHARS
    return line if whole else f"{line[:FIRST_CHARS].rstrip()}…"
