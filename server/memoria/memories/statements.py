"""Explicit statements: what somebody asks to have remembered, and how they revise it later.

Everything here can be undone. A correction writes a new version and ends the validity of the former
one; archiving only hides. The provenance is stamped from the channel, never taken from the caller.
"""

from dataclasses import replace
from typing import TYPE_CHECKING, get_args

from memoria.erasure.suppression import Digester, SuppressionList
from memoria.errors import InvalidInputError
from memoria.memories.statement_text import check_statement
from memoria.memories.values import Author, NewWording, StructuralLinks
from memoria.model import (
    Channel,
    Memory,
    MemoryType,
    Provenance,
    RememberResult,
    Revision,
    Scope,
    SourceKind,
    StoredTurn,
    Trust,
    Validity,
    check_choice,
    new_id,
    now_millis,
)
from memoria.model.core import USER_EDIT_NAME
from memoria.model.memory import StatementStatus
from memoria.model.privacy import Handling, PersonalRules
from memoria.policy.conflict import Claim
from memoria.policy.properties import read_topic
from memoria.store.base import Store, Transaction
from memoria.store.not_found import not_found
from memoria.store.values import NewMemory
from memoria.text.clean import Tally

if TYPE_CHECKING:
    from memoria.memories.claims import ClaimOutcome
    from memoria.memories.writer import MemoryWriter

_IMPORTANCE = 0.5
_CONFIDENCE = {Trust.USER: 0.9, Trust.REPORTED: 0.7, Trust.TOOL: 0.4}


class Statements:
    """Writes and revises one tenant's explicit memories."""

    def __init__(
        self,
        store: Store,
        tenant: str,
        channel: Channel,
        digester: Digester,
        workspace: str | None = None,
        personal: PersonalRules | None = None,
    ) -> None:
        self._personal = personal
        self._store = store
        self._tenant = tenant
        self._channel = channel
        self._digester = digester
        self._workspace = workspace

    def remember(
        self,
        content: str,
        kind: MemoryType,
        importance: float | None,
        valid_from: int | None,
        turn_id: str | None,
        *,
        scope: Scope | None = None,
        again: bool = False,
    ) -> RememberResult:
        """Remember a statement. The same wording again is the same memory.

        One that is known in its project alone is seen everywhere once that is asked for. What is
        seen everywhere is not hidden again so: others may rely on it.

        Raises:
            ForgottenError: it was forgotten, and `again` does not ask for it all the same.
            InvalidInputError: it is empty, too long, or must not be kept.
            NotFoundError: there is no turn `turn_id`.
        """
        tally = Tally()
        text = self._screen(check_statement(content, tally), tally)
        if scope is not None:
            check_choice("scope", scope, get_args(Scope))
        if importance is not None and not 0 <= importance <= 1:
            raise InvalidInputError(f"importance is {importance}; it must be from 0 to 1.")
        with self._store.write(self._tenant) as tx:
            writer = self._writer(tx)
            if again:
                writer.lift_tombstone(text)
            writer.check_not_forgotten(text)
            memory = replace(
                self._new_memory(kind, _IMPORTANCE if importance is None else importance),
                scope=scope,
            )
            topic = read_topic(text)
            if topic is not None:
                memory = replace(memory, subject=topic.subject, predicate=topic.predicate)
            outcome = self._state(tx, text, memory, valid_from, turn_id)
            now = self._memory(tx, outcome.memory_id)
            change = outcome.describe_change(text)
            if scope == "everywhere" != now.scope:
                writer.set_scope(now, scope, self._workspace)
                now = self._memory(tx, now.id)
            is_open = self._is_scope_open(tx, now, memory, text)
        return RememberResult(
            id=now.id,
            status=_status(outcome, now),
            content=text,
            redactions=dict(tally.redactions),
            supersedes=change.supersedes if change else (),
            contradicts=change.contradicts if change else (),
            superseded_by=outcome.describe_successor(),
            scope=now.scope,
            project=now.project,
            is_scope_open=is_open,
        )

    def _is_scope_open(self, tx: Transaction, memory: Memory, new: NewMemory, text: str) -> bool:
        """Whether a memory is seen elsewhere than was asked, or than its words say."""
        from memoria.policy.scope import decide_scope  # noqa: PLC0415  (the start-up does without it)

        if self._workspace is None or tx.memories.is_private(self._workspace):
            return False
        return memory.scope != (new.scope or decide_scope(text, new.type, memory.subject))

    def _new_memory(self, kind: MemoryType, importance: float = _IMPORTANCE) -> NewMemory:
        confidence = _CONFIDENCE[self._channel.trust]
        return NewMemory(new_id(), kind, importance, confidence, self._workspace)

    def _state(
        self,
        tx: Transaction,
        text: str,
        memory: NewMemory,
        valid_from: int | None = None,
        turn_id: str | None = None,
    ) -> "ClaimOutcome":
        """Let a statement take effect: it is added, recognised, or changes what is known."""
        from memoria.memories.claims import ClaimWriter  # noqa: PLC0415  (the start-up does without it)
        from memoria.memories.verdicts import NewClaim  # noqa: PLC0415

        wording = self._wording(tx, text, valid_from, turn_id)
        wording = replace(wording, expires_at=self._end_of(wording, memory.type))
        memory = replace(memory, confidence=_CONFIDENCE[wording.provenance.trust])
        writer = self._writer(tx)
        claims = ClaimWriter(tx, writer, now_millis())
        claim = _claim(wording, memory, memory.confidence)
        outcome = claims.write(NewClaim(claim, memory, wording), log_as="remember")
        stated = self._memory(tx, outcome.memory_id)
        if self._is_user_channel and not stated.verified:
            writer.confirm(stated, by_user=True)
        return outcome

    def _end_of(self, wording: NewWording, kind: MemoryType) -> int | None:
        """When a statement ends that is for one session; what stands in a core file does not."""
        from memoria.policy.lasting import session_end  # noqa: PLC0415  (the start-up does without it)

        if self._channel.name == USER_EDIT_NAME:
            return None
        return session_end(wording.content, kind, wording.valid_from)

    def revise(
        self,
        memory_id: str,
        action: Revision,
        content: str | None,
        valid_from: int | None = None,
        turn_id: str | None = None,
    ) -> Memory:
        """Do one thing to a memory, and give the memory as it is then.

        Raises:
            InvalidInputError: `correct` without content, or content with anything else.
            ForgottenError: the new wording was forgotten before.
            NotFoundError: there is no such memory.
        """
        check_choice("action", action, get_args(Revision))
        if (action == "correct") != (content is not None):
            raise InvalidInputError(
                "content is the new wording: give it with action=correct, and only then."
            )
        with self._store.write(self._tenant) as tx:
            return self._revise(tx, memory_id, action, content, valid_from, turn_id)

    def _revise(
        self,
        tx: Transaction,
        memory_id: str,
        action: Revision,
        content: str | None = None,
        valid_from: int | None = None,
        turn_id: str | None = None,
    ) -> Memory:
        memory = self._memory(tx, memory_id)
        if content is not None:
            self._correct(tx, memory, content, valid_from, turn_id)
        else:
            self._apply(tx, memory, action)
        return self._memory(tx, memory_id)

    def _writer(self, tx: Transaction) -> "MemoryWriter":
        from memoria.memories.writer import MemoryWriter  # noqa: PLC0415  (the start-up does without it)

        suppression = SuppressionList(tx.tombstones, self._digester)
        author = Author(self._channel.name, self._channel.client)
        return MemoryWriter(tx, suppression, author, now_millis())

    def _screen(self, text: str, tally: Tally) -> str:
        """The text under the configured rules for personal data.

        The default rules do not apply: they ask for confirmation, and whoever states something to
        be remembered has confirmed it by that.
        """
        if not self._personal:
            return text
        from memoria.policy.privacy import screen  # noqa: PLC0415  (needed only where rules are configured)

        screened = screen(text, self._personal)
        ways = {kind: self._personal.get(kind) for kind in screened.found}
        if screened.text is None:
            forbidden = sorted(kind for kind, way in ways.items() if way is Handling.DROP)
            raise InvalidInputError(
                f"This holds personal data that is not to be kept here ({', '.join(forbidden)}): "
                "MEMORIA_PERSONAL_DATA says drop. Nothing was written; say it without."
            )
        tally.redactions.update(kind for kind, way in ways.items() if way is Handling.MASK)
        return screened.text

    def _correct(
        self,
        tx: Transaction,
        memory: Memory,
        content: str,
        valid_from: int | None,
        turn_id: str | None,
    ) -> None:
        text = self._screen(check_statement(content, Tally()), Tally())
        if text == memory.content:
            raise InvalidInputError("The new wording is the present one; there is nothing to do.")
        writer = self._writer(tx)
        same_wording = writer.find_same(text, self._workspace)
        if (
            same_wording is not None
            and same_wording.id != memory.id
            and same_wording.validity is Validity.ACTIVE
        ):
            raise InvalidInputError(
                f"Memory {same_wording.id} says exactly that already; archive this one instead."
            )
        if valid_from is not None and not memory.current.valid_from <= valid_from <= now_millis():
            raise InvalidInputError(
                "valid_from must lie between when the present wording began to hold and now."
            )
        wording = self._wording(tx, text, valid_from, turn_id)
        topic = read_topic(text)
        if topic is not None:
            wording = replace(wording, subject=topic.subject, predicate=topic.predicate)
        writer.revise(memory.id, wording)
        self._settle(tx, memory.id)

    def _settle(self, tx: Transaction, memory_id: str) -> None:
        """Let a memory that was revised or restored take effect on the others."""
        from memoria.memories.claims import ClaimWriter, bare_wording  # noqa: PLC0415  (the start-up does without it)

        memory = self._memory(tx, memory_id)
        claim = _claim(bare_wording(memory), memory, memory.confidence)
        ClaimWriter(tx, self._writer(tx), now_millis()).settle(memory, claim)

    def _apply(self, tx: Transaction, memory: Memory, action: Revision) -> None:
        writer = self._writer(tx)
        match action:
            case "confirm":
                writer.confirm(memory, by_user=self._is_user_channel)
                if memory.validity is Validity.PENDING_CONFIRMATION and self._is_user_channel:
                    self._settle(tx, memory.id)
            case "archive":
                writer.end(memory.id)
            case "restore":
                self._check_may_return(memory)
                writer.restore(memory.id)
                self._settle(tx, memory.id)
            case "pin" | "unpin":
                writer.pin(memory.id, pinned=action == "pin")
            case "upvote" | "downvote":
                writer.vote(memory.id, up=action == "upvote")
            case "everywhere" | "project":
                writer.set_scope(memory, action, self._workspace)
            case "correct":
                raise InvalidInputError("content is missing: what should the memory say?")

    def _check_may_return(self, memory: Memory) -> None:
        if memory.validity is Validity.PENDING_CONFIRMATION and not self._is_user_channel:
            raise InvalidInputError(
                "This waits for the user's word. Ask them, then use confirm, or archive it."
            )

    @property
    def _is_user_channel(self) -> bool:
        return self._channel.trust is Trust.USER

    def _wording(
        self, tx: Transaction, text: str, valid_from: int | None, turn_id: str | None
    ) -> NewWording:
        turn = None if turn_id is None else _require_turn(tx, turn_id)
        kind, trust = self._origin_of(turn)
        provenance = Provenance(
            source_kind=kind,
            trust=trust,
            channel=self._channel.name,
            client=self._channel.client,
            quote=text,
        )
        return NewWording(
            content=text,
            valid_from=now_millis() if valid_from is None else valid_from,
            provenance=provenance,
            turn_n=None if turn is None else turn.n,
            structural=StructuralLinks(),
        )

    def _origin_of(self, turn: StoredTurn | None) -> tuple[SourceKind, Trust]:
        """Whose word a statement is, and how far its channel is trusted.

        A statement that rests on a tool's output is trusted as little as that, unless the user
        makes it.
        """
        if self._is_user_channel:
            return SourceKind.USER_SAID, Trust.USER
        if turn is not None and turn.trust is Trust.TOOL:
            return SourceKind.TOOL_OUTPUT, Trust.TOOL
        return SourceKind.ASSISTANT_INFERRED, self._channel.trust

    def _memory(self, tx: Transaction, memory_id: str) -> Memory:
        memory = tx.memories.get(memory_id)
        if memory is None:
            raise not_found(tx, "memory", memory_id)
        return memory


def _require_turn(tx: Transaction, turn_id: str) -> StoredTurn:
    turn = tx.conversations.turn(turn_id)
    if turn is None:
        raise not_found(tx, "turn", turn_id)
    return turn


def _claim(wording: NewWording, memory: NewMemory | Memory, confidence: float) -> Claim:
    """What a statement claims, as trustworthy as its channel."""
    origin = wording.provenance
    return Claim(
        content=wording.content,
        subject=memory.subject,
        predicate=memory.predicate or "",
        said_at=wording.valid_from,
        event_at=wording.event_at,
        source=origin.source_kind,
        trust=origin.trust,
        confidence=confidence,
        is_stated=True,
    )


def _status(outcome: "ClaimOutcome", memory: Memory) -> StatementStatus:
    """What became of a statement, for whoever made it."""
    if memory.validity is Validity.PENDING_CONFIRMATION:
        return "pending"
    match outcome.action:
        case "restored":
            return "restored"
        case "known" | "evidence":
            return "already_known"
        case _:
            return "remembered"
