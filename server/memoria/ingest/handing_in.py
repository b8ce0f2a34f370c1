"""Handing in: an agent has read a page, and its conclusions are applied like a model's.

The agent takes the place of the model that would have been asked. Each of its conclusions must
quote a turn of the page word for word, its provenance follows from that turn, and whatever would
wait for the user's confirmation if a model had said it waits here, too. There is no second look.

All of a page is one transaction, in which it is looked at once more: of two agents that hand in the
same page one is told that it was read. A conclusion that cannot be taken on is told with its number
and the others stay. Where none can, nothing is done, and the page is still to be read.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import ValidationError

from memoria.erasure.suppression import Digester
from memoria.errors import InvalidInputError, NotFoundError
from memoria.ingest.attribution import attribute_operations
from memoria.ingest.extract import finish_reading, split_conclusions
from memoria.ingest.resolve import Resolver
from memoria.ingest.unread import UnreadPage, UnreadTurns
from memoria.language.statements.classifier import guess_type
from memoria.memories.details import require_replaceable
from memoria.memories.validator import OperationValidator, PromptContents
from memoria.memories.verdicts import ReadAhead, RelatedMemories, read_ahead
from memoria.memories.wordings import Author
from memoria.model import Add, InferredBy, Memory, Operation, TextVectors, Update, describe_problems
from memoria.model.base import choose_by_end
from memoria.model.conclusions import AgentConclusion, HandedIn, KeptConclusion, RefusedConclusion
from memoria.model.memory import StatementStatus
from memoria.policy.questions import HomePolicy
from memoria.store.engine import Store
from memoria.store.rows.listings import INDEXED_CHARS
from memoria.store.rows.transaction import Transaction

_PROPERTY = "note"
"""Property of an agent's conclusion about its subject; it may have many values."""
_STATUS: Mapping[str, StatementStatus] = {
    "ADD": "remembered",
    "UPDATE": "remembered",
    "restored": "restored",
    "past": "remembered",
    "evidence": "already_known",
    "known": "already_known",
    "pending": "pending",
}


@dataclass(frozen=True, slots=True)
class _Proposal:
    """A conclusion that an agent handed in, and the change to memories that follows."""

    number: int
    given: AgentConclusion
    turn_id: str
    """The end of the id of the quoted turn."""
    operation: Operation
    replaced: Memory | None


class _CannotUseError(Exception):
    """A conclusion cannot be used; the message says why."""


@dataclass(frozen=True, slots=True)
class AgentReader:
    """Shows an agent unread pages, and takes its conclusions."""

    store: Store
    tenant: str
    workspace: str | None
    """The project in which the agent works."""
    recall: RelatedMemories
    digester: Digester
    author: Author
    """The agent's channel and client."""
    policy: HomePolicy

    def show(self, page_id: str | None) -> str | None:
        """Return a page as an agent reads it, by default the next one; None where nothing is left.

        Raises:
            InvalidInputError: the page was read already, or is not what it was.
            NotFoundError: there is no such page.
        """
        with self.store.read(self.tenant) as tx:
            unread = self._unread(tx)
            turns = unread.find_first() if page_id is None else unread.find(page_id)
            return unread.describe(turns, self.recall).write(tx.zone) if turns else None

    def take(self, page_id: str, given: Sequence[object]) -> HandedIn:
        """Apply an agent's conclusions from a page, and mark the turns of the page as read.

        Raises:
            InvalidInputError: the page was read already or is not what it was, or none of the
                conclusions can be taken on. Nothing was done.
            NotFoundError: there is no such page.
        """
        with self.store.read(self.tenant) as tx:
            unread = self._unread(tx)
            page = unread.describe(unread.find(page_id), self.recall)
            proposals, refused = self._read(tx, page, given)
        stated = [one.operation for one in proposals if isinstance(one.operation, Add | Update)]
        contents = [one.content for one in stated]
        meanings = self.recall.embed_meanings(
            split_conclusions(contents), wait=page.compare_meanings
        )
        with self.store.read(self.tenant) as tx:
            ahead = read_ahead(tx, contents, {turn.workspace for turn in page.turns})
        with self.store.write(self.tenant) as tx:
            self._unread(tx).find(page_id)
            validator = self._validator(tx, page, proposals, meanings)
            taken = self._apply(validator, proposals, ahead)
            refused = sorted((*refused, *taken.refused), key=lambda one: one.number)
            done = taken.model_copy(update={"refused": tuple(refused)})
            if given and not done.kept:
                raise InvalidInputError(_explain_refusal(done))
        with self.store.read(self.tenant) as tx:
            return done.model_copy(update={"left": self._unread(tx).count_left()})

    def _unread(self, tx: Transaction) -> UnreadTurns:
        return UnreadTurns(tx, self.digester, self.workspace)

    def _read(
        self, tx: Transaction, page: UnreadPage, given: Sequence[object]
    ) -> tuple[list[_Proposal], list[RefusedConclusion]]:
        """Return proposals made of conclusions, and the refused conclusions with their reasons."""
        proposals, refused = list[_Proposal](), list[RefusedConclusion]()
        for number, one in enumerate(given, 1):
            try:
                proposals.append(self._propose(tx, page, number, one))
            except _CannotUseError as error:
                refused.append(RefusedConclusion(number=number, reason=str(error)))
        return proposals, refused

    def _propose(self, tx: Transaction, page: UnreadPage, number: int, given: object) -> _Proposal:
        read = _read_conclusion(given)
        turn = page.find_number(read.turn_id)
        if turn is None:
            raise _CannotUseError(f"turn_id: no turn {read.turn_id} stands on this page")
        if read.scope == "project" and (page.turns[0].workspace or self.workspace) is None:
            raise _CannotUseError("scope: this was said in no project, so it is seen everywhere")
        replaced = None if read.supersedes is None else self._find_replaced(tx, read.supersedes)
        operation = _build_operation(read, turn, replaced)
        known = {} if replaced is None else {replaced.id: replaced}
        prompt = PromptContents(page.prompt_contents().turns, known)
        (attributed,) = attribute_operations([operation], prompt, page.participants)
        turn_id = page.turns[turn - 1].id[-INDEXED_CHARS:]
        return _Proposal(number, read, turn_id, attributed, replaced)

    def _find_replaced(self, tx: Transaction, cited: str) -> Memory:
        end = cited.strip().lower()
        try:
            if len(end) >= INDEXED_CHARS:
                end = choose_by_end(tx.short_ids.list_alike([end]), end) or end
            return require_replaceable(tx, end, self.workspace)
        except (InvalidInputError, NotFoundError) as error:
            raise _CannotUseError(str(error)) from error

    def _validator(
        self,
        tx: Transaction,
        page: UnreadPage,
        proposals: Sequence[_Proposal],
        meanings: TextVectors,
    ) -> OperationValidator:
        replaced = {one.replaced.id: one.replaced for one in proposals if one.replaced is not None}
        prompt = PromptContents(page.prompt_contents().turns, replaced)
        return OperationValidator(
            tx, self.digester, prompt, InferredBy.MODEL, self.author, self.policy, meanings, page.id
        )

    def _apply(
        self, validator: OperationValidator, proposals: Sequence[_Proposal], ahead: ReadAhead
    ) -> HandedIn:
        """Apply one conclusion after the other."""
        resolver = Resolver(validator, ahead=ahead)
        kept, refused = list[KeptConclusion](), list[RefusedConclusion]()
        for one in proposals:
            before = resolver.apply([])
            applied, rejected = Counter(before.applied), Counter(before.rejected)
            outcome = resolver.apply([one.operation])
            if reasons := outcome.rejected - rejected:
                reason = next(iter(reasons))
                refused.append(
                    RefusedConclusion(number=one.number, reason=reason, turn_id=one.turn_id)
                )
                continue
            (action,) = outcome.applied - applied
            memory_id = outcome.memory_ids[-1]
            self._set_scope(validator, one, action, memory_id)
            kept.append(KeptConclusion(number=one.number, id=memory_id, status=_STATUS[action]))
        finish_reading(validator, resolver)
        return HandedIn(kept=tuple(kept), refused=tuple(refused))

    def _set_scope(
        self, validator: OperationValidator, one: _Proposal, action: str, memory_id: str
    ) -> None:
        """Set the scope that the agent gives a conclusion; a memory seen everywhere stays so."""
        scope, memory = one.given.scope, validator.writer.require(memory_id)
        is_new = action in ("ADD", "pending")
        if scope is not None and scope != memory.scope and (is_new or scope == "everywhere"):
            validator.writer.set_scope(memory, scope, self.workspace)


def _read_conclusion(given: object) -> AgentConclusion:
    try:
        return AgentConclusion.model_validate(given)
    except ValidationError as error:
        raise _CannotUseError(describe_problems(error, of="memory")) from error


def _build_operation(read: AgentConclusion, turn: int, replaced: Memory | None) -> Add | Update:
    if replaced is not None:
        return Update(
            id=replaced.id,
            content=read.content,
            quote=read.quote,
            turn=turn,
            reason="change",
            until=read.until,
        )
    return Add(
        type=guess_type(read.content) if read.type is None else read.type,
        content=read.content,
        quote=read.quote,
        turn=turn,
        subject=read.subject,
        predicate=_PROPERTY,
        importance=read.importance,
        until=read.until,
        entities=read.entities,
        task=read.task,
    )


def _explain_refusal(done: HandedIn) -> str:
    """Return the message where no conclusion could be taken on."""
    reasons = "; ".join(f"{one.number}: {one.reason}" for one in done.refused)
    return (
        f"None of the memories can be kept: {reasons}. Nothing was done, and the page is still to "
        "be read: mend them and hand it in again, or with an empty list if nothing is to be kept."
    )
