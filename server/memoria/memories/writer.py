"""The one writer of memories: how a memory is written, whoever decided what it says.

Five paths lead here: what rules or a model conclude from a conversation (`ingest`), what somebody
states explicitly (`memories/statements`), what the user edits in a core file (`user_edits`), what
another program has concluded (`foreign`), and what the nightly maintenance derives from other
memories (`derived`). The rest is the same for all of them, in the caller's transaction:

1. a wording that says what was forgotten is refused (`erasure`), and so is one that the policy of
   the program does not keep (`policy/questions`);
2. the wording gets its fingerprint, by which the same words are recognised;
3. the memory's row and its wording are written, with their provenance;
4. the memory gets its place in the graph (`memories/links`);
5. its evidence is written: turns that bear it out, memories that it was derived from;
6. the audit log gets an entry.

`add` begins a memory, and `revise` gives it another wording while the former one becomes its
history. `supersede` and `end` take it out of the active memories, `merge` does so with one that
says the same as another, and `restore` brings it back. Nothing is erased here. What a new statement
means for the memories that are there is decided before, in `claims`.
"""

from collections.abc import Iterable
from dataclasses import replace

from memoria.erasure.suppression import SuppressionList
from memoria.errors import InvalidInputError
from memoria.language.reading.statement import fingerprint
from memoria.memories.drafts import describe_new, describe_revised, read_by_policy
from memoria.memories.episode_fields import drop_reworded
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
    CONFIDENCE,
    Author,
    Interpretation,
    NewWording,
    Passage,
    StructuralLinks,
    describe_belief,
    interpret_revision,
    make_version,
    repeat_wording,
    temper_wording,
)
from memoria.model import EdgeType, Memory, Scope, Trust, Validity
from memoria.policy.merging import Authority
from memoria.policy.questions import OWN_POLICY, HomePolicy, Keep
from memoria.policy.scope import decide_scope, default_scope
from memoria.store.not_found import not_found
from memoria.store.rows.transaction import Transaction
from memoria.store.values import MemoryDetails, NewEvidence, NewMemory


class MemoryWriter:
    """Writes one tenant's memories within one transaction."""

    def __init__(
        self,
        tx: Transaction,
        suppression: SuppressionList,
        author: Author,
        now: int,
        policy: HomePolicy = OWN_POLICY,
    ) -> None:
        self.policy = policy
        """Policy of the home, which is asked about each new memory and each new wording."""
        self._tx = tx
        self._suppression = suppression
        self._author = author
        self._now = now

    def add(
        self, memory: NewMemory, wording: NewWording, action: str = "add", detail: str | None = None
    ) -> None:
        """Write a new memory.

        Without a scope of its own, the memory gets one by the wording.

        Raises:
            ForgottenError: it says what was forgotten. Nothing was written.
            NotFoundError: a memory or turn that it refers to does not exist.
            RefusedError: the policy does not keep it. Nothing was written.
        """
        self.check_not_forgotten(wording.content)
        memory = replace(memory, scope=memory.scope or self._decide_scope(memory, wording.content))
        if self._is_asked(wording):
            draft = describe_new(memory, wording, self._now)
            memory = self._keep_as(memory, self._decide_keep(draft))
            wording = read_by_policy(self.policy, draft, wording, self._suppression.may_keep)
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
        """Give a memory a new wording from now on; the former one becomes history.

        The new wording is believed at most as much as the former one.

        Raises:
            ForgottenError: the wording says what was forgotten. Nothing was written.
            NotFoundError: there is no such memory, or none that the wording refers to.
            RefusedError: the policy does not keep it. Nothing was written.
        """
        self.check_not_forgotten(wording.content)
        self.reword(memory_id, self._ask_about(memory_id, wording), action, detail)

    def reword(
        self,
        memory_id: str,
        wording: NewWording,
        action: str = "correct",
        detail: str | None = None,
    ) -> None:
        """Revise a memory by words that were kept before: an undo, or another name in them.

        Raises:
            ForgottenError: the wording says what was forgotten. Nothing was written.
            NotFoundError: there is no such memory, or none that the wording refers to.
        """
        self.check_not_forgotten(wording.content)
        memory = self.require(memory_id)
        wording = drop_reworded(temper_wording(wording, memory), memory)
        if wording.interpretation is None:
            wording = replace(wording, interpretation=interpret_revision(self._tx, memory, wording))
        self._tx.end_kept()
        self._tx.memories.add_version(memory_id, make_version(wording, self._now))
        self._complete(memory_id, wording, action, detail)

    def describe(
        self, memory: Memory, details: MemoryDetails, interpretation: Interpretation | None
    ) -> None:
        """Set details of a memory, and leave its wording."""
        self._tx.memories.describe(memory.id, details, self._now)
        if interpretation is not None:
            replace_interpretation(self._tx, memory, interpretation, now=self._now)
        self._log("describe", memory.id, details.type and f"type {memory.type.value} before")

    def attribute(self, memory: Memory, subject: str | None, content: str) -> None:
        """Attribute a memory, with its whole history, to another person."""
        wording = replace(repeat_wording(self._tx, memory, memory.current), content=content)
        self._tx.memories.set_subject(memory.id, subject)
        self.reword(memory.id, wording, "attribute", "said by somebody else than the user")

    def add_past(self, memory_id: str, wording: NewWording) -> bool:
        """Add a wording that held before the present one; return False if the wording is known.

        Raises:
            ForgottenError: the wording says what was forgotten. Nothing was written.
            NotFoundError: there is no such memory.
            RefusedError: the policy does not keep it. Nothing was written.
        """
        self.check_not_forgotten(wording.content)
        self._ask_about(memory_id, wording)
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
        """Supersede a memory because something else is true now.

        `since` is the moment until which the memory held, by default when its successor began to.
        """
        if successor is not None:
            since = successor.current.valid_from if since is None else since
            link_successor(self._tx, successor, self.require(memory_id), since=since, now=self._now)
            detail = detail or f"replaced by {successor.id}"
        self._set_validity(memory_id, Validity.SUPERSEDED, action, detail)

    def end(self, memory_id: str, detail: str | None = None) -> None:
        """Archive a memory because it is not needed any more."""
        self._set_validity(memory_id, Validity.ARCHIVED, "archive", detail)

    def restore(self, memory_id: str, detail: str | None = None, *, waits: bool = False) -> None:
        """Make a memory active again, or pending confirmation again if it `waits`."""
        validity = Validity.PENDING_CONFIRMATION if waits else Validity.ACTIVE
        self._set_validity(memory_id, validity, "restore", detail)

    def confirm(self, memory: Memory, *, by_user: bool) -> None:
        """Note that a memory was confirmed: only the user's word verifies it or ends its wait.

        By that word confidence rises to that of a statement, and what contradicts the memory is
        superseded, unless it is seen by other projects too: for them it still holds.
        """
        sure = max(memory.confidence, CONFIDENCE[Trust.USER]) if by_user else None
        verified = by_user or memory.verified
        self._tx.memories.set_flags(memory.id, self._now, verified=verified, confidence=sure)
        self._log("confirm", memory.id)
        if not by_user:
            return
        if memory.validity is Validity.PENDING_CONFIRMATION:
            self._tx.memories.set_validity(memory.id, Validity.ACTIVE, self._now)
        for other_id in self._tx.memories.list_contradictions([memory.id]).get(memory.id, ()):
            if memory.project in (None, self.require(other_id).project):
                self.supersede(other_id, f"the user confirmed {memory.id}", successor=memory)

    def mark_contradiction(self, memory: Memory, others: Iterable[Memory]) -> None:
        """Note that a memory contradicts other memories, and nobody knows which is right."""
        self._tx.end_kept()
        link_contradictions(self._tx, memory, [other.id for other in others], now=self._now)

    def _decide_scope(self, memory: NewMemory, content: str) -> Scope:
        """Decide the scope of a memory whose writer gives none."""
        if self._tx.memories.is_private(memory.workspace):
            return "project"
        return decide_scope(content, memory.type, memory.subject) or default_scope(memory.type)

    def _is_asked(self, wording: NewWording) -> bool:
        """Check whether a policy is asked; not about what follows from memories that were kept."""
        return self.policy.is_asked and not wording.derivation.sources

    def _ask_about(self, memory_id: str, wording: NewWording) -> NewWording:
        """Return a memory's wording as the policy keeps it.

        Raises:
            RefusedError: the policy does not keep it.
        """
        if not self._is_asked(wording):
            return wording
        revised = describe_revised(self.require(memory_id), wording, self._now)
        importance = self._decide_keep(revised).importance
        wording = read_by_policy(self.policy, revised, wording, self._suppression.may_keep)
        return wording if importance is None else replace(wording, importance=importance)

    def _decide_keep(self, memory: Memory) -> Keep:
        return self.policy.decide_keep(memory)

    def _keep_as(self, memory: NewMemory, answer: Keep) -> NewMemory:
        """Return a new memory as the policy keeps it; what is private stays in its project."""
        place = memory.workspace
        may_move = place is not None and not self._tx.memories.is_private(place)
        return replace(
            memory,
            importance=memory.importance if answer.importance is None else answer.importance,
            scope=(may_move and answer.scope) or memory.scope,
        )

    def set_scope(self, memory: Memory, scope: Scope, workspace: str | None) -> None:
        """Set where a memory is seen.

        `workspace` is the project of a memory that has none of its own.

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
        """Move a memory to a project, where alone it is seen; None makes it visible everywhere."""
        place = memory.workspace if project is None else project
        scope: Scope = "everywhere" if project is None else "project"
        self._tx.memories.set_scope(memory.id, scope, place, self._now)
        self._log("scope", memory.id, "everywhere" if project is None else f"in {project} only")

    def pin(self, memory_id: str, *, pinned: bool) -> None:
        """Pin or unpin a memory; a pinned one does not fade."""
        self._tx.memories.set_flags(memory_id, self._now, pinned=pinned)
        self._log("pin" if pinned else "unpin", memory_id)

    def vote(self, memory_id: str, *, up: bool) -> None:
        """Note that a memory helped somebody, or misled them."""
        self._tx.memories.set_flags(memory_id, self._now, upvotes=int(up), downvotes=int(not up))
        self._log("upvote" if up else "downvote", memory_id)

    def note_use(self, memory_id: str, gain: float) -> None:
        """Note that a memory shaped a reply, and raise its importance by `gain`."""
        self._tx.memories.add_use(memory_id, gain, self._now)

    def add_evidence(self, memory_id: str, passage: Passage) -> bool:
        """Add words of a turn as evidence of a memory; return False if the turn is known."""
        evidence = NewEvidence(memory_id, passage.turn_n, passage.quote, self._now)
        return self._tx.memories.add_evidence(evidence)

    def copy_evidence(self, memory_id: str, source_id: str, most_turns: int) -> None:
        """Add the turns of a source memory, up to `most_turns`, to a memory's evidence."""
        self._tx.pairs.copy_evidence(memory_id, source_id, most_turns)

    def merge(self, survivor: Memory, other: Memory, authority: Authority, most_turns: int) -> None:
        """Merge two memories that say the same: one survives, the other is superseded.

        The survivor keeps its wording, and rests on `most_turns` turns of the other as well.
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
        """Allow a forgotten statement to be remembered again, as the user wants."""
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
        """Log a change of existing memories, and end kept answers that rest on them."""
        self._tx.end_kept()
        self._note(action, subject, detail)

    def _note(self, action: str, subject: str, detail: str | None) -> None:
        self._tx.audit.add(
            at=self._now,
            channel=self._author.channel,
            client=self._author.client,
            caller=self._author.caller,
            action=action,
            subject=subject,
            detail=detail,
        )
