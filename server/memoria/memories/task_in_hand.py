"""The task in hand: what is being worked on while something is said or asked.

It is the current focus of a scratchpad. A focus that nobody has touched for a day is over, and one
that was noted after the moment asked of had not begun.

Nobody says that a task is finished. So it is told of with the day it was last worked on, for some
days, and until a later session of the project is about something else or has a task of its own.
Rules only leave it out of what is told: it stays on the scratchpad.

What is stated about the work bears the task in hand, so that a search can be
narrowed to it. What is about a person does not: somebody who says at a task that they are
vegetarian is so at every other. Nor does a rule or a preference, unless its task is named: with a
task it holds for that task alone.
"""

from collections.abc import Sequence

from memoria.language.names.keys import is_about_another, same_task
from memoria.language.words.document import full_text
from memoria.memories.times import date_of
from memoria.model import DAY_MS, MemoryType, Scope, Scratchpad, StoredTurn
from memoria.policy.scope import decide_scope, default_scope
from memoria.store.rows.transaction import Transaction

TOLD_MS = 4 * DAY_MS
"""Time for which a task is told of: over a weekend and a day more."""
_MOST_LATER, _OPENING_CHARS = 8, 2_000


def find_task_in_hand(
    tx: Transaction, session_id: str | None, workspace: str | None, at: int
) -> str | None:
    """Return the task of a session's scratchpad, or of the latest that the workspace sees."""
    focus = tx.scratchpads.find_in_hand(session_id or None, workspace)
    return focus.task if focus and 0 <= at - focus.noted_at < DAY_MS else None


def find_task_of_session(tx: Transaction, session_id: str | None, at: int) -> str | None:
    """Return the task of a session's own scratchpad; None if it has none."""
    pad = tx.scratchpads.get(session_id) if session_id else None
    return None if pad is None else _task_at(pad, at)


def list_told_tasks(
    tx: Transaction, workspace: str | None, at: int, limit: int
) -> list[Scratchpad]:
    """List the latest scratchpads that a briefing should mention, newest first."""
    recent = tx.scratchpads.list_recent(limit, workspace)
    seen = [pad for pad in recent if at - pad.updated_at < TOLD_MS]
    told = (_without_what_is_over(tx, pad, seen[:n], at) for n, pad in enumerate(seen))
    return [
        date_focus(tx, pad, at) for pad in told if pad.current_focus is not None or pad.completed
    ]


def find_end_of_telling(tx: Transaction, workspace: str | None, at: int, limit: int) -> int | None:
    """Return when the first mentioned task becomes too old to mention; None for never."""
    told = list_told_tasks(tx, workspace, at, limit)
    times = [time for pad in told for time in (pad.updated_at, *(one.at for one in pad.completed))]
    return min((time + TOLD_MS for time in times if time + TOLD_MS > at), default=None)


def date_focus(tx: Transaction, pad: Scratchpad, at: int) -> Scratchpad:
    """Add to a scratchpad the day of its task, if that was last worked on before today."""
    day = date_of(pad.updated_at, tx.zone)
    is_earlier = pad.current_focus is not None and day != date_of(at, tx.zone)
    return pad.model_copy(update={"last_day": day}) if is_earlier else pad


def _without_what_is_over(
    tx: Transaction, pad: Scratchpad, newer: Sequence[Scratchpad], at: int
) -> Scratchpad:
    completed = tuple(one for one in pad.completed if at - one.at < TOLD_MS)
    focus = None if _is_left(tx, pad, newer) else pad.current_focus
    return pad.model_copy(update={"current_focus": focus, "completed": completed})


def _is_left(tx: Transaction, pad: Scratchpad, newer: Sequence[Scratchpad]) -> bool:
    """Return whether a task was left for another, or a newer scratchpad has the same task."""
    task = pad.current_focus
    if task is None:
        return False
    at_work = [one for one in newer if one.current_focus]
    if any(
        one.updated_at - pad.updated_at >= DAY_MS or same_task(task, one.current_focus)
        for one in at_work
    ):
        return True
    later = tx.scratchpads.list_later_sessions(pad.session_id, _MOST_LATER)
    if {one.session_id for one in at_work} & {one.session_id for one in later}:
        return True
    openings = tx.conversations.turns([one.opening_n for one in later if one.opening_n is not None])
    return any(
        is_about_another(full_text(turn)[:_OPENING_CHARS], task) for turn in openings.values()
    )


def find_task_of_turn(tx: Transaction, turn: StoredTurn) -> str | None:
    """Return the task that was in hand in a turn's session when the turn was said."""
    pad = tx.scratchpads.get(turn.session_id)
    return None if pad is None else _task_at(pad, min(turn.at, turn.ingested_at))


def is_about_work(content: str, kind: MemoryType, subject: str | None, scope: Scope | None) -> bool:
    """Return whether a statement is about the work, and no personal matter, rule or preference."""
    if kind.is_guide:
        return False
    where = scope or decide_scope(content, kind, subject) or default_scope(kind)
    return where == "project"


def _task_at(pad: Scratchpad, at: int) -> str | None:
    """Return the task in hand at a moment: the present focus, or the first to end after it."""
    if pad.updated_at <= at:
        return pad.current_focus if at - pad.updated_at < DAY_MS else None
    ended = [task for task in pad.completed if at < task.at]
    return min(ended, key=lambda task: task.at).task if ended else None
