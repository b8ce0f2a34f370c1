"""The task in hand: what is being worked on while something is said or asked.

It is the current focus of a scratchpad. A focus that nobody has touched for a day is over, and one
that was noted after the moment asked of had not begun.

What is stated about the work bears the task in hand, so that a search can be
narrowed to it. What is about a person does not: somebody who says at a task that they are
vegetarian is so at every other. Nor does a rule or a preference, unless its task is named: with a
task it holds for that task alone.
"""

from memoria.model import DAY_MS, MemoryType, Scope, Scratchpad, StoredTurn
from memoria.store.base import Transaction


def find_task_in_hand(
    tx: Transaction, session_id: str | None, workspace: str | None, at: int
) -> str | None:
    """The task of a session's scratchpad, or of the latest that the workspace sees.

    Args:
        tx: the transaction to read in.
        session_id: the session; where it has no scratchpad, the latest one counts.
        workspace: the project that is asked from.
        at: the moment, UTC epoch milliseconds.
    """
    focus = tx.scratchpads.find_in_hand(session_id or None, workspace)
    return focus.task if focus and 0 <= at - focus.noted_at < DAY_MS else None


def find_task_of_turn(tx: Transaction, turn: StoredTurn) -> str | None:
    """The task that was in hand in a turn's session when the turn was said."""
    pad = tx.scratchpads.get(turn.session_id)
    return None if pad is None else _task_at(pad, min(turn.at, turn.ingested_at))


def is_about_work(content: str, kind: MemoryType, subject: str | None, scope: Scope | None) -> bool:
    """Whether a statement is about the work and not about a person, nor says how to go about it.

    Args:
        content: the statement.
        kind: its type.
        subject: of whom or what it speaks, where somebody has said so.
        scope: where it is to be seen, where somebody has said so.
    """
    from memoria.policy.scope import decide_scope, default_scope  # noqa: PLC0415  (the start-up does without it)

    if kind.is_guide:
        return False
    where = scope or decide_scope(content, kind, subject) or default_scope(kind)
    return where == "project"


def _task_at(pad: Scratchpad, at: int) -> str | None:
    """The task in hand at a moment: the present focus, or the first that was over after it."""
    if pad.updated_at <= at:
        return pad.current_focus if at - pad.updated_at < DAY_MS else None
    ended = [task for task in pad.completed if at < task.at]
    return min(ended, key=lambda task: task.at).task if ended else None
