"""Selection: memories and turns that are named by their ids, or by what is known of them.

Everything that is given must hold. A session, a speaker, a time or a project selects the turns that
were said there: these are named, and whatever was concluded from them is meant with them. A topic,
a search or a type selects memories; the turns that name the topic, or that a search found, are
their sources and no more.
"""

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Self, TypeVar

from memoria.errors import InvalidInputError, NextStep, NotFoundError, shorten
from memoria.language.reading.statement import canonical_form
from memoria.language.words.analyser import name_key, query_terms
from memoria.language.words.document import full_text
from memoria.model import Memory, StoredTurn, as_instant, now_millis
from memoria.model.forgetting import ForgetSelection, HiddenRecord
from memoria.model.metadata import list_texts, parse_metadata
from memoria.store.not_found import not_found
from memoria.store.rows.transaction import Transaction
from memoria.store.values import DocumentKind, ErasureFilter, Filters

_PAGE = 500
_Key = TypeVar("_Key", int, str)


@dataclass(frozen=True, slots=True)
class ErasureRequest:
    """A selection, with the search results and filters of the caller."""

    selection: ForgetSelection
    found: tuple[str, ...] = ()
    """Ids of the records that a search for its query has found."""
    seen: Filters | None = None
    """Filters of what the caller sees; nothing else is selected. None for everything."""

    @classmethod
    def for_ids(cls, ids: Iterable[str], *, include_source: bool = False) -> Self:
        """Return a request for records by their ids."""
        return cls(ForgetSelection(ids=tuple(ids), include_source=include_source))


@dataclass(slots=True)
class NamedRecords:
    """Records that a request names, and records that it wants to be kept."""

    memories: list[Memory] = field(default_factory=list)
    turns: list[StoredTurn] = field(default_factory=list)
    """Turns that are named themselves, together with the conclusions from them."""
    sources: list[StoredTurn] = field(default_factory=list)
    """Turns that speak of the topic among other things."""
    forgotten_before: list[str] = field(default_factory=list)
    hidden: list[HiddenRecord] = field(default_factory=list)
    """Forgotten records that can still be put back."""
    kept_memories: list[Memory] = field(default_factory=list)
    kept_turns: list[StoredTurn] = field(default_factory=list)


def find_named(tx: Transaction, request: ErasureRequest) -> NamedRecords:
    """Find the records that a request names.

    Raises:
        NotFoundError: an id is unknown.
        InvalidInputError: an id is both named and to be kept.
    """
    selection, named = request.selection, NamedRecords()
    both = {*selection.ids} & {*selection.keep}
    if both:
        raise InvalidInputError(f"keep: {min(both)} is to be forgotten as well. Leave out either.")
    for record_id in dict.fromkeys(selection.ids):
        memory, turn = tx.memories.get(record_id), tx.conversations.turn(record_id)
        if memory is None and turn is None:
            _add_forgotten(tx, record_id, named)
            named.sources += _list_left(tx, record_id) if selection.include_source else []
        else:
            _add_record(tx, record_id, named.memories, named.turns)
    for record_id in dict.fromkeys(selection.keep):
        _add_record(tx, record_id, named.kept_memories, named.kept_turns)
    if selection.narrowing:
        _add_selected(tx, request, named)
    return named


def _add_record(
    tx: Transaction, record_id: str, memories: list[Memory], turns: list[StoredTurn]
) -> None:
    memory, turn = tx.memories.get(record_id), tx.conversations.turn(record_id)
    if memory is not None:
        memories.append(memory)
    elif turn is not None:
        turns.append(turn)
    else:
        raise not_found(tx, "memory", record_id)


def _add_forgotten(tx: Transaction, record_id: str, named: NamedRecords) -> None:
    if tx.tombstones.get(record_id) is None:
        raise _unknown(tx, record_id)
    named.forgotten_before.append(record_id)
    hiding = tx.tombstones.find_hiding(record_id, now_millis())
    named.hidden += [] if hiding is None else [hiding]


def _list_left(tx: Transaction, record_id: str) -> list[StoredTurn]:
    """List the suppressed turns that were left on record when a record was forgotten."""
    stones = {one.tombstone.subject: one.tombstone.at for one in tx.tombstones.all()}
    at = stones[record_id]
    turns = (tx.conversations.turn(subject) for subject, one in stones.items() if one == at)
    return [turn for turn in turns if turn is not None and turn.suppressed]


def _unknown(tx: Transaction, record_id: str) -> NotFoundError:
    """Return the error for an id that is no memory's or turn's, and may be a session's."""
    name = shorten(record_id)
    option = f"`memoria forget --session-id {shlex.quote(record_id)}`"
    if tx.conversations.session_size(record_id):
        told = f"{name} is a session, and no memory or turn."
        return NotFoundError(
            f"{told} session_id forgets what was said in it.",
            for_person=f"{told} Forget what was said in it: {option}.",
        )
    unknown = f"There is no memory or turn {name}."
    return NotFoundError(
        unknown,
        step=NextStep(
            "Find its id",
            "search_memory or search_conversation_traces, or name a session with session_id",
            "memoria search, or memoria traces",
        ),
        for_person=f"{unknown} {_name_way(name, option)}" if name == record_id else None,
    )


def _name_way(name: str, option: str) -> str:
    """Return the advice to forget by topic or by session; no session's id has a space."""
    session = f"If it is a session: {option}."
    if not set(name.lower()) - {*"0123456789abcdef-…"}:
        return session
    topic = f"All that is about it: `memoria forget --topic {shlex.quote(name)}`."
    return topic if " " in name else f"{topic} {session}"


def _add_selected(tx: Transaction, request: ErasureRequest, named: NamedRecords) -> None:
    """Add the records that match every criterion of a request."""
    selection = request.selection
    wanted = ErasureFilter(
        types=selection.types,
        session_id=selection.session_id or None,
        speaker=selection.speaker or None,
        since=as_instant("since", selection.since, tx.zone),
        until=as_instant("until", selection.until, tx.zone),
        workspace=selection.workspace or None,
        seen=request.seen,
    )
    memory_ids = tx.erasures.list_memories(wanted)
    turn_ns = [] if selection.types else tx.erasures.list_turns(wanted)
    if selection.query:
        found = {*request.found}
        memory_ids = [one for one in memory_ids if one in found]
        turn_ns = [n for n, turn in _read_turns(tx, turn_ns) if turn.id in found]
    if selection.topic:
        about = _find_about(tx, selection.topic)
        memory_ids = [one for one in memory_ids if one in about]
        naming = {*_list_naming(tx, "turn", selection.topic)}
        naming |= _find_in_metadata(tx.erasures.list_turn_metadata(), selection.topic)
        turn_ns = [n for n in turn_ns if n in naming]
    named.memories += filter(None, map(tx.memories.get, memory_ids))
    turns = named.sources if selection.query or selection.topic else named.turns
    turns += (turn for _, turn in _read_turns(tx, turn_ns))


def _find_about(tx: Transaction, topic: str) -> set[str]:
    """Return the ids of the memories that name a topic or are about its entity."""
    numbers = _list_naming(tx, "memory", topic)
    naming = {memory.id for memory in tx.memories.by_version_numbers(numbers).values()}
    naming |= _find_in_metadata(tx.erasures.list_memory_metadata(), topic)
    return naming | {*tx.erasures.list_about(topic, name_key(topic))}


def _find_in_metadata(stored: Iterable[tuple[_Key, str]], topic: str) -> set[_Key]:
    """Return the keys of what has the topic in a text of its metadata, word for word."""
    phrase = f" {canonical_form(topic)} "
    read = ((key, list_texts(parse_metadata(metadata))) for key, metadata in stored)
    return {key for key, texts in read if any(phrase in f" {canonical_form(t)} " for t in texts)}


def _list_naming(tx: Transaction, kind: DocumentKind, topic: str) -> list[int]:
    """List the numbers of the documents in which the topic stands, word for word."""
    phrase = f" {canonical_form(topic)} "
    numbers = tx.documents.list_containing(kind, query_terms(topic))
    if kind == "turn":
        texts: Iterable[tuple[int, str]] = (
            (n, full_text(turn)) for n, turn in _read_turns(tx, numbers)
        )
    else:
        memories = tx.memories.by_version_numbers(numbers)
        texts = ((v.n, v.content) for memory in memories.values() for v in memory.versions)
    return [n for n, text in texts if phrase in f" {canonical_form(text)} "]


def _read_turns(tx: Transaction, ns: Sequence[int]) -> list[tuple[int, StoredTurn]]:
    """Read turns by their numbers, in pages."""
    pages = (ns[first : first + _PAGE] for first in range(0, len(ns), _PAGE))
    return [item for page in pages for item in tx.conversations.turns(page).items()]
