"""Count of unread turns, for every briefing, so that nothing else is loaded for it."""

from collections.abc import Sequence

from memoria.memories.conditions import conditions_of_turns
from memoria.model import StoredTurn
from memoria.model.handed_in import UnreadLeft
from memoria.store.rows.transaction import Transaction

MOST_COUNTED = 200


def count_unread(tx: Transaction, workspace: str | None) -> UnreadLeft:
    """Count the unread turns that an agent in a project may read, up to `MOST_COUNTED`."""
    latest = tx.conversations.list_unread(workspace, MOST_COUNTED + 1)
    waiting = tx.memories.list_awaiting_turns([turn.n for turn in latest])
    unread = [turn for turn in latest[:MOST_COUNTED] if turn.n not in waiting]
    return UnreadLeft(turns=len(list_open(tx, unread)), is_more=len(latest) > MOST_COUNTED)


def list_open(tx: Transaction, turns: Sequence[StoredTurn]) -> list[StoredTurn]:
    """List the turns that were told openly: no agent is shown others unasked."""
    conditions = conditions_of_turns(tx, turns)
    return [turn for turn in turns if conditions[turn.n] is None]
