"""The focus: a session's scratchpad follows what its user says they are working on.

A chat model, where one is configured, tells it of the turns it has read; an agent says it itself.
When the focus changes, the former task becomes the most recent completed one. Times are those of
the turns: a conversation of last year that is imported today has a scratchpad of last year, and a
turn never overrides a later change.

The end of a session ends no task, because the next session asks where the last one left off.
"""

from memoria.ingest.scratchpads import MOST_RECENT_TASKS
from memoria.language.statements.tasks import (
    list_telling_words,
    names_a_task,
    same_task,
    shorten_task,
)
from memoria.language.words.analyser import query_terms
from memoria.language.words.document import full_text
from memoria.memories.conditions import condition_of_turn
from memoria.memories.validator import OperationValidator, RejectedError
from memoria.model import Focus, Role, StoredTurn
from memoria.store.rows.transaction import Transaction


def follow_reading(validator: OperationValidator, focus: Focus | None) -> None:
    """Update the scratchpad from a model's answer, in the transaction that applies the answer.

    Args:
        validator: checks the answer against what the model was shown.
        focus: the task that the model says is under way; None if it names none.
    """
    if focus is None:
        return
    try:
        _follow_model(validator, focus)
    except RejectedError as error:
        validator.log_rejection("FOCUS", error)


def _follow_model(validator: OperationValidator, focus: Focus) -> None:
    turn, _ = validator.locate_quote(focus.turn, focus.quote)
    if turn.role is not Role.USER:
        raise RejectedError("not the user's words")
    if condition_of_turn(validator.tx, turn) is not None:
        raise RejectedError("told on a condition")
    text, doubt = validator.check_statement(focus.task, turn)
    if doubt is not None or not names_a_task(text):
        raise RejectedError(doubt or "names no task")
    if list_telling_words(text).isdisjoint(query_terms(full_text(turn))):
        raise RejectedError("not the user's words")
    pad = validator.tx.scratchpads.get(turn.session_id)
    task = pad.current_focus if pad else None
    if (pad is None or _time_of_turn(turn) > pad.updated_at) and not same_task(text, task):
        _set_focus(validator.tx, turn, task, shorten_task(text))


def _time_of_turn(turn: StoredTurn) -> int:
    """Return when a turn was said, capture at the latest: a client's clock may run ahead."""
    return min(turn.at, turn.ingested_at)


def _set_focus(tx: Transaction, turn: StoredTurn, old: str | None, new: str | None) -> None:
    if new != old:
        over = [old] if old else []
        at = _time_of_turn(turn)
        tx.scratchpads.put(turn.session_id, new, over, at, MOST_RECENT_TASKS, turn.workspace)
