"""Attribution: each conclusion is put down to its speaker, before anything else is decided.

Where turns carry names of speakers, `policy/participants` decides who is the user. A model is told
so, but it is not trusted to keep to it, and the rules know only "the user". So every proposed
operation passes through here.
"""

import json
from collections.abc import Iterable, Mapping, Sequence

from memoria.language.names.keys import USER, subject_key
from memoria.language.words.analyser import name_key
from memoria.language.words.document import full_text
from memoria.memories.validator import PromptContents
from memoria.memories.writer import MemoryWriter
from memoria.model import (
    Add,
    Delete,
    InferredBy,
    Memory,
    Mention,
    Operation,
    Role,
    Skip,
    StoredTurn,
    Update,
)
from memoria.policy.turns import (
    Participants,
    attribute_subject,
    identify_participants,
    name_person,
    name_subject,
)
from memoria.store.rows.transaction import Transaction
from memoria.store.values import NewTurn

_MOST_NAMES = 12
_LONGEST_NAME = 100
_MOST_ENTITIES = 8
_SECOND = 2
_MOST_EARLIER = 500
"""Number of turns that are looked through when a second person turns up in a conversation."""


def find_participants(tx: Transaction) -> Participants:
    """Find the user among the people that speak with the role `user`."""
    return identify_participants(tx.conversations.list_user_speakers())


def attribute_operations(
    operations: Iterable[Operation], prompt: PromptContents, participants: Participants
) -> tuple[Operation, ...]:
    """Return the operations with subjects and wordings that name the right person.

    A speaker's word about themselves changes no memory of another one: it is a conclusion of its
    own, and takes nothing back.
    """
    return tuple(_attribute(one, prompt, participants) for one in operations)


def _attribute(
    operation: Operation, prompt: PromptContents, participants: Participants
) -> Operation:
    turn = (
        prompt.turns.get(operation.turn) if isinstance(operation, Add | Update | Delete) else None
    )
    if turn is None:
        return operation
    match operation:
        case Add():
            return _attribute_addition(operation, turn, participants)
        case Update():
            return _attribute_update(operation, turn, prompt.memories, participants)
        case Delete(id=memory_id) if memory_id in prompt.memories:
            memory = prompt.memories[memory_id]
            is_of_another = _is_of_another(participants, memory, turn, full_text(turn))
            return Skip(reason="said by somebody else") if is_of_another else operation
        case _:
            return operation


def _attribute_addition(add: Add, turn: StoredTurn, participants: Participants) -> Add:
    subject, content = attribute_subject(participants, turn, add.subject, add.content, add.quote)
    attributed = add.model_copy(update={"subject": subject, "content": content})
    return _add_users_name(attributed, participants)


def _attribute_update(
    update: Update, turn: StoredTurn, known: Mapping[str, Memory], participants: Participants
) -> Add | Update:
    """Return the update, or an addition if the speaker is not the person of the memory."""
    _, content = attribute_subject(participants, turn, "", update.content, update.quote)
    memory = known.get(update.id)
    words = f"{update.quote}\n{update.content}"
    if memory is None or not (
        memory.type.may_be_proposed and _is_of_another(participants, memory, turn, words)
    ):
        return update.model_copy(update={"content": content})
    return Add(
        type=memory.type,
        content=content,
        quote=update.quote,
        turn=update.turn,
        subject=(participants.find_person(turn) or USER)[:_LONGEST_NAME],
        predicate=memory.predicate or memory.type.value,
        importance=memory.importance,
        confidence=memory.confidence,
        event_time=update.event_time,
        duration=update.duration,
        until=update.until,
    )


def _is_of_another(
    participants: Participants, memory: Memory, turn: StoredTurn, words: str
) -> bool:
    """Check whether a memory is about a person who neither speaks nor is named in the words."""
    person = participants.find_person(turn)
    speaker = USER if person is None else subject_key(person)
    if turn.role is not Role.USER or memory.subject == speaker:
        return False
    if memory.subject == USER:
        return not participants.mentions_user(words)
    names = [name for name in participants.people if subject_key(name) == memory.subject]
    return any(name_key(name) not in name_key(words) for name in names)


def _add_users_name(add: Add, participants: Participants) -> Add:
    """Return the addition with the user as one entity, known by their name as well."""
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
    """Describe the speakers of the turns that a model is shown, in a few sentences."""
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
    """Describe the speaker of a turn."""
    if turn.role is not Role.USER:
        return f"{turn.speaker}, {turn.role.value}" if turn.speaker else turn.role.value
    person = participants.find_person(turn)
    if person is not None:
        return f"{person}, who is not the user"
    return f"{turn.speaker}, the user" if turn.speaker else "the user"


def _quote_names(names: Iterable[str | None]) -> str:
    """Return distinct names as JSON strings, as a client may send any text for a name."""
    distinct = list(dict.fromkeys(name[:_LONGEST_NAME] for name in names if name))
    return ", ".join(json.dumps(name, ensure_ascii=False) for name in distinct[:_MOST_NAMES])


def attribute_earlier_turns(tx: Transaction, n: int, turn: NewTurn, writer: MemoryWriter) -> None:
    """Attribute earlier conclusions to a session's first speaker when a second one joins.

    As long as somebody spoke alone, they were taken for the user. A second person in that very
    session shows that it is shared and that nobody is known to be the user.
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
                subject = memory.subject and subject_key(name_subject(memory.subject, first))
                writer.attribute(memory, subject, name_person(memory.content, first))
