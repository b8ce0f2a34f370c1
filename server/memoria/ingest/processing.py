"""Common parts of all processors of queue entries: tools, outcome, errors, prompt lines."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from memoria.erasure.suppression import Digester, SuppressionList
from memoria.errors import MemoriaError
from memoria.inference.chat.client import ChatClient
from memoria.ingest.grounding import GroundingWorker
from memoria.language.reading.fences import drop_invisible, indent_lines, join_lines
from memoria.language.statements.confided import asks_to_forget
from memoria.language.words.document import full_text
from memoria.memories.conditions import is_withheld
from memoria.memories.validator import OperationValidator, PromptContents
from memoria.memories.verdicts import RelatedMemories
from memoria.memories.wordings import Author
from memoria.model import InferredBy, MemoryChange, Role, StoredTurn, TextVectors
from memoria.model.provenance import EXTRACTION_CHANNEL
from memoria.policy.questions import OWN_POLICY, HomePolicy
from memoria.policy.turns import RecordOnly, is_answer, route_turn, text_weight
from memoria.store.engine import Store
from memoria.store.rows.transaction import Transaction
from memoria.store.values import LeasedEntry

_CUT = " […] "
_BEFORE = 4
_SPEAKING = (Role.USER, Role.ASSISTANT)
_WORK_WEIGHT = 600
"""Length from which an assistant's own words are worth reading, whatever its user says."""
_LONGEST_STATEMENT = 500
"""Longest conclusion of a model; explicit statements may be far longer."""


@dataclass(frozen=True, slots=True)
class ProcessorTools:
    """Tools of every processor of queue entries."""

    store: Store
    """Store of the conversations."""
    chat: ChatClient
    """Asks the chat model."""
    recall: RelatedMemories
    """Finds memories to show the model, and embeds texts."""
    digester: Callable[[str], Digester]
    """Makes a tenant's digests, by which forgotten statements are recognised."""
    max_output_tokens: int
    """The most tokens of an answer."""
    grounds: GroundingWorker | None = None
    """Reads how the files stand that carry memories."""
    policy: HomePolicy = OWN_POLICY
    """Decides what of a conversation is kept."""

    def validator(
        self, tx: Transaction, entry: LeasedEntry, prompt: PromptContents, meanings: TextVectors
    ) -> OperationValidator:
        """Return a validator for the conclusions from an entry."""
        return OperationValidator(
            tx,
            self.digester(entry.tenant),
            prompt,
            InferredBy.MODEL,
            Author(EXTRACTION_CHANNEL, self.chat.name),
            self.policy,
            meanings,
            entry.id,
        )


class EntryLeaseLostError(MemoriaError):
    """Another worker has leased the entry by now. Nothing was written."""


class ChangedMeanwhileError(MemoriaError):
    """The conversation changed while the model read it. Nothing was written; try again."""


class EntryProcessor(Protocol):
    """Processes one kind of queue entry."""

    def run(self, entry: LeasedEntry, owner: str, along: Sequence[LeasedEntry] = ()) -> None:
        """Ask the model about a queue entry; then apply the answer and complete the entry.

        Both changes are made in one transaction.

        Raises:
            ChatModelError: the model gave no answer.
            EmbedderError: conclusions cannot be compared with what was forgotten by meaning.
            ChangedMeanwhileError: the conversation changed since the model was asked.
            EntryLeaseLostError: it took so long that another worker has the entry.
            StoreError: the store cannot serve.
        """
        ...


def entry_turns(tx: Transaction, entry: LeasedEntry) -> list[StoredTurn]:
    """Return the present turns of an entry, in order."""
    return tx.conversations.list_span(entry.session_n, entry.first_index, entry.last_index)


def list_turns_before(tx: Transaction, session_n: int, first_index: int) -> list[StoredTurn]:
    """Return the few turns before a segment, which help to understand the segment."""
    return tx.conversations.list_span(session_n, max(first_index - _BEFORE, 0), first_index - 1)


def list_readable(
    tx: Transaction, turns: Iterable[StoredTurn], digester: Digester
) -> list[StoredTurn]:
    """List the turns that a model may read, without forgotten ones and those not to be kept.

    A request to forget something is read all the same, for a model may take that back. Most of the
    others are suppressed. One that was recorded before, in a spelling by which the index could not
    find it when its words were forgotten, is recognised here.
    """
    suppression = SuppressionList(tx.tombstones, digester)
    return [
        turn
        for turn in turns
        if not turn.suppressed
        and suppression.may_conclude_from(full_text(turn))
        and (asks_to_forget(turn.content) or not is_withheld(tx, turn))
    ]


def has_something_to_read(turns: Sequence[StoredTurn], said: Sequence[StoredTurn]) -> bool:
    """Check whether a model may find something in some turns, beyond small talk.

    Yes or no to somebody's question is more than that. An assistant's answer to small talk counts
    if it is long, for that is work, or if it has a person's name.
    """
    people = [turn for turn in turns if turn.role is Role.USER or turn.speaker is not None]
    others = [turn for turn in turns if turn not in people]
    least = _WORK_WEIGHT if people else 1
    return any(_is_more_than_small_talk(turn, said) for turn in people) or any(
        text_weight(full_text(turn)) >= least for turn in others
    )


def _is_more_than_small_talk(turn: StoredTurn, said: Sequence[StoredTurn]) -> bool:
    match route_turn(turn.role, turn.content):
        case RecordOnly(reason="small talk"):
            asked = _find_turn_of_another(turn, said)
            return asked is not None and is_answer(turn.content, asked.content)
        case RecordOnly(reason=reason):
            return reason in ("story", "not their own words")
        case _:
            return True


def _find_turn_of_another(turn: StoredTurn, said: Sequence[StoredTurn]) -> StoredTurn | None:
    """Find the last turn of another speaker before a turn, or None."""
    who = (turn.role, turn.speaker)
    before = (
        one
        for one in reversed(said)
        if one.turn_index < turn.turn_index and one.role in _SPEAKING and one.content
    )
    return next((one for one in before if (one.role, one.speaker) != who), None)


def finish_entry(tx: Transaction, entry: LeasedEntry, owner: str, outcome: str) -> None:
    """Mark an entry as done.

    Raises:
        EntryLeaseLostError: another worker has it; the transaction must not be committed.
    """
    if not tx.queue.finish(entry.n, owner, outcome):
        raise EntryLeaseLostError(f"The entry {entry.id} was read by another worker meanwhile.")


def turn_line(turn: StoredTurn, text: str, most: int, remark: str = "") -> str:
    """Return a turn as it stands in a prompt; of a text over `most` characters the middle is cut.

    A remark stands behind the speaker, who takes one line. Further lines are indented, so that none
    of them can pass for another turn. Invisible characters are left out, so that quotes are found
    again.
    """
    text = drop_invisible(text)
    if len(text) > most:
        half = most // 2
        text = f"{text[:half]}{_CUT}{text[-half:]}"
    speaker = drop_invisible(turn.speaker or turn.role.value)
    who = join_lines(" ".join(filter(None, (speaker, remark))))
    return f"{who}: {indent_lines(text, ' ')}"


def compact_json(fields: Mapping[str, object]) -> str:
    """Write an object for a prompt: on one line, without spaces that say nothing."""
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":"))


def describe_pair(known: tuple[str, str], new: tuple[str, str]) -> dict[str, str]:
    """Return two statements to be compared, each with its day; a day in common stands once."""
    days = dict.fromkeys((known[1], new[1]))
    return {"known": known[0], "new": new[0], "said_on": ", ".join(days)}


def shorten_statement(content: str) -> str:
    """Return a memory as it stands in a prompt; of a long one only the beginning."""
    cut = len(content) > _LONGEST_STATEMENT
    return f"{content[:_LONGEST_STATEMENT]}{_CUT}".rstrip() if cut else content


def number_lines(lines: Iterable[str]) -> str:
    """Number the lines of a prompt, so that the answer can refer to them."""
    return "\n\n".join(f"[{number}] {line}" for number, line in enumerate(lines, 1))


def longest_that_fits(lengths: Iterable[int], most_chars: int, least: int) -> int:
    """Return the length to which texts are cut so that all fit: short ones are left whole."""
    left, room = sorted(lengths), most_chars
    while left and left[0] * len(left) <= room:
        room -= left.pop(0)
    return max(room // len(left), least) if left else most_chars


@dataclass(slots=True)
class ExtractionOutcome:
    """Counts of applied changes to memories by kind, and of rejected changes by reason."""

    applied: Counter[str] = field(default_factory=Counter)
    rejected: Counter[str] = field(default_factory=Counter)
    memory_ids: list[str] = field(default_factory=list)
    """Memory of each conclusion that was taken on, in order."""
    changes: list[MemoryChange] = field(default_factory=list)
    """Memories that took the place of others, or contradict them."""

    def add_rejection(self, error: Exception) -> None:
        """Count a proposed change that was rejected, by its reason."""
        self.rejected[str(error)] += 1

    def __str__(self) -> str:
        """Return the counts in a line, as the queue shows it."""
        parts = [", ".join(f"{name} {count}" for name, count in sorted(self.applied.items()))]
        if self.rejected:
            reasons = ", ".join(f"{why} {count}" for why, count in sorted(self.rejected.items()))
            parts.append(f"rejected: {reasons}")
        return "; ".join(filter(None, parts)) or "nothing"
