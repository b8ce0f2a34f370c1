"""Provenance: the words that a memory rests on, and what it is linked with."""

from collections.abc import Iterable, Iterator, Sequence

from memoria.errors import InvalidInputError, NextStep, NotFoundError, shorten
from memoria.language.words.document import full_text
from memoria.memories.conditions import conditions_of_turns
from memoria.model import AuditEntry, Edge, EdgeType, Evidence, Memory, Node, TurnRecord
from memoria.model.memory import Condition, LinkRelation, MemoryLink
from memoria.model.provenance import (
    EdgeEnd,
    IncidentEdge,
    MemoryHistory,
    MemoryRecord,
    SourcedVersion,
    TurnOrigin,
)
from memoria.retrieval.lookup.records import find_memory, mark_conditions, read_record
from memoria.retrieval.query.plan import EVERYWHERE
from memoria.store.not_found import not_found
from memoria.store.rows.listings import INDEXED_CHARS
from memoria.store.rows.transaction import Transaction
from memoria.store.values import Filters

FIRST_CHARS = 72
_SAME_MOMENT_MS = 2_000
"""Longest time between a wording and its line in the log, written in one transaction."""
_ACTIONS_THAT_WORD = ("add", "remember", "import", "correct", "refine")
"""Actions of the log that give a memory a wording."""
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
"""Order in which the edges of a node are shown."""


def filters_from(workspace: str | None) -> Filters:
    """Return filters for all that a workspace sees, with inactive memories and processed turns."""
    everywhere = workspace == EVERYWHERE
    return Filters(
        workspace=workspace, everywhere=everywhere, include_history=True, include_processed=True
    )


def read_origin(
    tx: Transaction, record_id: str, context: int, visible: Filters, most: int | None = None
) -> MemoryRecord | TurnOrigin:
    """Read a memory with its evidence and links, or a turn with the memories made of it.

    Args:
        tx: where to look.
        record_id: of a memory or a turn.
        context: neighbours of a turn on each side.
        visible: filters that the other ends of links must pass.
        most: turns of a memory's evidence, or memories of a turn, at most; all by default.

    Raises:
        NotFoundError: the tenant has neither.
    """
    match read_record(tx, record_id, context):
        case Memory() as memory:
            return _read_memory_record(tx, memory, visible, most)
        case TurnRecord() as record:
            ns = [version.n for version in record.versions]
            return TurnOrigin(
                record=record,
                memories=tuple(_read_memories(tx, tx.memories.list_stated_in(ns)[:most])),
                restated_memories=tuple(
                    _read_memories(tx, tx.memories.list_repeated_in(ns)[:most])
                ),
                episodes=tuple(_read_memories(tx, tx.episodes.list_over_turns(ns)[:most])),
            )


def read_history(tx: Transaction, memory_id: str, most: int | None = None) -> MemoryHistory:
    """Read all wordings, evidence and log entries of a memory, in order of time.

    Of evidence and of entries the newest are read, up to `most` of each.

    Raises:
        InvalidInputError: the id is a turn's.
        NotFoundError: there is no such memory, or no longer.
    """
    memory = find_memory(tx, memory_id)
    if memory is None:
        raise _explain_absence(tx, memory_id)
    evidence = _list_evidence(tx, memory_id, most)
    wordings = _pair_wordings(memory, evidence)
    repetitions = [one for one in evidence if one.version is None]
    actions = [
        entry
        for entry in tx.audit.list_entries(memory_id, most)
        if not _repeats_wording(entry, wordings)
    ]
    events: list[SourcedVersion | Evidence | AuditEntry] = [*wordings, *repetitions, *actions]
    return MemoryHistory(memory=memory, events=tuple(sorted(events, key=_moment)))


def list_pending(tx: Transaction, limit: int, visible: Filters) -> list[MemoryRecord]:
    """List memories that wait for the user's confirmation, newest first."""
    pending = mark_conditions(tx, tx.waiting.list_pending(limit, visible))
    return [_read_memory_record(tx, memory, visible) for memory in pending]


def list_incident_edges(tx: Transaction, node: Node, visible: Filters) -> tuple[IncidentEdge, ...]:
    """List every edge at a node, with a description of its other end, in the order of types."""
    return describe_edges(tx, node, tx.graph.list_edges(node, visible), visible)


def describe_edges(
    tx: Transaction, node: Node, edges: Iterable[Edge], visible: Filters
) -> tuple[IncidentEdge, ...]:
    """Describe the other ends of edges at a node, in the order of types."""
    ends = [(edge, other_end(edge, node)) for edge in edges]
    described = _describe_nodes(tx, (end for _, end in ends), visible)
    found = [_orient_edge(edge, described[end]) for edge, end in ends]
    return tuple(sorted(found, key=lambda one: (_ORDER.index(one.edge.type), -one.edge.weight)))


def other_end(edge: Edge, node: Node) -> Node:
    """Return the other end of an edge; at an entity `src` if `dst` is an entity, else `dst`."""
    if node.kind == "entity":
        return edge.src if edge.dst.kind == "entity" else edge.dst
    return edge.dst if edge.src == node else edge.src


def _read_memory_record(
    tx: Transaction, memory: Memory, visible: Filters, most: int | None = None
) -> MemoryRecord:
    evidence = _list_evidence(tx, memory.id, most)
    return MemoryRecord(
        memory=memory,
        versions=_pair_wordings(memory, evidence),
        evidence=tuple(evidence),
        turn_range=tx.episodes.get_span(memory.id),
        edges=list_incident_edges(tx, Node("memory", memory.id), visible),
        last_confirmed=_find_confirmation(tx, memory),
    )


def _find_confirmation(tx: Transaction, memory: Memory) -> AuditEntry | None:
    """Return the latest confirmation of the present wording; see `MemoryRecord`."""
    since = min(one.ingested_at for one in memory.versions if one.content == memory.content)
    for entry in reversed(tx.audit.list_entries(memory.id)):
        states = entry.is_of_user and entry.action in _ACTIONS_THAT_WORD
        confirms = (entry.action == "confirm" or states) and entry.at >= since - _SAME_MOMENT_MS
        if confirms and entry.is_of_user == memory.verified:
            return entry
    return None


def _list_evidence(tx: Transaction, memory_id: str, most: int | None = None) -> list[Evidence]:
    """List the turns that a memory rests on and that may be in an answer."""
    evidence = tx.memories.list_evidence(memory_id, most)
    turns = tx.conversations.list_turns_by_id(sorted({one.turn_id for one in evidence}))
    conditions = conditions_of_turns(tx, turns) if turns else {}
    withheld = {one.id for one in turns if conditions[one.n] is Condition.WITHHELD}
    return [one for one in evidence if one.turn_id not in withheld]


def _pair_wordings(memory: Memory, evidence: Iterable[Evidence]) -> tuple[SourcedVersion, ...]:
    said = {one.version: one for one in evidence if one.version is not None}
    return tuple(SourcedVersion(version=v, said=said.get(v.version)) for v in memory.versions)


def _read_memories(tx: Transaction, ids: Sequence[str]) -> list[Memory]:
    """Return the memories that may be in an answer, in the order of their ids."""
    known = {one.id: one for one in mark_conditions(tx, tx.waiting.list_by_id(ids))}
    return [known[one] for one in ids if one in known]


def _explain_absence(tx: Transaction, memory_id: str) -> InvalidInputError | NotFoundError:
    if tx.conversations.turn(memory_id) is not None:
        return InvalidInputError(
            f"{shorten(memory_id)} is a turn, and a turn has no history. `memoria show` shows it "
            "and the memories drawn from it.",
            for_person=f"{memory_id[-INDEXED_CHARS:]} is a turn, and a turn has no history. "
            f"`memoria show {memory_id[-INDEXED_CHARS:]}` shows it and what was drawn from it.",
        )
    if tx.tombstones.get(memory_id) is not None:
        return not_found(tx, "memory", memory_id)
    return NotFoundError(
        f"There is no memory {shorten(memory_id)}.",
        step=NextStep("Find its id", "search_memory", "memoria search --include-history"),
    )


def _repeats_wording(entry: AuditEntry, wordings: Iterable[SourcedVersion]) -> bool:
    """Return whether a wording tells what an entry of the log tells."""
    return entry.action in _ACTIONS_THAT_WORD and any(
        abs(wording.version.ingested_at - entry.at) <= _SAME_MOMENT_MS for wording in wordings
    )


def _moment(event: SourcedVersion | Evidence | AuditEntry) -> tuple[int, int]:
    """Return the time when an event was stored, and a rank among events of one moment."""
    match event:
        case SourcedVersion(version=version):
            return version.ingested_at, version.version
        case Evidence(noted_at=at):
            return at, 1 << 30
        case AuditEntry(at=at):
            return at, 1 << 31


def _orient_edge(edge: Edge, other: EdgeEnd) -> IncidentEdge:
    outward = edge.dst.id == other.id and edge.dst.kind == other.kind
    return IncidentEdge(edge=edge, outward=outward, other=other)


def _describe_nodes(
    tx: Transaction, nodes: Iterable[Node], visible: Filters
) -> dict[Node, EdgeEnd]:
    """Map nodes to their descriptions, which are empty for what may not be in an answer."""
    ids: dict[str, list[str]] = {"memory": [], "turn": [], "entity": []}
    told = dict.fromkeys(nodes, ("", ""))
    for node in told:
        ids[node.kind].append(node.id)
    for memory in mark_conditions(tx, tx.waiting.list_by_id(ids["memory"])):
        detail = memory.condition or memory.validity.value
        told[Node("memory", memory.id)] = memory.content, detail
    turns = tx.conversations.list_turns_by_id(ids["turn"])
    conditions = conditions_of_turns(tx, turns) if turns else {}
    for turn in turns:
        if conditions[turn.n] is None:
            told[Node("turn", turn.id)] = full_text(turn), turn.speaker or turn.role.value
    entities = tx.graph.list_entities(ids["entity"], visible) if ids["entity"] else []
    for entity in entities:
        kind = None if entity.kind == "other" else entity.kind
        detail = ", ".join(filter(None, (entity.distinct, kind)))
        told[Node("entity", entity.id)] = entity.name, detail
    return {
        node: EdgeEnd(kind=node.kind, id=node.id, text=_first_words(text), detail=detail)
        for node, (text, detail) in told.items()
    }


def _first_words(text: str) -> str:
    """Return a text's beginning, on one line."""
    line = " ".join(text[: 4 * FIRST_CHARS].split())
    whole = len(line) <= FIRST_CHARS and len(text) <= 4 * FIRST_CHARS
    return line if whole else f"{line[:FIRST_CHARS].rstrip()}…"


_MOST_LINKS = 12
_NAMING = (EdgeType.ABOUT, EdgeType.MENTIONS, EdgeType.ROLE)
_OUTWARD: dict[EdgeType, LinkRelation] = {
    EdgeType.VERSION_NEXT: "superseded by",
    EdgeType.DERIVED_FROM: "derived from",
}
_INWARD: dict[EdgeType, LinkRelation] = {
    EdgeType.VERSION_NEXT: "supersedes",
    EdgeType.DERIVED_FROM: "source of",
}


def add_links(tx: Transaction, memory: Memory, visible: Filters) -> Memory:
    """Add to a memory the names in its content, and its links.

    Args:
        tx: where to look.
        memory: the memory.
        visible: filters that the other ends of links must pass.
    """
    edges = list_incident_edges(tx, Node("memory", memory.id), visible)
    names = (one.other.text for one in edges if one.edge.type in _NAMING and one.other.text)
    links = list(_links_of(edges, memory))[:_MOST_LINKS]
    return memory.model_copy(
        update={"entities": tuple(dict.fromkeys(names)), "links": tuple(links)}
    )


def _links_of(edges: tuple[IncidentEdge, ...], memory: Memory) -> Iterator[MemoryLink]:
    contradicting = {other.id for other in memory.contradicts}
    seen: set[tuple[str, str]] = set()
    for incident in edges:
        other = incident.other
        relation = _relation_of(incident, is_disputed=other.id in contradicting)
        if other.kind == "entity" or relation is None or (relation, other.id) in seen:
            continue
        seen.add((relation, other.id))
        yield MemoryLink(relation=relation, kind=other.kind, id=other.id, text=other.text)


def _relation_of(incident: IncidentEdge, *, is_disputed: bool) -> LinkRelation | None:
    """Return the name of an edge from the memory's side; None for an edge that is no link."""
    kind = incident.edge.type
    if kind is EdgeType.TEMPORAL_NEXT:
        return None
    if kind is EdgeType.CONTRADICTS:
        return "contradicts" if is_disputed else None  # another wording than the present ones
    by_direction = _OUTWARD if incident.outward else _INWARD
    return by_direction.get(kind, "related")
