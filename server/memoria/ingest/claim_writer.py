"""Writes a claim in the form that its verdict asks for, and counts what was done."""

from dataclasses import replace

from memoria.ingest.outcome import ExtractionOutcome
from memoria.memories.validator import OperationValidator
from memoria.memories.values import NewWording, Passage, StructuralLinks
from memoria.model import (
    InferredBy,
    Memory,
    Role,
    SourceKind,
    StoredTurn,
    Validity,
    new_id,
)
from memoria.policy.conflict import Claim, Contradict, NeedsReview
from memoria.store.values import NewMemory


class ClaimWriter:
    """Writes claims through the writer of memories, and counts them by outcome."""

    def __init__(self, validator: OperationValidator) -> None:
        """Nothing is written yet.

        Args:
            validator: checks the claims, in the transaction they are written in.
        """
        self._inferred_by = validator.inferred_by
        self._writer = validator.writer
        self.outcome = ExtractionOutcome()
        self.echo_ids = set[str]()
        """Memories that an assistant or a tool only repeated."""

    def add(self, counted_as: str, memory: NewMemory, wording: NewWording) -> None:
        """Write a new memory."""
        self._writer.add(memory, wording)
        self.count(counted_as)

    def restore_if_repeated(self, known: Memory, turn: StoredTurn) -> None:
        """Restore an archived memory if the user said the same after it was archived."""
        is_later = turn.role is Role.USER and turn.at > known.updated_at
        if known.validity is not Validity.ARCHIVED or not is_later:
            self.count("known")
            return
        self._writer.restore(known.id)
        self.count("restored")

    def strengthen(self, memory: Memory, wording: NewWording) -> None:
        """Note that a known memory was said again.

        It is evidence for the memory, unless an assistant or a tool only repeats what the user
        said. A model's wording replaces one that rules made, unless the user has fixed that.
        """
        user_said = SourceKind.USER_SAID
        is_echo = (
            memory.current.provenance.source_kind is user_said is not wording.provenance.source_kind
        )
        if is_echo:
            self.echo_ids.add(memory.id)
            self.count("known")
            return
        is_fixed = memory.verified or memory.pinned
        by_rules = memory.current.inferred_by is InferredBy.RULES
        if not is_fixed and by_rules and self._inferred_by is InferredBy.MODEL:
            self.revise(memory, wording, memory.current.valid_from)
            return
        passage = Passage(wording.turn_n or 0, wording.provenance.quote or "")
        self.count("evidence" if self._writer.add_evidence(memory.id, passage) else "known")

    def add_past(self, claim: Claim, wording: NewWording, memory: Memory) -> None:
        """Write what was true before the present wording of a memory, for its history alone."""
        if self._writer.find_same(wording.content, memory.workspace) is not None:
            self.count("known")
            return
        past = _same_topic(memory, claim, memory.workspace)
        self.add("past", replace(past, validity=Validity.SUPERSEDED), wording)

    def add_in_workspace(
        self, claim: Claim, wording: NewWording, memory: Memory, turn: StoredTurn
    ) -> None:
        """Write what a turn says for its workspace alone, beside what holds outside of it."""
        known = self._writer.find_same(wording.content, turn.workspace)
        if known is not None and known.validity is Validity.ACTIVE:
            self.strengthen(known, wording)
            return
        new = _same_topic(memory, claim, turn.workspace)
        self.add("ADD", new, replace(wording, structural=StructuralLinks(replaces=memory.id)))

    def add_pending(
        self,
        claim: Claim,
        wording: NewWording,
        memory: Memory,
        verdict: Contradict | NeedsReview,
        turn: StoredTurn,
    ) -> None:
        """Write a claim that contradicts a memory; it waits until somebody confirms it.

        It belongs to the workspace where it was said, though the memory may be seen elsewhere too.
        """
        pending = replace(
            _same_topic(memory, claim, turn.workspace),
            validity=Validity.PENDING_CONFIRMATION,
            flag="review" if isinstance(verdict, NeedsReview) else "conflict",
        )
        against = StructuralLinks(contradicts=(memory.id,))
        self.add("pending", pending, replace(wording, interpretation=None, structural=against))

    def revise(self, memory: Memory, wording: NewWording, valid_from: int) -> None:
        """Let a memory say something else from a moment on."""
        since = max(valid_from, memory.current.valid_from)
        self._writer.revise(memory.id, replace(wording, valid_from=since))
        self.count("UPDATE")

    def count(self, what: str) -> None:
        """Count something that was done."""
        self.outcome.applied[what] += 1


def _same_topic(memory: Memory, claim: Claim, workspace: str | None) -> NewMemory:
    """A new memory of what a known one speaks of, as sure as a claim is."""
    return NewMemory(
        id=new_id(),
        type=memory.type,
        importance=memory.importance,
        confidence=claim.confidence,
        workspace=workspace,
        subject=memory.subject,
        predicate=claim.predicate,
    )
