"""Entities: people and things that turns name, and their names joined or parted."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice

from memoria.bare.lazy_regex import lazy_regex
from memoria.errors import InvalidInputError
from memoria.language.names import lexicon as known
from memoria.language.names.keys import USER
from memoria.language.names.mentions import find_names
from memoria.language.words.analyser import name_key
from memoria.model import (
    Edge,
    EdgeType,
    Entity,
    Memory,
    Mention,
    Node,
    Role,
    StoredTurn,
    Trust,
    Validity,
)
from memoria.model.provenance import EXTRACTION_CHANNEL, Channel, EntityKin
from memoria.store.rows.transaction import Transaction
from memoria.store.values import Filters, NewTurn

JOINED = "join entity"
PARTED = "part entity"
_PROPOSED = "propose to join entity"
_MOST_PAIRS = 1000
"""Most pairs of one name that are looked at for what may be proposed."""
_PAIRS_AT_ONCE = 20
_MOST_KIN = 20
"""Most namesakes of an entity that are proposed."""
_BY_MODEL = Channel(name=EXTRACTION_CHANNEL, trust=Trust.REPORTED)
Pair = tuple[Entity, Entity]


def join_entities(tx: Transaction, pair: Pair, channel: Channel, now: int) -> None:
    """Join the first of two entities to the second, and log that.

    Raises:
        InvalidInputError: they are one already.
    """
    one, into = pair
    if _whole(one) == _whole(into):
        raise InvalidInputError(f"{one.name} and {into.name} are one already.")
    tx.graph.merge_entities(one.id, into.id)
    _log(tx, JOINED, pair, channel, now)


def part_entities(tx: Transaction, pair: Pair, channel: Channel, now: int) -> None:
    """Separate two entities, and log the parting, so that no model joins the two again."""
    one, other = pair
    if _whole(one) == _whole(other):
        member = one if one.canonical_id is not None else other
        tx.graph.split_entity(member.id)
    _log(tx, PARTED, pair, channel, now)


def join_as_read(tx: Transaction, memory: Memory, mention: Mention, entity: Node, now: int) -> None:
    """Join an entity with the entities known by the other names that a model gives it.

    A memory that waits for the user's word joins nobody.
    """
    seen = Filters(workspace=memory.workspace)
    own = tx.graph.get_entity(entity.id, seen)
    if own is None or memory.validity is not Validity.ACTIVE or USER in _keys(own):
        return
    for other in tx.graph.find_entities(mention.names, seen):
        if _may_be_one(own, other) and not _has_entry(tx, PARTED, (own, other)):
            join_entities(tx, (other, own), _BY_MODEL, now)


def _may_be_one(one: Entity, other: Entity) -> bool:
    """Return whether two namesakes may be the same: of one kind, told apart by no word."""
    is_one_kind = one.kind == other.kind or "other" in (one.kind, other.kind)
    is_told_apart = one.distinct is not None or other.distinct is not None
    return is_one_kind and not is_told_apart and _whole(one) != _whole(other)


def list_proposals(tx: Transaction, visible: Filters, limit: int) -> list[Pair]:
    """List pairs of visible entities that may be the same, as they share a name."""
    return list(islice(_iterate_proposals(tx, visible), limit))


def find_kin(tx: Transaction, entity: Entity, visible: Filters) -> EntityKin:
    """Find the visible entities that an entity was joined with, and those it may be one with."""
    ids = tx.graph.list_joined(_whole(entity))
    joined = tx.graph.list_entities([one for one in ids if one != entity.id], visible)
    namesakes = tx.graph.find_entities((entity.name, *entity.aliases), visible)
    proposed = (
        other
        for other in namesakes
        if _may_be_one(entity, other) and not _has_entry(tx, PARTED, (entity, other))
    )
    return EntityKin(joined=tuple(joined), proposed=tuple(islice(proposed, _MOST_KIN)))


def list_new_proposals(tx: Transaction, visible: Filters, limit: int) -> list[Pair]:
    """List the proposals that no nightly run has reported."""
    new = (pair for pair in _iterate_proposals(tx, visible) if not _has_entry(tx, _PROPOSED, pair))
    return list(islice(new, limit))


def note_proposal(tx: Transaction, pair: Pair, channel: Channel, now: int) -> None:
    """Note that a nightly run has reported two entities that may be the same."""
    _log(tx, _PROPOSED, pair, channel, now)


def _iterate_proposals(tx: Transaction, visible: Filters) -> Iterator[Pair]:
    pairs = tx.graph.list_same_named(_MOST_PAIRS)
    for first in range(0, len(pairs), _PAIRS_AT_ONCE):
        part = pairs[first : first + _PAIRS_AT_ONCE]
        ids = sorted({entity_id for pair in part for entity_id in pair})
        known = {one.id: one for one in tx.graph.list_entities(ids, visible)}
        for pair in part:
            one, other = (known.get(entity_id) for entity_id in pair)
            if (
                one is not None
                and other is not None
                and _keys(one) & _keys(other)
                and not _has_entry(tx, PARTED, (one, other))
            ):
                yield one, other


def _keys(entity: Entity) -> frozenset[str]:
    return frozenset(map(name_key, (entity.name, *entity.aliases)))


def _whole(entity: Entity) -> str:
    return entity.canonical_id or entity.id


def _has_entry(tx: Transaction, action: str, pair: Pair) -> bool:
    """Return whether the log has an action on a pair, whichever was named first."""
    return any(
        entry.action == action and entry.detail == against.id
        for entity, against in (pair, pair[::-1])
        for entry in tx.audit.list_entries(entity.id)
    )


def _log(tx: Transaction, action: str, pair: Pair, channel: Channel, now: int) -> None:
    one, other = pair
    tx.audit.add(
        at=now,
        channel=channel.name,
        client=channel.client,
        caller=channel.caller,
        action=action,
        subject=one.id,
        detail=other.id,
    )


_MOST_READ_CHARS = 2_000
"""Characters of a turn that are read: what people say of their own is shorter, and pasted text is
not."""
_FIRST_TURNS = 2
_LONGEST_NAME = 100
"""Most characters of a name; a client may give a speaker of any length."""
_CONFIDENCE = 0.4
"""Confidence in a name in talk, no more than the rules' own for a name without a sign."""
_SURE = 0.4
_CODE = lazy_regex(
    r"(?m)```|\w\(|[;{}]\s*$|^[^\S\n]*+(?:def|class|import|from|const|let|return)\b|=>|</|=="
)
"""Signs of code, or of a list, where a capital letter alone is no sign of a name."""
_NO_NAMES = ("/", "@", "\\", "_", "=", "<")
"""Characters of addresses, paths, handles and code."""


def link_turn_names(tx: Transaction, turn: NewTurn) -> None:
    """Link a turn with the people and things it names, in the transaction that writes it."""
    if _is_own_talk(turn):
        _link_names(tx, turn, _find_mentions(turn.content))


def find_turn_names(turns: Sequence[StoredTurn]) -> dict[int, list[Mention]]:
    """Find the names in turns, by the number of the turn."""
    found = {turn.n: _find_mentions(turn.content) for turn in turns if _is_own_talk(turn)}
    opening = {turn.n for turn in turns if _is_opening(turn)}
    return {n: mentions for n, mentions in found.items() if mentions or n in opening}


def link_recorded_turns(tx: Transaction, names: Mapping[int, Sequence[Mention]]) -> None:
    """Link recorded turns with the people and things they name.

    Turns that were processed, edited or suppressed meanwhile are left out.
    """
    for n, turn in (tx.conversations.turns(list(names)) if names else {}).items():
        if turn.current and not (turn.suppressed or turn.processed):
            _link_names(tx, turn, names[n])


def _link_names(tx: Transaction, turn: NewTurn | StoredTurn, found: Sequence[Mention]) -> None:
    mentions = {name_key(one.name): one for one in found}
    speaker = turn.speaker
    if mentions and speaker is not None:
        before = tx.conversations.speaker_at(turn.session_n, turn.turn_index - 1)
        present = [name_key(one) for one in (speaker, before) if one]
        mentions = {key: one for key, one in mentions.items() if not _is_address(key, present)}
    if speaker is not None and _is_opening(turn):
        mentions[name_key(speaker)] = Mention(name=speaker, kind="person")
    for mention in mentions.values():
        _link_turn(tx, turn.id, mention, turn.at)


def _link_turn(tx: Transaction, turn_id: str, mention: Mention, at: int) -> None:
    entity = tx.graph.upsert_turn_entity(turn_id, mention)
    if entity is not None:
        edge = Edge(
            src=Node("turn", turn_id),
            type=EdgeType.MENTIONS,
            dst=entity,
            weight=0.0,
            confidence=_CONFIDENCE,
            made_at=at,
        )
        tx.graph.upsert_edges([edge])


def _find_mentions(text: str) -> list[Mention]:
    """List the names in a text, without addresses, paths, handles and code."""
    text = text[:_MOST_READ_CHARS]
    found = [one for one in find_names(text) if not any(sign in one.name for sign in _NO_NAMES)]
    least = _SURE if found and _CODE.search(text) else 0.0
    return [one.mention for one in found if one.confidence >= least]


def _is_address(key: str, present: Collection[str]) -> bool:
    """Return whether a name is a present speaker's, in full or short: Mel for Melanie."""
    return any(name.startswith(key) for name in present)


def is_tool_call(turn: NewTurn | StoredTurn) -> bool:
    """Return whether a turn carries a tool's call or result."""
    return turn.tool_args is not None or turn.tool_result is not None


def _is_own_talk(turn: NewTurn | StoredTurn) -> bool:
    """Return whether a turn is a person's talk: the user's, or that of a named person."""
    if is_tool_call(turn):
        return False
    return turn.role is Role.USER or (turn.role is Role.ASSISTANT and turn.speaker is not None)


def _is_opening(turn: NewTurn | StoredTurn) -> bool:
    """Return whether a named person begins a session with a turn, or is the first to answer."""
    speaker = turn.speaker
    return speaker is not None and turn.turn_index < _FIRST_TURNS and _is_name(speaker)


def _is_name(speaker: str) -> bool:
    """Return whether a speaker is somebody, and not only the user or the assistant."""
    is_short = bool(speaker.strip()) and len(speaker) <= _LONGEST_NAME
    return is_short and speaker.isprintable() and speaker.title() not in known.english("nameless")
