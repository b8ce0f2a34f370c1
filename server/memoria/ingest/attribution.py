"""Attribution: each conclusion is put down to whoever said it, before anything else is decided.

Where turns carry names of speakers, `policy/participants` decides who is the user. A model is told
so, but it is not trusted to keep to it, and the rules know only "the user". So every proposed
operation passes through here.
"""

import json
from collections.abc import Iterable, Mapping, Sequence

from memoria.memories.writer import MemoryWriter
from memoria.model import (
    Add,
    InferredBy,
    Mention,
    Operation,
    Role,
    StoredTurn,
    Update,
)
from memoria.policy.conflict import USER, subject_key
from memoria.policy.participants import (
    Participants,
    attribute_subject,
    identify_participants,
    name_person,
)
from memoria.store.base import Transaction
from memoria.store.values import NewTurn

_MOST_NAMES = 12
_LONGEST_NAME = 100
_MOST_ENTITIES = 8
_SECOND = 2
_MOST_EARLIER = 500
"""Turns of a conversation that are looked through when a second person turns up in it."""


def find_participants(tx: Transaction) -> Participants:
    """Who of the people that speak with the role `user` is the user."""
    return identify_participants(tx.conversations.list_user_speakers())


def attribute_operations(
    operations: Iterable[Operation], turns: Mapping[int, StoredTurn], participants: Participants
) -> tuple[Operation, ...]:
    """The operations with subjects and wordings that say of whom they speak.

    Args:
        operations: as they were proposed.
        turns: by the number under which an operation quotes them.
        participants: who speaks with the role `user`.
    """
    return tuple(_attribute(one, turns, participants) for one in operations)


def _attribute(
    operation: Operation, turns: Mapping[int, StoredTurn], participants: Participants
) -> Operation:
    if not isinstance(operation, Add | Update) or operation.turn not in turns:
        return operation
    turn = turns[operation.turn]
    subject = operation.subject if isinstance(operation, Add) else ""
    subject, content = attribute_subject(
        participants, turn, subject, operation.content, operation.quote
    )
    if isinstance(operation, Update):
        return operation.model_copy(update={"content": content})
    attributed = operation.model_copy(update={"subject": subject, "content": content})
    return _add_users_name(attributed, participants)


def _add_users_name(add: Add, participants: Participants) -> Add:
    """The addition with the user as one person, who goes by their name, too."""
    name = participants.user
    if name is None or len(name) > _LONGEST_NAME:
        return add

    def is_user(mention: Mention) -> bool:
        return subject_key(mention.name) == USER or participants.is_users_name(mention.name)

    own = next((one for one in add.entities if is_user(one)), None)
    if own is None and subject_key(add.subject) != USER:
        return add
    role = None if own is None else own.role
    user = Mention(name=name, kind="person", role=role, aliases=(USER,))
    others = [one for one in add.entities if not is_user(one)]
    return add.model_copy(update={"entities": (user, *others)[:_MOST_ENTITIES]})


def describe_participants(participants: Participants, turns: Sequence[StoredTurn]) -> str:
    """Who is who in the turns that a model is shown, in a few sentences."""
    people, assistants = (
        _quote_names(names)
        for names in (
            (participants.find_person(turn) for turn in turns),
            (turn.speaker for turn in turns if turn.role is Role.ASSISTANT),
        )
    )
    sentences = []
    if participants.user is not None:
        sentences.append(f"{_quote_names([participants.user])} is the user.")
    elif participants.people:
        sentences.append("None of the people who speak is known to be the user.")
    if people:
        sentences.append(f"People of their own, and not the user: {people}.")
    if assistants:
        sentences.append(f"In the assistant's place speaks: {assistants}.")
    if any(turn.role is Role.USER and turn.speaker is None for turn in turns):
        sentences.append("Turns of `user` are the user's.")
    return " ".join(sentences) or "No turn is the user's."


def describe_speaker(participants: Participants, turn: StoredTurn) -> str:
    """Who says a turn."""
    if turn.role is not Role.USER:
        return f"{turn.speaker}, {turn.role.value}" if turn.speaker else turn.role.value
    person = participants.find_person(turn)
    if person is not None:
        return f"{person}, who is not the user"
    return f"{turn.speaker}, the user" if turn.speaker else "the user"


def _quote_names(names: Iterable[str | None]) -> str:
    """Distinct names as JSON strings, because a name is whatever a client has sent."""
    distinct = list(dict.fromkeys(name[:_LONGEST_NAME] for name in names if name))
    return ", ".join(json.dumps(name, ensure_ascii=False) for name in distinct[:_MOST_NAMES])


def attribute_earlier_turns(tx: Transaction, n: int, turn: NewTurn, writer: MemoryWriter) -> None:
    """Put down to the first speaker what was concluded before a second one came to the session.

    As long as somebody spoke alone, they were taken for the user. A second person in that very
    session shows that it is shared and that nobody is known to be the user.

    Args:
        tx: the transaction that wrote the turn.
        n: the turn's document.
        turn: as it was written.
        writer: revises the memories.
    """
    speakers = tx.conversations.list_user_speakers()
    participants = identify_participants(speakers)
    is_new = any(one.first_turn == n for one in speakers)
    if participants.user is not None or len(participants.people) != _SECOND or not is_new:
        return
    first = participants.people[0]
    start = max(turn.turn_index - _MOST_EARLIER, 0)
    before = tx.conversations.list_span(turn.session_n, start, turn.turn_index - 1)
    theirs = [one.n for one in before if participants.find_person(one) == first]
    for by in (InferredBy.RULES, InferredBy.MODEL):
        for memory_id in tx.memories.list_concluded_from(theirs, by):
            memory = tx.memories.get(memory_id)
            if memory is not None:
                subject = subject_key(first) if memory.subject == USER else memory.subject
                writer.attribute(memory, subject, name_person(memory.content, first))
