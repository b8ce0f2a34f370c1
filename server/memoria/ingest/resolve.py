"""Resolve: operations that a model proposes become memories, or are turned away with a reason.

A model is a stranger with good ideas. What it adds must quote the turn word for word; what it
changes must be a memory it was shown; whose word a conclusion is follows from the turn it quotes,
never from the model. All of an entry's operations and its completion are one transaction.
"""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from memoria.ingest.grounds import Grounds, RejectedError, When, when_of
from memoria.ingest.keep import Keeper
from memoria.ingest.link import (
    Reading,
    connect,
    read_by_model,
    read_by_rules,
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
    MemoryType,
    Operation,
    Role,
    Skip,
    StoredTurn,
    Trust,
    Update,
    Validity,
    new_id,
)
from memoria.policy.conflict import (
    USER,
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
from memoria.store.values import NewMemory, NewVersion
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
        self._keeper = Keeper(grounds)
        self._boosted = set[str]()

    @property
    def echoed(self) -> AbstractSet[str]:
        """Memories that somebody said again who only repeats."""
        return self._keeper.echoed

    def apply(self, operations: Sequence[Operation]) -> Outcome:
        """Apply what can be applied; the rest is counted with its reason and logged."""
        for operation in operations:
            try:
                self._apply(operation)
            except RejectedError as error:
                self._grounds.turn_away(self._keeper.outcome, operation.op, error)
        return self._keeper.outcome

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
                self._keeper.note("SKIP")

    def _boost(self, boost: Boost) -> None:
        memory = self._grounds.known(boost.id)
        if memory.id not in self._boosted:
            self._boosted.add(memory.id)
            self._tx.memories.use(memory.id, _BOOST, self._now)
        self._keeper.note("BOOST")

    # ADD

    def _add(self, add: Add) -> None:
        turn, quote = self._grounds.words(add.turn, add.quote)
        if add.modality == "joking":
            raise RejectedError("a joke")
        if add.type is MemoryType.CONCEPT:
            raise RejectedError("no conclusion of one turn")
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
        new = NewMemory(
            id=new_id(),
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
        self._keeper.keep("ADD" if held is None else "pending", new, version, reading)

    def _doubted(self, content: str, turn: StoredTurn) -> str | None:
        """Why a conclusion has to be confirmed, though it may be said.

        Raises:
            RejectedError: a second look has shown that nobody said it.
        """
        match self._advice.supported.get((content, turn.n)):
            case "no":
                self._grounds.misread.add(turn.n)
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
            self._keeper.said_again(known, turn)
            return True
        for memory in self._related(subject, claim, known, turn.workspace):
            relation = self._advice.relations.get((claim.content, memory.id))
            match judge(claim, memory, self._now, relation):
                case KeepBoth() | Unrelated():
                    continue
                case Same():
                    self._keeper.gain(memory, version, reading)
                case Supersede() if _said_before(turn, memory):
                    self._keeper.keep_as_past(claim, version, memory, reading)
                case Supersede() if _holds_elsewhere(turn, memory):
                    self._keeper.keep_here(claim, version, memory, reading, turn)
                case Supersede(valid_from=since):
                    self._keeper.rewrite(memory, version, since, reading)
                case Contradict() | Review() as verdict:
                    self._keeper.hold(claim, version, memory, verdict, turn)
            return True
        return False

    def _known_already(self, version: NewVersion, turn: StoredTurn) -> bool:
        """Whether what would have to be confirmed is known in these very words."""
        known = self._tx.memories.with_fingerprint(version.fingerprint, turn.workspace)
        if known is not None:
            self._keeper.note("known")
        return known is not None

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
            self._keeper.hold(claim, version, memory, Contradict(), turn)
            return
        if says_the_same(content, memory.content) and update.reason != "correction":
            self._keeper.gain(memory, version, reading)
            return
        match replaces(claim, memory, self._now):
            case Supersede() if update.reason == "change" and _said_before(turn, memory):
                raise RejectedError("said before it")
            case Supersede() if _holds_elsewhere(turn, memory):
                self._keeper.keep_here(claim, version, memory, reading, turn)
            case Supersede(valid_from=since):
                since = since if update.reason == "change" else memory.current.valid_from
                self._keeper.rewrite(memory, version, since, reading)
            case Contradict() | Review() as verdict:
                self._keeper.hold(claim, version, memory, verdict, turn)

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
        self._keeper.note("DELETE")

    def _link(self, proposed: Link) -> None:
        memory, other = self._grounds.known(proposed.src), self._grounds.known(proposed.dst)
        if memory.id == other.id:
            raise RejectedError("a link to itself")
        kind = EdgeType(proposed.type)
        connect(self._tx, memory, kind, other.id, _LINK_CONFIDENCE, now=self._now)
        self._keeper.note("LINK")


def _holds_elsewhere(turn: StoredTurn, memory: Memory) -> bool:
    """Whether a memory is seen from other projects, too, which a project's words are not for.

    What holds for the person holds everywhere, whichever project it is said in.
    """
    everywhere = memory.workspace is None and turn.workspace is not None
    return everywhere and not memory.type.personal and memory.subject != USER


def _said_before(turn: StoredTurn, memory: Memory) -> bool:
    """Whether a turn was said before what a memory says now: conversations are read in any order.

    Within a session its order tells, for clocks are set back.
    """
    came = memory.current.provenance
    if came.session_id == turn.session_id and came.turn_index is not None:
        return turn.turn_index < came.turn_index
    return turn.at < memory.current.valid_from
