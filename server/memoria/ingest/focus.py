"""The focus: a session's scratchpad follows what its user says they are working on.

Rules follow turn by turn, as they are captured (`policy/topics`); a model, where there is one, when
it has read them. What was in hand moves to the tasks done lately, with the time of the turn that
moved on. Times are those of the turns, so an old conversation that is imported today has an old
scratchpad; and whatever changed later than a turn was said, by hand above all, stands against it.

The end of a session ends no task: where somebody left off is what the next one asks for. A task is
over when its user says so or names another.
"""

from dataclasses import replace

from memoria.ingest.grounds import Grounds, RejectedError, Shown
from memoria.ingest.scratchpads import KEPT_TASKS
from memoria.ingest.tombstones import Marks
from memoria.model import Focus, InferredBy, Role, Scratchpad, StoredTurn
from memoria.model.privacy import PersonalRules
from memoria.policy.phrases.tasks import shortened
from memoria.policy.topics import Heard, heard, in_hand, names, same_task, telling
from memoria.store.base import Transaction
from memoria.store.values import NewTurn
from memoria.text.analyser import query_terms
from memoria.text.document import full_text

_RULES = "rules"
_REST_MS = 3 * 60 * 60 * 1000
"""After so long without a word any task may be the next: another part of the day has begun."""


def follow_turn(
    tx: Transaction, marks: Marks, n: int, turn: NewTurn, personal: PersonalRules
) -> None:
    """Let the scratchpad follow what a turn says by rules, in the transaction that writes it.

    Args:
        tx: the transaction.
        marks: recognise what was forgotten.
        n: the turn's document.
        turn: as it was written. Only a user's words count.
        personal: what is configured for personal data.
    """
    done = turn.tool_args is not None or turn.tool_result is not None
    said = None if done or turn.role is not Role.USER else heard(turn.content)
    if said is None:
        return
    stored = tx.conversations.turns([n])[n]
    pad = tx.scratchpads.get(stored.session_id)
    if pad is not None and _said_at(stored) < pad.updated_at:
        return
    grounds = Grounds(tx, marks, Shown({}, {}), InferredBy.RULES, _RULES, personal)
    task = pad.current_focus if pad else None
    rested = pad is not None and _rested(tx, stored, pad)
    _set(tx, stored, task, in_hand(_sayable(grounds, said, stored), task, rested=rested))


def follow_reading(grounds: Grounds, focus: Focus | None) -> None:
    """Let the scratchpad follow what a model has read, in the transaction that applies it.

    Args:
        grounds: what the model was shown.
        focus: what it says is in hand; None where nothing does.
    """
    if focus is None:
        return
    try:
        _follow(grounds, focus)
    except RejectedError as error:
        grounds.audit("reject", grounds.entry_id, f"FOCUS: {error}")


def _follow(grounds: Grounds, focus: Focus) -> None:
    turn, _ = grounds.words(focus.turn, focus.quote)
    if turn.role is not Role.USER:
        raise RejectedError("not the user's words")
    text, doubt = grounds.sayable(focus.task, turn)
    if doubt is not None or not names(text):
        raise RejectedError(doubt or "names no task")
    if telling(text).isdisjoint(query_terms(full_text(turn))):
        raise RejectedError("not the user's words")
    pad = grounds.tx.scratchpads.get(turn.session_id)
    task = pad.current_focus if pad else None
    if (pad is None or _said_at(turn) > pad.updated_at) and not same_task(text, task):
        _set(grounds.tx, turn, task, shortened(text))


def _sayable(grounds: Grounds, said: Heard, turn: StoredTurn) -> Heard:
    """What was said, without a task that may not be written down."""
    if said.begun is None:
        return said
    try:
        text, doubt = grounds.sayable(said.begun.task, turn)
    except RejectedError:
        return replace(said, begun=None)
    return replace(said, begun=None if doubt else replace(said.begun, task=text))


def _rested(tx: Transaction, turn: StoredTurn, pad: Scratchpad) -> bool:
    least = _said_at(turn) - _REST_MS
    if pad.updated_at > least:
        return False
    before = tx.conversations.span(turn.session_n, turn.turn_index - 1, turn.turn_index - 1)
    return all(_said_at(one) <= least for one in before)


def _said_at(turn: StoredTurn) -> int:
    """When it was said; a clock that runs ahead must not hold the scratchpad until then."""
    return min(turn.at, turn.ingested_at)


def _set(tx: Transaction, turn: StoredTurn, old: str | None, new: str | None) -> None:
    if new != old:
        over = [old] if old else []
        at = _said_at(turn)
        tx.scratchpads.put(turn.session_id, new, over, at, KEPT_TASKS, turn.workspace)
