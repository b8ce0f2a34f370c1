"""The second look: what is asked of a model about its own proposals, before they are applied.

Whether a new conclusion says what a known one says, in other words, can't be told by counting
words; and a model that reads fast reads into things. So pairs that policy can't tell apart are put
to it again side by side, and conclusions whose error would cost much are held against their words.
What it answers is advice: `policy/conflict` decides what the advice may do.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from memoria.errors import InvalidAnswerError, ModelRefusedError
from memoria.inference.chat.gate import Gate
from memoria.inference.tasks import adjudicate, verify
from memoria.ingest.grounds import Grounds, RejectedError
from memoria.ingest.reading import stated
from memoria.ingest.recall import Recall
from memoria.model import (
    Add,
    Meanings,
    Memory,
    Operation,
    Relation,
    Role,
    StoredTurn,
    Support,
    Update,
    iso,
)
from memoria.policy.conflict import predicate_key, subject_key
from memoria.policy.doubt import worth_a_second_look
from memoria.text.document import full_text
from memoria.text.statement import says_the_same

_MOST_PAIRS = 20
_MOST_OF_ONE = 3
_MOST_TURN_CHARS = 600


@dataclass(frozen=True, slots=True)
class Advice:
    """What came of the second look, by the wording of a conclusion."""

    relations: Mapping[tuple[str, str], Relation] = field(default_factory=dict)
    """By wording and the id of the memory beside it."""
    supported: Mapping[tuple[str, int], Support] = field(default_factory=dict)
    """By wording and the turn it was drawn from."""

    def beside(self, content: str) -> list[str]:
        """Ids of the memories that a conclusion was held beside."""
        return [memory_id for wording, memory_id in self.relations if wording == content]


NO_ADVICE = Advice()


@dataclass(frozen=True, slots=True)
class Doubtful:
    """A conclusion with its source, and whether it is in doubt by itself."""

    content: str
    quote: str
    turn: StoredTurn
    beside: tuple[Memory, ...]
    risky: bool


class SecondLook:
    """Asks about the proposals for one entry."""

    def __init__(self, gate: Gate, tenant: str, max_output_tokens: int) -> None:
        """Nothing is asked yet.

        Args:
            gate: the way to the model.
            tenant: whose tokens are spent.
            max_output_tokens: the longest answer.
        """
        self._gate = gate
        self._tenant = tenant
        self._max_output_tokens = max_output_tokens

    def at(self, doubtful: Sequence[Doubtful]) -> Advice:
        """Ask what there is to ask.

        An answer of no use is no advice; policy then goes on by itself.

        Raises:
            ChatModelError: the model gave no answer, and another time it may.
        """
        pairs = [(one, memory) for one in doubtful for memory in one.beside][:_MOST_PAIRS]
        risky = [one for one in doubtful if one.risky][:_MOST_PAIRS]
        return Advice(self._relations(pairs), self._supported(risky))

    def _relations(
        self, pairs: Sequence[tuple[Doubtful, Memory]]
    ) -> dict[tuple[str, str], Relation]:
        if not pairs:
            return {}
        question = adjudicate(
            pairs=_lines(_pair(one, memory) for one, memory in pairs),
            max_output_tokens=self._max_output_tokens,
        )
        try:
            rulings = self._gate.ask(self._tenant, question).rulings
        except (InvalidAnswerError, ModelRefusedError):
            return {}
        keys = {n: (one.content, memory.id) for n, (one, memory) in enumerate(pairs, 1)}
        return {keys[r.pair]: r.relation for r in rulings if r.pair in keys}

    def _supported(self, risky: Sequence[Doubtful]) -> dict[tuple[str, int], Support]:
        if not risky:
            return {}
        question = verify(
            statements=_lines(map(_statement, risky)), max_output_tokens=self._max_output_tokens
        )
        try:
            checks = self._gate.ask(self._tenant, question).checks
        except (InvalidAnswerError, ModelRefusedError):
            return {}
        keys = {n: (one.content, one.turn.n) for n, one in enumerate(risky, 1)}
        return {keys[c.statement]: c.supported for c in checks if c.statement in keys}


def doubtful(
    grounds: Grounds, operations: Iterable[Operation], recall: Recall, meanings: Meanings
) -> list[Doubtful]:
    """The conclusions to look at again, with what they are to be held beside."""
    adds = (operation for operation in operations if isinstance(operation, Add))
    updates = (operation for operation in operations if isinstance(operation, Update))
    found = [_doubt(grounds, add, recall, meanings) for add in adds]
    found += [_doubt_of(grounds, update) for update in updates]
    return [one for one in found if one is not None and (one.beside or one.risky)]


def _doubt(grounds: Grounds, add: Add, recall: Recall, meanings: Meanings) -> Doubtful | None:
    try:
        turn, quote = grounds.words(add.turn, add.quote)
        content, held = grounds.sayable(add.content, turn)
        subject = subject_key(grounds.name(add.subject))
        predicate = predicate_key(grounds.name(add.predicate))
    except RejectedError:
        return None  # it will be turned away, with the reason
    if add.modality == "joking" or held not in (None, "pii"):
        return None  # nothing is replaced by it, and the user is asked
    risky = worth_a_second_look(add.importance, turn.role, personal=held is not None)
    place = turn.workspace
    of_it = grounds.tx.memories.about(subject, place, predicate=predicate)
    same = [memory for memory in of_it if memory.predicate == predicate]
    near = recall.near(grounds.tx, meanings, content, place)
    unseen = [memory for memory in near if memory.id not in grounds.shown]
    beside = {m.id: m for m in (*same, *unseen) if not says_the_same(content, m.content)}
    known = any(says_the_same(content, m.content) for m in same)
    kept = () if known else tuple(beside.values())[:_MOST_OF_ONE]
    return Doubtful(content, quote, turn, kept, risky)


def _doubt_of(grounds: Grounds, update: Update) -> Doubtful | None:
    """A new wording stands beside the memory it is for already."""
    try:
        memory = grounds.known(update.id)
        turn, quote = grounds.words(update.turn, update.quote)
        content, held = grounds.sayable(update.content, turn)
    except RejectedError:
        return None
    if held not in (None, "pii"):
        return None
    risky = worth_a_second_look(memory.importance, turn.role, personal=held is not None)
    return Doubtful(content, quote, turn, (), risky)


def _pair(one: Doubtful, memory: Memory) -> dict[str, str]:
    return {
        "known": stated(memory.content),
        "known_said_on": iso(memory.current.valid_from)[:10],
        "new": one.content,
        "new_said_on": iso(one.turn.at)[:10],
    }


def _statement(one: Doubtful) -> dict[str, str]:
    said_by = one.turn.role.value if one.turn.role is not Role.USER else "the user"
    return {
        "statement": one.content,
        "words": one.quote,
        "turn": full_text(one.turn)[:_MOST_TURN_CHARS],
        "said_by": said_by,
    }


def _lines(objects: Iterable[dict[str, str]]) -> str:
    numbered = ({"number": n, **fields} for n, fields in enumerate(objects, 1))
    return "\n".join(json.dumps(fields, ensure_ascii=False) for fields in numbered)
