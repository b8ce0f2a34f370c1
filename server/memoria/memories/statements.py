"""Explicit statements: texts that somebody asks to have remembered, and their details.

Everything here can be undone. A correction writes a new version and ends the validity of the former
one; archiving only hides. The provenance is stamped from the channel, never taken from the caller.
"""

from dataclasses import replace
from typing import TYPE_CHECKING, get_args

from memoria.errors import InvalidInputError
from memoria.language.names.keys import subject_key
from memoria.language.reading.clean import Tally, clean_metadata
from memoria.memories.changes import ChangeMark
from memoria.memories.details import (
    NO_DETAILS,
    End,
    StatementDetails,
    check_quote,
    check_subject,
    check_task,
    clean_entities,
    find_end_in_words,
    read_end,
    require_replaceable,
)
from memoria.memories.revisions import Revisions, claim_of_statement, confidence_of, require_turn
from memoria.memories.task_in_hand import (
    find_task_in_hand,
    find_task_of_session,
    find_task_of_turn,
    is_about_work,
)
from memoria.memories.times import local_span, zone_of_turn
from memoria.memories.wordings import (
    CONFIDENCE,
    NewWording,
    check_statement,
    interpretation_by_agent,
)
from memoria.model import (
    Memory,
    MemoryType,
    RememberResult,
    Role,
    Scope,
    StoredTurn,
    Trust,
    Validity,
    check_choice,
    new_id,
    now_millis,
)
from memoria.model.core import USER_EDIT_NAME
from memoria.model.memory import SOURCE_TURN, StatementStatus
from memoria.model.metadata import list_texts, map_texts, write_metadata
from memoria.model.moments import Zone
from memoria.policy.scope import decide_scope
from memoria.store.rows.transaction import Transaction
from memoria.store.values import MemoryDetails, NewMemory

if TYPE_CHECKING:
    from memoria.memories.verdicts import ClaimOutcome, NewClaim

_IMPORTANCE = 0.5
_PLACED = ("ADD", "pending")
"""Actions that write a memory where its statement is to be seen, or where a policy has it seen."""


class Statements(Revisions):
    """Writes and revises one tenant's explicit memories."""

    def remember(
        self, content: str, kind: MemoryType, details: StatementDetails = NO_DETAILS
    ) -> RememberResult:
        """Remember a statement. The same wording again is the same memory.

        One that is known in its project alone is seen everywhere once that is asked for. What is
        seen everywhere is not hidden again so: others may rely on it.

        Raises:
            ForgottenError: it was forgotten, and `again` does not ask for it all the same.
            InvalidInputError: it is empty, too long, must not be kept, or a detail can't be used.
            NotFoundError: there is no turn `turn_id` or no memory `supersedes`.
            RefusedError: the policy does not keep it.
        """
        tally = Tally()
        text = self._screen(check_statement(content, tally), tally)
        given = self._check_details(details, tally)
        with self._write_change(mark := ChangeMark("remember"), only_adds=True) as tx:
            writer = self._writer(tx)
            for words in dict.fromkeys((content, text)) if given.again else ():
                writer.lift_tombstone(words)
            # As it was given, too: it may have been forgotten before its secret was known for one.
            for words in filter(None, (content, text, *list_words(given))):
                writer.check_not_forgotten(words)
            new, end = self._draft(tx, text, kind, given)
            replaced = (
                require_replaceable(tx, given.supersedes, self._workspace)
                if given.supersedes is not None
                else None
            )
            outcome = self._state(tx, new, end, replaced)
            mark.memory_id = outcome.memory_id
            ignored = self._complete(tx, outcome, new, given, end)
            if given.turn_id is not None and new.wording.turn_n is None:
                ignored = (*ignored, SOURCE_TURN)
            now = self._memory(tx, mark.memory_id)
            change = outcome.describe_change(text)
            if given.scope == "everywhere" != now.scope and outcome.action not in _PLACED:
                writer.set_scope(now, given.scope, self._workspace)
                now = self._memory(tx, now.id)
            is_open = self._is_scope_open(tx, now, new.memory, text)
            local = local_span(now, tx.zone)
        return RememberResult(
            id=now.id,
            status=_status(outcome, now),
            content=text,
            redactions=dict(tally.redactions),
            supersedes=change.supersedes if change else (),
            contradicts=change.contradicts if change else (),
            superseded_by=outcome.describe_successor(),
            expires_at=now.expires_at,
            local=local,
            former_end=_find_former_end(outcome, now),
            task=now.task,
            ignored=ignored,
            scope=now.scope,
            project=now.project,
            is_scope_open=is_open,
        )

    def _check_details(self, given: StatementDetails, tally: Tally) -> StatementDetails:
        """Check details and leave out what must not be stored."""
        if given.scope is not None:
            check_choice("scope", given.scope, get_args(Scope))
        if given.importance is not None and not 0 <= given.importance <= 1:
            raise InvalidInputError(f"importance is {given.importance}; it must be from 0 to 1.")
        subject, task = check_subject(given.subject, tally), check_task(given.task, tally)
        metadata = given.metadata and map_texts(
            clean_metadata(given.metadata, tally), lambda _, text: self._screen(text, tally)
        )
        return replace(
            given,
            metadata=metadata,
            subject=self._screen(subject, tally) if subject else None,
            task=self._screen(task, tally) if task else given.task and "",
            entities=tuple(
                one
                for one in clean_entities(given.entities, tally)
                if all(self._screen(name, tally) == name for name in one.names)
            ),
        )

    def _draft(
        self, tx: Transaction, text: str, kind: MemoryType, given: StatementDetails
    ) -> "tuple[NewClaim, End | None]":
        """Draft the claim of a statement with all that is known of it, and read the end given."""
        from memoria.memories.verdicts import NewClaim  # noqa: PLC0415  (the start-up does without it)

        turn = None if given.turn_id is None else require_turn(tx, given.turn_id)
        check_quote(given.quote, turn)
        wording = self._wording(text, given.valid_from, turn)
        confidence = confidence_of(wording)
        said_at = now_millis() if turn is None else turn.at
        zone = tx.zone if turn is None else zone_of_turn(turn, tx.zone)
        end = None
        if given.until is not None:
            end = read_end(given.until, said_at, zone, given.valid_from)
        importance = _IMPORTANCE if given.importance is None else given.importance
        memory = replace(
            self._new_memory(kind, importance),
            confidence=confidence,
            scope=given.scope,
            subject=subject_key(given.subject) if given.subject else None,
            metadata=write_metadata(given.metadata),
        )
        if given.subject or given.entities:
            read = interpretation_by_agent(text, given.entities, given.subject, confidence)
            wording = replace(wording, interpretation=read)
        if given.subject:
            wording = replace(wording, subject=memory.subject, predicate=memory.predicate)
        task = (
            given.task if given.task is not None else self._find_task(tx, memory, text, turn, given)
        )
        memory = replace(memory, task=task or None)
        wording = replace(wording, importance=given.importance, metadata=memory.metadata)
        claim = claim_of_statement(wording, memory, confidence)
        return NewClaim(claim, memory, wording, names_task=bool(given.task)), end

    def _find_task(
        self,
        tx: Transaction,
        memory: NewMemory,
        text: str,
        turn: StoredTurn | None,
        given: StatementDetails,
    ) -> str | None:
        """Return the task in hand, where a statement is about the work.

        Over HTTP the latest task may be another program's: there it is that of the session alone.
        """
        if turn is not None:
            task = find_task_of_turn(tx, turn)
        elif self._channel.caller is not None:
            task = find_task_of_session(tx, given.session_id, now_millis())
        else:
            task = find_task_in_hand(tx, given.session_id, self._workspace, now_millis())
        is_of_task = task and is_about_work(text, memory.type, memory.subject, memory.scope)
        return task if is_of_task else None

    def _complete(
        self,
        tx: Transaction,
        outcome: "ClaimOutcome",
        new: "NewClaim",
        given: StatementDetails,
        end: End | None,
    ) -> tuple[str, ...]:
        """Set the details of a known statement; return the names of details that stay unchanged."""
        names = {
            "importance": given.importance is not None,
            "until": end is not None,
            "subject": bool(given.subject),
            "task": bool(given.task),
            "entities": bool(given.entities),
            "metadata": bool(given.metadata),
        }
        news = tuple(name for name, is_given in names.items() if is_given)
        if not news or outcome.action not in ("known", "evidence", "restored"):
            return ()
        memory = self._memory(tx, outcome.memory_id)
        if (memory.verified or memory.pinned) and not self._is_user_channel:
            return news
        details = MemoryDetails(
            subject=new.memory.subject if given.subject else None,
            task=given.task or None,
            importance=given.importance,
            sets_end=end is not None,
            expires_at=end.at if end else None,
            metadata=write_metadata(given.metadata),
        )
        self._writer(tx).describe(memory, details, new.wording.interpretation)
        return ()

    def _is_scope_open(self, tx: Transaction, memory: Memory, new: NewMemory, text: str) -> bool:
        """Return whether a memory is visible elsewhere than its author or its words ask."""
        if self._workspace is None or tx.memories.is_private(self._workspace):
            return False
        return memory.scope != (new.scope or decide_scope(text, new.type, memory.subject))

    def _new_memory(self, kind: MemoryType, importance: float = _IMPORTANCE) -> NewMemory:
        confidence = CONFIDENCE[self._channel.trust]
        return NewMemory(new_id(), kind, importance, confidence, self._workspace)

    def _state(
        self,
        tx: Transaction,
        new: "NewClaim",
        end: End | None = None,
        replaced: Memory | None = None,
        log_as: str = "remember",
    ) -> "ClaimOutcome":
        """Apply a statement, which is added, recognised, or changes what is known."""
        from memoria.memories.claims import ClaimWriter  # noqa: PLC0415  (the start-up does without it)

        expires_at = end.at if end else self._end_of(new.wording, new.memory.type, tx.zone)
        new = replace(new, wording=replace(new.wording, expires_at=expires_at))
        writer = self._writer(tx)
        claims = ClaimWriter(tx, writer, now_millis())
        doubt = None if self._is_user_channel else _doubt_order(tx, new)
        if doubt is not None:
            outcome = claims.hold_order(new, doubt)
        elif replaced is None:
            outcome = claims.write(new, log_as=log_as)
        else:
            outcome = claims.replace_named(new, replaced)
        stated = self._memory(tx, outcome.memory_id)
        if self._is_user_channel and not stated.verified:
            writer.confirm(stated, by_user=True)
        return outcome

    def _end_of(self, wording: NewWording, kind: MemoryType, zone: Zone) -> int | None:
        """Return the end that a statement's words name; None for lines of a core file."""
        from memoria.language.statements.lasting import session_end  # noqa: PLC0415  (the start-up does without it)

        if self._channel.name == USER_EDIT_NAME:
            return None
        end = session_end(wording.content, kind, wording.valid_from)
        return end or find_end_in_words(wording.content, wording.valid_from, zone)


def list_words(given: StatementDetails) -> list[str]:
    """List the names and texts among details, any of which may have been forgotten."""
    names = (name for one in given.entities for name in one.names)
    told = (given.subject, given.task, *names, *list_texts(given.metadata or {}))
    return [*filter(None, told)]


def _doubt_order(tx: Transaction, new: "NewClaim") -> str | None:
    """Return why an order waits for confirmation (its turn is not the user's), or None.

    A skill that a client could load always waits. What rests on a tool's output waits where it
    orders anything at all.
    """
    from memoria.language.statements.orders import directs, instruction_shaped  # noqa: PLC0415
    from memoria.model.skills import FLAG, read_skill  # noqa: PLC0415

    content, kind = new.claim.content, new.memory.type
    if kind is MemoryType.SKILL and read_skill(content) is not None:
        return FLAG
    if new.claim.trust is Trust.TOOL:
        is_order = kind is MemoryType.RULE or instruction_shaped(content, Trust.TOOL)
        return "instruction" if is_order else None
    turn_n = new.wording.turn_n
    turn = None if turn_n is None else tx.conversations.turns([turn_n]).get(turn_n)
    is_of_another = turn is not None and turn.role is not Role.USER
    return "assistant" if is_of_another and directs(kind, content) else None


def _find_former_end(outcome: "ClaimOutcome", memory: Memory) -> int | None:
    """Return the latest end of the memories replaced, where the statement itself has no end."""
    ends = [one.expires_at for one in outcome.supersedes if one.expires_at is not None]
    return max(ends) if ends and memory.expires_at is None else None


def _status(outcome: "ClaimOutcome", memory: Memory) -> StatementStatus:
    """Return the status of a statement, for whoever made it."""
    if memory.validity is Validity.PENDING_CONFIRMATION:
        return "pending"
    match outcome.action:
        case "restored":
            return "restored"
        case "known" | "evidence":
            return "already_known"
        case _:
            return "remembered"
