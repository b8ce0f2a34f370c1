"""Changes that a person makes to memories and projects, noted in the audit log for an undo."""

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from memoria.model import Channel, Memory, new_id, now_millis
from memoria.model.provenance import LoggedAction
from memoria.store.engine import Store
from memoria.store.rows.listings import JoinedRows
from memoria.store.rows.transaction import Transaction

ACTION = "change"
"""Action of a change note in the audit log."""
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
    "confidence",
    "expires_at",
)
Differences = dict[str, tuple[Any, Any]]
"""Values of each field before and after; `wording` is the number of the present wording."""


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
    """A person's action in progress: its name, and the memory that it changes."""

    def __init__(self, did: str, memory_id: str = "", undoes: str | None = None) -> None:
        self.did = did
        self.memory_id = memory_id
        self.undoes = undoes
        self.was_idle = False
        """True if a person's action changed nothing."""


@contextmanager
def note_change(
    store: Store, tenant: str, tx: Transaction, channel: Channel, mark: ChangeMark
) -> Iterator[None]:
    """Note in the audit log what the block changes, if a person acts through the channel.

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
        caller=channel.caller,
        action=ACTION,
        subject=new_id() if begun is None else begun.id,
        detail=json.dumps({name: value for name, value in detail.items() if value is not None}),
    )


def _find_begun(
    tx: Transaction, mark: ChangeMark, rows: dict[str, Differences]
) -> ChangeNote | None:
    """Return the note of the same statement made just before, if it only replaces another now.

    A person who was asked whether their statement replaces another has done one thing, and undoes
    one thing.
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


_JOIN, _PART = "join", "part"
_CHANNEL = "cli"
_MOST_READ = 1000
"""Most entries of the log that are searched for joins."""
_DIGITS = 16


class Join(NamedTuple):
    """A project that has become part of another project."""

    note_id: str
    at: int
    """UTC epoch milliseconds."""
    former: str
    into: str
    rows: JoinedRows


def note_join(tx: Transaction, former: str, into: str) -> None:
    """Move the rows of a project to another project, and note which rows they were."""
    rows = tx.projects.join(former, into)
    if rows is None:
        return
    detail = {"of": [_digest(former), _digest(into)], "rows": rows._asdict()}
    _write(tx, _JOIN, new_id(), json.dumps(detail))


def note_part(tx: Transaction, join: Join) -> None:
    """Give a joined project its own rows back, and log the parting."""
    tx.projects.part(join.rows, join.at)
    _write(tx, _PART, join.note_id, None)


def list_joins(tx: Transaction) -> list[Join]:
    """List the joins that can be parted, latest first: both project names are still known."""
    parted = {line.subject for line in tx.audit.list_by_action(_PART, _MOST_READ)}
    found = []
    for line in tx.audit.list_by_action(_JOIN, _MOST_READ):
        detail = json.loads(line.detail or "{}")
        rows = JoinedRows(**detail["rows"])
        former, into = (tx.projects.find_name(one) or "" for one in (rows.former, rows.into))
        if line.subject not in parted and [_digest(former), _digest(into)] == detail["of"]:
            found.append(Join(line.subject, line.at, former, into, rows))
    return found


def _write(tx: Transaction, action: str, subject: str, detail: str | None) -> None:
    tx.audit.add(
        at=now_millis(),
        channel=_CHANNEL,
        client=None,
        action=action,
        subject=subject,
        detail=detail,
    )


def _digest(name: str) -> str:
    return hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest()[:_DIGITS]
