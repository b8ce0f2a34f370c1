"""Resolution: proposed changes to memories are applied, or rejected with a reason.

A model's proposal is not trusted. An addition must quote the turn word for word, a change must name
a memory that the model was shown, and the provenance follows from the quoted turn, never from the
model. All changes proposed from an entry and its completion are one transaction.
"""

from collections.abc import Sequence
from dataclasses import replace

from memoria.ingest.comparison import adds_to, says_what_is_known, start_of_update
from memoria.ingest.processing import ExtractionOutcome
from memoria.ingest.second_look import NO_ADVICE, Advice
from memoria.language.dates import find_direction
from memoria.language.names.keys import subject_key
from memoria.language.reading.pasted import is_pasted
from memoria.language.reading.quotes import find_quote
from memoria.language.statements.orders import instruction_shaped
from memoria.language.words.document import full_text
from memoria.memories.claims import ClaimWriter, same_topic
from memoria.memories.task_in_hand import find_task_of_turn, is_about_work
from memoria.memories.times import EventTime, find_event_time, find_expiry
from memoria.memories.validator import OperationValidator, RejectedError
from memoria.memories.verdicts import (
    NOTHING_READ,
    ClaimOutcome,
    NewClaim,
    ReadAhead,
    applies_elsewhere,
)
from memoria.memories.wordings import (
    REFINE,
    Interpretation,
    NewWording,
    interpretation_by_model,
    interpretation_by_rules,
    interpretation_of_update,
)
from memoria.model import (
    Add,
    Boost,
    Delete,
    EdgeType,
    InferredBy,
    Link,
    Memory,
    Operation,
    Relation,
    Role,
    Scope,
    Skip,
    SourceKind,
    StoredTurn,
    Trust,
    Update,
    Validity,
    new_id,
)
from memoria.policy.conflict import Contradict, KeepBoth, NeedsReview, Supersede, is_older
from memoria.policy.scope import points_at_project
from memoria.store.values import NewMemory

_LINK_CONFIDENCE = 0.7
_BOOST_STEP = 0.06  # of an importance from 0 to 1
_CERTAINTY = {"actual": 1.0, "planned": 0.9, "wished": 0.7, "possible": 0.6, "hearsay": 0.5}


class Resolver:
    """Applies proposed changes to memories, within one tenant's transaction."""

    def __init__(
        self,
        validator: OperationValidator,
        advice: Advice = NO_ADVICE,
        ahead: ReadAhead = NOTHING_READ,
    ) -> None:
        self._validator = validator
        self._advice = advice
        self._ahead = ahead
        self._tx = validator.tx
        self._now = validator.now
        self._claims = ClaimWriter(validator.tx, validator.writer, validator.now)
        self._outcome = ExtractionOutcome()
        self._boosted = set[str]()
        self._written = dict[str, str]()
        """Ids of the memories that conclusions of this answer became, by their wordings."""
        self.echo_ids = set[str]()
        """Ids of memories that an assistant or a tool only repeated."""

    def apply(self, operations: Sequence[Operation]) -> ExtractionOutcome:
        """Apply the proposed changes; a rejected change is counted and logged with its reason."""
        for operation in operations:
            try:
                self._apply(operation)
            except RejectedError as error:
                self._outcome.add_rejection(error)
                self._validator.log_rejection(operation.op, error)
        return self._outcome

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
                self._count("SKIP")

    def _boost(self, boost: Boost) -> None:
        memory = self._validator.require_prompt_memory(boost.id)
        if memory.id not in self._boosted:
            self._boosted.add(memory.id)
            self._validator.writer.note_use(memory.id, _BOOST_STEP)
        self._count("BOOST")

    # ADD

    def _add(self, add: Add) -> None:
        turn, quote = self._validator.locate_quote(add.turn, add.quote)
        if add.modality == "joking":
            raise RejectedError("a joke")
        if not add.type.may_be_proposed:
            raise RejectedError("no conclusion of one turn")
        subject = subject_key(self._validator.check_name(add.subject))
        proposed, confirm_reason = self._validator.check_conclusion(
            add.content, add.type, subject, turn, quote
        )
        support = self._advice.support_of(proposed, turn.n)
        is_hearsay = add.modality == "hearsay" and support != "yes"
        confirm_reason = (
            confirm_reason or "hearsay"
            if is_hearsay
            else self._reason_to_confirm(proposed, turn, confirm_reason)
        )
        content = self._advice.wording_of(proposed, turn.n)
        if content != proposed:
            add = add.model_copy(update={"content": content})
        predicate = self._validator.check_property(add.predicate)
        actual = add.modality == "actual"
        zone = self._validator.zone_of(turn)
        by_model = self._validator.inferred_by is InferredBy.MODEL
        told = add.event_time if by_model else add.content
        when = find_event_time(
            told, add.content, turn, zone, find_direction(content) if actual else "future"
        )
        certainty = _CERTAINTY["possible" if support == "unclear" else add.modality]
        confidence = add.confidence * certainty
        claim = self._validator.claim(
            content, predicate, turn, confidence, when, assertive=actual, quote=quote
        )
        interpretation = self._interpretation(add, when, turn)
        wording = self._validator.wording(claim, turn, quote, when, interpretation)
        new = NewMemory(
            id=new_id(),
            type=add.type,
            importance=add.importance,
            confidence=claim.confidence,
            workspace=turn.workspace,
            validity=Validity.PENDING_CONFIRMATION if confirm_reason else Validity.ACTIVE,
            subject=subject,
            predicate=predicate or None,
            task=self._find_task(add, content, turn, subject),
            scope=self._scope_of(add, turn),
            flag=confirm_reason,
        )
        end = find_expiry(add, add.type, content, turn, zone)
        is_over = end is not None and end <= turn.at  # what was said of the past stays true
        wording = replace(wording, expires_at=None if is_over else end)
        if confirm_reason is not None:
            self._hold_back(new, wording, turn)
            return
        relations = self._relations_of(proposed)
        named = add.task is not None
        outcome = self._claims.write(NewClaim(claim, new, wording, named, relations, self._ahead))
        self._validator.log_apart(outcome.memory_id, relations)
        self._note(outcome, content)
        self._written[proposed] = outcome.memory_id

    def _hold_back(self, new: NewMemory, wording: NewWording, turn: StoredTurn) -> None:
        """Write a conclusion as pending confirmation, unless a memory has the same words."""
        writer = self._validator.writer
        known = writer.find_same(wording.content, turn.workspace)
        if known is None:
            writer.add(new, wording)
        self._outcome.memory_ids.append(new.id if known is None else known.id)
        self._count("pending" if known is None else "known")

    def _relations_of(self, content: str) -> dict[str, Relation]:
        """Map the ids of memories, new ones of this answer included, to a conclusion's relation."""
        found = self._advice.relations_of(content)
        return {self._written.get(other, other): relation for other, relation in found.items()}

    def _scope_of(self, add: Add, turn: StoredTurn) -> Scope | None:
        """Return the scope that a model proposes for a conclusion; None in a private project."""
        if turn.workspace is None or self._tx.memories.is_private(turn.workspace):
            return None
        return add.scope

    def _scope_of_update(self, memory: Memory, content: str, turn: StoredTurn) -> Scope | None:
        """Return an update's scope: its memory's, unless the text points at its own project.

        A memory from outside of projects has no scope to pass on, for nobody decided about that.
        """
        place = turn.workspace
        if place is None or memory.workspace is None or self._tx.memories.is_private(place):
            return None
        return None if points_at_project(content, place) else memory.scope

    def _find_task(self, add: Add, content: str, turn: StoredTurn, subject: str) -> str | None:
        """Return a conclusion's task: as proposed, else the one in hand if it is about the work."""
        if add.task is not None:
            return self._validator.check_name(add.task)
        task = find_task_of_turn(self._tx, turn)
        return task if task and is_about_work(content, add.type, subject, None) else None

    def _reason_to_confirm(self, content: str, turn: StoredTurn, reason: str | None) -> str | None:
        """Return why a conclusion must wait for confirmation, once the second look has spoken.

        A check tells better than the share of common words whether an order is the user's own. What
        the user says themselves counts, though its words can be read in two ways.

        Raises:
            RejectedError: its quote does not support it.
        """
        match self._advice.support_of(content, turn.n):
            case "no":
                self._validator.misread_turns.add(turn.n)
                raise RejectedError("not borne out by its words")
            case "yes":
                return None if reason == "unclear" else reason
            case "unclear" if turn.role is not Role.USER:
                return reason or "unclear"
            case _:
                return reason

    def _interpretation(self, add: Add, when: EventTime, turn: StoredTurn) -> Interpretation:
        """Return the meaning of a proposed wording, as the model gave it or as rules find it."""
        if self._validator.inferred_by is InferredBy.MODEL:
            expression_quote = find_quote(add.event_time or "", full_text(turn)) or when.expression
            expression = (
                None if expression_quote is None else self._validator.mask_quote(expression_quote)
            )
            screened = self._validator.screen_names(add)
            screened = screened.model_copy(update={"event_time": expression})
            return interpretation_by_model(screened, when.at)
        return interpretation_by_rules(
            self._validator.check_name(add.content), when.expression, when.at
        )

    def _note(self, outcome: ClaimOutcome, content: str) -> None:
        """Count the outcome of a claim, and note what it changed."""
        self._count(outcome.action)
        self._outcome.memory_ids.append(outcome.memory_id)
        change = outcome.describe_change(content)
        self._outcome.changes += [] if change is None else [change]
        if outcome.is_echo:
            self.echo_ids.add(outcome.memory_id)

    def _count(self, what: str) -> None:
        """Count an applied action in the outcome."""
        self._outcome.applied[what] += 1

    # UPDATE and DELETE

    def _update(self, update: Update) -> None:
        memory = self._validator.require_prompt_memory(update.id)
        if memory.validity not in (Validity.ACTIVE, Validity.PENDING_CONFIRMATION):
            raise RejectedError("put aside")
        turn, quote = self._validator.locate_quote(update.turn, update.quote)
        kind = update.type if update.type and update.type.may_be_proposed else memory.type
        predicate = self._validator.check_property(update.predicate) or memory.predicate
        proposed, confirm_reason = self._validator.check_conclusion(
            update.content, kind, memory.subject, turn, quote
        )
        confirm_reason = self._reason_to_confirm(proposed, turn, confirm_reason)
        content = self._advice.wording_of(proposed, turn.n)
        if content != proposed:
            update = update.model_copy(update={"content": content})
        zone = self._validator.zone_of(turn)
        prefer = find_direction(content)
        when = find_event_time(update.event_time, update.content, turn, zone, prefer)
        claim = self._validator.claim(
            content, predicate or "", turn, memory.confidence, when, quote=quote
        )
        interpretation = interpretation_of_update(
            self._tx, memory, content, when.expression, when.at
        )
        wording = self._validator.wording(claim, turn, quote, when, interpretation)
        end = find_expiry(update, kind, content, turn, zone)
        if end is not None and end <= turn.at:
            raise RejectedError("over when it was said")
        wording = replace(wording, expires_at=end, type=kind, predicate=predicate)
        known = same_topic(memory, claim, turn.workspace)
        known = replace(known, type=kind, scope=self._scope_of_update(memory, content, turn))
        new = NewClaim(claim, known, wording)
        if memory.validity is Validity.PENDING_CONFIRMATION:
            self._settle_held(new, memory, is_doubtful=confirm_reason is not None)
        elif confirm_reason is not None:
            self._note(self._claims.hold(new, memory, Contradict()), content)
        elif says_what_is_known(content, memory.content, update):
            self._note(self._claims.strengthen(new, memory), content)
        else:
            since = start_of_update(update, turn, memory, zone)
            self._replace_as_updated(new, memory, update, since)

    def _settle_held(self, new: NewClaim, held: Memory, *, is_doubtful: bool) -> None:
        """Replace a pending conclusion by the user's claim; reject a claim of anybody else."""
        if is_doubtful or new.claim.source is not SourceKind.USER_SAID:
            raise RejectedError("it waits for the user's word")
        self._note(self._claims.settle_held(new, held), new.wording.content)

    def _replace_as_updated(
        self, new: NewClaim, memory: Memory, update: Update, since: int
    ) -> None:
        content = new.wording.content
        match self._claims.decide(new, memory):
            case Supersede() if update.reason == "change" and is_older(new.claim, memory):
                raise RejectedError("said before it")
            case Supersede() if applies_elsewhere(self._tx, new, memory):
                self._note(self._claims.add_in_project(new, memory), content)
            case Supersede():
                action = REFINE if adds_to(update, memory) else "correct"
                self._note(self._claims.revise(new, memory, since, action), content)
            case Contradict() | NeedsReview() as verdict:
                self._note(self._claims.hold(new, memory, verdict), content)
            case KeepBoth():
                self._note(self._claims.write(new), content)

    def _delete(self, delete: Delete) -> None:
        memory = self._validator.require_prompt_memory(delete.id)
        turn, quote = self._validator.locate_quote(delete.turn, delete.quote)
        if turn.role is not Role.USER or is_pasted(quote, turn.content):
            raise RejectedError("not the user's word")
        if instruction_shaped(full_text(turn), turn.trust):
            raise RejectedError("an order")
        if (memory.verified or memory.pinned) and turn.trust is not Trust.USER:
            raise RejectedError("confirmed by the user")
        self._validator.writer.end(memory.id)
        self._count("DELETE")

    def _link(self, proposed: Link) -> None:
        memory, other = map(self._validator.require_prompt_memory, (proposed.src, proposed.dst))
        if memory.id == other.id:
            raise RejectedError("a link to itself")
        kind = EdgeType(proposed.type)
        self._validator.writer.link(memory, kind, other.id, _LINK_CONFIDENCE)
        self._count("LINK")
