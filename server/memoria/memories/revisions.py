"""Revisions: how somebody changes a memory by its id.

Everything here can be undone. A correction writes a new version and ends the validity of the former
one; archiving only hides. The provenance is stamped from the channel, never taken from the caller.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, get_args

from memoria.erasure.suppression import Digester, SuppressionList
from memoria.errors import ConflictError, InvalidInputError
from memoria.language.reading.clean import Tally
from memoria.language.reading.pasted import find_pasted_spans, own_part
from memoria.language.reading.quotes import is_borne_out
from memoria.language.words.document import full_text
from memoria.memories.changes import ChangeMark, note_change
from memoria.memories.details import read_end
from memoria.memories.repeats import note_call
from memoria.memories.times import local_span, zone_of_turn
from memoria.memories.wordings import (
    CONFIDENCE,
    Author,
    NewWording,
    StructuralLinks,
    check_statement,
    is_fixed_for,
    may_speak_of,
    needs_users_word,
)
from memoria.model import (
    Channel,
    Memory,
    MemoryType,
    Provenance,
    Revision,
    Role,
    SourceKind,
    StoredTurn,
    Trust,
    Validity,
    check_choice,
    now_millis,
)
from memoria.model.memory_types import STATABLE_TYPES
from memoria.model.privacy import Handling
from memoria.policy.conflict import Claim
from memoria.policy.questions import OWN_POLICY, HomePolicy
from memoria.store.engine import Store
from memoria.store.not_found import not_found
from memoria.store.rows.listings import INDEXED_CHARS
from memoria.store.rows.transaction import Transaction
from memoria.store.values import MemoryDetails, NewMemory

if TYPE_CHECKING:
    from memoria.memories.writer import MemoryWriter


class Revisions:
    """Revises one tenant's memories, as somebody asks for it."""

    def __init__(
        self,
        store: Store,
        tenant: str,
        channel: Channel,
        digester: Digester,
        workspace: str | None = None,
        policy: HomePolicy = OWN_POLICY,
    ) -> None:
        self._policy = policy
        self._store = store
        self._tenant = tenant
        self._channel = channel
        self._digester = digester
        self._workspace = workspace

    def revise(
        self,
        memory_id: str,
        action: Revision,
        content: str | None,
        valid_from: int | None = None,
        turn_id: str | None = None,
        until: str | None = None,
        key: str | None = None,
    ) -> Memory:
        """Apply an action to a memory, and return the changed memory.

        Where an agent corrects what the user has confirmed or pinned, that stays as it is, and the
        memory that is given is the correction, which waits for the user. With the `key` of a call
        that was done before, nothing is done.

        Raises:
            InvalidInputError: `correct` or `type` without content, or content with anything else;
                or there is no such type, or it is none that can be stated.
            ForgottenError: the new wording was forgotten before.
            NotFoundError: there is no such memory.
            RefusedError: the policy does not keep the new wording.
        """
        check_choice("action", action, get_args(Revision))
        if action == "type" and content is None:
            raise InvalidInputError(
                f"content is missing: which type is it to be? One of {', '.join(STATABLE_TYPES)}.",
                for_person="The type is missing: `memoria revise ID type TYPE`, one of "
                f"{', '.join(STATABLE_TYPES)}.",
            )
        if action != "type" and (action == "correct") != (content is not None):
            raise InvalidInputError(
                "content is the new wording: give it with action=correct, and only then.",
                for_person="The new wording is missing: `memoria revise ID correct NEW WORDING`."
                if content is None
                else f"{action} takes no wording: `memoria revise ID correct NEW WORDING` does.",
            )
        if until is not None and action != "correct":
            raise InvalidInputError(
                "until is the end of a new wording: give it with content.",
                for_person="--until is the end of a new wording: `memoria revise ID correct NEW "
                "WORDING --until WHEN`.",
            )
        mark = ChangeMark(action, memory_id)
        with self._write_change(mark) as tx:
            request = f"{action} {memory_id}"
            if key and note_call(tx, self._channel, self._digester, key, request).is_repeated:
                return self._memory(tx, memory_id)
            memory = self._revise(tx, memory_id, action, content, valid_from, turn_id, until)
        return memory.model_copy(update={"is_unchanged": mark.was_idle})

    def _revise(
        self,
        tx: Transaction,
        memory_id: str,
        action: Revision,
        content: str | None = None,
        valid_from: int | None = None,
        turn_id: str | None = None,
        until: str | None = None,
    ) -> Memory:
        memory = self._memory(tx, memory_id)
        if action == "type" and content is not None:
            self._set_type(tx, memory, content)
        elif content is not None:
            memory_id = self._correct(tx, memory, content, valid_from, turn_id, until)
        else:
            self._apply(tx, memory, action)
        now = self._memory(tx, memory_id)
        is_dropped = action == "correct" and until is None and now.expires_at is None
        former_end = memory.expires_at if is_dropped else None
        local = local_span(now, tx.zone)
        return now.model_copy(update={"former_end": former_end, "local": local})

    @contextmanager
    def _write_change(self, mark: ChangeMark, *, only_adds: bool = False) -> Iterator[Transaction]:
        """Open a write transaction, and note what a person changes in it."""
        with (
            self._store.write(self._tenant, only_adds=only_adds) as tx,
            note_change(self._store, self._tenant, tx, self._channel, mark),
        ):
            yield tx

    def _writer(self, tx: Transaction) -> "MemoryWriter":
        from memoria.memories.writer import MemoryWriter  # noqa: PLC0415  (the start-up does without it)

        suppression = SuppressionList(tx.tombstones, self._digester)
        author = Author(self._channel.name, self._channel.client, self._channel.caller)
        return MemoryWriter(tx, suppression, author, now_millis(), self._policy)

    def _screen(self, text: str, tally: Tally) -> str:
        """Apply the configured rules for personal data to a text.

        The default rules do not apply: they ask for confirmation, and whoever states something to
        be remembered has confirmed it by that.
        """
        personal = self._policy.personal
        if not personal:
            return text
        from memoria.policy.privacy import screen  # noqa: PLC0415  (needed only where rules are configured)

        screened = screen(text, personal)
        ways = {kind: personal.get(kind) for kind in screened.found}
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
        until: str | None,
    ) -> str:
        """Give a memory a new text, and return the id of the memory that has the text."""
        self._check_may_return(memory)
        text = self._screen(check_statement(content, Tally()), Tally())
        if text == memory.content and until is not None:
            self._set_end(tx, memory, until)
            return memory.id
        if text == memory.content:
            raise ConflictError("The new wording is the present one; there is nothing to do.")
        writer = self._writer(tx)
        same_wording = writer.find_same(text, self._workspace)
        if (
            same_wording is not None
            and same_wording.id != memory.id
            and same_wording.validity is Validity.ACTIVE
        ):
            raise ConflictError(
                f"Memory {same_wording.id} says exactly that already; archive this one instead.",
                for_person=f"Memory {same_wording.id[-INDEXED_CHARS:]} says exactly that already; "
                f"archive this one instead: `memoria revise {memory.id[-INDEXED_CHARS:]} archive`.",
            )
        if valid_from is not None and not memory.current.valid_from <= valid_from <= now_millis():
            raise InvalidInputError(
                "valid_from must lie between when the present wording began to hold and now."
            )
        turn = None if turn_id is None else require_turn(tx, turn_id)
        wording = self._wording(text, valid_from, turn)
        if until is not None:
            said_at = now_millis() if turn is None else turn.at
            zone = tx.zone if turn is None else zone_of_turn(turn, tx.zone)
            wording = replace(wording, expires_at=read_end(until, said_at, zone).at)
        if is_fixed_for(memory, self._channel.trust):
            return self._propose(tx, memory, wording)
        if not may_speak_of(memory.subject, text):
            tx.memories.set_subject(memory.id, None)
        writer.revise(memory.id, wording)
        self._settle(tx, memory.id)
        return memory.id

    def _propose(self, tx: Transaction, memory: Memory, wording: NewWording) -> str:
        """Hold a correction of a confirmed memory for the user; return the correction's id."""
        from memoria.memories.claims import ClaimWriter, same_topic  # noqa: PLC0415  (the start-up does without it)
        from memoria.memories.verdicts import NewClaim  # noqa: PLC0415  (the start-up does without it)

        claim = claim_of_statement(wording, memory, memory.confidence)
        topic = replace(same_topic(memory, claim, memory.workspace), scope=memory.scope)
        claims = ClaimWriter(tx, self._writer(tx), now_millis())
        return claims.replace_named(NewClaim(claim, topic, wording), memory).memory_id

    def _set_end(self, tx: Transaction, memory: Memory, until: str) -> None:
        """Give a memory an end, and leave its wording."""
        if is_fixed_for(memory, self._channel.trust):
            raise InvalidInputError(
                "The user has confirmed or pinned this as it is: only they can give it an end."
            )
        end = read_end(until, now_millis(), tx.zone)
        details = MemoryDetails(sets_end=True, expires_at=end.at)
        self._writer(tx).describe(memory, details, None)

    def _set_type(self, tx: Transaction, memory: Memory, name: str) -> None:
        """Change the type of a memory, unless the memory is derived from others."""
        check_choice("type", name, STATABLE_TYPES)
        if memory.type.is_derived:
            raise InvalidInputError(f"This is {memory.type.value}: {memory.type.row.instead}")
        if is_fixed_for(memory, self._channel.trust):
            raise InvalidInputError(
                "The user has confirmed or pinned this as it is: only they can change its type."
            )
        if memory.type is not MemoryType(name):
            self._writer(tx).describe(memory, MemoryDetails(type=MemoryType(name)), None)

    def _settle(self, tx: Transaction, memory_id: str) -> None:
        """Apply what a revised or restored memory says to the other memories."""
        from memoria.memories.claims import ClaimWriter, bare_wording  # noqa: PLC0415  (the start-up does without it)

        memory = self._memory(tx, memory_id)
        claim = claim_of_statement(bare_wording(memory), memory, memory.confidence)
        if not self._is_user_channel:  # it is the agent's deed, whoever said it once
            trust = claim.trust.at_most(self._channel.trust)
            claim = replace(claim, trust=trust, source=SourceKind.ASSISTANT_INFERRED)
        ClaimWriter(tx, self._writer(tx), now_millis()).settle(memory, claim)

    def _apply(self, tx: Transaction, memory: Memory, action: Revision) -> None:
        from memoria.memories.skills import withdraw_if_failed  # noqa: PLC0415  (the start-up does without it)

        writer = self._writer(tx)
        match action:
            case "confirm":
                writer.confirm(memory, by_user=self._is_user_channel)
                if self._is_user_channel:
                    tx.grounds.bind_anew(memory.id)
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
                withdraw_if_failed(writer, memory.id)
            case "everywhere" | "project":
                writer.set_scope(memory, action, self._workspace)
            case "correct" | "type":
                raise InvalidInputError("content is missing: what should the memory say?")

    def _check_may_return(self, memory: Memory) -> None:
        """Check that only the user activates a memory that waits for their confirmation."""
        if needs_users_word(memory) and not self._is_user_channel:
            raise InvalidInputError(
                "This waits for the user's word. Ask them, then use confirm, or archive it."
            )

    @property
    def _is_user_channel(self) -> bool:
        return self._channel.trust is Trust.USER

    def _wording(
        self, text: str, valid_from: int | None = None, turn: StoredTurn | None = None
    ) -> NewWording:
        """Build a statement's wording; only a turn that says the statement becomes its source."""
        kind, trust = self._origin_of(turn, text)
        provenance = Provenance(
            source_kind=kind,
            trust=trust,
            channel=self._channel.name,
            client=self._channel.client,
            quote=text,
        )
        is_source = turn is not None and is_borne_out(text, full_text(turn))
        return NewWording(
            content=text,
            valid_from=now_millis() if valid_from is None else valid_from,
            provenance=provenance,
            turn_n=turn.n if turn is not None and is_source else None,
            structural=StructuralLinks(),
        )

    def _origin_of(self, turn: StoredTurn | None, text: str) -> tuple[SourceKind, Trust]:
        """Return the source of a statement and the trust in it.

        A statement that rests on a tool's output, or on what the user has only pasted, is trusted
        as little as that, unless the user makes it.
        """
        if self._is_user_channel:
            return SourceKind.USER_SAID, Trust.USER
        if turn is not None and (turn.trust is Trust.TOOL or _is_only_presented(turn, text)):
            return SourceKind.TOOL_OUTPUT, Trust.TOOL
        return SourceKind.ASSISTANT_INFERRED, self._channel.trust

    def _memory(self, tx: Transaction, memory_id: str) -> Memory:
        memory = tx.memories.get(memory_id)
        if memory is None:
            raise not_found(tx, "memory", memory_id)
        return memory


def _is_only_presented(turn: StoredTurn, text: str) -> bool:
    """Return whether the user has only pasted the words of a statement into a turn."""
    if turn.role is not Role.USER or not find_pasted_spans(turn.content):
        return False
    return is_borne_out(text, turn.content) and not is_borne_out(text, own_part(turn.content))


def require_turn(tx: Transaction, turn_id: str) -> StoredTurn:
    """Return a turn by its id.

    Raises:
        NotFoundError: there is no such turn.
    """
    turn = tx.conversations.turn(turn_id)
    if turn is None:
        raise not_found(tx, "turn", turn_id)
    return turn


def claim_of_statement(wording: NewWording, memory: NewMemory | Memory, confidence: float) -> Claim:
    """Build the claim of a statement, as trustworthy as its channel."""
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


def confidence_of(wording: NewWording) -> float:
    """Return the confidence in a statement."""
    return CONFIDENCE[wording.provenance.trust]
