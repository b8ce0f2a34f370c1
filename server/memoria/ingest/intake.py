"""Intake: the handling of a turn in the transaction that captures it.

What the user asks to have remembered becomes a memory at once and without a model, in their own
words; rules conclude nothing else. They mark a turn as a quote that asks for something from now on.
Where a chat model is configured, turns are queued for it when their segment closes: at the end of
the session, before the client compacts its context, after a pause, or when the segment is full. A
closed segment is queued for a summary, too. A short one waits for more to be read with, for a
request has a price of its own: until enough waits, something urgent is read, or the night comes.

A standing wish, or a request to remember that is no memory yet, is queued before that
(`policy/routing` tells them). It waits until the session is quiet for a while, and takes along what
is said meanwhile: several urgent turns are one request. When the segment closes before that, the
turn is read with its segment.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from memoria.erasure.suppression import Digester, SuppressionList
from memoria.ingest.attribution import attribute_earlier_turns, find_participants
from memoria.ingest.resolve import Resolver
from memoria.language.names.keys import USER
from memoria.language.statements.confided import read_condition
from memoria.language.statements.plain_statements import (
    PlainStatement,
    PlainStatements,
    find_plain_statements,
)
from memoria.memories.entities import is_tool_call, link_turn_names
from memoria.memories.validator import OperationValidator, PromptContents
from memoria.memories.wordings import RULES_AUTHOR
from memoria.memories.writer import MemoryWriter
from memoria.model import Add, InferredBy, MemoryChange, QueueKind, Role, StoredTurn, new_id
from memoria.model.memory import Condition
from memoria.policy.questions import OWN_POLICY, HomePolicy
from memoria.policy.turns import ExtractNow, route_turn, text_weight
from memoria.store.rows.transaction import Transaction
from memoria.store.values import LEFT_OVER, ClosedSegment, NewQueueEntry, NewTurn

_ENOUGH = 2400
"""Weight of spoken words from which a segment is read by itself: some 600 tokens."""
_LONGEST_REST_MS = 20 * 3_600_000
"""Time that a short segment waits for more where no night reads it."""
_ASKED_CONFIDENCE = 0.6
_NOTE = "note"
"""Property of a statement that somebody has asked to have remembered; it may have many values."""
_LONGEST_WAITS = 3
"""Longest wait of an urgent turn, in multiples of the quiet that it waits for."""
_EDITING_MS = 10 * 60_000
"""Time that a summary waits after an edit, because one edit often follows another."""
_SPEAKING = (Role.USER, Role.ASSISTANT)
_Span = tuple[int, int, int]
"""(session, first turn, last turn)"""


@dataclass(frozen=True, slots=True)
class IntakeLimits:
    """Limits of the queue, so that a model's cost stays bounded."""

    batch: int = 120
    """Number of turns that are read together at most, those of tools included."""
    wait_ms: int = 0
    """Time that a session must be quiet before what is urgent in it is read; 0: at once, each
    urgent turn by itself."""
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
        policy: HomePolicy = OWN_POLICY,
        *,
        links_names: bool = True,
    ) -> None:
        """Create the handler.

        Without `limits`, nothing is queued for a model. Without `links_names`, turns are linked
        with the names in them when they are embedded.
        """
        self._policy = policy
        self._links_names = links_names
        self._tx = tx
        self._digester = digester
        self._limits = limits
        self._now = now
        self.changes: list[MemoryChange] = []
        """Changes that the rules have made because of the turns that were handled."""
        self.made = 0
        """Number of memories that the rules have made of the handled turns."""

    def take_turn(self, n: int, turn: NewTurn) -> None:
        """Handle a turn that was written as document `n`."""
        if self._links_names and not _is_withheld(turn):
            link_turn_names(self._tx, turn)
        if turn.role is Role.USER and turn.speaker is not None:
            attribute_earlier_turns(self._tx, n, turn, self._writer())
        read = find_plain_statements(turn.role, turn.content, tool_call=is_tool_call(turn))
        self._tx.conversations.mark(n, read.mark)
        is_kept = self._add_request(n, read.request)
        if self._limits is not None:  # else nobody asks where the turn goes
            self._send_turn(turn, read, is_kept=is_kept)

    def _send_turn(self, turn: NewTurn, read: PlainStatements, *, is_kept: bool) -> None:
        """Queue a turn if it cannot wait for its segment."""
        match route_turn(turn.role, turn.content, tool_call=is_tool_call(turn), found=read):
            case ExtractNow(reason=reason, priority=priority):
                may_wait = is_kept and self._limits is not None and self._limits.wait_ms > 0
                if not (self._takes_along(turn, priority) or may_wait):
                    self._queue_turn(turn, priority, reason.value)
            case _:
                self._takes_along(turn, LEFT_OVER)

    def take_reworded_turn(self, reported: StoredTurn, said: NewTurn) -> None:
        """Handle a turn that an agent has reported in other words than the client says it in."""
        self._tx.graph.remove_turn_names(reported.id)
        self.take_turn(reported.n, said._replace(id=reported.id))

    def supersede_conclusions(self, n: int) -> None:
        """Supersede the memories that rules drew from a message before the message was edited.

        Summaries of the message are queued to be written again.
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
            is_urgent = self._tx.queue.absorb(session_n, first, last) > 0
            due = 0 if is_urgent else self._due_with_others((session_n, first, last))
            for start in range(first, last + 1, self._limits.batch):
                end = min(start + self._limits.batch - 1, last)
                self._add_entry(QueueKind.EXTRACT, (session_n, start, end), LEFT_OVER, reason, due)
            if last - first + 1 >= self._limits.least_episode:
                self._add_entry(QueueKind.EPISODE, (session_n, first, last), LEFT_OVER, reason, due)

    def _due_with_others(self, place: _Span) -> int:
        """Return when a closed segment is to be read: at once (0) if enough waits, else later."""
        if self._limits is None or not self._limits.wait_ms or not self._tx.queue.has_done():
            return 0
        waiting = (place, *self._tx.queue.list_resting(place[0], self._now))
        is_enough = sum(self._weigh(*each) for each in waiting) >= _ENOUGH
        return 0 if is_enough else self._now + _LONGEST_REST_MS

    def _weigh(self, session_n: int, first: int, last: int) -> int:
        """Return the length of what people and assistants said in part of a session."""
        turns = self._tx.conversations.list_span(session_n, first, last)
        return sum(text_weight(turn.content) for turn in turns if turn.role in _SPEAKING)

    def _writer(self) -> MemoryWriter:
        suppression = SuppressionList(self._tx.tombstones, self._digester)
        return MemoryWriter(self._tx, suppression, RULES_AUTHOR, self._now, self._policy)

    def _takes_along(self, turn: NewTurn, priority: int) -> bool:
        """Add a turn to the queue entry of an urgent turn before it; return False without one."""
        if self._limits is None or not self._limits.wait_ms:
            return False
        wait_ms = self._limits.wait_ms
        return self._tx.queue.widen(
            turn.session_n, turn.turn_index, priority, self._now + wait_ms, _LONGEST_WAITS * wait_ms
        )

    def _add_request(self, n: int, request: PlainStatement | None) -> bool:
        """Write the memory that a turn asks for. Return False if none is written.

        Where forgotten statements are known by meaning and a model reads the turn, none is written:
        nobody can tell here what it means, and there it is compared.
        """
        compares = self._limits is not None and self._tx.tombstones.has_meanings()
        if request is None or compares:
            return False
        stored = self._tx.conversations.turns([n])[n]
        if find_participants(self._tx).find_person(stored) is not None:
            return False  # it is not the user who asks
        prompt = PromptContents({1: stored}, {})
        validator = OperationValidator(
            self._tx, self._digester, prompt, InferredBy.RULES, RULES_AUTHOR, self._policy
        )
        outcome = Resolver(validator).apply([_operation(request)])
        self.changes += outcome.changes
        self.made += outcome.applied["ADD"]
        return True

    def _queue_turn(self, turn: NewTurn, priority: int, reason: str) -> None:
        if self._limits is not None:
            place = (turn.session_n, turn.turn_index, turn.turn_index)
            wait_ms = self._limits.wait_ms
            due = self._now + wait_ms if wait_ms else 0
            self._add_entry(QueueKind.EXTRACT, place, priority, reason, due)

    def _add_entry(
        self, kind: QueueKind, place: _Span, priority: int, reason: str, due: int = 0
    ) -> None:
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
            not_before=due,
        )
        self._tx.queue.add(entry)


def _operation(request: PlainStatement) -> Add:
    """Return the memory that was asked for."""
    return Add(
        type=request.type,
        content=request.quote,
        quote=request.quote,
        turn=1,
        subject=USER,
        predicate=_NOTE,
        confidence=_ASKED_CONFIDENCE,
    )


def _is_withheld(turn: NewTurn) -> bool:
    """Return whether a turn asks not to be kept, so that no name in it is found either."""
    read = read_condition(turn.content) if turn.role is Role.USER else None
    return read is not None and read.condition is Condition.WITHHELD
