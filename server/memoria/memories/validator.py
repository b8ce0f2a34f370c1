"""The operation validator: checks the evidence of a proposed operation before it is applied.

An operation must quote a turn that the model was shown, word for word, and may change only memories
that it was shown. Its text must be one that may be kept: not forgotten, no secret, no order to the
memory, personal data only under the configured rules. The provenance follows from the quoted turn.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from memoria.bare.lazy_regex import lazy_regex
from memoria.erasure.suppression import Digester, SuppressionList
from memoria.language.names.keys import predicate_key
from memoria.language.reading.clean import Tally, clean_text
from memoria.language.reading.fences import drop_invisible
from memoria.language.reading.pasted import is_pasted
from memoria.language.reading.quotes import find_quote
from memoria.language.statements.orders import (
    doubt_direction,
    instruction_shaped,
    is_worded_as_order,
)
from memoria.language.words.document import full_text
from memoria.memories.conditions import borrows_confidence, is_withheld
from memoria.memories.derived import least_trust
from memoria.memories.times import EventTime, zone_of_turn
from memoria.memories.verdicts import APART
from memoria.memories.wordings import Author, Interpretation, NewWording
from memoria.memories.writer import MemoryWriter
from memoria.model import (
    NO_TEXT_VECTORS,
    Add,
    InferredBy,
    Memory,
    MemoryType,
    Mention,
    Provenance,
    Relation,
    Role,
    SourceKind,
    StoredTurn,
    TextVectors,
    Trust,
    new_id,
    now_millis,
)
from memoria.model.moments import Zone
from memoria.model.parse import replace_unfit
from memoria.policy.conflict import Claim
from memoria.policy.privacy import effective_rules, mask, screen
from memoria.policy.questions import OWN_POLICY, HomePolicy, Keep, RefusedError
from memoria.store.rows.transaction import Transaction

_PLACEHOLDER = lazy_regex("⟨[^⟨⟩]{0,40}⟩")
_SOURCE_OF_ROLE = {
    Role.USER: SourceKind.USER_SAID,
    Role.ASSISTANT: SourceKind.ASSISTANT_INFERRED,
    Role.TOOL: SourceKind.TOOL_OUTPUT,
    Role.SYSTEM: SourceKind.ASSISTANT_INFERRED,
}


class RejectedError(Exception):
    """An operation is rejected; the message is the reason, in a word or two."""


@dataclass(frozen=True, slots=True)
class PromptContents:
    """Turns by their number in the prompt, and memories by id, that the model was shown."""

    turns: Mapping[int, StoredTurn]
    memories: Mapping[str, Memory]


class _ProposalWriter(MemoryWriter):
    """Writer of proposals; what the policy refuses is rejected as whatever else can't be kept.

    The policy's reason is left out: it may hold words of the conversation, and is logged.
    """

    def _decide_keep(self, memory: Memory) -> Keep:
        try:
            return super()._decide_keep(memory)
        except RefusedError:
            raise RejectedError("refused by the policy") from None


class OperationValidator:
    """Checks the operations that follow from one queue entry or one derivation."""

    def __init__(
        self,
        tx: Transaction,
        digester: Digester,
        prompt: PromptContents,
        inferred_by: InferredBy,
        author: Author,
        policy: HomePolicy = OWN_POLICY,
        meanings: TextVectors = NO_TEXT_VECTORS,
        entry_id: str | None = None,
    ) -> None:
        self.entry_id = entry_id or new_id()
        self._personal = effective_rules(policy.personal)
        self.tx = tx
        self._suppression = SuppressionList(tx.tombstones, digester, meanings)
        self._prompt = prompt
        self.inferred_by = inferred_by
        self.now = now_millis()
        self._author = author
        self.writer = _ProposalWriter(tx, self._suppression, author, self.now, policy)
        """Writer of the memories that follow from valid operations."""
        self.misread_turns = set[int]()
        """Numbers of the turns that the model misquoted or misunderstood."""

    @property
    def prompt_turns(self) -> tuple[StoredTurn, ...]:
        """The turns that the model was shown and that are still unprocessed."""
        return tuple(self._prompt.turns.values())

    @property
    def prompt_memories(self) -> tuple[Memory, ...]:
        """The memories that the model was shown, as they were then."""
        return tuple(self._prompt.memories.values())

    def require_prompt_memory(self, memory_id: str) -> Memory:
        """Return a memory the model was shown, as it is now.

        Raises:
            RejectedError: the model was not shown it, or it is gone.
        """
        memory = self.tx.memories.get(memory_id) if memory_id in self._prompt.memories else None
        if memory is None:
            raise RejectedError("unknown id")
        return memory

    def locate_quote(self, number: int, quote: str) -> tuple[StoredTurn, str]:
        """Return the turn that an operation quotes, and the quote as it stands there.

        Raises:
            RejectedError: there is no such turn, it has no such words, or they were forgotten.
        """
        turn = self._prompt.turns.get(number)
        if turn is None:
            raise RejectedError("unknown turn")
        words = find_quote(quote, full_text(turn))
        if words is None:
            self.misread_turns.add(turn.n)
            raise RejectedError("quote not in the turn")
        if self._suppression.find_tombstone(words) is not None:
            raise RejectedError("forgotten")  # whatever is concluded from it
        return turn, words

    def check_statement(
        self, content: str, turn: StoredTurn, quote: str = ""
    ) -> tuple[str, str | None]:
        """Return the content without secrets, and the reason to wait for confirmation or None.

        Raises:
            RejectedError: it may not be kept.
        """
        text, confirm = self._screen_text(content, _is_placeholder(full_text(turn)))
        if _is_order(text, turn):
            return text, "instruction"
        if turn.role is Role.TOOL:
            return text, "tool"
        if _is_only_presented(turn, quote):
            return text, "pasted"
        return text, "pii" if confirm else None

    def check_conclusion(
        self, content: str, kind: MemoryType, subject: str | None, turn: StoredTurn, quote: str
    ) -> tuple[str, str | None]:
        """Check a conclusion from one turn, and that it directs the agent on the user's word alone.

        Returns:
            The content and the reason to wait, as `check_statement` does.

        Raises:
            RejectedError: it may not be kept, or was told in confidence elsewhere.
        """
        text, reason = self.check_statement(content, turn, quote)
        if is_withheld(self.tx, turn):
            raise RejectedError("not to be kept")
        if borrows_confidence(self.tx, self._prompt.turns.values(), text, turn):
            raise RejectedError("told in confidence in another turn")
        if reason not in (None, "pii"):
            return text, reason
        return text, doubt_direction(kind, text, subject, turn, quote) or reason

    def check_derived(self, content: str, sources: Sequence[Memory]) -> str:
        """Return the content of a derived memory, without secrets.

        Nobody is asked to confirm a derived memory, so whatever would need confirmation is
        rejected, and an order where one of its sources is not the user's own.

        Raises:
            RejectedError: it is an order, personal data, or may not be kept.
        """
        text, confirm = self._screen_text(content)
        origins = {source.current.provenance.source_kind for source in sources}
        is_order = is_worded_as_order(text) and origins != {SourceKind.USER_SAID}
        if is_order or instruction_shaped(text, least_trust(sources)):
            raise RejectedError("reads like an order")
        if confirm:
            raise RejectedError("personal data")
        return text

    def _screen_text(self, content: str, placeholders: bool = False) -> tuple[str, bool]:
        """Return the part of a text that may be kept, and whether it needs confirmation."""
        text = drop_invisible(clean_text(content, Tally())).strip()
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
            raise RejectedError("forgotten")  # in the words that would be written
        return screened.text, screened.needs_confirmation

    def claim(
        self,
        content: str,
        predicate: str,
        turn: StoredTurn,
        confidence: float,
        when: EventTime,
        *,
        assertive: bool = True,
        quote: str = "",
    ) -> Claim:
        """Build the claim of an operation, as trustworthy as its turn.

        What its speaker has only pasted is no more trusted than a tool's output.
        """
        is_said = not _is_only_presented(turn, quote)
        return Claim(
            content=content,
            predicate=predicate,
            said_at=turn.at,
            event_at=None if when.comes_again else when.at,
            source=_SOURCE_OF_ROLE[turn.role] if is_said else SourceKind.TOOL_OUTPUT,
            trust=turn.trust if is_said else Trust.TOOL,
            confidence=confidence,
            assertive=assertive,
            place=(turn.session_id, turn.turn_index),
        )

    def wording(
        self,
        claim: Claim,
        turn: StoredTurn,
        quote: str,
        when: EventTime,
        interpretation: Interpretation,
    ) -> NewWording:
        """Build the wording of a claim, with its provenance, ready to be written."""
        provenance = Provenance(
            source_kind=claim.source,
            # A reading of the user's words is not their own word.
            trust=Trust.REPORTED if claim.trust is Trust.USER else claim.trust,
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

    def zone_of(self, turn: StoredTurn) -> Zone:
        """Return the zone a turn was said in, by which "yesterday" is read."""
        return zone_of_turn(turn, self.tx.zone)

    def log_rejection(self, operation: str, error: RejectedError) -> None:
        """Log the rejection of an operation with its reason."""
        self._log("reject", self.entry_id, f"{operation}: {error}")

    def log_apart(self, memory_id: str, relations: Mapping[str, Relation]) -> None:
        """Log which memories, by id, the model has found to differ from a memory."""
        for other, relation in relations.items():
            if relation == "different":
                self._log(APART, memory_id, other)

    def _log(self, action: str, subject: str, detail: str) -> None:
        self.tx.audit.add(
            at=self.now,
            channel=self._author.channel,
            client=self._author.client,
            caller=self._author.caller,
            action=action,
            subject=subject,
            detail=detail,
        )

    def check_property(self, text: str | None) -> str:
        """Return the key of a property without secrets; empty where none was named.

        Raises:
            RejectedError: it is a placeholder of our prompts, or says what was forgotten.
        """
        return predicate_key(self.check_name(text)) if text and text.strip() else ""

    def check_name(self, text: str) -> str:
        """Return a subject, property or task without secrets.

        Raises:
            RejectedError: it is empty, a placeholder of our prompts, or says what was forgotten.
        """
        cleaned = clean_text(replace_unfit(text), Tally()).strip()
        if not cleaned:
            raise RejectedError("nothing left to say")
        if _is_placeholder(cleaned):
            raise RejectedError("a placeholder")
        if self._suppression.find_tombstone(cleaned) is not None:
            raise RejectedError("forgotten")
        return mask(cleaned, self._personal)

    def screen_names(self, add: Add) -> Add:
        """Remove from an addition the names that must not be kept."""
        names = {
            "entities": self.screen_mentions(add.entities),
            "subject": self.check_name(add.subject),
        }
        return add.model_copy(update=names)

    def screen_mentions(self, mentions: Iterable[Mention]) -> tuple[Mention, ...]:
        """Keep the mentions whose every name may be kept."""
        return tuple(one for one in mentions if all(map(self._may_keep_name, one.names)))

    def _may_keep_name(self, name: str) -> bool:
        is_free = self._suppression.find_tombstone(name) is None and not _is_placeholder(name)
        return is_free and mask(name, self._personal) == name

    def mask_quote(self, quote: str) -> str:
        """Mask personal data in a quote, where the rules ask for that."""
        return mask(quote, self._personal)


def _is_placeholder(text: str) -> bool:
    """Return whether a text contains a placeholder, which in our prompts stands for no content."""
    return _PLACEHOLDER.search(text) is not None


def _is_only_presented(turn: StoredTurn, quote: str) -> bool:
    """Return whether the user has pasted the words of a quote, and has not said them."""
    return turn.role is Role.USER and is_pasted(quote, turn.content)


def _is_order(content: str, turn: StoredTurn) -> bool:
    """Return whether the turn, or the model's text, tries to give orders to the memory."""
    is_in_turn = instruction_shaped(full_text(turn), turn.trust)
    return is_in_turn or instruction_shaped(content, turn.trust)
