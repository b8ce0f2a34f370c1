"""Keep: how a claim is written once it is judged, and how that is counted."""

from dataclasses import replace

from memoria.ingest.grounds import Grounds
from memoria.ingest.link import Reading, Surroundings, link, relink
from memoria.ingest.outcome import Outcome
from memoria.model import (
    InferredBy,
    Memory,
    Role,
    SourceKind,
    StoredTurn,
    Validity,
    new_id,
)
from memoria.policy.conflict import Claim, Contradict, Review
from memoria.store.values import NewEvidence, NewMemory, NewVersion


class Keeper:
    """Writes within one tenant's transaction."""

    def __init__(self, grounds: Grounds) -> None:
        """Nothing is written yet.

        Args:
            grounds: what the claims are built on, in the transaction to write them in.
        """
        self._grounds = grounds
        self._tx = grounds.tx
        self._now = grounds.now
        self.outcome = Outcome()
        self.echoed = set[str]()
        """Memories that somebody said again who only repeats."""

    def keep(
        self,
        counted_as: str,
        memory: NewMemory,
        version: NewVersion,
        reading: Reading | None = None,
        around: Surroundings | None = None,
    ) -> None:
        """Write a memory and give it its place in the graph."""
        self._tx.memories.add(memory, version)
        link(self._tx, self._grounds.stored(memory.id), reading, around, now=self._now)
        self.note(counted_as)

    def said_again(self, known: Memory, turn: StoredTurn) -> None:
        """What was put aside comes back only if the user said it after that."""
        later = turn.role is Role.USER and turn.at > known.updated_at
        if known.validity is not Validity.ARCHIVED or not later:
            self.note("known")
            return
        self._tx.memories.set_validity(known.id, Validity.ACTIVE, self._now)
        self._grounds.audit("restore", known.id)
        self.note("restored")

    def gain(self, memory: Memory, version: NewVersion, reading: Reading) -> None:
        """The same thing said again: evidence; a model's wording replaces that of the rules.

        Whoever only repeats what the user said adds nothing to it.
        """
        own = SourceKind.USER_SAID
        echo = memory.current.provenance.source_kind is own is not version.provenance.source_kind
        if echo:
            self.echoed.add(memory.id)
            self.note("known")
            return
        kept = memory.verified or memory.pinned
        if (
            not kept
            and memory.current.inferred_by is InferredBy.RULES
            and self._grounds.by is InferredBy.MODEL
        ):
            self.rewrite(memory, version, memory.current.valid_from, reading)
            return
        evidence = NewEvidence(
            memory.id, version.turn_n or 0, version.provenance.quote or "", self._now
        )
        self.note("evidence" if self._tx.memories.add_evidence(evidence) else "known")

    def keep_as_past(
        self, claim: Claim, version: NewVersion, memory: Memory, reading: Reading
    ) -> None:
        """Keep what was so before something else is known to be, for the history alone."""
        known = self._tx.memories.with_fingerprint(version.fingerprint, memory.workspace)
        if known is not None:
            self.note("known")
            return
        new = _beside(memory, claim, memory.workspace)
        self.keep("past", replace(new, validity=Validity.SUPERSEDED), version, reading)

    def keep_here(
        self,
        claim: Claim,
        version: NewVersion,
        memory: Memory,
        reading: Reading,
        turn: StoredTurn,
    ) -> None:
        """Keep what a project's turn says in the project, beside what is known outside of it."""
        known = self._tx.memories.with_fingerprint(version.fingerprint, turn.workspace)
        if known is not None and known.validity is Validity.ACTIVE:
            self.gain(known, version, reading)
            return
        new = _beside(memory, claim, turn.workspace)
        self.keep("ADD", new, version, reading, Surroundings(replaces=memory.id))

    def hold(
        self,
        claim: Claim,
        version: NewVersion,
        memory: Memory,
        verdict: Contradict | Review,
        turn: StoredTurn,
    ) -> None:
        """Keep a claim that stands against a memory until somebody confirms it.

        It stays where it was said, for the memory may be seen from elsewhere.
        """
        new = replace(
            _beside(memory, claim, turn.workspace),
            validity=Validity.PENDING_CONFIRMATION,
            flag="review" if isinstance(verdict, Review) else "conflict",
        )
        self.keep("pending", new, version, around=Surroundings(contradicts=(memory.id,)))

    def rewrite(
        self, memory: Memory, version: NewVersion, valid_from: int, reading: Reading
    ) -> None:
        """Put a wording in the place of the one that holds, from a moment on."""
        since = max(valid_from, memory.current.valid_from)
        self._tx.memories.add_version(memory.id, replace(version, valid_from=since))
        relink(self._tx, self._grounds.stored(memory.id), reading, now=self._now)
        self._grounds.audit("correct", memory.id)
        self.note("UPDATE")

    def note(self, what: str) -> None:
        """Count something that was done."""
        self.outcome.applied[what] += 1


def _beside(memory: Memory, claim: Claim, workspace: str | None) -> NewMemory:
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
