"""Conditions under which turns were told (in confidence, not to be kept), and their effects."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from memoria.language.reading.quotes import borrows_words
from memoria.language.statements.confided import (
    StatedCondition,
    read_condition,
    read_condition_of_statement,
)
from memoria.language.words.analyser import query_terms
from memoria.model import Memory, MemoryType, Role, StoredTurn
from memoria.model.conclusions import UnreadLeft
from memoria.model.memory import Condition
from memoria.store.rows.transaction import Transaction

_ORDER = tuple(Condition)
_MANY_WORDS = 4


def condition_of_turn(tx: Transaction, turn: StoredTurn) -> Condition | None:
    """Return the condition of a turn, such as told in confidence; None if told openly."""
    return conditions_of_turns(tx, [turn])[turn.n]


def conditions_of_turns(
    tx: Transaction, turns: Sequence[StoredTurn]
) -> dict[int, Condition | None]:
    """Map the numbers of turns to the conditions under which they were told."""
    beside = tx.conversations.user_turns_beside([turn.n for turn in turns])
    return {turn.n: _read_with(turn, *beside[turn.n]) for turn in turns}


def _read_with(
    turn: StoredTurn, before: StoredTurn | None, after: StoredTurn | None
) -> Condition | None:
    own = _read(turn)
    answered = None if before is None or turn.role is Role.USER else _read(before)
    later = None if after is None else _read(after)
    is_meant = later is not None and later.of_before
    stated = [own, answered, later if is_meant else None]
    return _strictest(one.condition for one in stated if one is not None)


def condition_of_memory(tx: Transaction, memory: Memory) -> Condition | None:
    """Return the strictest condition (in confidence, not to be kept) of a memory, or None."""
    if memory.type is MemoryType.EPISODE:
        return conditions_of_episodes(tx, [memory])[memory.id]
    stated = read_condition_of_statement(memory.content)
    found = [stated] if stated else []
    ids = {version.provenance.turn_id for version in memory.versions}
    turns = filter(None, (tx.conversations.turn(one) for one in ids if one))
    found += filter(None, (condition_of_turn(tx, turn) for turn in turns))
    if memory.type.is_derived:
        found += _conditions_of_sources(tx, memory)
    return _strictest(found)


def conditions_of_episodes(
    tx: Transaction, episodes: Sequence[Memory]
) -> dict[str, Condition | None]:
    """Map the ids of episodes to their conditions: those of turns that an episode tells of."""
    if not episodes:
        return {}
    ns = tx.episodes.list_turns([one.id for one in episodes])
    turns = tx.conversations.turns(sorted({n for _, n in ns}))
    spans = {one.id: [turns[n] for episode, n in ns if episode == one.id] for one in episodes}
    stating = {one.id for one in episodes if any(map(_read, spans[one.id]))}
    asked = {turn.n: turn for one in stating for turn in spans[one]}
    conditions = conditions_of_turns(tx, list(asked.values())) if asked else {}
    return {
        one.id: _strictest(_conditions_in_span(one.content, spans[one.id], conditions))
        if one.id in stating
        else None
        for one in episodes
    }


def conditions_of_memories(
    tx: Transaction, memories: Sequence[Memory]
) -> dict[str, Condition | None]:
    """Map the ids of memories to their conditions, as `condition_of_memory` does for one."""
    plain = [
        one for one in memories if one.type is not MemoryType.EPISODE and not one.type.is_derived
    ]
    wanted = {
        id_ for one in plain for version in one.versions if (id_ := version.provenance.turn_id)
    }
    turns = tx.conversations.list_turns_by_id(sorted(wanted))
    of_turns = conditions_of_turns(tx, turns) if turns else {}
    told = {turn.id: of_turns[turn.n] for turn in turns}
    found = dict[str, Condition | None]()
    for one in plain:
        stated = read_condition_of_statement(one.content)
        own = [told.get(version.provenance.turn_id or "") for version in one.versions]
        found[one.id] = _strictest(filter(None, (stated, *own)))
    found |= conditions_of_episodes(tx, [one for one in memories if one.type is MemoryType.EPISODE])
    return found | {one.id: condition_of_memory(tx, one) for one in memories if one.id not in found}


def is_open(tx: Transaction, memory: Memory) -> bool:
    """Return whether a memory may be shown unasked, as nothing of it was told in confidence."""
    return condition_of_memory(tx, memory) is None


def is_withheld(tx: Transaction, turn: StoredTurn) -> bool:
    """Return whether a turn is to be left out of every answer."""
    return condition_of_turn(tx, turn) is Condition.WITHHELD


def answerable_turns(tx: Transaction, turns: Iterable[StoredTurn]) -> list[StoredTurn]:
    """List the turns that may be in an answer."""
    read = list(turns)
    conditions = conditions_of_turns(tx, read)
    return [turn for turn in read if conditions[turn.n] is not Condition.WITHHELD]


def borrows_confidence(
    tx: Transaction, shown: Iterable[StoredTurn], content: str, turn: StoredTurn
) -> bool:
    """Return whether a conclusion of a turn says what another turn tells in confidence."""
    likely = [
        one
        for one in shown
        if one.n != turn.n and borrows_words(content, turn.content, one.content)
    ]
    if not likely or condition_of_turn(tx, turn) is not None:
        return False
    return any(condition_of_turn(tx, one) is not None for one in likely)


def _conditions_in_span(
    summary: str, turns: Sequence[StoredTurn], conditions: Mapping[int, Condition | None]
) -> Iterator[Condition]:
    """Yield the conditions stated in turns that a summary of them tells of."""
    openly = "\n".join(turn.content for turn in turns if conditions[turn.n] is None)
    for turn in turns:
        read = _read(turn)
        if read is not None and _tells_of(summary, turn.content, openly):
            yield read.condition


def _tells_of(summary: str, said: str, openly: str) -> bool:
    """Return whether a summary shares enough words with a turn that no open turn has."""
    words = set(query_terms(said))
    shared = (words & set(query_terms(summary))) - set(query_terms(openly))
    return len(shared) >= min(_MANY_WORDS, max(1, len(words) // 4))


def _conditions_of_sources(tx: Transaction, memory: Memory) -> Iterator[Condition]:
    for source in tx.derivations.sources([memory.id]):
        known = tx.memories.get(source.id)
        found = None if known is None or known.type.is_derived else condition_of_memory(tx, known)
        if found is not None:
            yield found


def _read(turn: StoredTurn) -> StatedCondition | None:
    """Read the condition that a turn states: a user's, or another person's if it has a speaker."""
    is_of_a_person = turn.role is Role.USER or (
        turn.role is Role.ASSISTANT and turn.speaker is not None
    )
    return read_condition(turn.content) if is_of_a_person else None


def _strictest(conditions: Iterable[Condition]) -> Condition | None:
    return max(conditions, key=_ORDER.index, default=None)


MOST_COUNTED = 200


def count_unread(tx: Transaction, workspace: str | None) -> UnreadLeft:
    """Count the unread turns that an agent in a project may read, up to `MOST_COUNTED`."""
    latest = tx.conversations.list_unread(workspace, MOST_COUNTED + 1)
    waiting = tx.memories.list_awaiting_turns([turn.n for turn in latest])
    unread = [turn for turn in latest[:MOST_COUNTED] if turn.n not in waiting]
    return UnreadLeft(turns=len(list_open(tx, unread)), is_more=len(latest) > MOST_COUNTED)


def list_open(tx: Transaction, turns: Sequence[StoredTurn]) -> list[StoredTurn]:
    """List the turns that were told openly; an agent is shown no others unasked."""
    conditions = conditions_of_turns(tx, turns)
    return [turn for turn in turns if conditions[turn.n] is None]
