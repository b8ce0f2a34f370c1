"""Grounds: what every operation has to stand on.

A turn the model was shown and words that are in it, a memory it was shown, a sentence that may be
said at all. Whose word a conclusion is follows from the turn.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from memoria.erasure.suppression import Digester, SuppressionList
from memoria.errors import NotFoundError
from memoria.memories.values import Author, Interpretation, NewWording
from memoria.memories.writer import MemoryWriter
from memoria.model import (
    NO_TEXT_VECTORS,
    Add,
    InferredBy,
    Memory,
    Mention,
    Provenance,
    Role,
    SourceKind,
    StoredTurn,
    TextVectors,
    Trust,
    new_id,
    now_millis,
)
from memoria.model.privacy import PersonalRules
from memoria.policy.conflict import Claim
from memoria.policy.orders import instruction_shaped
from memoria.policy.privacy import effective_rules, mask, screen
from memoria.store.base import Transaction
from memoria.text.clean import Tally, clean_text
from memoria.text.dates import Prefer, times
from memoria.text.document import full_text
from memoria.text.quotes import find_quote

_NO_RULES: PersonalRules = MappingProxyType({})
_PLACEHOLDER = re.compile("⟨[^⟨⟩]{0,40}⟩")
_SOURCE_OF_ROLE = {
    Role.USER: SourceKind.USER_SAID,
    Role.ASSISTANT: SourceKind.ASSISTANT_INFERRED,
    Role.TOOL: SourceKind.TOOL_OUTPUT,
    Role.SYSTEM: SourceKind.ASSISTANT_INFERRED,
}


class RejectedError(Exception):
    """An operation is turned away, with the reason in a word or two."""


@dataclass(frozen=True, slots=True)
class EventTime:
    """When something happened, and how that was put."""

    at: int | None
    expression: str | None


@dataclass(frozen=True, slots=True)
class PromptContents:
    """What the model was shown: turns by their number in the prompt, and memories by id."""

    turns: Mapping[int, StoredTurn]
    memories: Mapping[str, Memory]


class OperationValidator:
    """What one reading of one tenant's turns may be built on."""

    def __init__(
        self,
        tx: Transaction,
        digester: Digester,
        prompt: PromptContents,
        inferred_by: InferredBy,
        author: Author,
        personal: PersonalRules = _NO_RULES,
        meanings: TextVectors = NO_TEXT_VECTORS,
        entry_id: str | None = None,
    ) -> None:
        """Look things up in a transaction.

        Args:
            tx: where everything is written, or nothing.
            digester: recognises what was forgotten.
            prompt: what the model was shown.
            inferred_by: who draws the conclusions.
            author: the channel and the model's name, for provenance and the audit log.
            personal: what is configured for personal data.
            meanings: the vectors of what may be said, by which what was forgotten is known again
                in other words.
            entry_id: of the queue, under which what is turned away is logged.
        """
        self.entry_id = entry_id or new_id()
        self._personal = effective_rules(personal)
        self.tx = tx
        self._suppression = SuppressionList(tx.tombstones, digester, meanings)
        self._prompt = prompt
        self.inferred_by = inferred_by
        self.now = now_millis()
        self._author = author
        self.writer = MemoryWriter(tx, self._suppression, author, self.now)
        """Writes what has been checked."""
        self.misread_turns = set[int]()
        """Turns that were quoted as they don't stand, or read as nobody meant them."""

    @property
    def prompt_turns(self) -> tuple[StoredTurn, ...]:
        """The turns the model was shown that may still be concluded from."""
        return tuple(self._prompt.turns.values())

    @property
    def prompt_memories(self) -> Mapping[str, Memory]:
        """The memories the model was shown, by id."""
        return self._prompt.memories

    def require_prompt_memory(self, memory_id: str) -> Memory:
        """A memory the model was shown, as it is now."""
        memory = self.tx.memories.get(memory_id) if memory_id in self._prompt.memories else None
        if memory is None:
            raise RejectedError("unknown id")
        return memory

    def locate_quote(self, number: int, quote: str) -> tuple[StoredTurn, str]:
        """The turn that an operation rests on, and the very words there."""
        turn = self._prompt.turns.get(number)
        if turn is None:
            raise RejectedError("unknown turn")
        words = find_quote(quote, full_text(turn))
        if words is None:
            self.misread_turns.add(turn.n)
            raise RejectedError("quote not in the turn")
        return turn, words

    def check_statement(self, content: str, turn: StoredTurn) -> tuple[str, str | None]:
        """The content without secrets, and why it may not count before it is confirmed."""
        text, confirm = self._screen_text(content, _is_placeholder(full_text(turn)))
        if _is_order(text, turn):
            return text, "instruction"
        if turn.role is Role.TOOL:
            return text, "tool"
        return text, "pii" if confirm else None

    def check_derived(self, content: str, trust: Trust) -> str:
        """What is concluded from memories and from no turn, without secrets.

        Nobody is asked to confirm it: what would have to be confirmed is turned away.

        Args:
            content: what is to be said.
            trust: of the least trusted of the memories.
        """
        text, confirm = self._screen_text(content)
        if instruction_shaped(text, trust):
            raise RejectedError("reads like an order")
        if confirm:
            raise RejectedError("personal data")
        return text

    def _screen_text(self, content: str, placeholders: bool = False) -> tuple[str, bool]:
        """What may be kept of a text, and whether only with the user's word.

        What was forgotten is not said again.
        """
        text = clean_text(content, Tally()).strip()
        if not text:
            raise RejectedError("nothing left to say")
        if _is_placeholder(text) and not placeholders:
            raise RejectedError("a placeholder")
        if not self._suppression.may_keep(text):
            raise RejectedError("forgotten")
        screened = screen(text, self._personal)
        if screened.text is None:
            raise RejectedError("personal data")
        if screened.text != text and not self._suppression.may_keep(screened.text):
            raise RejectedError("forgotten")  # as it would be written, with a number masked
        return screened.text, screened.needs_confirmation

    def require_memory(self, memory_id: str) -> Memory:
        """A memory as it is now, whoever wrote it."""
        memory = self.tx.memories.get(memory_id)
        if memory is None:
            raise NotFoundError.for_memory(memory_id)
        return memory

    def claim(
        self,
        content: str,
        predicate: str,
        turn: StoredTurn,
        confidence: float,
        when: EventTime,
        *,
        assertive: bool = True,
    ) -> Claim:
        """What is claimed, on the word of whoever said the turn."""
        return Claim(
            content=content,
            predicate=predicate,
            said_at=turn.at,
            event_at=when.at,
            source=_SOURCE_OF_ROLE[turn.role],
            trust=turn.trust,
            confidence=confidence,
            assertive=assertive,
        )

    def wording(
        self,
        claim: Claim,
        turn: StoredTurn,
        quote: str,
        when: EventTime,
        interpretation: Interpretation,
    ) -> NewWording:
        """A wording with where it came from, ready to be written."""
        provenance = Provenance(
            source_kind=claim.source,
            trust=_conclusion_trust(claim),
            channel=self._author.channel,
            client=self._author.client,
            quote=self.mask_quote(quote),
        )
        return NewWording(
            content=claim.content,
            valid_from=turn.at,
            provenance=provenance,
            turn_n=turn.n,
            inferred_by=self.inferred_by,
            event_at=when.at,
            event_expression=when.expression,
            interpretation=interpretation,
        )

    def log_rejection(self, operation: str, error: RejectedError) -> None:
        """Log why something that was proposed could not be applied."""
        self.tx.audit.add(
            at=self.now,
            channel=self._author.channel,
            client=self._author.client,
            action="reject",
            subject=self.entry_id,
            detail=f"{operation}: {error}",
        )

    def check_name(self, text: str) -> str:
        """A subject, property or task without secrets.

        Raises:
            RejectedError: nothing is left of it.
        """
        cleaned = clean_text(text, Tally()).strip()
        if not cleaned:
            raise RejectedError("nothing left to say")
        if _is_placeholder(cleaned):
            raise RejectedError("a placeholder")
        return mask(cleaned, self._personal)

    def screen_names(self, add: Add) -> Add:
        """What is proposed, without names and a subject that may not be kept."""
        names = {
            "entities": self.screen_mentions(add.entities),
            "subject": self.check_name(add.subject),
        }
        return add.model_copy(update=names)

    def screen_mentions(self, mentions: Iterable[Mention]) -> tuple[Mention, ...]:
        """Those of the mentions of which every name may be kept."""
        return tuple(
            one for one in mentions if all(map(self._may_keep_name, (one.name, *one.aliases)))
        )

    def _may_keep_name(self, name: str) -> bool:
        is_free = self._suppression.find_tombstone(name) is None and not _is_placeholder(name)
        return is_free and mask(name, self._personal) == name

    def mask_quote(self, quote: str) -> str:
        """The words of a turn, without what may not be kept."""
        return mask(quote, self._personal)


def _is_placeholder(text: str) -> bool:
    """Whether a text holds what our prompts mark as no content."""
    return _PLACEHOLDER.search(text) is not None


def _is_order(content: str, turn: StoredTurn) -> bool:
    """Whether somebody tries to command the memory, in the turn or by way of the model."""
    is_in_turn = instruction_shaped(full_text(turn), turn.trust)
    return is_in_turn or instruction_shaped(content, turn.trust)


def find_event_time(
    expression: str | None, content: str, turn: StoredTurn, prefer: Prefer
) -> EventTime:
    """When something happened: by the speaker's expression, else by a date in the conclusion."""
    for text in (expression or "", content):
        for span in times(text, turn.at, prefer=prefer):
            return EventTime(span.from_ms, span.expression)
    return EventTime(None, None)


def _conclusion_trust(claim: Claim) -> Trust:
    """How far a conclusion may be trusted: a reading of the user's words is not their word."""
    return Trust.REPORTED if claim.trust is Trust.USER else claim.trust
