"""Interpretation: the people and things of a wording, as a model, an agent or rules read it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from memoria.language.names.keys import USER, subject_key
from memoria.language.names.mentions import find_names
from memoria.language.names.roles import parse_sentence
from memoria.language.pattern import LazyPattern
from memoria.language.words.name import name_key
from memoria.memories.values import Interpretation, NewWording
from memoria.model import Add, EdgeType, InferredBy, Memory, Mention, Node
from memoria.store.rows.transaction import Transaction
from memoria.store.values import Filters

_MOST_MENTIONS = 8
_EVERYTHING = Filters(everywhere=True, include_history=True, include_processed=True)


def interpretation_by_model(add: Add, event_at: int | None = None) -> Interpretation:
    """Return a model's understanding of the memory it proposed."""
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


_OF_THEIR_PEOPLE = LazyPattern(
    r"""(?xi)^[^"“:：]{1,40}(?:\ssays:\s*"(?=my\s)|说：“(?=我的?[爸妈父母爷奶哥姐弟妹叔姑舅姨丈妻儿女老]))"""
)
"""Beginning of a report such as "Bob says: my mother …", which is no mention of Bob."""


def interpretation_by_rules(
    content: str, time: str | None = None, event_at: int | None = None
) -> Interpretation:
    """Interpret a wording by the rules.

    Args:
        content: the wording.
        time: the words in it that say when, if any were found.
        event_at: what these words mean, UTC epoch milliseconds.
    """
    content = _OF_THEIR_PEOPLE.regex.sub("", content)
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

    Args:
        tx: the transaction in which the memory is revised.
        memory: as it is before.
        content: the new wording.
        time: the words in it that say when, if any were found.
        event_at: what these words mean, UTC epoch milliseconds.
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
    """Interpret a new wording of a memory with links by a model; None without such links.

    Args:
        tx: the transaction in which the memory is revised.
        memory: as it is before.
        wording: the new wording.
    """
    if tx.graph.links_inferred_by(memory.id) is not InferredBy.MODEL:
        return None
    read = interpretation_of_update(tx, memory, wording.content, None, None)
    if wording.subject is not None:
        return replace(read, subject=wording.subject)
    return read if may_speak_of(read.subject, wording.content) else replace(read, subject=None)


def may_speak_of(subject: str | None, content: str) -> bool:
    """Return whether a wording may be of a subject: it is the user, none, or named there."""
    key = None if subject is None else subject_key(subject)
    return key is None or key.startswith(USER) or key in content.casefold()


def interpretation_by_agent(
    content: str, mentions: Sequence[Mention], subject: str | None, confidence: float
) -> Interpretation:
    """Interpret a statement by its author's details; the rules find what these leave out.

    Args:
        content: the statement.
        mentions: whom and what it names.
        subject: of whom or what it speaks, where that was said.
        confidence: how sure the statement is.
    """
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
