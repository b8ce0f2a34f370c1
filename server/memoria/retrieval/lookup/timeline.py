"""Timelines: the sessions of a day with their titles, and what came of the turns of a session."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from memoria.language.reading.excerpt import cut_title
from memoria.memories.conditions import (
    answerable_turns,
    conditions_of_episodes,
    conditions_of_turns,
)
from memoria.memories.task_in_hand import date_focus
from memoria.model import Memory, QueueState, StoredTurn, now_millis
from memoria.model.events import EventPosition, EventType, MemoryEvent
from memoria.model.moments import LocalDay
from memoria.model.timeline import (
    DayPart,
    Happening,
    Happenings,
    ReadingState,
    SessionTrace,
    Timeline,
    TimelineDay,
    TurnReading,
    TurnTrace,
)
from memoria.retrieval.lookup.records import complete_session_id, mark_conditions, read_session
from memoria.store.rows.listings import ListedSpan
from memoria.store.rows.transaction import Transaction
from memoria.store.values import QueuedTurn

_KINDS = ("memory", "turn")
_READ_FOR_ONE = 3
"""Number of events that are read for one that is given: a memory comes with its links."""
_MOST_MEMORIES = 500
"""Number of memories at most that are shown beside the turns of a page."""
_STATES: dict[QueueState, ReadingState] = {
    QueueState.WAITING: "waiting",
    QueueState.DEAD: "failed",
    QueueState.DROPPED: "dropped",
    QueueState.DONE: "read",
}


def read_days(tx: Transaction, days: Sequence[LocalDay], span: ListedSpan) -> Timeline:
    """Return days with their sessions, in the order in which they began.

    Args:
        tx: where to look.
        days: days that follow one another, by the user's clock.
        span: which sessions; `since` is where the list goes on.
    """
    held = tx.listings.list_held(days, span)
    ns = sorted({one.n for one in held.sessions})
    described = tx.listings.describe(ns)
    openings = _read_openings(tx, [one.opening_n for one in described.values() if one.opening_n])
    summaries = _read_summaries(tx, ns)
    parts = defaultdict[int, list[DayPart]](list)
    for one in held.sessions:
        session, summary = described[one.n], summaries.get(one.n, "")
        parts[one.day].append(
            DayPart(
                session_id=session.session_id,
                client=session.client,
                first_at=one.first_at,
                last_at=one.last_at,
                turns=one.turns,
                memories=session.memories,
                title=cut_title(summary or openings.get(session.opening_n or 0, "")),
                summary=summary,
                workspace=session.workspace,
            )
        )
    told = (
        TimelineDay(date=day.date, sessions=tuple(parts[place])) for place, day in enumerate(days)
    )
    return Timeline(days=tuple(told), next_at=held.next_at)


def trace_session(tx: Transaction, session_id: str, offset: int, limit: int) -> SessionTrace:
    """Return a page of a session's turns with what came of each.

    Raises:
        NotFoundError: there is no such session.
    """
    page = read_session(tx, complete_session_id(tx, session_id), offset, limit)
    ns = [turn.n for turn in page.turns]
    readings = {one.turn_n: one for one in tx.queue.list_over_turns(ns)}
    memories = _read_memories(tx, ns)
    pad = tx.scratchpads.get(page.session_id)
    return SessionTrace(
        page=page,
        traces={
            turn.id: TurnTrace(
                reading=_find_reading(turn, readings.get(turn.n)), memories=tuple(memories[turn.n])
            )
            for turn in page.turns
        },
        scratchpad=None if pad is None else date_focus(tx, pad, now_millis()),
    )


def read_happenings(tx: Transaction, after: EventPosition | None, limit: int) -> Happenings:
    """Return the events after a place, or the newest, with the memories and turns they are about.

    Left out are links, names and weights: what comes in is told, and not what is made of it.

    Args:
        tx: where to look.
        after: place of the last event that is known; None for the newest events.
        limit: number of events at most; of more the newest are given.
    """
    most = _READ_FOR_ONE * limit
    page = tx.outbox.read_latest(most) if after is None else tx.outbox.read(after, most)
    told = [one for one in page.events if _is_told(one)][-limit:]
    ids = defaultdict[str, list[str]](list)
    for one in told:
        ids[one.data.get("kind", "")].append(one.data.get("id", ""))
    memories = mark_conditions(tx, tx.waiting.list_by_id(ids["memory"]))
    turns = answerable_turns(tx, tx.conversations.list_turns_by_id(ids["turn"]))
    conditions = conditions_of_turns(tx, turns)
    known_memories = {one.id: one for one in memories}
    known_turns = {one.id: one for one in turns}
    happenings = list[Happening]()
    for event in reversed(told):
        memory = known_memories.get(event.data.get("id", ""))
        turn = known_turns.get(event.data.get("id", ""))
        stated = conditions[turn.n] if turn else memory.condition if memory else None
        happenings.append(Happening(event=event, memory=memory, turn=turn, condition=stated))
    return Happenings(tuple(happenings), page.reached)


def _is_told(event: MemoryEvent) -> bool:
    is_weight = event.type is EventType.WEIGHT_UPDATED
    return not is_weight and event.data.get("kind") in (*_KINDS, "night", None)


def _find_reading(turn: StoredTurn, entry: QueuedTurn | None) -> TurnReading:
    """Return how far a turn has been read, by the newest entry of the queue that has it."""
    if entry is not None and not turn.processed:
        return TurnReading(state=_STATES[entry.state], error=entry.error)
    return TurnReading(state="read" if turn.processed else "unread")


def _read_memories(tx: Transaction, turn_ns: Sequence[int]) -> Mapping[int, list[Memory]]:
    """Map turns to the memories that rest on them and may be in an answer."""
    pairs = tx.memories.list_by_turns(turn_ns, _MOST_MEMORIES)
    known = tx.memories.by_version_numbers(list({wording_n for _, wording_n in pairs}))
    shown = {memory.id: memory for memory in mark_conditions(tx, known.values())}
    found = defaultdict[int, list[Memory]](list)
    for turn_n, wording_n in pairs:
        memory = shown.get(known[wording_n].id)
        if memory is not None:
            found[turn_n].append(memory)
    return found


def _read_openings(tx: Transaction, ns: Sequence[int]) -> dict[int, str]:
    """Map the first turns of sessions to their words, without those that were confided."""
    turns = tx.conversations.turns(ns)
    conditions = conditions_of_turns(tx, list(turns.values()))
    return {n: turn.content for n, turn in turns.items() if conditions[n] is None}


def _read_summaries(tx: Transaction, session_ns: Sequence[int]) -> dict[int, str]:
    """Map sessions to their newest summaries, without those of what was confided."""
    newest = tx.episodes.list_newest(session_ns)
    known = tx.memories.by_version_numbers([wording_n for _, wording_n in newest])
    conditions = conditions_of_episodes(tx, list(known.values()))
    pairs = ((session_n, known[wording_n]) for session_n, wording_n in newest)
    return {session_n: one.content for session_n, one in pairs if conditions[one.id] is None}
