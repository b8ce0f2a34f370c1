"""Resolve: operations that a model proposes become memories, or are turned away with a reason.

A model is a stranger with good ideas. What it adds must quote the turn word for word; what it
changes must be a memory it was shown; whose word a conclusion is follows from the turn it quotes,
never from the model. All of an entry's operations and its completion are one transaction.
"""

from collections.abc import Sequence
from dataclasses import replace

from memoria.ingest.grounds import Grounds, RejectedError, When, when_of
from memoria.ingest.link import (
    Reading,
    Surroundings,
    connect,
    link,
    read_by_model,
    read_by_rules,
    relink,
)
from memoria.ingest.outcome import Outcome
from memoria.ingest.quotes import find_quote
from memoria.ingest.second_look import NO_ADVICE, Advice
from memoria.model import (
    Add,
    Boost,
    Delete,
    EdgeType,
    InferredBy,
    Link,
    Memory,
    Operation,
    Role,
    Skip,
    SourceKind,
    StoredTurn,
    Trust,
    Update,
    Validity,
    new_id,
)
from memoria.policy.conflict import (
    Claim,
    Contradict,
    KeepBoth,
    Review,
    Same,
    Supersede,
    Unrelated,
    judge,
    predicate_key,
    replaces,
    subject_key,
)
from memoria.policy.orders import instruction_shaped
from memoria.policy.retention import expires_at
from memoria.store.values import NewEvidence, NewMemory, NewVersion
from memoria.text.document import full_text
from memoria.text.statement import says_the_same

_LINK_CONFIDENCE = 0.7
_BOOST = 0.06  # the background monitor's 0.3 on its scale of five
_DOUBT = {"actual": 1.0, "planned": 0.9, "wished": 0.7, "possible": 0.6, "hearsay": 0.5}


class Resolver:
    """Applies operations within one tenant's transaction."""

    def __init__(self, grounds: Grounds, advice: Advice = NO_ADVICE) -> None:
        """Nothing is applied yet.

        Args:
            grounds: what the operations may be built on, in the transaction to apply them in.
            advice: what came of a second look at them.
        """
        self._grounds = grounds
        self._advice = advice
        self._tx = grounds.tx
        self._now = grounds.now
        self.outcome = Outcome()
        self.echoed = set[str]()
        """Memories that somebody said again who only repeats."""
        self._boosted = set[str]()

    def apply(self, operations: Sequence[Operation]) -> Outcome:
        """Apply what can be applied; the rest is counted with its reason and logged."""
        for operation in operations:
            try:
                self._apply(operation)
            except RejectedError as error:
                self._grounds.turn_away(self.outcome, operation.op, error)
        return self.outcome

    def _apply(self, operation: Operation) -> None:
        match operation:
            case Add():
                self._add(operation)
            case Update():
                self._update(operation)
            case Boost():
                self._boost(operation)
            case Delete():
                self._delete(operation)
            case Link():
                self._link(operation)
            case Skip():
                self._note("SKIP")

    def _boost(self, boost: Boost) -> None:
        memory = self._grounds.known(boost.id)
        if memory.id not in self._boosted:
            self._boosted.add(memory.id)
            self._tx.memories.use(memory.id, _BOOST, self._now)
        self._note("BOOST")

    # ADD

    def _add(self, add: Add) -> None:
        turn, quote = self._grounds.words(add.turn, add.quote)
        if add.modality == "joking":
            raise RejectedError("a joke")
        content, held = self._grounds.sayable(add.content, turn)
        doubt = self._doubted(content, turn) or ("hearsay" if add.modality == "hearsay" else None)
        held = held or doubt
        subject = subject_key(self._grounds.name(add.subject))
        predicate = predicate_key(self._grounds.name(add.predicate))
        actual = add.modality == "actual"
        when = when_of(add.event_time, add.content, turn, "past" if actual else "future")
        confidence = add.confidence * _DOUBT[add.modality]
        claim = self._grounds.claim(content, predicate, turn, confidence, when, assertive=actual)
        version = self._grounds.version(content, turn, quote, claim, when)
        reading = self._reading(add, when, turn)
        if held is None and self._found_its_place(claim, subject, version, reading, turn):
            return
        if held is not None and self._known_already(version, turn):
            return
        memory_id = new_id()
        new = NewMemory(
            id=memory_id,
            type=add.type,
            importance=add.importance,
            confidence=claim.confidence,
            workspace=turn.workspace,
            validity=Validity.PENDING_CONFIRMATION if held else Validity.ACTIVE,
            subject=subject,
            predicate=predicate,
            task=None if add.task is None else self._grounds.name(add.task),
            expires_at=expires_at(add.duration, turn.at),
            flag=held,
        )
        self._tx.memories.add(new, version)
        link(self._tx, self._grounds.stored(memory_id), reading, now=self._now)
        self._note("ADD" if held is None else "pending")

    def _doubted(self, content: str, turn: StoredTurn) -> str | None:
        """Why a conclusion has to be confirmed, though it may be said.

        Raises:
            RejectedError: a second look has shown that nobody said it.
        """
        match self._advice.supported.get((content, turn.n)):
            case "no":
                raise RejectedError("not borne out by its words")
            case "unclear":
                return "unclear"
            case _:
                return None

    def _reading(self, add: Add, when: When, turn: StoredTurn) -> Reading:
        """What a model read off its own wording; what rules found is read by rules."""
        if self._grounds.by is InferredBy.MODEL:
            said = find_quote(add.event_time or "", full_text(turn)) or when.expression
            expression = None if said is None else self._grounds.quotable(said)
            shown = self._grounds.nameable(add).model_copy(update={"event_time": expression})
            return read_by_model(shown, when.at)
        return read_by_rules(self._grounds.name(add.content), when.expression, when.at)

    def _found_its_place(
        self, claim: Claim, subject: str, version: NewVersion, reading: Reading, turn: StoredTurn
    ) -> bool:
        """Whether a claim belongs into or against a memory that is there."""
        known = self._tx.memories.with_fingerprint(version.fingerprint, turn.workspace)
        if known is not None and known.validity is Validity.SUPERSEDED:
            known = None  # its place was taken: what is said now is judged like anything new
        if known is not None and known.validity is not Validity.ACTIVE:
            return self._said_again(known, turn)
        for memory in self._related(subject, claim, known, turn.workspace):
            relation = self._advice.relations.get((claim.content, memory.id))
            match judge(claim, memory, self._now, relation):
                case Same():
                    self._gain(memory, version, reading)
                    return True
                case Supersede() if _said_before(turn, memory):
                    self._keep_as_past(claim, version, memory, reading)
                    return True
                case Supersede(valid_from=since):
                    self._rewrite(memory, version, since, reading)
                    return True
                case Contradict() | Review() as verdict:
                    self._hold(claim, version, memory, verdict, turn)
                    return True
                case KeepBoth() | Unrelated():
                    pass
        return False

    def _known_already(self, version: NewVersion, turn: StoredTurn) -> bool:
        """Whether what would have to be confirmed is known in these very words."""
        known = self._tx.memories.with_fingerprint(version.fingerprint, turn.workspace)
        if known is not None:
            self._note("known")
        return known is not None

    def _said_again(self, known: Memory, turn: StoredTurn) -> bool:
        """What was put aside comes back only if the user said it after that."""
        later = turn.role is Role.USER and turn.at > known.updated_at
        if known.validity is not Validity.ARCHIVED or not later:
            self._note("known")
            return True
        self._tx.memories.set_validity(known.id, Validity.ACTIVE, self._now)
        self._grounds.audit("restore", known.id)
        self._note("restored")
        return True

    def _related(
        self, subject: str, claim: Claim, known: Memory | None, workspace: str | None
    ) -> list[Memory]:
        """Memories of the same subject, and those of the same words whatever their subject."""
        same = [] if known is None else [known]
        shown = [memory.current.n for memory in self._grounds.shown.values()]
        alike = [
            memory
            for memory in self._tx.memories.by_versions(shown).values()
            if memory.validity is Validity.ACTIVE and says_the_same(claim.content, memory.content)
        ]
        beside = map(self._tx.memories.get, self._advice.beside(claim.content))
        active = [m for m in beside if m is not None and m.validity is Validity.ACTIVE]
        of_it = self._tx.memories.about(subject, workspace, predicate=claim.predicate)
        found = [*same, *alike, *active, *of_it]
        return list({memory.id: memory for memory in found}.values())

    def _gain(self, memory: Memory, version: NewVersion, reading: Reading) -> None:
        """The same thing said again: evidence; a model's wording replaces that of the rules.

        Whoever only repeats what the user said adds nothing to it.
        """
        own = SourceKind.USER_SAID
        echo = memory.current.provenance.source_kind is own is not version.provenance.source_kind
        if echo:
            self.echoed.add(memory.id)
            self._note("known")
            return
        kept = memory.verified or memory.pinned
        if (
            not kept
            and memory.current.inferred_by is InferredBy.RULES
            and self._grounds.by is InferredBy.MODEL
        ):
            self._rewrite(memory, version, memory.current.valid_from, reading)
            return
        evidence = NewEvidence(
            memory.id, version.turn_n or 0, version.provenance.quote or "", self._now
        )
        self._note("evidence" if self._tx.memories.add_evidence(evidence) else "known")

    def _keep_as_past(
        self, claim: Claim, version: NewVersion, memory: Memory, reading: Reading
    ) -> None:
        """Keep what was so before something else is known to be, for the history alone."""
        known = self._tx.memories.with_fingerprint(version.fingerprint, memory.workspace)
        if known is not None:
            self._note("known")
            return
        memory_id = new_id()
        new = NewMemory(
            id=memory_id,
            type=memory.type,
            importance=memory.importance,
            confidence=claim.confidence,
            workspace=memory.workspace,
            validity=Validity.SUPERSEDED,
            subject=memory.subject,
            predicate=claim.predicate,
        )
        self._tx.memories.add(new, version)
        link(self._tx, self._grounds.stored(memory_id), reading, now=self._now)
        self._note("past")

    def _hold(
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
        memory_id = new_id()
        new = NewMemory(
            id=memory_id,
            type=memory.type,
            importance=memory.importance,
            confidence=claim.confidence,
            workspace=turn.workspace,
            validity=Validity.PENDING_CONFIRMATION,
            subject=memory.subject,
            predicate=claim.predicate,
            flag="review" if isinstance(verdict, Review) else "conflict",
        )
        self._tx.memories.add(new, version)
        against = Surroundings(contradicts=(memory.id,))
        link(self._tx, self._grounds.stored(memory_id), around=against, now=self._now)
        self._note("pending")

    # UPDATE and DELETE

    def _update(self, update: Update) -> None:
        memory = self._grounds.known(update.id)
        if memory.validity is not Validity.ACTIVE:
            raise RejectedError("put aside")
        turn, quote = self._grounds.words(update.turn, update.quote)
        content, held = self._grounds.sayable(update.content, turn)
        doubt = self._doubted(content, turn)
        held = held or doubt
        when = when_of(update.event_time, update.content, turn, "past")
        predicate = memory.predicate or ""
        claim = self._grounds.claim(content, predicate, turn, memory.confidence, when)
        version = self._grounds.version(content, turn, quote, claim, when)
        reading = read_by_rules(content, when.expression, when.at)
        if held is not None:
            self._hold(claim, version, memory, Contradict(), turn)
            return
        if says_the_same(content, memory.content) and update.reason != "correction":
            self._gain(memory, version, reading)
            return
        match replaces(claim, memory, self._now):
            case Supersede() if update.reason == "change" and _said_before(turn, memory):
                raise RejectedError("said before it")
            case Supersede(valid_from=since):
                since = since if update.reason == "change" else memory.current.valid_from
                self._rewrite(memory, version, since, reading)
            case Contradict() | Review() as verdict:
                self._hold(claim, version, memory, verdict, turn)

    def _delete(self, delete: Delete) -> None:
        memory = self._grounds.known(delete.id)
        turn, _ = self._grounds.words(delete.turn, delete.quote)
        if turn.role is not Role.USER:
            raise RejectedError("not the user's word")
        if instruction_shaped(full_text(turn), turn.trust):
            raise RejectedError("an order")
        if (memory.verified or memory.pinned) and turn.trust is not Trust.USER:
            raise RejectedError("confirmed by the user")
        self._tx.memories.set_validity(memory.id, Validity.ARCHIVED, self._now)
        self._grounds.audit("archive", memory.id)
        self._note("DELETE")

    def _link(self, proposed: Link) -> None:
        memory, other = self._grounds.known(proposed.src), self._grounds.known(proposed.dst)
        if memory.id == other.id:
            raise RejectedError("a link to itself")
        kind = EdgeType(proposed.type)
        connect(self._tx, memory, kind, other.id, _LINK_CONFIDENCE, now=self._now)
        self._note("LINK")

    def _rewrite(
        self, memory: Memory, version: NewVersion, valid_from: int, reading: Reading
    ) -> None:
        since = max(valid_from, memory.current.valid_from)
        self._tx.memories.add_version(memory.id, replace(version, valid_from=since))
        relink(self._tx, self._grounds.stored(memory.id), reading, now=self._now)
        self._grounds.audit("correct", memory.id)
        self._note("UPDATE")

    def _note(self, what: str) -> None:
        self.outcome.applied[what] += 1


def _said_before(turn: StoredTurn, memory: Memory) -> bool:
    """Whether a turn was said before what a memory says now: conversations are read in any order.

    Within a session its order tells, for clocks are set back.
    """
    came = memory.current.provenance
    if came.session_id == turn.session_id and came.turn_index is not None:
        return turn.turn_index < came.turn_index
    return turn.at < memory.current.valid_from
