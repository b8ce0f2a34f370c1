"""The second look: the model is asked about its own proposals before they are applied.

Rules cannot tell whether two differently worded statements say the same, and a model that
summarises a conversation sometimes invents. So pairs of a new and a known statement that rules
cannot judge are shown to the model again, and a conclusion whose error would cost much is compared
with its quote. The answers are advice only: `policy/conflict` decides what follows from them.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from memoria.errors import InvalidAnswerError, ModelRefusedError
from memoria.inference.chat.client import ChatClient
from memoria.inference.tasks import request_checks, request_rulings
from memoria.ingest.attribution import describe_speaker
from memoria.ingest.comparison import list_rivals
from memoria.ingest.processing import compact_json, describe_pair, shorten_statement, turn_line
from memoria.language.names.keys import subject_key
from memoria.language.reading.quotes import find_borrowed, is_cut_of, is_said_literally
from memoria.language.reading.statement import says_the_same, split_sentences
from memoria.language.statements.orders import instruction_shaped
from memoria.language.words.document import full_text
from memoria.memories.times import date_of_memory, date_of_turn, day_of
from memoria.memories.validator import OperationValidator, RejectedError
from memoria.memories.verdicts import RelatedMemories
from memoria.model import (
    Add,
    Check,
    Memory,
    Operation,
    Relation,
    Role,
    SourceKind,
    StoredTurn,
    SupportVerdict,
    TextVectors,
    Update,
)
from memoria.model.moments import Zone
from memoria.policy.turns import Participants

_HIGH_IMPORTANCE = 0.8
_MOST_PAIRS = 20
_MOST_OF_ONE = 3
_MOST_TURN_CHARS = 600
_TURNS_BEFORE = 2
_MOST_BEFORE_CHARS = 200
_MOST_BESIDE = 3
_TO_BE_CHECKED = (None, "pii", "unclear")
"""Reasons to wait that a check may remove; None for no reason."""


@dataclass(frozen=True, slots=True)
class Advice:
    """Findings of the second look."""

    relations: Mapping[tuple[str, str], Relation] = field(default_factory=dict)
    """Relations by the conclusion's wording, and what it was compared with: a memory's id, or the
    wording of an earlier conclusion."""
    checks: Mapping[tuple[str, int], Check] = field(default_factory=dict)
    """Checks by the conclusion's wording and the number of its turn."""

    def support_of(self, content: str, turn_n: int) -> SupportVerdict | None:
        """Return whether its quote supports a conclusion; None if the model was not asked."""
        check = self.checks.get((content, turn_n))
        return None if check is None else check.supported

    def wording_of(self, content: str, turn_n: int) -> str:
        """Return the part of a conclusion that its quote supports."""
        check = self.checks.get((content, turn_n))
        return (check and check.content) or content

    def relations_of(self, content: str) -> dict[str, Relation]:
        """Map what a conclusion was compared with to its relation."""
        return {
            other: relation
            for (wording, other), relation in self.relations.items()
            if wording == content
        }


NO_ADVICE = Advice()


@dataclass(frozen=True, slots=True)
class DoubtfulConclusion:
    """A conclusion with its quote and the memories it may repeat or replace."""

    content: str
    quote: str
    turn: StoredTurn
    rivals: tuple[Memory, ...]
    is_risky: bool
    topic: tuple[str, str] = ("", "")
    """The subject and the property."""
    earlier: tuple["DoubtfulConclusion", ...] = ()
    """Earlier conclusions of the same answer about the same property."""
    said_by: str = ""
    """Speaker of the turn, by name and part, where the conclusion is to be checked."""
    before: tuple[str, ...] = ()
    """Turns before the quoted one, a line each, by which a check resolves pronouns."""
    changes: str = ""
    """Statement that the conclusion would change."""
    beside: tuple[str, ...] = ()
    """Sources in other turns and known memories, a line each."""

    @property
    def others(self) -> tuple["Memory | DoubtfulConclusion", ...]:
        """Everything that the conclusion is to be compared with."""
        return (*self.rivals, *self.earlier)


class SecondLook:
    """Asks the model about the proposals for one queue entry."""

    def __init__(self, chat: ChatClient, tenant: str, max_output_tokens: int, zone: Zone) -> None:
        self._zone = zone
        self._chat = chat
        self._tenant = tenant
        self._max_output_tokens = max_output_tokens

    def ask(self, doubtful: Sequence[DoubtfulConclusion]) -> Advice:
        """Ask about pairs and about risky conclusions.

        An invalid or refused answer gives no advice, and rules alone decide.

        Raises:
            ChatModelError: the model gave no answer; it may give one later.
        """
        pairs = [(one, other) for one in doubtful for other in one.others]
        risky = [one for one in doubtful if one.is_risky][:_MOST_PAIRS]
        return Advice(self._ask_relations(pairs[:_MOST_PAIRS]), self._ask_support(risky))

    def _ask_relations(
        self, pairs: Sequence[tuple[DoubtfulConclusion, Memory | DoubtfulConclusion]]
    ) -> dict[tuple[str, str], Relation]:
        if not pairs:
            return {}
        question = request_rulings(
            pairs=_json_lines(_pair_fields(one, other, self._zone) for one, other in pairs),
            max_output_tokens=self._max_output_tokens,
        )
        try:
            rulings = self._chat.ask(self._tenant, question).rulings
        except (InvalidAnswerError, ModelRefusedError):
            return {}
        keys = {n: (one.content, _key_of(other)) for n, (one, other) in enumerate(pairs, 1)}
        return {keys[r.pair]: r.relation for r in rulings if r.pair in keys}

    def _ask_support(self, risky: Sequence[DoubtfulConclusion]) -> dict[tuple[str, int], Check]:
        if not risky:
            return {}
        question = request_checks(
            statements=_json_lines(_statement_fields(one, self._zone) for one in risky),
            max_output_tokens=self._max_output_tokens,
        )
        try:
            checks = self._chat.ask(self._tenant, question).checks
        except (InvalidAnswerError, ModelRefusedError):
            return {}
        asked = dict(enumerate(risky, 1))
        return {
            (one.content, one.turn.n): _refuse_additions(check, one)
            for check in checks
            if (one := asked.get(check.statement)) is not None
        }


def _refuse_additions(check: Check, one: DoubtfulConclusion) -> Check:
    """Return a check, with the answer no if its wording adds a word to conclusion and turn."""
    if is_cut_of(check.content or one.content, one.content, full_text(one.turn)):
        return check
    return check.model_copy(update={"supported": "no"})


def find_doubtful(
    validator: OperationValidator,
    operations: Iterable[Operation],
    recall: RelatedMemories,
    meanings: TextVectors,
    participants: Participants,
) -> list[DoubtfulConclusion]:
    """Find proposals that deserve a second look, with the memories to compare them with."""
    adds = (operation for operation in operations if isinstance(operation, Add))
    updates = (operation for operation in operations if isinstance(operation, Update))
    added = [_doubtful_addition(validator, add, recall, meanings) for add in adds]
    conclusions = _relate_to_earlier([one for one in added if one is not None])
    changed = (_doubtful_update(validator, update) for update in updates)
    conclusions += [one for one in changed if one is not None]
    return [
        _add_context(validator, one, participants) if one.is_risky else one
        for one in conclusions
        if one.rivals or one.earlier or one.is_risky
    ]


def _relate_to_earlier(conclusions: Sequence[DoubtfulConclusion]) -> list[DoubtfulConclusion]:
    """Add to each conclusion the earlier ones of the same answer on the same property."""
    related = []
    for n, one in enumerate(conclusions):
        earlier = [
            other
            for other in conclusions[:n]
            if all(one.topic)
            and other.topic == one.topic
            and not says_the_same(one.content, other.content)
        ]
        related.append(replace(one, earlier=tuple(earlier[-_MOST_OF_ONE:])))
    return related


def _add_context(
    validator: OperationValidator, one: DoubtfulConclusion, participants: Participants
) -> DoubtfulConclusion:
    """Add to a conclusion its speaker, the turns before, and its other sources.

    A model that reads a whole conversation concludes from all of it, and quotes one turn.
    """
    first = one.turn.turn_index
    near = validator.tx.conversations.list_span(
        one.turn.session_n, max(first - _TURNS_BEFORE, 0), first - 1
    )
    before = tuple(
        turn_line(turn, full_text(turn), _MOST_BEFORE_CHARS) for turn in near if not turn.suppressed
    )
    one = replace(one, said_by=describe_speaker(participants, one.turn), before=before)
    return replace(one, beside=_list_beside(validator, one))


def _list_beside(validator: OperationValidator, one: DoubtfulConclusion) -> tuple[str, ...]:
    """List the statement that a conclusion changes, and few other sentences with its words.

    A conclusion about the user's own words is borne out by nobody else's sentences.
    """
    of_user = one.turn.role is Role.USER
    known = [
        f"known: {shorten_statement(memory.content)}"
        for memory in validator.prompt_memories
        if not of_user or memory.current.provenance.source_kind is SourceKind.USER_SAID
    ]
    spoken = (Role.USER,) if of_user else (Role.USER, Role.ASSISTANT)
    others = [*_list_sentences(validator, one.turn, spoken), *known]
    changed = [f"known: {shorten_statement(one.changes)}"] if one.changes else []
    shown = "\n".join((_cut_around(full_text(one.turn), one.quote), *one.before, *changed))
    found = find_borrowed(one.content, shown, others, _MOST_BESIDE)
    return tuple(dict.fromkeys((*changed, *(others[place] for place in found))))


def _list_sentences(
    validator: OperationValidator, quoted: StoredTurn, spoken: Sequence[Role]
) -> list[str]:
    """List sentences of the other turns that were read and have one of these roles, a line each."""
    return [
        turn_line(turn, sentence, _MOST_BEFORE_CHARS)
        for turn in validator.prompt_turns
        if turn.n != quoted.n and turn.role in spoken
        if not instruction_shaped(turn.content, turn.trust)
        for sentence in split_sentences(turn.content)
    ]


def _doubtful_addition(
    validator: OperationValidator, add: Add, recall: RelatedMemories, meanings: TextVectors
) -> DoubtfulConclusion | None:
    try:
        turn, quote = validator.locate_quote(add.turn, add.quote)
        subject = subject_key(validator.check_name(add.subject))
        content, confirm_reason = validator.check_conclusion(
            add.content, add.type, subject, turn, quote
        )
        predicate = validator.check_property(add.predicate)
    except RejectedError:
        return None  # it will be rejected with this reason
    if add.modality == "joking" or confirm_reason not in _TO_BE_CHECKED:
        return None  # it replaces nothing, and the user will be asked
    is_open = confirm_reason == "unclear" or add.modality == "hearsay"
    risky = is_open or _needs_check(
        content, quote, turn, add.importance, subject, is_personal=confirm_reason == "pii"
    )
    rivals = list_rivals(validator, add, (content, subject, predicate), turn, recall, meanings)
    return DoubtfulConclusion(content, quote, turn, rivals, risky, (subject, predicate))


def _doubtful_update(validator: OperationValidator, update: Update) -> DoubtfulConclusion | None:
    """Return an update that may need a check; as it names its memory, nothing is compared."""
    try:
        memory = validator.require_prompt_memory(update.id)
        turn, quote = validator.locate_quote(update.turn, update.quote)
        content, confirm_reason = validator.check_conclusion(
            update.content, memory.type, memory.subject, turn, quote
        )
    except RejectedError:
        return None
    if confirm_reason not in _TO_BE_CHECKED:
        return None
    is_personal, subject = confirm_reason == "pii", memory.subject or ""
    risky = confirm_reason == "unclear" or _needs_check(
        content, quote, turn, memory.importance, subject, is_personal=is_personal
    )
    return DoubtfulConclusion(content, quote, turn, (), risky, changes=memory.content)


def _key_of(other: Memory | DoubtfulConclusion) -> str:
    return other.id if isinstance(other, Memory) else other.content


def _pair_fields(
    one: DoubtfulConclusion, other: Memory | DoubtfulConclusion, zone: Zone
) -> dict[str, str]:
    known_on = (
        date_of_memory(other, zone) if isinstance(other, Memory) else date_of_turn(other.turn, zone)
    )
    return describe_pair(
        (shorten_statement(other.content), known_on), (one.content, date_of_turn(one.turn, zone))
    )


def _statement_fields(one: DoubtfulConclusion, zone: Zone) -> dict[str, object]:
    turn = _cut_around(full_text(one.turn), one.quote)
    return {
        "statement": one.content,
        "words": one.quote,
        **({} if turn.strip() == one.quote else {"turn": turn}),
        "said_by": one.said_by,
        "said_on": day_of(one.turn, zone),
        **({"before": list(one.before)} if one.before else {}),
        **({"beside": list(one.beside)} if one.beside else {}),
    }


def _cut_around(text: str, quote: str) -> str:
    """Return a turn for a check: of a long one, the part around the words to be checked."""
    start = max(text.find(quote) - (_MOST_TURN_CHARS - len(quote)) // 2, 0)
    return text[start : start + max(_MOST_TURN_CHARS, len(quote))]


def _json_lines(objects: Iterable[Mapping[str, object]]) -> str:
    with_numbers = ({"number": n, **fields} for n, fields in enumerate(objects, 1))
    return "\n".join(compact_json(fields) for fields in with_numbers)


def _needs_check(
    content: str,
    quote: str,
    turn: StoredTurn,
    importance: float,
    subject: str,
    *,
    is_personal: bool,
) -> bool:
    """Check whether the model is to be asked if a conclusion is supported by its quote.

    A wrong conclusion about a small thing costs little. So the question is asked only about
    conclusions from what somebody says of others in an assistant's place, about personal data, and
    about what matters most; and not where the quote says it literally.
    """
    of_themselves = turn.speaker is not None and subject_key(turn.speaker) == subject_key(subject)
    is_first_hand = turn.role is Role.USER or (turn.role is Role.ASSISTANT and of_themselves)
    if is_first_hand and not (is_personal or importance >= _HIGH_IMPORTANCE):
        return False
    return not (is_first_hand and is_said_literally(content, quote, turn.content, turn.speaker))
