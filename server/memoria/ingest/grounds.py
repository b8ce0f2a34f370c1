"""Grounds: what every operation has to stand on.

A turn the model was shown and words that are in it, a memory it was shown, a sentence that may be
said at all. Whose word a conclusion is follows from the turn.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from memoria.errors import NotFoundError
from memoria.ingest.clean import Tally, clean_text
from memoria.ingest.outcome import Outcome
from memoria.ingest.quotes import find_quote
from memoria.ingest.tombstones import Marks, buried
from memoria.model import (
    NO_MEANINGS,
    Add,
    InferredBy,
    Meanings,
    Memory,
    Mention,
    Provenance,
    Role,
    SourceKind,
    StoredTurn,
    Trust,
    new_id,
    now_millis,
)
from memoria.model.privacy import PersonalRules
from memoria.policy.conflict import Claim
from memoria.policy.orders import instruction_shaped
from memoria.policy.privacy import hidden, rules, screen
from memoria.store.base import Transaction
from memoria.store.values import NewVersion
from memoria.text.dates import Prefer, times
from memoria.text.document import full_text
from memoria.text.statement import fingerprint, sentences_in

CHANNEL = "extraction"
_NOTHING_CONFIGURED: PersonalRules = MappingProxyType({})
_PLACEHOLDER = re.compile("⟨[^⟨⟩]{0,40}⟩")
_ORIGIN = {
    Role.USER: SourceKind.USER_SAID,
    Role.ASSISTANT: SourceKind.ASSISTANT_INFERRED,
    Role.TOOL: SourceKind.TOOL_OUTPUT,
    Role.SYSTEM: SourceKind.ASSISTANT_INFERRED,
}


class RejectedError(Exception):
    """An operation is turned away, with the reason in a word or two."""


@dataclass(frozen=True, slots=True)
class When:
    """When something happened, and how that was put."""

    at: int | None
    expression: str | None


@dataclass(frozen=True, slots=True)
class Shown:
    """What the model was shown: turns by their number in the prompt, and memories by id."""

    turns: Mapping[int, StoredTurn]
    memories: Mapping[str, Memory]


class Grounds:
    """What one reading of one tenant's turns may be built on."""

    def __init__(
        self,
        tx: Transaction,
        marks: Marks,
        shown: Shown,
        by: InferredBy,
        client: str,
        personal: PersonalRules = _NOTHING_CONFIGURED,
        meanings: Meanings = NO_MEANINGS,
        entry_id: str | None = None,
    ) -> None:
        """Look things up in a transaction.

        Args:
            tx: where everything is written, or nothing.
            marks: recognise what was forgotten.
            shown: what the model was shown.
            by: who draws the conclusions.
            client: the model's name, for provenance.
            personal: what is configured for personal data.
            meanings: the vectors of what may be said, by which what was forgotten is known again
                in other words.
            entry_id: of the queue, under which what is turned away is logged.
        """
        self.entry_id = entry_id or new_id()
        self._personal = rules(personal)
        self.tx = tx
        self._marks = marks
        self._shown = shown
        self.by = by
        self.client = client
        self._meanings = meanings
        self.now = now_millis()
        self.misread = set[int]()
        """Turns that were quoted as they don't stand, or read as nobody meant them."""

    @property
    def turns(self) -> tuple[StoredTurn, ...]:
        """The turns the model was shown that may still be concluded from."""
        return tuple(self._shown.turns.values())

    @property
    def shown(self) -> Mapping[str, Memory]:
        """The memories the model was shown, by id."""
        return self._shown.memories

    def known(self, memory_id: str) -> Memory:
        """A memory the model was shown, as it is now."""
        memory = self.tx.memories.get(memory_id) if memory_id in self._shown.memories else None
        if memory is None:
            raise RejectedError("unknown id")
        return memory

    def words(self, number: int, quote: str) -> tuple[StoredTurn, str]:
        """The turn that an operation rests on, and the very words there."""
        turn = self._shown.turns.get(number)
        if turn is None:
            raise RejectedError("unknown turn")
        words = find_quote(quote, full_text(turn))
        if words is None:
            self.misread.add(turn.n)
            raise RejectedError("quote not in the turn")
        return turn, words

    def sayable(self, content: str, turn: StoredTurn) -> tuple[str, str | None]:
        """The content without secrets, and why it may not count before it is confirmed."""
        text, confirm = self._kept(content, _is_placeholder(full_text(turn)))
        if _is_order(text, turn):
            return text, "instruction"
        if turn.role is Role.TOOL:
            return text, "tool"
        return text, "pii" if confirm else None

    def concluded(self, content: str, trust: Trust) -> str:
        """What is concluded from memories and from no turn, without secrets.

        Nobody is asked to confirm it: what would have to be confirmed is turned away.

        Args:
            content: what is to be said.
            trust: of the least trusted of the memories.
        """
        text, confirm = self._kept(content)
        if instruction_shaped(text, trust):
            raise RejectedError("reads like an order")
        if confirm:
            raise RejectedError("personal data")
        return text

    def _kept(self, content: str, placeholders: bool = False) -> tuple[str, bool]:
        """What may be kept of a text, and whether only with the user's word.

        What was forgotten is not said again.
        """
        text = clean_text(content, Tally()).strip()
        if not text:
            raise RejectedError("nothing left to say")
        if _is_placeholder(text) and not placeholders:
            raise RejectedError("a placeholder")
        if buried(self.tx.tombstones, self._marks, text) is not None or self._means_again(text):
            raise RejectedError("forgotten")
        screened = screen(text, self._personal)
        if screened.text is None:
            raise RejectedError("personal data")
        return screened.text, screened.confirm

    def _means_again(self, text: str) -> bool:
        """Whether a text or a sentence of it means what was forgotten, where that can be told."""
        model, known = self._meanings.model, self._meanings.vectors
        vectors = [known[piece] for piece in sentences_in(text) if piece in known]
        return any(self.tx.tombstones.like(model, vector) is not None for vector in vectors)

    def stored(self, memory_id: str) -> Memory:
        """A memory as it is now, whoever wrote it."""
        memory = self.tx.memories.get(memory_id)
        if memory is None:
            raise NotFoundError.memory(memory_id)
        return memory

    def claim(
        self,
        content: str,
        predicate: str,
        turn: StoredTurn,
        confidence: float,
        when: When,
        *,
        assertive: bool = True,
    ) -> Claim:
        """What is claimed, on the word of whoever said the turn."""
        return Claim(
            content=content,
            predicate=predicate,
            said_at=turn.at,
            event_at=when.at,
            source=_ORIGIN[turn.role],
            trust=turn.trust,
            confidence=confidence,
            assertive=assertive,
        )

    def version(
        self, content: str, turn: StoredTurn, quote: str, claim: Claim, when: When
    ) -> NewVersion:
        """A wording with where it came from, ready to be written."""
        provenance = Provenance(
            source_kind=claim.source,
            trust=_carried(claim),
            channel=CHANNEL,
            client=self.client,
            quote=self.quotable(quote),
        )
        return NewVersion(
            content=content,
            fingerprint=fingerprint(content),
            valid_from=turn.at,
            ingested_at=self.now,
            provenance=provenance,
            turn_n=turn.n,
            inferred_by=self.by,
            event_at=when.at,
            event_expression=when.expression,
        )

    def turn_away(self, outcome: Outcome, what: str, error: RejectedError) -> None:
        """Count what could not be applied, and log why."""
        outcome.rejected[str(error)] += 1
        self.audit("reject", self.entry_id, f"{what}: {error}")

    def audit(self, action: str, subject: str, detail: str | None = None) -> None:
        """Log what was done."""
        self.tx.audit.add(
            at=self.now,
            channel=CHANNEL,
            client=self.client,
            action=action,
            subject=subject,
            detail=detail,
        )

    def name(self, text: str) -> str:
        """A subject, property or task without secrets.

        Raises:
            RejectedError: nothing is left of it.
        """
        cleaned = clean_text(text, Tally()).strip()
        if not cleaned:
            raise RejectedError("nothing left to say")
        if _is_placeholder(cleaned):
            raise RejectedError("a placeholder")
        return hidden(cleaned, self._personal)

    def nameable(self, add: Add) -> Add:
        """What is proposed, without names and a subject that may not be kept."""
        names = {"entities": self.mentionable(add.entities), "subject": self.name(add.subject)}
        return add.model_copy(update=names)

    def mentionable(self, mentions: Iterable[Mention]) -> tuple[Mention, ...]:
        """Those of the mentions of which every name may be kept."""
        return tuple(one for one in mentions if all(map(self._keeps, (one.name, *one.aliases))))

    def _keeps(self, name: str) -> bool:
        said_again = buried(self.tx.tombstones, self._marks, name) is not None
        free = not said_again and not _is_placeholder(name)
        return free and hidden(name, self._personal) == name

    def quotable(self, quote: str) -> str:
        """The words of a turn, without what may not be kept."""
        return hidden(quote, self._personal)


def _is_placeholder(text: str) -> bool:
    """Whether a text holds what our prompts mark as no content."""
    return _PLACEHOLDER.search(text) is not None


def _is_order(content: str, turn: StoredTurn) -> bool:
    """Whether somebody tries to command the memory, in the turn or by way of the model."""
    said = instruction_shaped(full_text(turn), turn.trust)
    return said or instruction_shaped(content, turn.trust)


def when_of(expression: str | None, content: str, turn: StoredTurn, prefer: Prefer) -> When:
    """When something happened: by the speaker's expression, else by a date in the conclusion."""
    for text in (expression or "", content):
        for span in times(text, turn.at, prefer=prefer):
            return When(span.from_ms, span.expression)
    return When(None, None)


def _carried(claim: Claim) -> Trust:
    """How far a conclusion may be trusted: a reading of the user's words is not their word."""
    return Trust.REPORTED if claim.trust is Trust.USER else claim.trust
