"""The format `jsonl`: our own, a turn a line, for everything that has no reader here.

An object has the fields of a turn: session_id, message_id, role, speaker, content, at, tool_name,
tool_args, tool_result. Only role is required. Lines that agents write of themselves are read as
well: see `history`.

A line without a message_id is known by its content and by how many times that content came before
it in its session, so the same file again adds nothing.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator

from memoria.connectors.transcripts.base import (
    TranscriptFormat,
    TranscriptItem,
    TranscriptTurn,
    as_turn,
)
from memoria.connectors.transcripts.each import read_each
from memoria.connectors.transcripts.history import is_history, list_turns
from memoria.connectors.transcripts.source import Record, TranscriptSource, UnusableLine
from memoria.model import Turn


def read(source: TranscriptSource) -> Iterator[TranscriptItem]:
    """Yield the turns of a file."""
    seen: Counter[tuple[str, str]] = Counter()

    def read_line(record: Record) -> Iterator[TranscriptItem]:
        value = record.value
        for fields in list_turns(value) if is_history(value) else [value]:
            turn = as_turn(record.line, fields)
            if isinstance(turn, UnusableLine):
                yield turn
            else:
                named = _identify(turn, source.session, seen)
                yield TranscriptTurn(record.line, named, size=record.size)

    yield from read_each(source, source.records(), read_line)


def _identify(turn: Turn, default: str, seen: Counter[tuple[str, str]]) -> Turn:
    """Give the turn a session, and an id of its own if it has none."""
    session = turn.session_id or default
    if turn.message_id is not None:
        return turn.model_copy(update={"session_id": session})
    content = json.dumps(turn.model_dump(exclude={"session_id", "message_id"}))
    key = (session, hashlib.sha256(content.encode()).hexdigest()[:24])
    seen[key] += 1
    own_id = f"{key[1]}.{seen[key]}"
    return turn.model_copy(update={"session_id": session, "message_id": own_id})


JSONL = TranscriptFormat(
    name="jsonl",
    client="import-jsonl",
    patterns=("*.jsonl",),
    read=read,
    note="a turn a line with session_id, message_id, role, speaker, content, at, tool_name, "
    "tool_args, tool_result; only role is required",
)
