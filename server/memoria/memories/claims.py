"""Claims: a new statement takes effect on what is known, whichever path it came by.

Rules, a model, an explicit statement and an edit of a core file all end here with a claim. It is
compared with the memories that speak of the same (`policy/conflict`), and the verdicts are carried
out by the writer of memories:

- a memory says the same: the claim is evidence for it;
- it replaces a memory: that one says it from now on, and its former wording becomes history;
- it contradicts a memory and neither is known to be right: both stay, and each is marked;
- it contradicts a memory and has less authority: it waits for the user's word;
- otherwise it is a new memory.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from memoria.memories.verdicts import (
    ClaimOutcome,
    NewClaim,
    Verdicts,
    applies_elsewhere,
    judge_claim,
    judge_named,
)
from memoria.memories.wordings import REFINE, NewWording, Passage, StructuralLinks, needs_users_word
from memoria.memories.writer import MemoryWriter
from memoria.model import InferredBy, Memory, MemoryType, SourceKind, Validity, new_id
from memoria.policy.conflict import Claim, Contradict, KeepBoth, NeedsReview, Supersede
from memoria.store.rows.transaction import Transaction
from memoria.store.values import NewMemory

_SETTLED_BY_A_CLAIM = ("conflict", "review")
"""Reasons for which a memory waits that a later claim may settle."""


class ClaimWriter:
    """Writes claims within one tenant's transaction."""

    def __init__(self, tx: Transaction, writer: MemoryWriter, now: int) -> None:
        """Create a writer for one transaction, in which everything is written, or nothing."""
        self._tx = tx
        self._writer = writer
        self._now = now

    def write(self, new: NewClaim, log_as: str = "add") -> ClaimOutcome:
        """Apply a claim to what is known, and return the outcome.

        Raises:
            ForgottenError: it says what was forgotten. Nothing was written.
        """
        known = self._writer.find_same(new.wording.content, new.memory.workspace)
        decided = None if known is None else self._recognise(new, known)
        if decided is not None:
            return decided
        outcome = self._apply(new, self._judge(new), known, log_as)
        self._retire_pending(known, outcome)
        return outcome

    def _recognise(self, new: NewClaim, known: Memory) -> ClaimOutcome | None:
        """Return the outcome if a memory with the same wording decides it; else None.

        A superseded memory decides nothing, for something else is true now; nor does one that
        waits for what a later claim may decide.
        """
        match known.validity:
            case Validity.ACTIVE:
                return self.strengthen(new, known)
            case Validity.PENDING_CONFIRMATION if not _may_settle(new.claim, known):
                return ClaimOutcome("known", known.id)
            case Validity.ARCHIVED if not new.claim.is_stated:
                return self._restore_if_repeated(new, known)
            case _:
                return None

    def replace_named(self, new: NewClaim, memory: Memory) -> ClaimOutcome:
        """Replace a memory that the claim's author has named, if the claim has the authority.

        It waits for the user's word where its author has too little authority. Where another memory
        says the same already, that one takes the place; where a policy lets both hold, neither.

        Raises:
            ForgottenError: it says what was forgotten. Nothing was written.
        """
        known = self._writer.find_same(new.wording.content, new.memory.workspace)
        if known is not None and known.id == memory.id:
            return self.strengthen(new, memory)
        verdict = self.decide(new, memory)
        if not isinstance(verdict, Supersede):
            return self._leave_named(new, memory, verdict, known)
        if applies_elsewhere(self._tx, new, memory):
            return self.add_in_project(new, memory)
        if known is not None and known.validity is Validity.ACTIVE:
            outcome = self.strengthen(new, known)
            since = max(new.claim.said_at, memory.current.valid_from)
            self._writer.supersede(memory.id, successor=self._current(known), since=since)
            return replace(outcome, supersedes=(memory,))
        outcome = self._replace_one(new, memory, verdict.valid_from)
        self._retire_pending(known, outcome)
        return outcome

    def _leave_named(
        self,
        new: NewClaim,
        memory: Memory,
        verdict: Contradict | NeedsReview | KeepBoth,
        known: Memory | None,
    ) -> ClaimOutcome:
        """Write a claim beside the named memory, or hold it, unless it waits already."""
        if isinstance(verdict, KeepBoth):
            return self.write(new)
        if known is not None and known.validity is Validity.PENDING_CONFIRMATION:
            return ClaimOutcome("known", known.id, contradicts=(memory,))
        return self.hold(new, memory, verdict)

    def decide(
        self, new: NewClaim, memory: Memory
    ) -> Supersede | Contradict | NeedsReview | KeepBoth:
        """Decide whether a claim replaces a memory that its author or a model has named."""
        return judge_named(new, memory, self._now, self._writer.policy)

    def _judge(self, new: NewClaim) -> Verdicts:
        return judge_claim(self._tx, new, self._now, self._writer.policy)

    def _replace_one(self, new: NewClaim, memory: Memory, since: int) -> ClaimOutcome:
        """Give a memory a claim's wording; it supersedes the others that the claim replaces."""
        verdicts = self._judge(new)
        others = [one for one, _ in verdicts.replaced if one.id != memory.id]
        opponents = tuple(one for one in verdicts.opponents if one.id != memory.id)
        return self._replace_all(new, memory, since, others, opponents)

    def _replace_all(
        self,
        new: NewClaim,
        memory: Memory,
        since: int,
        others: Sequence[Memory],
        opponents: tuple[Memory, ...],
    ) -> ClaimOutcome:
        """Give a memory a claim's wording; it supersedes others, and contradicts its opponents."""
        wording = replace(new.wording, type=_type_of_statement(new))
        self.revise(replace(new, wording=wording), memory, since)
        successor = self._current(memory)
        self._supersede_all(successor, others)
        self._writer.mark_contradiction(successor, opponents)
        return ClaimOutcome("UPDATE", memory.id, (memory, *others), opponents)

    def settle(self, memory: Memory, claim: Claim) -> ClaimOutcome:
        """Supersede or mark the memories that a revised or restored one replaces or contradicts."""
        new = NewClaim(claim, _like(memory, claim), bare_wording(memory))
        verdicts = self._judge(new)
        replaced = tuple(other for other, _ in verdicts.replaced)
        self._supersede_all(memory, replaced)
        contradicted = (*verdicts.opponents, *verdicts.newer)
        self._writer.mark_contradiction(memory, contradicted)
        return ClaimOutcome("UPDATE", memory.id, replaced, contradicted)

    def hold(
        self, new: NewClaim, memory: Memory, verdict: Contradict | NeedsReview
    ) -> ClaimOutcome:
        """Write a claim that contradicts a memory as pending confirmation.

        It belongs to the project where it was said, though the memory may be seen elsewhere too.
        """
        pending = replace(
            same_topic(memory, new.claim, new.memory.workspace),
            task=new.memory.task,
            scope=new.memory.scope,
            validity=Validity.PENDING_CONFIRMATION,
            flag="review" if isinstance(verdict, NeedsReview) else "conflict",
        )
        against = StructuralLinks(contradicts=(memory.id,))
        self._writer.add(pending, replace(new.wording, structural=against), "hold")
        return ClaimOutcome("pending", pending.id, contradicts=(memory,))

    def settle_held(self, new: NewClaim, held: Memory) -> ClaimOutcome:
        """Replace a memory that waited for the user's word by a claim of the user's.

        Raises:
            ForgottenError: it says what was forgotten. Nothing was written.
        """
        outcome = self.write(new)
        self._retire_pending(self._current(held), outcome)
        return outcome

    def hold_order(self, new: NewClaim, flag: str) -> ClaimOutcome:
        """Write an order that is not the user's own as pending confirmation."""
        known = self._writer.find_same(new.wording.content, new.memory.workspace)
        if known is not None:
            return ClaimOutcome("known", known.id)
        waiting = Validity.PENDING_CONFIRMATION
        self._writer.add(replace(new.memory, validity=waiting, flag=flag), new.wording, "hold")
        return ClaimOutcome("pending", new.memory.id)

    def revise(
        self, new: NewClaim, memory: Memory, valid_from: int, action: str = "correct"
    ) -> ClaimOutcome:
        """Give a memory the wording of a claim from a moment on."""
        since = max(valid_from, memory.current.valid_from)
        learnt_at = new.names_task or not memory.type.is_guide
        task = new.memory.task if learnt_at else None
        self._writer.revise(memory.id, replace(new.wording, valid_from=since, task=task), action)
        return ClaimOutcome("UPDATE", memory.id, supersedes=(memory,))

    def strengthen(self, new: NewClaim, memory: Memory) -> ClaimOutcome:
        """Note that a known memory was said again.

        It is evidence for the memory, unless an assistant or a tool only repeats what the user
        said. Another wording, with its type and property, replaces one that rules made, unless the
        user has fixed that.
        """
        wording, user_said = new.wording, SourceKind.USER_SAID
        is_fixed = memory.verified or memory.pinned
        by_rules = memory.current.inferred_by is InferredBy.RULES
        is_better = by_rules and wording.inferred_by is not InferredBy.RULES and not is_fixed
        is_echo = (
            memory.current.provenance.source_kind is user_said is not wording.provenance.source_kind
        )
        if is_echo and not new.claim.is_stated:
            return ClaimOutcome("known", memory.id, is_echo=True)
        if _is_over(memory, new.claim):
            return self._hold_again(new, memory)
        if is_better:
            topic = new.memory
            named = replace(
                wording, type=topic.type, subject=topic.subject, predicate=topic.predicate
            )
            since = memory.current.valid_from
            outcome = self.revise(replace(new, wording=named), memory, since, REFINE)
            return replace(outcome, supersedes=())
        is_new = self._add_evidence(memory, wording)
        return ClaimOutcome("evidence" if is_new else "known", memory.id)

    def _hold_again(self, new: NewClaim, memory: Memory) -> ClaimOutcome:
        """Renew a memory that had expired when it was said again, up to its new end."""
        if memory.verified or memory.pinned:
            self._writer.restore(memory.id)
            self._add_evidence(memory, new.wording)
        else:
            self.revise(new, memory, new.claim.said_at)
        return ClaimOutcome("restored", memory.id)

    def _add_evidence(self, memory: Memory, wording: NewWording) -> bool:
        """Add a wording's turn as evidence; return False without a turn, or if it is known."""
        if wording.turn_n is None:
            return False
        passage = Passage(wording.turn_n, wording.provenance.quote or "")
        return self._writer.add_evidence(memory.id, passage)

    def _apply(
        self, new: NewClaim, verdicts: Verdicts, known: Memory | None, log_as: str
    ) -> ClaimOutcome:
        if verdicts.same:
            return self.strengthen(new, verdicts.same[0])
        if verdicts.replaced:
            return self._replace(new, verdicts)
        if verdicts.newer:
            return self._add_past(new, verdicts.newer[0])
        if verdicts.elsewhere:
            return self.add_in_project(new, verdicts.elsewhere[0])
        return self._add_beside(new, verdicts, known, log_as)

    def _add_beside(
        self, new: NewClaim, verdicts: Verdicts, known: Memory | None, log_as: str
    ) -> ClaimOutcome:
        """Write a claim that replaces nothing, marked where it contradicts something."""
        contradicted = verdicts.opponents
        if verdicts.stronger and not _may_stand_beside(new, verdicts):
            if known is not None and known.validity is Validity.PENDING_CONFIRMATION:
                return ClaimOutcome("known", known.id, contradicts=contradicted)
            return self.hold(new, *verdicts.stronger[0])
        if known is not None and new.claim.is_stated and not _may_settle(new.claim, known):
            return self._restore(new, known, contradicted)
        marks = StructuralLinks(contradicts=tuple(memory.id for memory in contradicted))
        self._writer.add(new.memory, replace(new.wording, structural=marks), log_as)
        return ClaimOutcome("ADD", new.memory.id, contradicts=contradicted)

    def _replace(self, new: NewClaim, verdicts: Verdicts) -> ClaimOutcome:
        """Give one of the replaced memories the claim's wording; it supersedes the others."""
        # The widest: what is seen everywhere must not be replaced by what one project sees.
        widest = sorted(verdicts.replaced, key=lambda one: one[0].project is not None)
        (first, since), *others = widest
        rest = [memory for memory, _ in others]
        return self._replace_all(new, first, since, rest, verdicts.opponents)

    def _add_past(self, new: NewClaim, memory: Memory) -> ClaimOutcome:
        """Write what was true before the present wording of a memory into its history."""
        is_new = self._writer.add_past(memory.id, new.wording)
        return ClaimOutcome("past" if is_new else "known", memory.id, superseded_by=memory)

    def add_in_project(self, new: NewClaim, memory: Memory) -> ClaimOutcome:
        """Write a claim for its project alone, beside the memory that holds everywhere else."""
        known = self._writer.find_same(new.wording.content, new.memory.workspace)
        if known is not None and known.validity is Validity.ACTIVE:
            return self.strengthen(new, known)
        topic = same_topic(memory, new.claim, new.memory.workspace)
        beside = replace(topic, scope="project", task=new.memory.task)
        links = StructuralLinks(replaces=memory.id)
        self._writer.add(beside, replace(new.wording, structural=links))
        return ClaimOutcome("ADD", beside.id)

    def _restore_if_repeated(self, new: NewClaim, known: Memory) -> ClaimOutcome:
        """Restore an archived memory if the user said the same after it was archived.

        It takes effect on what has come to hold meanwhile, like a claim of its own.
        """
        by_user = new.claim.source is SourceKind.USER_SAID
        if not by_user or new.claim.said_at <= known.updated_at:
            return ClaimOutcome("known", known.id)
        again = replace(new, memory=_like(known, new.claim))
        verdicts = self._judge(again)
        replaced = tuple(memory for memory, _ in verdicts.replaced)
        opponents = (*verdicts.opponents, *verdicts.newer)
        if not replaced:
            return self._restore(new, known, opponents)
        self._hold_again(new, known)
        successor = self._current(known)
        self._supersede_all(successor, replaced)
        self._writer.mark_contradiction(successor, opponents)
        return ClaimOutcome("restored", known.id, replaced, opponents)

    def _restore(
        self, new: NewClaim, known: Memory, contradicted: Sequence[Memory]
    ) -> ClaimOutcome:
        if needs_users_word(known) and new.claim.source is not SourceKind.USER_SAID:
            self._writer.restore(known.id, waits=True)
        elif _is_over(known, new.claim):
            self._hold_again(new, known)
        else:
            self._writer.restore(known.id)
            self._add_evidence(known, new.wording)
        self._writer.mark_contradiction(known, contradicted)
        return ClaimOutcome("restored", known.id, contradicts=tuple(contradicted))

    def _retire_pending(self, known: Memory | None, outcome: ClaimOutcome) -> None:
        """Supersede a memory pending confirmation, if another memory says the same now."""
        is_pending = known is not None and known.validity is Validity.PENDING_CONFIRMATION
        if known is not None and is_pending and outcome.action in ("ADD", "UPDATE", "evidence"):
            self._writer.supersede(known.id, successor=self._current(outcome.memory_id))

    def _supersede_all(self, successor: Memory, memories: Iterable[Memory]) -> None:
        for memory in memories:
            self._writer.supersede(memory.id, successor=successor)

    def _current(self, memory: Memory | str) -> Memory:
        """Return a memory as it is now."""
        memory_id = memory if isinstance(memory, str) else memory.id
        return self._writer.require(memory_id)


def _may_settle(claim: Claim, memory: Memory) -> bool:
    """Return whether a claim may end a memory's wait for confirmation, as any of the user's may."""
    return memory.flag in _SETTLED_BY_A_CLAIM or claim.source is SourceKind.USER_SAID


def _is_over(memory: Memory, claim: Claim) -> bool:
    """Return whether a memory had expired when a claim was said."""
    return memory.expires_at is not None and memory.expires_at <= claim.said_at


def _may_stand_beside(new: NewClaim, verdicts: Verdicts) -> bool:
    """Return whether a claim may stand beside its opponents, as all priorities are close."""
    is_close = all(isinstance(verdict, NeedsReview) for _, verdict in verdicts.stronger)
    is_own = new.claim.is_stated or new.claim.source is SourceKind.USER_SAID
    return is_own and is_close


def _type_of_statement(new: NewClaim) -> MemoryType | None:
    """Return the type given with a statement; None without one, or for a fact."""
    is_given = new.claim.is_stated and new.memory.type is not MemoryType.FACT
    return new.memory.type if is_given else None


def same_topic(memory: Memory, claim: Claim, workspace: str | None) -> NewMemory:
    """Draft a new memory on the topic of a known one, with a claim's confidence."""
    return replace(_like(memory, claim), id=new_id(), task=None, workspace=workspace, scope=None)


def _like(memory: Memory, claim: Claim) -> NewMemory:
    """Draft a memory with the fields of a known one and a claim's confidence."""
    return NewMemory(
        id=memory.id,
        type=memory.type,
        importance=memory.importance,
        confidence=claim.confidence,
        workspace=memory.workspace,
        subject=claim.subject or memory.subject,
        predicate=claim.predicate or memory.predicate,
        task=memory.task,
        scope=memory.scope,
    )


def bare_wording(memory: Memory) -> NewWording:
    """Build a wording of a memory's present content, without its evidence and links."""
    now = memory.current
    return NewWording(content=now.content, valid_from=now.valid_from, provenance=now.provenance)
