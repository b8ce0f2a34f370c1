"""Content of a memory's note, read from its record."""

from collections.abc import Sequence
from typing import Any

from memoria.connectors.notes.note import NoteContent, Source, as_line
from memoria.memories.conditions import condition_of_turn
from memoria.store.rows.transaction import Transaction

_MOST_SOURCES = 5


def read_content(
    tx: Transaction,
    record: dict[str, Any],
    names: Sequence[str],
    conflict: str | None,
    own: str,
) -> NoteContent:
    """Read the content of a note.

    Args:
        tx: reads the turns that the memory rests on.
        record: the memory.
        names: titles of the pages of what it speaks of.
        conflict: what the reader wrote while it was changed.
        own: what the reader has written below it.
    """
    former = record["versions"][-2::-1]
    return NoteContent(
        memory_id=record["id"],
        wording=record["versions"][-1]["content"],
        properties=_list_properties(tx, record),
        names=names,
        sources=_list_sources(tx, record),
        former=[(_day(tx, one["valid_to"]), one["content"]) for one in former],
        conflict=conflict,
        own=own,
    )


def _list_properties(tx: Transaction, record: dict[str, Any]) -> dict[str, str | float | bool]:
    found: dict[str, str | float | bool | None] = {
        "type": str(record["type"]),
        "since": _day(tx, record["versions"][-1]["valid_from"]),
        "until": None if record["expires_at"] is None else _day(tx, record["expires_at"]),
        "importance": round(float(record["importance"]), 2),
        "confirmed": bool(record["verified"]),
        "pinned": bool(record["pinned"]),
        "project": record["workspace"] if record["scope"] == "project" else None,
        "task": record["task"],
        "tags": f"memoria/{record['type']}",
    }
    return {name: value for name, value in found.items() if value is not None}


def _list_sources(tx: Transaction, record: dict[str, Any]) -> list[Source]:
    """List the first turns that a memory rests on, as its present wording cites them."""
    wording = record["versions"][-1]
    quoted = {wording["turn"]: wording["quote"]} if wording["turn"] is not None else {}
    quoted |= {one["turn"]: one["quote"] for one in record["evidence"]}
    sources = []
    for turn_id, quote in list(quoted.items())[:_MOST_SOURCES]:
        turn = tx.conversations.turn(turn_id)
        if turn is not None and condition_of_turn(tx, turn) is None:
            said_in = f"{turn.source}, session {as_line(turn.session_id)}"
            words = quote if quote is not None else turn.content
            sources.append(Source(_day(tx, turn.at), said_in, turn_id, words))
    return sources


def _day(tx: Transaction, millis: int) -> str:
    day = tx.zone.date_of(millis)
    return "" if day is None else day.isoformat()
