"""Keep: how a claim is written once it is judged, and how that is counted."""

from dataclasses import replace

from memoria.ingest.outcome import ExtractionOutcome
from memoria.memories.links import (
    Interpretation,
    StructuralLinks,
    link_memory,
    replace_interpretation,
)
from memoria.memories.validator import OperationValidator
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
from memoria.store.values import NewEvidence, NewMemory, NewVersion


class ClaimWriter:
    """Writes within one tenant's transaction."""

    def __init__(self, validator: OperationValidator) -> None:
        """Nothing is written yet.

        Args:
            validator: what the claims are built on, in the transaction to write them in.
        """
        self._validator = validator
        self._tx = validator.tx
        self._now = validator.now
        self.outcome = ExtractionOutcome()
        self.echo_ids = set[str]()
        """Memories that somebody said again who only repeats."""

    def add(
        self,
        counted_as: str,
        memory: NewMemory,
        version: NewVersion,
        reading: Interpretation | None = None,
        around: StructuralLinks | None = None,
    ) -> None:
        """Write a memory and give it its place in the graph."""
        self._tx.memories.add(memory, version)
        link_memory(
            self._tx, self._validator.require_memory(memory.id), reading, around, now=self._now
        )
        self.count(counted_as)

    def restore_if_repeated(self, known: Memory, turn: StoredTurn) -> None:
        """What was put aside comes back only if the user said it after that."""
        later = turn.role is Role.USER and turn.at > known.updated_at
        if known.validity is not Validity.ARCHIVED or not later:
            self.count("known")
            return
        self._tx.memories.set_validity(known.id, Validity.ACTIVE, self._now)
        self._validator.audit("restore", known.id)
        self.count("restored")

    def strengthen(self, memory: Memory, version: NewVersion, reading: Interpretation) -> None:
        """The same thing said again: evidence; a model's wording replaces that of the rules.

        Whoever only repeats what the user said adds nothing to it.
        """
        user_said = SourceKind.USER_SAID
        is_echo = (
            memory.current.provenance.source_kind is user_said is not version.provenance.source_kind
        )
        if is_echo:
            self.echo_ids.add(memory.id)
            self.count("known")
            return
        is_fixed = memory.verified or memory.pinned
        if (
            not is_fixed
            and memory.current.inferred_by is InferredBy.RULES
            and self._validator.inferred_by is InferredBy.MODEL
        ):
            self.revise(memory, version, memory.current.valid_from, reading)
            return
        evidence = NewEvidence(
            memory.id, version.turn_n or 0, version.provenance.quote or "", self._now
        )
        self.count("evidence" if self._tx.memories.add_evidence(evidence) else "known")

    def add_past(
        self, claim: Claim, version: NewVersion, memory: Memory, reading: Interpretation
    ) -> None:
        """Keep what was so before something else is known to be, for the history alone."""
        known = self._tx.memories.find_by_fingerprint(version.fingerprint, memory.workspace)
        if known is not None:
            self.count("known")
            return
        new = _same_topic(memory, claim, memory.workspace)
        self.add("past", replace(new, validity=Validity.SUPERSEDED), version, reading)

    def add_in_workspace(
        self,
        claim: Claim,
        version: NewVersion,
        memory: Memory,
        reading: Interpretation,
        turn: StoredTurn,
    ) -> None:
        """Keep what a project's turn says in the project, beside what is known outside of it."""
        known = self._tx.memories.find_by_fingerprint(version.fingerprint, turn.workspace)
        if known is not None and known.validity is Validity.ACTIVE:
            self.strengthen(known, version, reading)
            return
        new = _same_topic(memory, claim, turn.workspace)
        self.add("ADD", new, version, reading, StructuralLinks(replaces=memory.id))

    def add_pending(
        self,
        claim: Claim,
        version: NewVersion,
        memory: Memory,
        verdict: Contradict | NeedsReview,
        turn: StoredTurn,
    ) -> None:
        """Keep a claim that stands against a memory until somebody confirms it.

        It stays where it was said, for the memory may be seen from elsewhere.
        """
        new = replace(
            _same_topic(memory, claim, turn.workspace),
            validity=Validity.PENDING_CONFIRMATION,
            flag="review" if isinstance(verdict, NeedsReview) else "conflict",
        )
        self.add("pending", new, version, around=StructuralLinks(contradicts=(memory.id,)))

    def revise(
        self, memory: Memory, version: NewVersion, valid_from: int, reading: Interpretation
    ) -> None:
        """Put a wording in the place of the one that holds, from a moment on."""
        since = max(valid_from, memory.current.valid_from)
        self._tx.memories.add_version(memory.id, replace(version, valid_from=since))
        replace_interpretation(
            self._tx, self._validator.require_memory(memory.id), reading, now=self._now
        )
        self._validator.audit("correct", memory.id)
        self.count("UPDATE")

    def count(self, what: str) -> None:
        """Count something that was done."""
        self.outcome.applied[what] += 1


def _same_topic(memory: Memory, claim: Claim, workspace: str | None) -> NewMemory:
    """A memory of the same thing as one that is there, on the strength of a claim."""
    return NewMemory(
        id=new_id(),
        type=memory.type,
        importance=memory.importance,
        confidence=claim.confidence,
        workspace=workspace,
        subject=memory.subject,
        predicate=claim.predicate,
    )
