"""Extraction: the turns of one queue entry become memories.

The model is asked outside any transaction, because it may take minutes. Its answer is applied in
one transaction that also completes the entry. A turn that was edited or processed since the model
was asked is left out, so that nothing is concluded from it twice. If anything that the model saw
was forgotten since, the whole answer is dropped, and the remaining turns are read again.
"""

import json
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from memoria.inference.tasks import Extraction, request_extraction
from memoria.ingest.attribution import (
    attribute_operations,
    describe_participants,
    find_participants,
)
from memoria.ingest.focus import follow_reading
from memoria.ingest.processing import (
    ChangedMeanwhileError,
    ProcessorTools,
    chars_per_turn,
    entry_turns,
    finish_entry,
    number_lines,
    shorten_statement,
    turn_line,
)
from memoria.ingest.resolve import Resolver
from memoria.ingest.second_look import Advice, SecondLook, find_doubtful
from memoria.memories.days import day_of, last_date
from memoria.memories.validator import OperationValidator, PromptContents
from memoria.model import (
    Add,
    InferredBy,
    Memory,
    StoredTurn,
    TextVectors,
    Update,
)
from memoria.model.zone import Zone
from memoria.policy.participants import NOBODY_NAMED, Participants
from memoria.store.base import Transaction
from memoria.store.values import LeasedEntry
from memoria.text.clean import Tally, clean_text
from memoria.text.document import full_text
from memoria.text.statement import sentences_in

_BEFORE = 4
_BEFORE_CHARS = 300
_MOST_CHARS = 24_000
_LEAST_CHARS = 400


@dataclass(frozen=True, slots=True)
class _EntryContext:
    """What the model is shown for an entry."""

    turns: tuple[StoredTurn, ...]
    before: tuple[StoredTurn, ...]
    known: tuple[Memory, ...]
    participants: Participants = NOBODY_NAMED
    compare_meanings: bool = False
    """Whether conclusions must be compared with what was forgotten by their meaning, too."""


class Extractor:
    """Extracts memories from queue entries, for any tenant."""

    def __init__(self, tools: ProcessorTools) -> None:
        self._tools = tools

    def run(self, entry: LeasedEntry, owner: str) -> None:
        """Extract memories from an entry's turns; see `EntryProcessor`."""
        context = self._load_context(entry)
        if not context.turns:
            with self._tools.store.write(entry.tenant) as tx:
                finish_entry(tx, entry, owner, "nothing left")
            return
        proposed = self._ask(entry, context)
        meanings = self._tools.recall.embed_meanings(
            _sentences_proposed(proposed), wait=context.compare_meanings
        )
        advice = self._take_second_look(entry, context, proposed, meanings)
        with self._tools.store.write(entry.tenant) as tx:
            _check_nothing_was_forgotten(tx, entry, context)
            validator = self._validator(tx, entry, context, meanings)
            finish_entry(tx, entry, owner, self._apply(validator, proposed, advice))

    def _load_context(self, entry: LeasedEntry) -> _EntryContext:
        with self._tools.store.read(entry.tenant) as tx:
            turns = tuple(_list_unread(tx, entry_turns(tx, entry)))
            if not turns:
                return _EntryContext((), (), ())
            first = turns[0].turn_index
            near = tx.conversations.list_span(entry.session_n, max(first - _BEFORE, 0), first - 1)
            before = [turn for turn in near if not turn.suppressed]
            text = "\n".join(full_text(turn)[:_LEAST_CHARS] for turn in turns)
            known = self._tools.recall.find_related(tx, text, turns[0].workspace)
            by_meaning = tx.tombstones.has_meanings()
            participants = find_participants(tx)
            return _EntryContext(turns, tuple(before), tuple(known), participants, by_meaning)

    def _ask(self, entry: LeasedEntry, context: _EntryContext) -> Extraction:
        most = chars_per_turn(_MOST_CHARS, context.turns, _LEAST_CHARS)
        question = request_extraction(
            said_on=day_of(context.turns[-1], self._tools.store.zone),
            people=describe_participants(context.participants, (*context.before, *context.turns)),
            known="\n".join(
                _memory_line(memory, self._tools.store.zone) for memory in context.known
            )
            or "(none)",
            before="\n".join(_turn_line(turn, _BEFORE_CHARS) for turn in context.before)
            or "(nothing)",
            conversation=number_lines(_turn_line(turn, most) for turn in context.turns),
            max_output_tokens=self._tools.max_output_tokens,
        )
        proposed = self._tools.chat.ask(entry.tenant, question)
        prompt = PromptContents(
            dict(enumerate(context.turns, 1)), {memory.id: memory for memory in context.known}
        )
        operations = attribute_operations(proposed.operations, prompt, context.participants)
        return proposed.model_copy(update={"operations": operations})

    def _take_second_look(
        self,
        entry: LeasedEntry,
        context: _EntryContext,
        proposed: Extraction,
        meanings: TextVectors,
    ) -> Advice:
        """Ask again about proposals that rules cannot judge or whose errors would cost much."""
        with self._tools.store.read(entry.tenant) as tx:
            validator = self._validator(tx, entry, context, meanings)
            doubts = find_doubtful(
                validator, proposed.operations, self._tools.recall, meanings, context.participants
            )
        most, zone = self._tools.max_output_tokens, self._tools.store.zone
        return SecondLook(self._tools.chat, entry.tenant, most, zone).ask(doubts)

    def _validator(
        self, tx: Transaction, entry: LeasedEntry, context: _EntryContext, meanings: TextVectors
    ) -> OperationValidator:
        """A validator that knows only those turns that are still unprocessed."""
        now = tx.conversations.turns([turn.n for turn in context.turns])
        unread = {turn.n: turn for turn in _list_unread(tx, now.values())}
        shown_as = enumerate(context.turns, 1)
        turns = {number: unread[turn.n] for number, turn in shown_as if turn.n in unread}
        prompt = PromptContents(turns, {memory.id: memory for memory in context.known})
        return self._tools.validator(tx, entry, prompt, meanings)

    def _apply(self, validator: OperationValidator, proposed: Extraction, advice: Advice) -> str:
        resolver = Resolver(validator, advice)
        outcome = resolver.apply(proposed.operations)
        follow_reading(validator, proposed.focus)
        understood = [
            turn for turn in validator.prompt_turns if turn.n not in validator.misread_turns
        ]
        _archive_rule_conclusions(validator, understood, resolver.echo_ids)
        _mark_processed(validator)
        return str(outcome)


def _sentences_proposed(proposed: Extraction) -> list[str]:
    """The sentences that may become memories, without secrets: an embedder may be remote."""
    contents = (one.content for one in proposed.operations if isinstance(one, Add | Update))
    return [piece for text in contents for piece in sentences_in(clean_text(text, Tally()).strip())]


def _check_nothing_was_forgotten(
    tx: Transaction, entry: LeasedEntry, context: _EntryContext
) -> None:
    """Drop the answer of a model that saw what was forgotten since, because it may repeat it.

    Raises:
        ChangedMeanwhileError: something that the model saw was forgotten.
    """
    prompt = [turn.n for turn in (*context.turns, *context.before)]
    readable = [turn.n for turn in tx.conversations.turns(prompt).values() if not turn.suppressed]
    is_forgotten = any(tx.memories.get(memory.id) is None for memory in context.known)
    if is_forgotten or len(readable) < len(prompt):
        raise ChangedMeanwhileError(f"Something that {entry.id} was read with is forgotten.")


def _list_unread(tx: Transaction, turns: Iterable[StoredTurn]) -> list[StoredTurn]:
    """The turns that are still to be read: not processed, and not waiting with a memory."""
    unprocessed = [
        turn for turn in turns if turn.current and not (turn.suppressed or turn.processed)
    ]
    awaiting = tx.memories.list_awaiting_turns([turn.n for turn in unprocessed])
    return [turn for turn in unprocessed if turn.n not in awaiting]


def _mark_processed(validator: OperationValidator) -> None:
    """Mark the turns as processed, except those that stand in for a memory that waits."""
    turns, tx = validator.prompt_turns, validator.tx
    awaiting = tx.memories.list_awaiting_turns([turn.n for turn in turns])
    tx.conversations.mark_processed(turn for turn in turns if turn.n not in awaiting)


def _archive_rule_conclusions(
    validator: OperationValidator, turns: Sequence[StoredTurn], echo_ids: AbstractSet[str]
) -> None:
    """Archive what rules concluded from these turns and the model did not conclude, too."""
    memories = validator.tx.memories
    for memory_id in memories.list_concluded_from([turn.n for turn in turns], InferredBy.RULES):
        memory = validator.require_memory(memory_id)
        if not (memory_id in echo_ids or memory.verified or memory.pinned):
            validator.writer.end(memory_id, "it read the turn and does not say the same")


def _memory_line(memory: Memory, zone: Zone) -> str:
    fields = {
        "id": memory.id,
        "type": memory.type.value,
        "subject": memory.subject,
        "predicate": memory.predicate,
        "content": shorten_statement(memory.content),
    }
    if memory.expires_at is not None:
        fields["until"] = last_date(memory, memory.expires_at, zone)
    return json.dumps(fields, ensure_ascii=False)


def _turn_line(turn: StoredTurn, most: int) -> str:
    return turn_line(turn, full_text(turn), most)
