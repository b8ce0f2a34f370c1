"""The one writer of memories: how a memory is written, whoever decided what it says.

Five paths lead here: what rules or a model conclude from a conversation (`ingest`), what somebody
states explicitly (`memories/statements`), what the user edits in a core file
(`memories/user_edits`), what another program has concluded (`memories/foreign`), and what the
nightly maintenance derives from other memories
(`memories/derived`). Each path decides what to write. The rest is the same for all of them and
happens here, in the caller's transaction:

1. a wording that says what was forgotten is refused (`erasure`);
2. the wording gets its fingerprint, by which the same words are recognised;
3. the memory's row and its wording are written, with their provenance;
4. the memory gets its place in the graph (`memories/links`);
5. its evidence is written: turns that bear it out, memories that it was derived from;
6. the audit log gets an entry.

`add` begins a memory, and `revise` gives it another wording while the former one becomes its
history. `supersede` and `end` take it out of the active memories, `merge` does so with one that
says the same as another, and `restore` brings it back. Nothing is erased here: that is the matter
of `erasure`. What a new statement means for the memories that are there is decided before, in
`memories/claims`.
"""

from collections.abc import Iterable
from dataclasses import replace

from memoria.erasure.suppression import SuppressionList
from memoria.errors import InvalidInputError
from memoria.language.reading.statement import fingerprint
from memoria.memories.links import (
    link_contradictions,
    link_memories,
    link_memory,
    link_source,
    link_successor,
    link_turn,
    replace_interpretation,
)
from memoria.memories.wordings import (
    Author,
    Interpretation,
    NewWording,
    Passage,
    StructuralLinks,
    describe_belief,
    interpret_revision,
    make_version,
    temper_wording,
)
from memoria.model import EdgeType, Memory, Scope, Validity
from memoria.policy.merging import Authority
from memoria.policy.scope import decide_scope, default_scope
from memoria.store.not_found import not_found
from memoria.store.rows.transaction import Transaction
from memoria.store.values import MemoryDetails, NewEvidence, NewMemory


class MemoryWriter:
    """Writes one tenant's memories within one transaction."""

    def __init__(
        self, tx: Transaction, suppression: SuppressionList, author: Author, now: int
    ) -> None:
        """Create a writer for one transaction.

        Args:
            tx: the transaction in which everything is written, or nothing.
            suppression: what was forgotten, as the transaction sees it.
            author: who writes, for the audit log.
            now: UTC epoch milliseconds.
        """
        self._tx = tx
        self._suppression = suppression
        self._author = author
        self._now = now

    def add(
        self, memory: NewMemory, wording: NewWording, action: str = "add", detail: str | None = None
    ) -> None:
        """Write a new memory.

        Args:
            memory: its type, its scope and whatever else does not depend on the wording. Where
                it has no scope, that follows from the wording.
            wording: what it says, where that came from, and what it rests on.
            action: what was done, for the audit log.
            detail: why it was done, for the audit log.

        Raises:
            ForgottenError: it says what was forgotten. Nothing was written.
            NotFoundError: a memory or turn that it refers to does not exist.
        """
        self.check_not_forgotten(wording.content)
        memory = replace(memory, scope=memory.scope or self._decide_scope(memory, wording.content))
        self._tx.memories.add(memory, make_version(wording, self._now))
        links = wording.structural or StructuralLinks()
        self._complete(memory.id, replace(wording, structural=links), action, detail)

    def revise(
        self,
        memory_id: str,
        wording: NewWording,
        action: str = "correct",
        detail: str | None = None,
    ) -> None:
        """Let a memory say something else from now on. What it said becomes its history.

        Args:
            memory_id: the memory.
            wording: what it says, and where that came from: believed at most as it was before.
            action: what was done, for the audit log.
            detail: why it was done, for the audit log.

        Raises:
            ForgottenError: the wording says what was forgotten. Nothing was written.
            NotFoundError: there is no such memory, or none that the wording refers to.
        """
        self.check_not_forgotten(wording.content)
        memory = self.require(memory_id)
        wording = temper_wording(wording, memory)
        if wording.interpretation is None:
            wording = replace(wording, interpretation=interpret_revision(self._tx, memory, wording))
        self._tx.end_kept()
        self._tx.memories.add_version(memory_id, make_version(wording, self._now))
        self._complete(memory_id, wording, action, detail)

    def describe(
        self, memory: Memory, details: MemoryDetails, interpretation: Interpretation | None
    ) -> None:
        """Note what is known of a memory beside its wording, which stays.

        Args:
            memory: the memory.
            details: what is known; what is not given stays as it is.
            interpretation: whom and what it speaks of; None where that stays.
        """
        self._tx.memories.describe(memory.id, details, self._now)
        if interpretation is not None:
            replace_interpretation(self._tx, memory, interpretation, now=self._now)
        self._log("describe", memory.id, details.type and f"type {memory.type.value} before")

    def attribute(self, memory: Memory, subject: str | None, content: str) -> None:
        """Attribute a memory to somebody else, of whom it has spoken from its beginning.

        Args:
            memory: as it is.
            subject: of whom it speaks, in its normal form.
            content: the same in words that name them.
        """
        now = memory.current
        turn_id = now.provenance.turn_id
        turn = None if turn_id is None else self._tx.conversations.turn(turn_id)
        wording = NewWording(
            content=content,
            valid_from=now.valid_from,
            provenance=now.provenance,
            turn_n=None if turn is None else turn.n,
            inferred_by=now.inferred_by,
            event_at=now.event_at,
            event_expression=now.event_expression,
            expires_at=memory.expires_at,
        )
        self._tx.memories.set_subject(memory.id, subject)
        self.revise(memory.id, wording, "attribute", "said by somebody else than the user")

    def add_past(self, memory_id: str, wording: NewWording) -> bool:
        """Add a wording that held before the present one. Return False where that is known.

        Raises:
            ForgottenError: the wording says what was forgotten. Nothing was written.
            NotFoundError: there is no such memory.
        """
        self.check_not_forgotten(wording.content)
        is_new = self._tx.memories.add_past_version(memory_id, make_version(wording, self._now))
        if is_new:
            self._log("past", memory_id)
        return is_new

    def supersede(
        self,
        memory_id: str,
        detail: str | None = None,
        action: str = "supersede",
        *,
        successor: Memory | None = None,
        since: int | None = None,
    ) -> None:
        """Take a memory out of the active ones because something else is true now.

        Args:
            memory_id: the memory.
            detail: why, for the audit log.
            action: what was done, for the audit log.
            successor: the memory that says what is true now, where there is one.
            since: the moment until which this one held, UTC epoch milliseconds; by default when its
                successor began to hold.
        """
        if successor is not None:
            since = successor.current.valid_from if since is None else since
            former = self.require(memory_id)
            link_successor(self._tx, successor, former, since=since, now=self._now)
            detail = detail or f"replaced by {successor.id}"
        self._set_validity(memory_id, Validity.SUPERSEDED, action, detail)

    def end(self, memory_id: str, detail: str | None = None) -> None:
        """Take a memory out of the active ones because it is not needed any more."""
        self._set_validity(memory_id, Validity.ARCHIVED, "archive", detail)

    def restore(self, memory_id: str, detail: str | None = None, *, waits: bool = False) -> None:
        """Make a memory active again, or let it wait for the user's word again."""
        validity = Validity.PENDING_CONFIRMATION if waits else Validity.ACTIVE
        self._set_validity(memory_id, validity, "restore", detail)

    def confirm(self, memory: Memory, *, by_user: bool) -> None:
        """Note that a memory was confirmed: only the user's word verifies it or ends its wait.

        What contradicts a memory that the user has confirmed is superseded by it, unless it is seen
        by other projects too: for them it still holds.
        """
        verified = by_user or memory.verified
        self._tx.memories.set_flags(memory.id, self._now, verified=verified)
        self._log("confirm", memory.id)
        if not by_user:
            return
        if memory.validity is Validity.PENDING_CONFIRMATION:
            self._tx.memories.set_validity(memory.id, Validity.ACTIVE, self._now)
        for other_id in self._tx.memories.list_contradictions([memory.id]).get(memory.id, ()):
            if memory.project in (None, self.require(other_id).project):
                self.supersede(other_id, f"the user confirmed {memory.id}", successor=memory)

    def mark_contradiction(self, memory: Memory, others: Iterable[Memory]) -> None:
        """Note that a memory and some others cannot be true together, and nobody knows which is."""
        self._tx.end_kept()
        link_contradictions(self._tx, memory, [other.id for other in others], now=self._now)

    def _decide_scope(self, memory: NewMemory, content: str) -> Scope:
        """Decide where a memory is seen whose writer does not say it."""
        if self._tx.memories.is_private(memory.workspace):
            return "project"
        scope = decide_scope(content, memory.type, memory.subject)
        return scope or default_scope(memory.type)

    def set_scope(self, memory: Memory, scope: Scope, workspace: str | None) -> None:
        """Set where a memory is seen.

        Args:
            memory: the memory.
            scope: in every project, or in one alone.
            workspace: the project it is given to where it has none of its own.

        Raises:
            InvalidInputError: there is no project to which it could belong.
        """
        place = memory.workspace or workspace
        if scope == "project" and place is None:
            raise InvalidInputError(
                f"Memory {memory.id} belongs to no project: name the one in which alone it is to "
                "be seen.",
                for_person="It belongs to no project, and you are in none. Name the one in which "
                "alone it is to be seen: `memoria --workspace FOLDER revise ID project`.",
            )
        self._tx.memories.set_scope(memory.id, scope, place, self._now)
        self._log("scope", memory.id, "everywhere" if scope == "everywhere" else f"in {place} only")

    def move_to(self, memory: Memory, project: str | None) -> None:
        """Let a memory be seen in this project alone, whichever it belonged to; None for all."""
        place = memory.workspace if project is None else project
        scope: Scope = "everywhere" if project is None else "project"
        self._tx.memories.set_scope(memory.id, scope, place, self._now)
        self._log("scope", memory.id, "everywhere" if project is None else f"in {project} only")

    def pin(self, memory_id: str, *, pinned: bool) -> None:
        """Protect a memory from fading, or no longer."""
        self._tx.memories.set_flags(memory_id, self._now, pinned=pinned)
        self._log("pin" if pinned else "unpin", memory_id)

    def vote(self, memory_id: str, *, up: bool) -> None:
        """Note that a memory helped somebody, or misled them."""
        self._tx.memories.set_flags(memory_id, self._now, upvotes=int(up), downvotes=int(not up))
        self._log("upvote" if up else "downvote", memory_id)

    def note_use(self, memory_id: str, gain: float) -> None:
        """Note that a memory shaped a reply; its importance grows by `gain`."""
        self._tx.memories.add_use(memory_id, gain, self._now)

    def add_evidence(self, memory_id: str, passage: Passage) -> bool:
        """Add words of a turn that bear a memory out. Return False where the turn is known to."""
        evidence = NewEvidence(memory_id, passage.turn_n, passage.quote, self._now)
        return self._tx.memories.add_evidence(evidence)

    def copy_evidence(self, memory_id: str, source_id: str, most_turns: int) -> None:
        """Let a memory rest on the turns of another as well, on so many at most."""
        self._tx.pairs.copy_evidence(memory_id, source_id, most_turns)

    def merge(self, survivor: Memory, other: Memory, authority: Authority, most_turns: int) -> None:
        """Let one of two memories that say the same stand for both.

        Args:
            survivor: it keeps its wording and rests on the other's turns as well.
            other: it is superseded.
            authority: how far the survivor is to be believed from now on.
            most_turns: how many of the other's turns are copied at most.
        """
        trust, confidence = authority.trust.value, authority.confidence
        self.copy_evidence(survivor.id, other.id, most_turns)
        self._tx.pairs.absorb(survivor.id, other.id, trust, confidence)
        self._tx.memories.set_validity(other.id, Validity.SUPERSEDED, self._now)
        self._tx.pairs.note_merged(other.id, survivor.id)
        link_successor(self._tx, survivor, other, now=self._now)
        self._log("merge", survivor.id, f"took in {other.id}; {describe_belief(survivor)} before")
        self._log("merge", other.id, f"into {survivor.id}")

    def link(self, memory: Memory, kind: EdgeType, other_id: str, confidence: float) -> None:
        """Link two memories as a model proposed it.

        Raises:
            NotFoundError: there is no such other memory.
        """
        link_memories(self._tx, memory, kind, other_id, confidence, now=self._now)

    def find_same(self, content: str, workspace: str | None) -> Memory | None:
        """Find the memory, seen from a workspace, that says this in the same words."""
        return self._tx.memories.find_by_fingerprint(fingerprint(content), workspace)

    def require(self, memory_id: str) -> Memory:
        """Return a memory as it is now.

        Raises:
            NotFoundError: there is no such memory.
        """
        memory = self._tx.memories.get(memory_id)
        if memory is None:
            raise not_found(self._tx, "memory", memory_id)
        return memory

    def check_not_forgotten(self, content: str) -> None:
        """Check that a text does not say what was forgotten.

        Raises:
            ForgottenError: it does.
        """
        self._suppression.check_statement(content)

    def lift_tombstone(self, content: str) -> None:
        """Allow what was forgotten to be said again, because the user wants it back."""
        tombstone = self._suppression.lift(content)
        if tombstone is not None:
            self._log("lift", tombstone.subject)

    def _complete(
        self, memory_id: str, wording: NewWording, action: str, detail: str | None
    ) -> None:
        """Complete a new wording: its place in the graph, its evidence, the audit entry."""
        memory = self.require(memory_id)
        interpretation, structural = wording.interpretation, wording.structural
        if structural is None:
            link_turn(self._tx, memory, now=self._now)
            replace_interpretation(self._tx, memory, interpretation, now=self._now)
        else:
            link_memory(self._tx, memory, interpretation, structural, now=self._now)
        for passage in wording.passages:
            self.add_evidence(memory_id, passage)
        for source in wording.derivation.sources:
            link_source(self._tx, memory, source, wording.derivation.confidence, now=self._now)
            self.copy_evidence(memory_id, source.id, wording.derivation.turns_per_source)
        for shown in wording.derivation.shown:
            confidence = wording.derivation.confidence
            link_source(self._tx, memory, shown, confidence, now=self._now, kind=EdgeType.REFERS_TO)
        self._note(action, memory_id, detail)

    def _set_validity(
        self, memory_id: str, validity: Validity, action: str, detail: str | None
    ) -> None:
        self._tx.memories.set_validity(memory_id, validity, self._now)
        self._log(action, memory_id, detail)

    def _log(self, action: str, subject: str, detail: str | None = None) -> None:
        """Note a change of what there was, which ends what was kept of before."""
        self._tx.end_kept()
        self._note(action, subject, detail)

    def _note(self, action: str, subject: str, detail: str | None) -> None:
        self._tx.audit.add(
            at=self._now,
            channel=self._author.channel,
            client=self._author.client,
            action=action,
            subject=subject,
            detail=detail,
        )
