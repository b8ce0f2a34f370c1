"""Notes of imports: how much came in, and by which conversations it is found again.

A note has numbers and ids alone, no word, no file's name and no session's: what was forgotten since
can't be read from it.
"""

import json
from collections.abc import Sequence

from memoria.model import Channel, new_id, now_millis
from memoria.model.change import Change
from memoria.store.rows.transaction import Transaction

ACTION = "import"
"""What the log calls a note, and a list of changes the import."""
_MOST_CONVERSATIONS = 20


def note_import(
    tx: Transaction, channel: Channel, turns: int, memories: int, turn_ids: Sequence[str] = ()
) -> None:
    """Note what came in by an import; nothing where nothing did.

    Args:
        tx: a transaction of its own, or the last one of the import.
        channel: the way in.
        turns: how many turns are new.
        memories: how many memories are.
        turn_ids: one new turn of each conversation.
    """
    if not turns and not memories:
        return
    detail = {"turns": turns, "memories": memories, "seen": turn_ids[:_MOST_CONVERSATIONS]}
    tx.audit.add(
        at=now_millis(),
        channel=channel.name,
        client=channel.client,
        action=ACTION,
        subject=new_id(),
        detail=json.dumps(detail),
    )


def read_last_import(tx: Transaction, project: str | None, *, everywhere: bool) -> Change | None:
    """Read the last import as a change that nobody can undo.

    Args:
        tx: a view of the store.
        project: the one whose conversations are named, and those of none.
        everywhere: whether those of all are.
    """
    line = next(iter(tx.audit.list_by_action(ACTION, 1)), None)
    if line is None:
        return None
    detail = json.loads(line.detail or "{}")
    turns = filter(None, map(tx.conversations.turn, detail["seen"]))
    seen = [one for one in turns if everywhere or one.workspace in (None, project)]
    items = {"turn": detail["turns"], "memory": detail["memories"]}
    return Change(
        id=line.subject,
        at=line.at,
        action=ACTION,
        by=line.by,
        items={kind: number for kind, number in items.items() if number},
        sessions=tuple(dict.fromkeys(one.session_id for one in seen)),
        is_gone=True,
    )
