"""Changes: what a person does to memories is noted in the audit log, so that it can be undone.

A note has ids, states and numbers, never a word of a memory: what was forgotten since can't come
back by it. It is a line of the log with an id of its own, so no history of a memory shows it.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from memoria.model import Channel, Memory, new_id, now_millis
from memoria.model.evidence import LoggedAction
from memoria.store.engine import Store
from memoria.store.rows.transaction import Transaction

ACTION = "change"
"""Action under which the log has a note."""
_FIELDS = (
    "validity",
    "type",
    "verified",
    "pinned",
    "upvotes",
    "downvotes",
    "scope",
    "workspace",
    "importance",
    "expires_at",
)
Differences = dict[str, tuple[Any, Any]]
"""Values of a field before and since; `wording` is the number of the wording that counts."""


class ChangeNote(NamedTuple):
    """Effect of one action of a person."""

    id: str
    at: int
    by: str
    """The way in, in words."""
    did: str
    memory_id: str
    project: str | None
    """Project in which alone the memory was seen; None where it was seen everywhere."""
    undoes: str | None
    rows: dict[str, Differences]
    """Differences by memory id."""


class ChangeMark:
    """An action while it is done: its name, and the memory it is done to."""

    def __init__(self, did: str, memory_id: str = "", undoes: str | None = None) -> None:
        self.did = did
        self.memory_id = memory_id
        self.undoes = undoes
        self.was_idle = False
        """True if a person has done it and it changed nothing."""


@contextmanager
def note_change(
    store: Store, tenant: str, tx: Transaction, channel: Channel, mark: ChangeMark
) -> Iterator[None]:
    """Note what the block changes for a person. What an agent does is in the log as it is.

    Args:
        store: it shows what was before: nothing of the transaction is in it yet.
        tenant: whose memories they are.
        tx: the transaction in which it is done.
        channel: the way in.
        mark: what is done; the block says to which memory, if it is new.
    """
    if channel.is_agent:
        yield
        return
    newest = tx.audit.newest()
    yield
    touched = dict.fromkeys([mark.memory_id, *tx.audit.list_subjects(newest)])
    with store.read(tenant) as before:
        pairs = [(before.memories.get(one), tx.memories.get(one)) for one in touched]
    rows = {now.id: found for former, now in pairs if now and (found := _differences(former, now))}
    memory = tx.memories.get(mark.memory_id)
    mark.was_idle = not rows
    if not rows or memory is None:
        return
    begun = _find_begun(tx, mark, rows)
    if begun is not None:
        rows = {one: _join(begun.rows, rows, one) for one in {**begun.rows, **rows}}
    detail = {
        "did": mark.did,
        "memory": memory.id,
        "project": memory.project,
        "undoes": mark.undoes,
        "rows": rows,
    }
    tx.audit.add(
        at=now_millis(),
        channel=channel.name,
        client=channel.client,
        action=ACTION,
        subject=new_id() if begun is None else begun.id,
        detail=json.dumps({name: value for name, value in detail.items() if value is not None}),
    )


def _find_begun(
    tx: Transaction, mark: ChangeMark, rows: dict[str, Differences]
) -> ChangeNote | None:
    """Return the note of a statement just made, where it is said again only to replace another.

    Who is asked whether it replaces that has done one thing, and takes it back as one.
    """
    notes = map(read_note, tx.audit.list_by_action(ACTION, 1))
    is_answer = mark.did == "remember" and bool(rows.keys() - {mark.memory_id})
    newest = next(notes, None) if is_answer else None
    if newest is None or (newest.did, newest.memory_id) != (mark.did, mark.memory_id):
        return None
    return newest


def _join(
    former: dict[str, Differences], later: dict[str, Differences], memory_id: str
) -> Differences:
    """Join two successive changes of a memory."""
    was, now = former.get(memory_id, {}), later.get(memory_id, {})
    joined = {name: (was.get(name, pair)[0], pair[1]) for name, pair in {**was, **now}.items()}
    return {name: pair for name, pair in joined.items() if pair[0] != pair[1]}


def read_note(line: LoggedAction) -> ChangeNote:
    """Read a note from the log."""
    detail = json.loads(line.detail or "{}")
    return ChangeNote(
        id=line.subject,
        at=line.at,
        by=line.by,
        did=detail["did"],
        memory_id=detail["memory"],
        project=detail.get("project"),
        undoes=detail.get("undoes"),
        rows={
            one: {name: (former, now) for name, (former, now) in fields.items()}
            for one, fields in detail["rows"].items()
        },
    )


def read_state(memory: Memory | None) -> dict[str, Any]:
    """Map a memory's fields to their values, without its words; all None without a memory."""
    if memory is None:
        return dict.fromkeys(("wording", *_FIELDS))
    fields = {name: getattr(memory, name) for name in _FIELDS}
    named = {"validity": memory.validity.value, "type": memory.type.value}
    return {"wording": memory.current.version, **fields, **named}


def _differences(former: Memory | None, now: Memory) -> Differences:
    was, is_now = read_state(former), read_state(now)
    return {name: (was[name], is_now[name]) for name in was if was[name] != is_now[name]}
