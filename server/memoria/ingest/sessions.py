"""Sessions: writes their turns, told in one account or two, and their scratchpads."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from memoria.erasure.suppression import Digester, SuppressionList
from memoria.errors import InvalidInputError
from memoria.ingest.turn_draft import TurnDraft, clean_id, is_same_turn, is_whole
from memoria.language.reading.clean import Tally, clean_text
from memoria.language.words.document import full_text
from memoria.model import (
    Channel,
    RecordedTurn,
    Role,
    Scratchpad,
    Session,
    StoredTurn,
    Trust,
    new_id,
    now_millis,
)
from memoria.model.turn import Account
from memoria.store.engine import Store
from memoria.store.rows.transaction import Transaction
from memoria.store.values import NewTurn, SegmentLimits, TurnVersion

if TYPE_CHECKING:
    from memoria.ingest.intake import Intake


_MOST_ALIKE = 100
"""Number of turns of one opening that are looked at."""


class SessionWriter:
    """Appends turns to one session inside a transaction."""

    def __init__(
        self,
        tx: Transaction,
        intake: "Intake",
        session: Session,
        channel: Channel,
        now: int,
        limits: SegmentLimits,
    ) -> None:
        self._conversations = tx.conversations
        self._accounts = tx.accounts
        self._attachments = tx.attachments
        self._intake = intake
        self._session_n = session.n
        self._agent_turns = session.agent_turns
        self._messages: dict[str, TurnVersion] = {}
        self._met: set[int] = set()
        """Numbers of the turns of which another account was found in this call."""
        self._next_index = session.turns
        self._channel = channel
        self._now = now
        self._limits = limits

    def expect(self, drafts: Sequence[TurnDraft]) -> None:
        """Read what the session knows of turns that are going to be written."""
        self._conversations.expect_turns(self._session_n)
        ids = [one.turn.message_id for one in drafts if one.turn.message_id is not None]
        self._messages = self._conversations.find_messages(self._session_n, ids)

    def write(self, draft: TurnDraft, *, suppressed: bool) -> RecordedTurn:
        """Write a turn, or a new version of its message; nothing if the session has the same."""
        message_id = draft.turn.message_id
        known = None if message_id is None else self._messages.get(message_id)
        if known is None:
            reported = self._find_account(draft, "agent") if self._agent_turns else None
            if reported is not None:
                self._take_over(draft, reported, suppressed=suppressed)
                return RecordedTurn(status="already_recorded", id=reported.id)
            return RecordedTurn(status="recorded", id=self._append(draft, suppressed=suppressed))
        if known.fingerprint == draft.fingerprint or draft.is_unanswered_call:
            return RecordedTurn(status="already_recorded", id=known.id)
        self._conversations.retire_turn(known.n)
        self._intake.supersede_conclusions(known.n)
        edited = self._add(draft, known.turn_index, known.version + 1, suppressed=suppressed)
        return RecordedTurn(status="new_version", id=edited)

    def report(self, draft: TurnDraft, *, suppressed: bool) -> RecordedTurn:
        """Write an agent's report of a turn, unless the session has the turn."""
        known = self._find_account(draft)
        if known is not None:
            return RecordedTurn(status="already_recorded", id=known.id)
        return RecordedTurn(status="recorded", id=self._append(draft, suppressed=suppressed))

    def attach(self, message_id: str, draft: TurnDraft, *, suppressed: bool) -> None:
        """Write an attachment behind all turns, unless its message has it.

        Args:
            message_id: id of the turn of the message.
            draft: the attachment.
            suppressed: True if nothing may be concluded from it.
        """
        message = self._conversations.turn(message_id)
        known = {} if message is None else self._attachments.list_of_messages([message.n])
        if draft.fingerprint not in known.values():
            self._append(replace(draft, attached_to=message_id), suppressed=suppressed)

    def _find_account(self, draft: TurnDraft, account: Account | None = None) -> StoredTurn | None:
        """Find the stored turn that a draft tells too, once in a call; None if there is none."""
        text, likeness = full_text(draft.text), draft.likeness or b""
        for turn in self._accounts.list_alike(self._session_n, likeness, _MOST_ALIKE, account):
            if turn.n not in self._met and is_same_turn(full_text(turn), text):
                self._met.add(turn.n)
                return turn
        return None

    def _take_over(self, draft: TurnDraft, reported: StoredTurn, *, suppressed: bool) -> None:
        """Replace an agent's report of a turn by the client's account."""
        # A report behind all that the client has said stays in its place; any other goes last.
        is_behind = reported.turn_index > self._accounts.find_last_index(self._session_n)
        place = reported.turn_index if is_behind else self._next_index
        said = self._make(draft, place, reported.version, suppressed=suppressed)
        self._accounts.hand_over(reported, said)
        self._note_message(reported.n, said._replace(id=reported.id))
        if place == self._next_index:
            self._next_index += 1
            self._intake.queue_segments(self._conversations.extend_segment(said, self._limits))
        if not (suppressed or is_whole(full_text(reported), full_text(draft.text))):
            self._intake.take_reworded_turn(reported, said)

    def _append(self, draft: TurnDraft, *, suppressed: bool) -> str:
        turn_id = self._add(draft, self._next_index, version=1, suppressed=suppressed)
        self._next_index += 1
        return turn_id

    def _add(self, draft: TurnDraft, turn_index: int, version: int, *, suppressed: bool) -> str:
        new = self._make(draft, turn_index, version, suppressed=suppressed)
        n = self._conversations.add_turn(new)
        self._note_message(n, new)
        self._intake.queue_segments(self._conversations.extend_segment(new, self._limits))
        if not suppressed:
            self._intake.take_turn(n, new)
        return new.id

    def _note_message(self, n: int, turn: NewTurn) -> None:
        """Note the newest version of a message, which may come again in the same call."""
        if turn.message_id is not None:
            version = TurnVersion(n, turn.id, turn.turn_index, turn.version, turn.fingerprint)
            self._messages[turn.message_id] = version

    def _make(
        self, draft: TurnDraft, turn_index: int, version: int, *, suppressed: bool
    ) -> NewTurn:
        turn, text = draft.turn, draft.text
        return NewTurn(
            id=new_id(),
            session_n=self._session_n,
            message_id=turn.message_id,
            turn_index=turn_index,
            version=version,
            role=turn.role,
            speaker=turn.speaker,
            at=self._now if turn.at is None else turn.at,
            utc_offset=turn.utc_offset,
            at_given=turn.at is not None,
            ingested_at=self._now,
            trust=_trust_of(turn.role, self._channel.trust),
            suppressed=suppressed,
            fingerprint=draft.fingerprint,
            content=text.content,
            tool_name=turn.tool_name,
            tool_args=text.tool_args,
            tool_result=text.tool_result,
            account=self._channel.account,
            likeness=draft.likeness,
            metadata=text.metadata,
            file=draft.file,
            attached_to=draft.attached_to,
        )


def _trust_of(role: Role, channel: Trust) -> Trust:
    """Return a turn's trust: only the user's turns can be the user's own word."""
    match role:
        case Role.TOOL:
            return Trust.TOOL
        case Role.USER:
            return channel
        case _:
            return Trust.REPORTED if channel is Trust.USER else channel


MOST_RECENT_TASKS = 5
_MAX_CHARS = 2000


def update_scratchpad(
    store: Store,
    tenant: str,
    session_id: str,
    focus: str | None,
    completed: str | None,
    digester: Digester,
    workspace: str | None = None,
    channel: Channel | None = None,
) -> Scratchpad:
    """Set the current focus, or note a task as completed, or both.

    When the focus changes, the former one becomes a completed task. An empty focus clears it. What
    was noted as completed last is not noted again, as a call may come twice.

    Raises:
        ForgottenError: one says what was forgotten.
        InvalidInputError: neither was given, or one is too long.
    """
    if focus is None and completed is None:
        raise InvalidInputError("Give current_focus, completed, or both.")
    new_focus, done = (_note(text) for text in (focus, completed))
    session_id = clean_id(session_id, Tally(), digester)
    with store.write(tenant) as tx:
        suppression = SuppressionList(tx.tombstones, digester)
        for note in filter(None, (new_focus, done)):
            suppression.check_statement(note)
        old = tx.scratchpads.get(session_id)
        current = old.current_focus if old else None
        last = (
            {one.task for one in old.completed if one.at == old.completed[0].at} if old else set()
        )
        finished = [done] if done and done not in last else []
        if done and done == current:
            current = None
        if new_focus is not None and new_focus != current:
            finished = [*([current] if current else []), *finished]
            current = new_focus or None
        tx.scratchpads.put(
            session_id, current, finished, now_millis(), MOST_RECENT_TASKS, workspace
        )
        now = tx.scratchpads.get(session_id)
        if channel is not None and channel.caller is not None:
            tx.audit.add(
                at=now_millis(),
                channel=channel.name,
                client=channel.client,
                caller=channel.caller,
                action="note",
                subject="scratchpad",
            )
    if now is None:
        raise InvalidInputError(f"There is no scratchpad of session {session_id}.")
    return now


def _note(text: str | None) -> str | None:
    if text is None:
        return None
    note = clean_text(text, Tally()).strip()
    if len(note) > _MAX_CHARS:
        raise InvalidInputError(
            f"A scratchpad line has at most {_MAX_CHARS:,} characters and this has {len(note):,}."
        )
    return note
