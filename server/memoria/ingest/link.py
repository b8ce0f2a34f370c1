"""Linking: a stored memory finds its place in the graph, in the transaction that stored it.

What a memory says (whom it speaks of, who does what) is read off its wording: by a model where one
has looked, else by rules, which is marked and counts for less. A model's reading replaces that of
the rules, and no rule replaces a model's. What surrounds a memory (its turns, the one before it,
what it replaces, what it is like) follows from what is stored and stays.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial

from memoria.graph.edges import birth_weight
from memoria.graph.mentions import named
from memoria.graph.namesakes import Told, told_apart
from memoria.graph.roles import told
from memoria.ingest.clean import Tally, clean_text
from memoria.model import Add, Edge, EdgeType, InferredBy, Memory, Mention, Modality, Node
from memoria.store.base import Transaction
from memoria.text.name import name_key

BY_RULES = 0.4
"""How sure the rules are of what they read; a model says for itself."""
_MOST = 8
_HAVE_NAMESAKES = ("person", "other")
_NOBODY = frozenset(
    """
    i me my we us you he him she her it they them this that
    我 我们 你 你们 您 他 她 它 他们 她们 它们
    """.split()
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a memory's wording says, as a model or the rules see it."""

    mentions: tuple[Mention, ...] = ()
    subject: str | None = None
    """Of whom or what it speaks; one of the mentions, or a name of its own."""
    negated: bool = False
    modality: Modality = "actual"
    event_at: int | None = None
    event_expression: str | None = None
    confidence: float = BY_RULES
    inferred_by: InferredBy = InferredBy.RULES


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What a memory belongs together with, by id: memories, unless it says turns."""

    turns: tuple[str, ...] = ()
    """Turns it rests on, beyond the one its wording was drawn from."""
    follows: str | None = None
    """The one before it, where that is not the last of the same session."""
    replaces: str | None = None
    """The one whose place it has taken."""
    contradicts: tuple[str, ...] = ()


def read_by_model(add: Add, event_at: int | None = None) -> Reading:
    """What a model read, as it proposed the memory."""
    return Reading(
        mentions=add.entities,
        subject=add.subject,
        negated=add.negated,
        modality=add.modality,
        event_at=event_at,
        event_expression=add.event_time,
        confidence=add.confidence,
        inferred_by=InferredBy.MODEL,
    )


def read_by_rules(content: str, time: str | None = None, event_at: int | None = None) -> Reading:
    """What the rules read in a wording.

    Args:
        content: the wording.
        time: the words in it that say when, where they were found.
        event_at: what these words mean, UTC epoch milliseconds.
    """
    sentence = told(content, time)
    parts = {name_key(one.name) for one in sentence.roles}
    others = (one.mention for one in named(content) if name_key(one.name) not in parts)
    agent = next((one.name for one in sentence.roles if one.role == "agent"), None)
    return Reading(
        mentions=(*sentence.roles, *others)[:_MOST],
        subject=agent,
        negated=sentence.negated,
        modality=sentence.modality,
        event_at=event_at,
        event_expression=sentence.time,
    )


def link(
    tx: Transaction,
    memory: Memory,
    reading: Reading | None = None,
    around: Surroundings | None = None,
    *,
    now: int,
) -> None:
    """Write a memory's node and edges.

    Args:
        tx: the transaction that stored it.
        memory: as it is stored.
        reading: what its wording says; without one, the rules read it.
        around: what it belongs together with.
        now: UTC epoch milliseconds.

    Raises:
        NotFoundError: a memory or turn named in `around` does not exist.
    """
    _place(tx, memory, around or Surroundings(), now)
    relink(tx, memory, reading or read_by_rules(memory.content), now=now)


def relink(tx: Transaction, memory: Memory, reading: Reading, *, now: int) -> bool:
    """Replace what was read off a memory's wording. What surrounds it stays.

    Returns:
        Whether it was replaced: where a model has looked, rules change nothing.
    """
    if reading.inferred_by is InferredBy.RULES and (
        tx.graph.read_by(memory.id) is InferredBy.MODEL
    ):
        return False
    tx.graph.unsay(memory.id)
    edge = partial(_edge, memory, now, reading.confidence, reading.inferred_by)
    entities: dict[str, Node] = {}
    subject_is = told_apart(reading.subject or "")
    for mention in _clean(reading.mentions):
        one, which = _meant(mention, subject_is)
        entity = tx.graph.name(memory.id, one, which)
        names = (mention.name, one.name, *one.aliases)
        entities.update(dict.fromkeys(map(name_key, names), entity))
        tx.graph.put([edge(EdgeType.MENTIONS, entity), *_role(edge, mention, entity, reading)])
    subject = _subject(tx, memory, reading, entities)
    if subject is not None:
        tx.graph.put([edge(EdgeType.ABOUT, subject)])
    return True


def connect(
    tx: Transaction, memory: Memory, kind: EdgeType, other_id: str, confidence: float, *, now: int
) -> None:
    """Link two memories as a model proposed it.

    Raises:
        NotFoundError: there is no such other memory.
    """
    tx.graph.put([_edge(memory, now, confidence, InferredBy.MODEL, kind, Node("memory", other_id))])


def liken(tx: Transaction, memory: Memory, others: Mapping[str, float], *, now: int) -> None:
    """Link a memory with its neighbours by meaning.

    Args:
        tx: the transaction.
        memory: as it is stored.
        others: ids of memories, with their cosine: that is how strongly, and how surely.
        now: UTC epoch milliseconds.

    Raises:
        NotFoundError: there is no such other memory.
    """
    for other, cosine in others.items():
        share = min(1.0, cosine)
        like = _edge(
            memory, now, share, InferredBy.RULES, EdgeType.SIMILAR_TO, Node("memory", other)
        )
        tx.graph.put([like.model_copy(update={"weight": share})])


def _place(tx: Transaction, memory: Memory, around: Surroundings, now: int) -> None:
    """Edges that follow from what is stored."""
    own = Node("memory", memory.id)
    edge = partial(_edge, memory, now, 1.0, InferredBy.RULES)
    turn_id = memory.current.provenance.turn_id
    for turn in dict.fromkeys(filter(None, (turn_id, *around.turns))):
        tx.graph.put([edge(EdgeType.DERIVED_FROM, Node("turn", turn))])
    before = around.follows or tx.graph.predecessor(memory.id)
    if before is not None:
        tx.graph.put([edge(EdgeType.TEMPORAL_NEXT, own, src=Node("memory", before))])
    if around.replaces is not None:
        tx.graph.put([edge(EdgeType.VERSION_NEXT, own, src=Node("memory", around.replaces))])
    for other in around.contradicts:
        tx.graph.put([edge(EdgeType.CONTRADICTS, Node("memory", other))])


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
    """An edge of a memory, weighed by who said it, how surely and how long ago."""
    version = memory.current
    return Edge(
        src=src or Node("memory", memory.id),
        type=kind,
        dst=dst,
        weight=birth_weight(confidence, version.provenance.trust, now - version.valid_from),
        confidence=confidence,
        inferred_by=inferred_by,
        turn_id=None if kind is EdgeType.DERIVED_FROM else version.provenance.turn_id,
        made_at=now,
    )


def _role(
    edge: Callable[[EdgeType, Node], Edge], mention: Mention, entity: Node, reading: Reading
) -> Iterable[Edge]:
    if mention.role is None:
        return
    plain = edge(EdgeType.MENTIONS, entity)
    expression = reading.event_expression
    yield Edge(
        **{
            **dict(plain),
            "type": EdgeType.ROLE,
            "role": mention.role,
            "negated": reading.negated,
            "modality": reading.modality,
            "event_at": reading.event_at,
            "event_expression": None if expression is None else clean_text(expression, Tally()),
        }
    )


def _subject(
    tx: Transaction, memory: Memory, reading: Reading, entities: Mapping[str, Node]
) -> Node | None:
    """The entity a memory is about: one it mentions, else one of the subject's own name."""
    if reading.subject is None:
        return None
    told = told_apart(reading.subject)
    known = entities.get(name_key(reading.subject)) or entities.get(name_key(told.name))
    if known is not None:
        return known
    for mention in _clean([Mention(name=told.name)]):
        return tx.graph.name(memory.id, mention, _which(told))
    return None


def _meant(mention: Mention, subject: Told) -> tuple[Mention, str | None]:
    """A mention by its plain name, and which of its namesakes it is: a person alone has any."""
    told = told_apart(mention.name)
    if mention.kind not in _HAVE_NAMESAKES:
        return mention, None
    if told.which is None and name_key(told.name) == name_key(subject.name):
        return mention, _which(subject)
    return mention.model_copy(update={"name": told.name}), _which(told)


def _which(told: Told) -> str | None:
    """What tells somebody from their namesakes, unless it must not be stored."""
    return told.which if told.which is not None and _is_name(told.which) else None


def _clean(mentions: Iterable[Mention]) -> Iterable[Mention]:
    """Mentions of somebody or something, without what must not be stored."""
    for mention in mentions:
        names = [name for name in (mention.name, *mention.aliases) if _is_name(name)]
        if names:
            yield mention.model_copy(update={"name": names[0], "aliases": tuple(names[1:])})


def _is_name(name: str) -> bool:
    """Whether it names anything; a secret or a pronoun does not."""
    return clean_text(name, Tally()) == name and name_key(name) not in _NOBODY
