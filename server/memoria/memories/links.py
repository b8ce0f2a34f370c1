"""Links: the place of a memory in the graph, by its wording, its sources and its meaning."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial

from memoria.bare.lazy_regex import lazy_regex
from memoria.graph.edges import initial_weight
from memoria.language.names.keys import QualifiedName, split_qualifier
from memoria.language.reading.clean import Tally, clean_name, clean_text
from memoria.language.words.analyser import name_key
from memoria.memories.entities import join_as_read
from memoria.memories.wordings import Interpretation, StructuralLinks, interpretation_by_rules
from memoria.model import (
    Edge,
    EdgeType,
    InferredBy,
    Memory,
    MemoryType,
    Mention,
    Node,
    Validity,
    Vector,
)
from memoria.store.rows.transaction import Transaction
from memoria.store.values import Filters

HOLD_BOTH = "hold both"
"""Action of the log by which the user says that two memories hold beside each other."""
CONTRADICT = "contradict"
"""Action of the log that takes that back."""
_KINDS_WITH_NAMESAKES = ("person", "other")
_CONCEPT_NAME = lazy_regex(r"(.{1,80}?)(?:：|: )")
"""Matches what a concept is called, which its wording has before the first colon."""
_NOBODY = frozenset(
    """
    i me my we us you he him she her it they them this that
    我 我们 你 你们 您 他 她 它 他们 她们 它们
    """.split()
)


def link_memory(
    tx: Transaction,
    memory: Memory,
    interpretation: Interpretation | None = None,
    structural: StructuralLinks | None = None,
    *,
    now: int,
) -> None:
    """Write a memory's structural and extracted links.

    Raises:
        NotFoundError: a memory or turn named in `structural` does not exist.
    """
    link_structure(tx, memory, structural or StructuralLinks(), now=now)
    replace_interpretation(tx, memory, interpretation, now=now)


def replace_interpretation(
    tx: Transaction, memory: Memory, interpretation: Interpretation | None, *, now: int
) -> bool:
    """Replace the links that were extracted from a memory's wording. Structural ones stay.

    Returns:
        False where the links are a model's and the interpretation is the rules': nothing changed.
    """
    interpretation = interpretation or interpretation_by_rules(memory.content)
    if memory.type is MemoryType.CONCEPT:
        interpretation = _add_own_name(interpretation, memory.content)
    if interpretation.inferred_by is InferredBy.RULES and (
        tx.graph.links_inferred_by(memory.id) is InferredBy.MODEL
    ):
        return False
    tx.graph.remove_extracted(memory.id)
    edge = partial(_edge, memory, now, interpretation.confidence, interpretation.inferred_by)
    entities: dict[str, Node] = {}
    subject_name = split_qualifier(interpretation.subject or "")
    for mention in _clean_mentions(interpretation.mentions):
        one, which = _resolve_mention(mention, subject_name)
        entity = tx.graph.upsert_entity(memory.id, one, which)
        names = (mention.name, one.name, *one.aliases)
        entities.update(dict.fromkeys(map(name_key, names), entity))
        if one.aliases and interpretation.inferred_by is InferredBy.MODEL:
            join_as_read(tx, memory, one, entity, now)
        tx.graph.upsert_edges(
            [edge(EdgeType.MENTIONS, entity), *_role_edges(edge, mention, entity, interpretation)]
        )
    subject = _subject_node(tx, memory, interpretation, entities)
    if subject is not None:
        tx.graph.upsert_edges([edge(EdgeType.ABOUT, subject)])
    return True


def _add_own_name(interpretation: Interpretation, content: str) -> Interpretation:
    """Add the name that a concept's wording begins with, so that the graph knows the concept."""
    name = _CONCEPT_NAME.match(content)
    if name is None:
        return interpretation
    return replace(interpretation, mentions=(Mention(name=name[1]), *interpretation.mentions))


def link_memories(
    tx: Transaction, memory: Memory, kind: EdgeType, other_id: str, confidence: float, *, now: int
) -> None:
    """Link two memories as a model proposed it.

    Raises:
        NotFoundError: there is no such other memory.
    """
    tx.graph.upsert_edges(
        [_edge(memory, now, confidence, InferredBy.MODEL, kind, Node("memory", other_id))]
    )


def link_similar(tx: Transaction, memory: Memory, others: Mapping[str, float], *, now: int) -> None:
    """Link a memory with memories of a similar meaning.

    The cosines in `others`, by id, become weight and confidence of the links.

    Raises:
        NotFoundError: there is no such other memory.
    """
    for other, cosine in others.items():
        share = min(1.0, cosine)
        similar_edge = _edge(
            memory, now, share, InferredBy.RULES, EdgeType.SIMILAR_TO, Node("memory", other)
        )
        tx.graph.upsert_edges([similar_edge.model_copy(update={"weight": share})])


def link_structure(
    tx: Transaction, memory: Memory, structural: StructuralLinks, *, now: int
) -> None:
    """Write the edges that do not depend on the wording: to turns and to other memories.

    Raises:
        NotFoundError: a memory or turn named in `structural` does not exist.
    """
    own = Node("memory", memory.id)
    edge = partial(_edge, memory, now, 1.0, InferredBy.RULES)
    turn_id = memory.current.provenance.turn_id
    for turn in dict.fromkeys(filter(None, (turn_id, *structural.turns))):
        tx.graph.upsert_edges([edge(EdgeType.DERIVED_FROM, Node("turn", turn))])
    before = structural.follows or tx.graph.predecessor(memory.id)
    if before is not None:
        tx.graph.upsert_edges([edge(EdgeType.TEMPORAL_NEXT, own, src=Node("memory", before))])
    if structural.replaces is not None:
        tx.graph.upsert_edges(
            [edge(EdgeType.VERSION_NEXT, own, src=Node("memory", structural.replaces))]
        )
    link_contradictions(tx, memory, structural.contradicts, now=now)


def link_contradictions(
    tx: Transaction, memory: Memory, others: Iterable[str], *, now: int
) -> None:
    """Link a memory with the memories, by id, that contradict it.

    Where the user has said that both hold, no link is made.

    Raises:
        NotFoundError: there is no such other memory.
    """
    kind = EdgeType.CONTRADICTS
    tx.graph.upsert_edges(
        [
            _edge(memory, now, 1.0, InferredBy.RULES, kind, Node("memory", i))
            for i in others
            if not _hold_both(tx, memory, i)
        ]
    )


def _hold_both(tx: Transaction, memory: Memory, other_id: str) -> bool:
    """Return whether the user has said that two memories, as they are worded, both hold."""
    entries = [
        entry
        for entry in tx.audit.list_entries(memory.id)
        if entry.detail == other_id and entry.action in (HOLD_BOTH, CONTRADICT)
    ]
    if not entries or entries[-1].action == CONTRADICT:
        return False
    other = tx.memories.get(other_id)
    worded_at = [one.current.ingested_at for one in (memory, other) if one is not None]
    return entries[-1].at >= max(worded_at)


def link_turn(tx: Transaction, memory: Memory, *, now: int) -> None:
    """Link a memory with the turn that its present wording was drawn from, if there is one."""
    turn_id = memory.current.provenance.turn_id
    if turn_id is not None:
        edge = _edge(
            memory, now, 1.0, InferredBy.RULES, EdgeType.DERIVED_FROM, Node("turn", turn_id)
        )
        tx.graph.upsert_edges([edge])


def link_source(
    tx: Transaction,
    memory: Memory,
    source: Memory,
    confidence: float,
    *,
    now: int,
    kind: EdgeType = EdgeType.DERIVED_FROM,
) -> None:
    """Link a derived memory with a source, or with a memory that its model was shown."""
    version = memory.current
    age_ms = now - source.current.valid_from
    edge = Edge(
        src=Node("memory", memory.id),
        type=kind,
        dst=Node("memory", source.id),
        weight=initial_weight(confidence, version.provenance.trust, age_ms),
        confidence=confidence,
        inferred_by=version.inferred_by,
        made_at=now,
    )
    tx.graph.upsert_edges([edge])


def link_successor(
    tx: Transaction, successor: Memory, former: Memory, *, now: int, since: int | None = None
) -> None:
    """Link a memory with the memory that it replaces.

    `since` is when the successor began to hold; None where both say the same.
    """
    version = successor.current
    edge = Edge(
        src=Node("memory", former.id),
        type=EdgeType.VERSION_NEXT,
        dst=Node("memory", successor.id),
        weight=initial_weight(1.0, version.provenance.trust, now - version.valid_from),
        confidence=1.0,
        event_at=since,
        made_at=now,
    )
    tx.graph.upsert_edges([edge])


def _edge(
    memory: Memory,
    now: int,
    confidence: float,
    inferred_by: InferredBy,
    kind: EdgeType,
    dst: Node,
    *,
    src: Node | None = None,
) -> Edge:
    """Build an edge of a memory; its weight follows from confidence, trust and age."""
    version = memory.current
    return Edge(
        src=src or Node("memory", memory.id),
        type=kind,
        dst=dst,
        weight=initial_weight(confidence, version.provenance.trust, now - version.valid_from),
        confidence=confidence,
        inferred_by=inferred_by,
        turn_id=None if kind is EdgeType.DERIVED_FROM else version.provenance.turn_id,
        made_at=now,
    )


def _role_edges(
    edge: Callable[[EdgeType, Node], Edge],
    mention: Mention,
    entity: Node,
    interpretation: Interpretation,
) -> Iterable[Edge]:
    if mention.role is None:
        return
    plain = edge(EdgeType.MENTIONS, entity)
    expression = interpretation.event_expression
    yield Edge(
        **{
            **dict(plain),
            "type": EdgeType.ROLE,
            "role": mention.role,
            "negated": interpretation.negated,
            "modality": interpretation.modality,
            "event_at": interpretation.event_at,
            "event_expression": None if expression is None else clean_text(expression, Tally()),
        }
    )


def _subject_node(
    tx: Transaction, memory: Memory, interpretation: Interpretation, entities: Mapping[str, Node]
) -> Node | None:
    """Return the entity that a memory is about: one that it mentions, or a new one."""
    if interpretation.subject is None:
        return None
    name_parts = split_qualifier(interpretation.subject)
    known = entities.get(name_key(interpretation.subject)) or entities.get(
        name_key(name_parts.name)
    )
    if known is not None:
        return known
    for mention in _clean_mentions([Mention(name=name_parts.name)]):
        return tx.graph.upsert_entity(memory.id, mention, _distinguishing_word(name_parts))
    return None


def _resolve_mention(mention: Mention, subject: QualifiedName) -> tuple[Mention, str | None]:
    """Split a person's mention into the plain name and the word that tells namesakes apart."""
    name_parts = split_qualifier(mention.name)
    if mention.kind not in _KINDS_WITH_NAMESAKES:
        return mention, None
    if name_parts.qualifier is None and name_key(name_parts.name) == name_key(subject.name):
        return mention, _distinguishing_word(subject)
    return mention.model_copy(update={"name": name_parts.name}), _distinguishing_word(name_parts)


def _distinguishing_word(name_parts: QualifiedName) -> str | None:
    """Return the word that tells somebody from namesakes; None without one that may be kept."""
    return (
        name_parts.qualifier
        if name_parts.qualifier is not None and _is_name(name_parts.qualifier)
        else None
    )


def _clean_mentions(mentions: Iterable[Mention]) -> Iterable[Mention]:
    """Yield the mentions that name something, without names that must not be stored."""
    for mention in mentions:
        names = [name for name in mention.names if _is_name(name)]
        if names:
            yield mention.model_copy(update={"name": names[0], "aliases": tuple(names[1:])})


def _is_name(name: str) -> bool:
    """Return whether a text names something; a secret or a pronoun does not."""
    return clean_name(name, Tally()) == name and name_key(name) not in _NOBODY


_MOST_SIMILAR = 6
"""Most similar memories linked with one memory; a graph that links everything says nothing."""


def find_similar(
    tx: Transaction, model: str, vectors: Mapping[int, Vector], least: float
) -> dict[int, dict[str, float]]:
    """Find the memories that mean nearly the same as those with new vectors.

    Returns:
        By document, the ids of similar memories with their cosine.
    """
    found = tx.memories.by_version_numbers(list(vectors))
    current = {n: m for n, m in found.items() if n == m.current.n and m.validity is Validity.ACTIVE}
    near = {n: _most_similar(tx, model, vectors[n], memory, least) for n, memory in current.items()}
    return {n: others for n, others in near.items() if others}


def link_all_similar(tx: Transaction, near: Mapping[int, Mapping[str, float]], now: int) -> None:
    """Link similar memories, except any that was erased or revised after the search."""
    memories = tx.memories.by_version_numbers(list(near))
    for n, others in near.items():
        memory = memories.get(n)
        if memory is not None and memory.current.n == n:
            there = {i: cosine for i, cosine in others.items() if tx.memories.get(i) is not None}
            link_similar(tx, memory, there, now=now)


def _most_similar(
    tx: Transaction, model: str, vector: Vector, memory: Memory, least: float
) -> dict[str, float]:
    matches = tx.documents.nearest(
        "memory", model, vector, Filters(workspace=memory.workspace), _MOST_SIMILAR + 1
    )
    scores = {match.n: match.score for match in matches if match.score >= least}
    others = tx.memories.by_version_numbers(list(scores))
    return {other.id: scores[n] for n, other in others.items() if other.id != memory.id}
