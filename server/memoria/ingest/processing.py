"""Reading: what the readers of a conversation have in common."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from memoria.erasure.suppression import Digester
from memoria.errors import MemoriaError
from memoria.inference.chat.client import ChatClient
from memoria.memories.related import RelatedMemories
from memoria.memories.validator import OperationValidator, PromptContents
from memoria.memories.values import Author
from memoria.model import InferredBy, StoredTurn, TextVectors, from_millis
from memoria.model.channel import EXTRACTION_CHANNEL
from memoria.model.privacy import PersonalRules
from memoria.store.base import Store, Transaction
from memoria.store.values import LeasedEntry

_CUT = " […] "
_LONGEST_STATEMENT = 500
"""As long as what a model may conclude; what was stated may be far longer."""


@dataclass(frozen=True, slots=True)
class ProcessorTools:
    """What every reader works with."""

    store: Store
    """Where the conversations are."""
    chat: ChatClient
    """The way to the model."""
    recall: RelatedMemories
    """Finds memories to show it, and tells what texts mean."""
    marks: Callable[[str], Digester]
    """A tenant's marks, which recognise what was forgotten."""
    max_output_tokens: int
    """The longest answer."""
    personal: PersonalRules | None = None
    """What is configured for personal data."""

    def validator(
        self, tx: Transaction, work: LeasedEntry, shown: PromptContents, meanings: TextVectors
    ) -> OperationValidator:
        """What conclusions from an entry may be built on."""
        return OperationValidator(
            tx,
            self.marks(work.tenant),
            shown,
            InferredBy.MODEL,
            Author(EXTRACTION_CHANNEL, self.chat.name),
            self.personal or {},
            meanings,
            work.id,
        )


class EntryLeaseLostError(MemoriaError):
    """Another worker has the entry by now; nothing of ours was written."""


class ChangedMeanwhileError(MemoriaError):
    """What was read is no longer what is there. Nothing was written; it has to be read again."""


class EntryProcessor(Protocol):
    """Makes something of one kind of entry."""

    def run(self, work: LeasedEntry, owner: str) -> None:
        """Read an entry and apply what comes of it, in one transaction with its completion.

        Raises:
            ChatModelError: the model gave no answer.
            EmbedderError: what was forgotten can't be known again by its meaning now.
            ChangedMeanwhileError: the conversation is another by now.
            LeaseLostError: it took too long.
            StoreError: the store can't serve.
        """
        ...


def entry_turns(tx: Transaction, work: LeasedEntry) -> list[StoredTurn]:
    """The entry's turns as they are now, in order."""
    return tx.conversations.list_span(work.session_n, work.first_index, work.last_index)


def finish_entry(tx: Transaction, work: LeasedEntry, owner: str, outcome: str) -> None:
    """Mark the entry as done.

    Raises:
        LeaseLostError: it took too long; the transaction must not be committed.
    """
    if not tx.queue.finish(work.n, owner, outcome):
        raise EntryLeaseLostError(f"The entry {work.id} was read by another worker meanwhile.")


def day_of(turn: StoredTurn) -> str:
    """The day a turn was said, with its weekday."""
    day = from_millis(turn.at).date()
    return f"{day:%A}, {day.isoformat()}"


def turn_line(turn: StoredTurn, text: str, most: int) -> str:
    """A turn as a model reads it, its middle left out where it has more than `most` characters."""
    if len(text) > most:
        half = most // 2
        text = f"{text[:half]}{_CUT}{text[-half:]}"
    return f"{turn.speaker or turn.role.value}: {text}"


def shorten_statement(content: str) -> str:
    """A memory as a model reads it: its beginning where it is long."""
    cut = len(content) > _LONGEST_STATEMENT
    return f"{content[:_LONGEST_STATEMENT]}{_CUT}".rstrip() if cut else content


def number_lines(lines: Iterable[str]) -> str:
    """Turns, each under the number by which an answer refers to it."""
    return "\n\n".join(f"[{number}] {line}" for number, line in enumerate(lines, 1))


def chars_per_turn(most_chars: int, turns: Sequence[StoredTurn], least: int) -> int:
    """How many characters of each turn can be shown."""
    return max(most_chars // len(turns), least)
