"""Intake: what is done with a turn in the transaction that captures it.

What the user states plainly becomes a memory by rules, at once and without a model. Where a chat
model is configured, turns that `policy/routing` finds urgent are queued for it at once, however
short they are, and so are a session's first few turns of some length. The other turns are queued
together when their segment closes: at the end of the session, before the client compacts its
context, after a pause, or when the segment is full. A closed segment is queued for a summary, too.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from memoria.erasure.suppression import Digester, SuppressionList
from memoria.ingest.attribution import (
    attribute_earlier_turns,
    attribute_operations,
    find_participants,
)
from memoria.ingest.focus import follow_turn
from memoria.ingest.resolve import Resolver
from memoria.memories.validator import OperationValidator, PromptContents
from memoria.memories.values import RULES_AUTHOR
from memoria.memories.writer import MemoryWriter
from memoria.model import Add, InferredBy, MemoryChange, QueueKind, Role, new_id
from memoria.model.privacy import PersonalRules
from memoria.policy.plain_statements import PlainStatement, find_plain_statements
from memoria.policy.routing import (
    LEAST_WEIGHT,
    ExtractLater,
    ExtractNow,
    is_worth_extracting,
    route_turn,
)
from memoria.store.base import Transaction
from memoria.store.values import ClosedSegment, NewQueueEntry, NewTurn

_LENGTH = "length"
_LEFT_OVER = 9
_EDITING_MS = 10 * 60_000
"""How long a summary waits after an edit, because one edit often follows another."""
_Span = tuple[int, int, int]
"""(session, first turn, last turn)"""


@dataclass(frozen=True, slots=True)
class IntakeLimits:
    """How many turns are queued, alone or together, so that a model's cost stays bounded."""

    turns_per_session: int = 5
    least_weight: int = LEAST_WEIGHT
    batch: int = 20
    """Turns that are read together at most."""
    least_episode: int = 4
    """Turns that a segment must have to be summarised; question and answer need no summary."""


class Intake:
    """Handles captured turns of one tenant, within the transaction that captures them."""

    def __init__(
        self,
        tx: Transaction,
        digester: Digester,
        limits: IntakeLimits | None,
        now: int,
        personal: PersonalRules | None = None,
    ) -> None:
        """Nothing is handled yet.

        Args:
            tx: the transaction.
            digester: recognises what was forgotten.
            limits: what is queued for a model; without limits, nothing is.
            now: UTC epoch milliseconds.
            personal: the configured rules for personal data.
        """
        self._personal = personal or {}
        self._tx = tx
        self._digester = digester
        self._limits = limits
        self._now = now
        self.changes: list[MemoryChange] = []
        """What the rules have changed because of the turns that were handled."""

    def take_turn(self, n: int, turn: NewTurn) -> None:
        """Handle a turn that was written as document `n`."""
        follow_turn(self._tx, self._digester, n, turn, self._personal)
        if turn.role is Role.USER and turn.speaker is not None:
            attribute_earlier_turns(self._tx, n, turn, self._writer())
        is_tool_call = turn.tool_args is not None or turn.tool_result is not None
        match route_turn(turn.role, turn.content, tool_call=is_tool_call):
            case ExtractNow(reason=reason, priority=priority):
                self._add_plain_statements(n, turn)
                self._queue_turn(turn, priority, reason.value)
            case ExtractLater(priority=priority) if self._may_be_read_now(turn):
                self._queue_turn(turn, priority, _LENGTH)
            case _:
                pass

    def supersede_conclusions(self, n: int) -> None:
        """Supersede what rules concluded from the former text of a message that was edited.

        Summaries of the turn are queued to be written again.
        """
        writer = self._writer()
        for memory_id in self._tx.memories.list_concluded_from([n], InferredBy.RULES):
            writer.supersede(memory_id, "the message was edited")
        self._tx.episodes.requeue_summaries([n], self._now + _EDITING_MS)

    def queue_segments(self, segments: Iterable[ClosedSegment]) -> None:
        """Queue closed segments: their unprocessed turns for extraction, and their summaries."""
        if self._limits is None:
            return
        for session_n, first, last, reason in segments:
            for start in range(first, last + 1, self._limits.batch):
                end = min(start + self._limits.batch - 1, last)
                self._add_entry(QueueKind.EXTRACT, (session_n, start, end), _LEFT_OVER, reason)
            if last - first + 1 >= self._limits.least_episode:
                self._add_entry(QueueKind.EPISODE, (session_n, first, last), _LEFT_OVER, reason)

    def _writer(self) -> MemoryWriter:
        suppression = SuppressionList(self._tx.tombstones, self._digester)
        return MemoryWriter(self._tx, suppression, RULES_AUTHOR, self._now)

    def _may_be_read_now(self, turn: NewTurn) -> bool:
        if self._limits is None or not is_worth_extracting(
            turn.content, least=self._limits.least_weight
        ):
            return False
        extractions = self._tx.queue.count_extractions(turn.session_n, _LENGTH)
        return extractions < self._limits.turns_per_session

    def _add_plain_statements(self, n: int, turn: NewTurn) -> None:
        """Write what a turn states plainly as memories."""
        statements = find_plain_statements(turn.role, turn.content).statements
        if statements:
            stored = self._tx.conversations.turns([n])[n]
            prompt = PromptContents({1: stored}, {})
            validator = OperationValidator(
                self._tx, self._digester, prompt, InferredBy.RULES, RULES_AUTHOR, self._personal
            )
            participants = find_participants(self._tx)
            operations = map(_operation, statements)
            attributed = attribute_operations(operations, prompt, participants)
            self.changes += Resolver(validator).apply(attributed).changes

    def _queue_turn(self, turn: NewTurn, priority: int, reason: str) -> None:
        if self._limits is not None:
            place = (turn.session_n, turn.turn_index, turn.turn_index)
            self._add_entry(QueueKind.EXTRACT, place, priority, reason)

    def _add_entry(self, kind: QueueKind, place: _Span, priority: int, reason: str) -> None:
        session_n, first, last = place
        entry = NewQueueEntry(
            id=new_id(),
            kind=kind,
            session_n=session_n,
            first_index=first,
            last_index=last,
            priority=priority,
            reason=reason,
            created_at=self._now,
        )
        self._tx.queue.add(entry)


def _operation(claim: PlainStatement) -> Add:
    return Add(
        type=claim.type,
        content=claim.content,
        quote=claim.quote,
        turn=1,
        subject=claim.subject,
        predicate=claim.predicate,
        confidence=claim.confidence,
    )
