"""Capture: conversation turns onto disk, verbatim and exactly once.

New turns of a call are told by `turn_draft`. All turns of a call are written in one transaction,
together with what rules conclude from them and with their queue entries.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from memoria.erasure.suppression import Digester, SuppressionList
from memoria.ingest.attachments import draft_attachments
from memoria.ingest.sessions import SessionWriter
from memoria.ingest.turn_draft import (
    TurnDraft,
    clean_id,
    count_omissions,
    draft_turn,
    find_repeats,
    leave_forgotten_metadata,
    leave_out_forgotten,
)
from memoria.language.reading.clean import Tally
from memoria.language.reading.statement import is_distinctive
from memoria.language.words.document import full_text
from memoria.model import (
    CaptureEvent,
    Channel,
    Receipt,
    RecordedTurn,
    Session,
    Turn,
    new_id,
    now_millis,
)
from memoria.model.privacy import PrivateTime, find_open
from memoria.model.turn import FORGOTTEN_PASSAGE
from memoria.policy.questions import OWN_POLICY, HomePolicy
from memoria.store.engine import Store
from memoria.store.rows.transaction import Transaction
from memoria.store.values import MessageName, SegmentLimits

if TYPE_CHECKING:
    from memoria.ingest.intake import Intake, IntakeLimits

_MS_PER_MINUTE = 60_000
_BRIEF_CHARS = 4_000
"""Length of a call that is handled within some milliseconds: a turn or a few, but no import."""
_LEFT_PRIVATE = RecordedTurn(status="private")


@dataclass(frozen=True, slots=True)
class CaptureLimits:
    """Limits of the sizes of turns and attachments, and of a segment: its pause, its messages."""

    max_turn_bytes: int
    idle_minutes: float
    segment_messages: int = 30
    max_attachment_bytes: int = 0

    @property
    def segment(self) -> SegmentLimits:
        """Limits at which a segment ends by itself."""
        return SegmentLimits(round(self.idle_minutes * _MS_PER_MINUTE), self.segment_messages)


class Capture:
    """Records turns for one tenant, channel and workspace."""

    def __init__(
        self,
        store: Store,
        tenant: str,
        channel: Channel,
        limits: CaptureLimits,
        digester: Digester,
        workspace: str | None = None,
        intake: "IntakeLimits | None" = None,
        policy: HomePolicy = OWN_POLICY,
        *,
        links_names: bool = True,
    ) -> None:
        """Create the recorder.

        Without `links_names`, the embedding worker links turns with the names in them. Without
        `intake`, nothing is queued for a model.
        """
        self._links_names = links_names
        self._policy = policy
        self._intake_limits = intake
        self._store = store
        self._tenant = tenant
        self._channel = channel
        self._limits = limits
        self._digester = digester
        self._workspace = workspace

    def record(self, turns: Sequence[Turn], session_id: str, event: CaptureEvent | None) -> Receipt:
        """Write the turns in one transaction and give a receipt once they are on disk.

        Turns without a session id belong to `session_id`. An event closes the open segment of every
        session that is touched; without turns, that of `session_id`.

        Raises:
            InvalidTurnError: a turn can't be kept. Nothing was recorded.
            StoreError: the store could not write. Nothing was recorded.
        """
        tally = Tally()
        turns, session_id = self._put_in_session(turns, session_id)
        session_id = clean_id(session_id, tally, self._digester)
        drafts = self._draft_turns(turns, session_id, tally)
        now = now_millis()
        _load_rules()
        has_files = any(draft.files for draft in drafts)
        is_brief = not has_files and sum(len(d.text.content) for d in drafts) <= _BRIEF_CHARS
        with self._store.write(self._tenant, is_brief=is_brief, only_adds=True) as tx:
            conversations, intake = tx.conversations, self._intake(tx, now)
            idle_since = now - self._limits.segment.idle_ms
            tx.expect_turns(len(drafts), idle_since)
            entered, private_since = self._enter_sessions(tx, drafts, now)
            intake.queue_segments(conversations.close_idle_segments(idle_since))
            outcomes: dict[int, RecordedTurn] = {}
            suppression = SuppressionList(tx.tombstones, self._digester)
            for session, own in entered:
                kept = [self._examine_whole(draft, suppression, tally) for draft in own]
                recorded = self._record_session(tx, intake, session, kept, now)
                outcomes.update(zip(map(id, own), recorded, strict=True))
            closed = 0
            if event is not None:
                touched = dict.fromkeys(draft.session_id for draft in drafts) or (session_id,)
                for name in touched:
                    ended = conversations.close_segment(name, self._channel.source, event)
                    intake.queue_segments(ended)
                    closed += len(ended)
            self._note_caller(tx, outcomes.values(), now)
        recorded = [outcomes.get(id(draft), _LEFT_PRIVATE) for draft in drafts]
        return _make_receipt(recorded, tally, closed, intake, private_since)

    def _enter_sessions(
        self, tx: Transaction, drafts: Sequence[TurnDraft], now: int
    ) -> tuple[list[tuple[Session, list[TurnDraft]]], int | None]:
        """Enter the sessions of turns; return them with their turns, and since when it is private.

        Of a session all of whose turns were said in private nothing is kept, not even that it was
        held.
        """
        entered: list[tuple[Session, list[TurnDraft]]] = []
        private_since: int | None = None
        for name, all_own in _by_session(drafts).items():
            times = tx.private_times.applying(self._workspace, self._channel.source, name)
            on = find_open(times)
            private_since = on.began_at if on is not None else private_since
            own = [draft for draft in all_own if not _is_private(draft, times, now)]
            if own:
                said_at = [_time_of(draft, now) for draft in own]
                session = tx.conversations.upsert_session(
                    self._channel.source, name, min(said_at), max(said_at), now, self._workspace
                )
                entered.append((session, own))
        return entered, private_since

    def _note_caller(self, tx: Transaction, recorded: Iterable[RecordedTurn], now: int) -> None:
        """Note who has recorded turns over HTTP: their rows name the program, not the caller."""
        ids = [turn.id for turn in recorded if turn.status in _NEW and turn.id is not None]
        if ids and self._channel.caller is not None:
            tx.audit.add(
                at=now,
                channel=self._channel.name,
                client=self._channel.client,
                caller=self._channel.caller,
                action="record",
                subject=ids[0],
                detail=f"turns: {len(ids)}",
            )

    def close_idle_segments(self) -> int:
        """Close the segments that have been idle too long, and return their number."""
        now = now_millis()
        _load_rules()
        with self._store.write(self._tenant, only_adds=True) as tx:
            past = tx.conversations.close_past_segments(now - self._limits.segment.idle_ms)
            self._intake(tx, now).queue_segments(past)
        return len(past)

    def _put_in_session(self, turns: Sequence[Turn], session_id: str) -> tuple[Sequence[Turn], str]:
        """Put an agent's report of a session that its client has named into that session.

        Whatever name it gives the session, and whatever ids the turns: an agent does not know the
        client's, and those that it makes up would keep the two accounts apart.
        """
        if self._channel.account != "agent" or self._channel.session is None:
            return turns, session_id
        nameless = {"session_id": None, "message_id": None}
        return [turn.model_copy(update=nameless) for turn in turns], self._channel.session

    def _draft_turns(self, turns: Sequence[Turn], session_id: str, tally: Tally) -> list[TurnDraft]:
        limits, digester = self._limits, self._digester
        has_two = self._channel.account is not None
        drafts = list[TurnDraft]()
        for i, turn in enumerate(turns):
            draft = draft_turn(i, turn, session_id, limits.max_turn_bytes, tally, digester)
            if turn.attachments and limits.max_attachment_bytes and not draft.text.is_empty:
                most = limits.max_attachment_bytes
                draft = draft_attachments(i, draft, most, tally, digester)
            drafts.append(draft.with_likeness() if has_two else draft)
        return drafts

    def _intake(self, tx: Transaction, now: int) -> "Intake":
        return _load_rules()(
            tx,
            self._digester,
            self._intake_limits,
            now,
            self._policy,
            links_names=self._links_names,
        )

    def _record_session(
        self,
        tx: Transaction,
        intake: "Intake",
        session: Session,
        examined: list["_Examined"],
        now: int,
    ) -> Iterable[RecordedTurn]:
        conversations = tx.conversations
        writer = SessionWriter(tx, intake, session, self._channel, now, self._limits.segment)
        if session.turns:
            writer.expect([one.draft for one in examined])
        is_report = self._channel.account == "agent"
        own = [] if is_report else [one.draft for one in examined if not one.is_erased]
        repeats = find_repeats(conversations, session, own)
        sent = list[tuple[str, _Examined]]()
        for one in examined:
            draft = one.draft
            if draft.text.is_empty:
                outcome = RecordedTurn(status="nothing_left")
            elif one.is_erased:
                outcome = RecordedTurn(status="forgotten")
            elif id(draft) in repeats:
                known = conversations.find_fingerprint(session.n, draft.fingerprint)
                outcome = RecordedTurn(status="already_recorded", id=known)
            elif is_report:
                outcome = writer.report(draft, suppressed=one.is_suppressed)
            else:
                outcome = writer.write(draft, suppressed=one.is_suppressed)
            if outcome.id is not None:
                sent += ((outcome.id, file) for file in one.files)
            yield outcome
        for turn_id, file in sent:  # behind all that was said, whose neighbours stay neighbours
            writer.attach(turn_id, file.draft, suppressed=file.is_suppressed)

    def _examine_whole(
        self, draft: TurnDraft, suppression: SuppressionList, tally: Tally
    ) -> "_Examined":
        """Return a turn and its files as they may be recorded, without what was forgotten."""
        files = list[_Examined]()
        for one in draft.files:
            file = self._examine(one, suppression, tally)
            known = replace(file.draft, fingerprint=one.fingerprint)
            files += [] if file.is_erased else [replace(file, draft=known)]
        whole = self._examine(draft, suppression, tally)
        kept = (replace(f, is_suppressed=f.is_suppressed or whole.is_suppressed) for f in files)
        return replace(whole, files=tuple(kept))

    def _examine(self, draft: TurnDraft, suppression: SuppressionList, tally: Tally) -> "_Examined":
        """Return a turn as it may be recorded, without what was forgotten."""
        draft = replace(draft, text=leave_forgotten_metadata(draft.text, suppression))
        text = full_text(draft.text)
        if suppression.is_erased_message(self._name(draft), text, draft.turn.at):
            return _Examined(draft, is_erased=True)
        if suppression.may_conclude_from(text):
            return _Examined(draft)
        if not suppression.repeats_erased(text):
            return _Examined(draft, is_suppressed=True)
        left = leave_out_forgotten(draft.text, suppression)
        if left is None:
            return _Examined(draft, is_erased=True)
        tally.redactions[FORGOTTEN_PASSAGE] += count_omissions(left)
        is_suppressed = not suppression.may_conclude_from(full_text(left))
        return _Examined(draft.with_text(left), is_suppressed=is_suppressed)

    def _name(self, draft: TurnDraft) -> MessageName:
        source, message_id = self._channel.source, draft.turn.message_id
        # By its opening alone a turn is known that is too short to be known by what it says.
        is_short = draft.likeness is not None and not is_distinctive(full_text(draft.text))
        likeness = draft.likeness if is_short else None
        return MessageName(source, draft.session_id, message_id, draft.fingerprint, likeness)


@dataclass(frozen=True, slots=True)
class _Examined:
    """A turn as it may be recorded."""

    draft: TurnDraft
    is_erased: bool = False
    """True if the turn was erased, and is not recorded again."""
    is_suppressed: bool = False
    """True if the turn says what was forgotten, so that nothing may be concluded."""
    files: "tuple[_Examined, ...]" = ()
    """Attachments that may be recorded with the turn."""


@cache
def _load_rules() -> "type[Intake]":
    """Import the class that draws conclusions, with the first turn: starting is faster without.

    To be called before a transaction begins, so that no other writer waits for the import.
    """
    from memoria.ingest.intake import Intake  # noqa: PLC0415

    return Intake


_NEW = ("recorded", "new_version")


def _is_private(draft: TurnDraft, times: Iterable[PrivateTime], now: int) -> bool:
    """Check whether a turn was said in one of some private times."""
    at = _time_of(draft, now)
    return any(time.includes(at) for time in times)


def _time_of(draft: TurnDraft, now: int) -> int:
    return now if draft.turn.at is None else draft.turn.at


def _by_session(drafts: Sequence[TurnDraft]) -> dict[str, list[TurnDraft]]:
    """Group the drafts by session, in their order, however the sessions were mixed."""
    sessions: dict[str, list[TurnDraft]] = {}
    for draft in drafts:
        sessions.setdefault(draft.session_id, []).append(draft)
    return sessions


def _make_receipt(
    recorded: Sequence[RecordedTurn],
    tally: Tally,
    closed: int,
    intake: "Intake",
    private_since: int | None,
) -> Receipt:
    count = [turn.status for turn in recorded].count
    return Receipt(
        id=new_id(),
        recorded=count("recorded"),
        already_recorded=count("already_recorded"),
        new_versions=count("new_version"),
        forgotten=count("forgotten"),
        private=count("private"),
        private_since=private_since,
        redactions=dict(tally.redactions),
        stripped=tally.stripped,
        turns=tuple(recorded),
        closed_segments=closed,
        made=intake.made,
        changes=tuple(intake.changes),
    )
