"""The focus: a session's scratchpad follows what its user says they are working on.

Rules follow each turn as it is captured (`policy/task_signals`); a chat model, where one is
configured, follows the turns it has read. When the focus changes, the former task becomes the most
recent completed one. Times are those of the turns: a conversation of last year that is imported
today has a scratchpad of last year, and a turn never overrides a later change.

The end of a session ends no task, because the next session asks where the last one left off. A task
ends when its user says so or names another one.
"""

from dataclasses import replace

from memoria.erasure.suppression import Digester
from memoria.ingest.scratchpads import MOST_RECENT_TASKS
from memoria.memories.conditions import condition_of_turn
from memoria.memories.validator import OperationValidator, PromptContents, RejectedError
from memoria.memories.values import RULES_AUTHOR
from memoria.model import Focus, InferredBy, Role, Scratchpad, StoredTurn
from memoria.model.privacy import PersonalRules
from memoria.policy.phrases.tasks import shorten_task
from memoria.policy.task_signals import (
    TaskSignals,
    discriminative_terms,
    find_task_signals,
    names_a_task,
    next_task,
    same_task,
)
from memoria.store.base import Transaction
from memoria.store.values import NewTurn
from memoria.text.analyser import query_terms
from memoria.text.document import full_text

_BREAK_MS = 3 * 60 * 60 * 1000
"""After a pause as long as this, a new task may begin without being announced."""


def follow_turn(
    tx: Transaction, digester: Digester, n: int, turn: NewTurn, personal: PersonalRules
) -> None:
    """Update the scratchpad from a turn by rules, in the transaction that writes the turn.

    Args:
        tx: the transaction.
        digester: recognises what was forgotten.
        n: the turn's document.
        turn: as it was written. Only a user's words count.
        personal: the configured rules for personal data.
    """
    is_tool_call = turn.tool_args is not None or turn.tool_result is not None
    signals = (
        None if is_tool_call or turn.role is not Role.USER else find_task_signals(turn.content)
    )
    if signals is None:
        return
    stored = tx.conversations.turns([n])[n]
    if condition_of_turn(tx, stored) is not None:
        return
    pad = tx.scratchpads.get(stored.session_id)
    if pad is not None and _time_of_turn(stored) < pad.updated_at:
        return
    validator = OperationValidator(
        tx, digester, PromptContents({}, {}), InferredBy.RULES, RULES_AUTHOR, personal
    )
    task = pad.current_focus if pad else None
    after_rest = pad is not None and _is_after_rest(tx, stored, pad)
    _set_focus(
        tx,
        stored,
        task,
        next_task(_screen_signals(validator, signals, stored), task, after_rest=after_rest),
    )


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
    if discriminative_terms(text).isdisjoint(query_terms(full_text(turn))):
        raise RejectedError("not the user's words")
    pad = validator.tx.scratchpads.get(turn.session_id)
    task = pad.current_focus if pad else None
    if (pad is None or _time_of_turn(turn) > pad.updated_at) and not same_task(text, task):
        _set_focus(validator.tx, turn, task, shorten_task(text))


def _screen_signals(
    validator: OperationValidator, signals: TaskSignals, turn: StoredTurn
) -> TaskSignals:
    """The signals without a task that must not be stored."""
    if signals.start is None:
        return signals
    try:
        text, doubt = validator.check_statement(signals.start.task, turn)
    except RejectedError:
        return replace(signals, start=None)
    return replace(signals, start=None if doubt else replace(signals.start, task=text))


def _is_after_rest(tx: Transaction, turn: StoredTurn, pad: Scratchpad) -> bool:
    least = _time_of_turn(turn) - _BREAK_MS
    if pad.updated_at > least:
        return False
    before = tx.conversations.list_span(turn.session_n, turn.turn_index - 1, turn.turn_index - 1)
    return all(_time_of_turn(one) <= least for one in before)


def _time_of_turn(turn: StoredTurn) -> int:
    """When a turn was said, at the latest when it was captured: a client's clock may run ahead."""
    return min(turn.at, turn.ingested_at)


def _set_focus(tx: Transaction, turn: StoredTurn, old: str | None, new: str | None) -> None:
    if new != old:
        over = [old] if old else []
        at = _time_of_turn(turn)
        tx.scratchpads.put(turn.session_id, new, over, at, MOST_RECENT_TASKS, turn.workspace)
