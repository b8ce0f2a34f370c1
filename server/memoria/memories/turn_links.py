"""Links of turns with the people and things they name, by rules and without a model.

They give raw talk its place in the graph until a model has read it, whose memories then take their
place. Only names that somebody says of their own are linked: an assistant's explanations name half
the world, and what a tool returns names files. Whoever begins a session, or is the first to answer,
is linked with that turn alone, for a link with all that somebody says would lead everywhere. Nor is
anybody linked who is only talked with: to call them by their name is not to speak of them.

The links have no weight: they are shown, and a search does not follow them (decision 106). Whoever
records a turn does not wait for them: they are made when it gets its vector, and in the transaction
that records it only where no vectors are made.
"""

from collections.abc import Collection, Mapping, Sequence

from memoria.bare.lazy_regex import lazy_regex
from memoria.language.names import lexicon as known
from memoria.language.names.mentions import find_names
from memoria.language.words.name import name_key
from memoria.model import Edge, EdgeType, Mention, Node, Role, StoredTurn
from memoria.store.rows.transaction import Transaction
from memoria.store.values import NewTurn

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
    """Link a turn with the people and things it names, in the transaction that writes it.

    Args:
        tx: the transaction.
        turn: as it was written.
    """
    if _is_own_talk(turn):
        _link_names(tx, turn, _find_mentions(turn.content))


def find_turn_names(turns: Sequence[StoredTurn]) -> dict[int, list[Mention]]:
    """Find the names to link turns with, by the turn's number; only reads their words."""
    found = {turn.n: _find_mentions(turn.content) for turn in turns if _is_own_talk(turn)}
    opening = {turn.n for turn in turns if _is_opening(turn)}
    return {n: mentions for n, mentions in found.items() if mentions or n in opening}


def link_recorded_turns(tx: Transaction, names: Mapping[int, Sequence[Mention]]) -> None:
    """Link turns that were recorded before with the people and things they name.

    A turn that a model has read since, that was edited away, or from which nothing may be concluded
    any more is left out.

    Args:
        tx: the transaction.
        names: as `find_turn_names` has found them.
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
    """Return whether a name is that of somebody who is present, whole or short: Mel for Melanie."""
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
