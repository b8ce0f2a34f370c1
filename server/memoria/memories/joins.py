"""Joins of projects, noted in the audit log so that they can be parted again.

A note has ids and numbers, never a name or a word of a memory: what was forgotten since can't come
back by it. A number means something in this home alone, so the digest of the name stands beside it.
"""

import hashlib
import json
from typing import NamedTuple

from memoria.model import new_id, now_millis
from memoria.store.joined_rows import JoinedRows
from memoria.store.rows.transaction import Transaction

_JOIN, _PART = "join", "part"
_CHANNEL = "cli"
_MOST_READ = 1000
"""Most entries of the log that are searched for joins."""
_DIGITS = 16


class Join(NamedTuple):
    """A project that became part of another, and is so still."""

    note_id: str
    at: int
    """UTC epoch milliseconds."""
    former: str
    into: str
    rows: JoinedRows


def note_join(tx: Transaction, former: str, into: str) -> None:
    """Move all that is on record of a project to another one, and note what that was."""
    rows = tx.projects.join(former, into)
    if rows is None:
        return
    detail = {"of": [_digest(former), _digest(into)], "rows": rows._asdict()}
    _write(tx, _JOIN, new_id(), json.dumps(detail))


def note_part(tx: Transaction, join: Join) -> None:
    """Give back to a project what it brought into another one."""
    tx.projects.part(join.rows, join.at)
    _write(tx, _PART, join.note_id, None)


def list_joins(tx: Transaction) -> list[Join]:
    """List the joins that stand, the latest first, unless one of their names is forgotten."""
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
