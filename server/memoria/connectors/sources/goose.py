"""Goose: its database of sessions, or the files of older versions, a line a message.

A message's content is a list: words, requests to tools, and their responses in a later message.
What Goose shows to the model alone, such as a summary of what it left out, is left out.
"""

from collections.abc import Iterator
from pathlib import Path

from pydantic import JsonValue

from memoria.connectors.sources.common import data_folders, list_named, read_database, read_time
from memoria.connectors.sources.database import ForeignDatabase, ForeignRow, is_database, read_value
from memoria.connectors.sources.interface import ImportItem, ImportSource
from memoria.connectors.sources.probe import Probe, has_fields
from memoria.connectors.transcripts.base import SkippedLine, TranscriptPosition, read_each
from memoria.connectors.transcripts.messages import (
    SPEAKERS,
    blocks,
    obj,
    parse_json,
    result_text,
    text,
    words,
)
from memoria.connectors.transcripts.reading import OpenCalls
from memoria.connectors.transcripts.source import JsonObject, Record, TranscriptSource, UnusableLine
from memoria.model.attachment import read_attachments

_TOOLS = ("toolRequest", "toolResponse")
_OTHERS_TALK = frozenset({"sub_agent", "hidden"})
"""Types of sessions in which nobody talks to the user."""


def recognise(probe: Probe) -> bool:
    """Check whether a database has messages with content in JSON, or a file is a session's."""
    if probe.tables.get("messages", frozenset()) >= {"session_id", "content_json"}:
        return True
    return any(
        has_fields(line, "working_dir", "message_count")
        or (has_fields(line, "role", "created") and isinstance(line.get("content"), list))
        for line in probe.lines
    )


def read(source: TranscriptSource) -> Iterator[ImportItem]:
    """Yield the turns of all sessions."""
    if is_database(source.path):
        yield from _read_database(source)
    else:
        yield from _read_lines(source)


def _read_database(source: TranscriptSource) -> Iterator[ImportItem]:
    calls, session = OpenCalls(), None

    def read_row(row: ForeignRow) -> Iterator[ImportItem]:
        nonlocal calls, session
        if row["session_id"] != session:
            yield from calls.remaining_calls()
            calls, session = OpenCalls(), row["session_id"]
        yield from _read_row(source.lines, row, calls)

    def read_all(database: ForeignDatabase) -> Iterator[ImportItem]:
        rows = database.read_rows("goose", "messages")
        yield from read_each(source, source.count(rows), read_row)

    yield from read_database(source, read_all)
    yield from calls.remaining_calls()


def _read_row(line: int, row: ForeignRow, calls: OpenCalls) -> Iterator[ImportItem]:
    is_hidden = obj(parse_json(read_value(row, "metadata_json"))).get("userVisible") is False
    if is_hidden or read_value(row, "session_type") in _OTHERS_TALK:
        yield SkippedLine(line)
        return
    content = parse_json(row["content_json"])
    place = TranscriptPosition(
        line,
        len(row["content_json"]),
        row["session_id"],
        text(read_value(row, "message_id")) or f"{row['id']}",
        read_time(row["created_timestamp"]),
        text(row["working_dir"]),
    )
    yield from _read_message(place, row["role"], content, calls)


def _read_lines(source: TranscriptSource) -> Iterator[ImportItem]:
    calls, cwd = OpenCalls(), None

    def read_line(record: Record) -> Iterator[ImportItem]:
        nonlocal cwd
        value = record.value
        if "role" not in value:
            cwd = text(value.get("working_dir")) or cwd
            yield SkippedLine(record.line)
            return
        place = TranscriptPosition(
            record.line,
            record.size,
            source.session,
            text(value.get("id")) or record.own_id,
            read_time(value.get("created")),
            cwd,
        )
        yield from _read_message(place, value.get("role"), value.get("content"), calls)

    yield from read_each(source, source.records(), read_line)
    yield from calls.remaining_calls()


def _read_message(
    place: TranscriptPosition, role: JsonValue, content: JsonValue, calls: OpenCalls
) -> Iterator[ImportItem]:
    speaker = SPEAKERS.get(text(role) or "")
    if speaker is None or not isinstance(content, str | list | dict):
        yield UnusableLine(place.line, "is no message: it has no role, or no content")
        return
    parts = blocks(content)
    said = [words(one.get("text")) for one in parts if one.get("type") == "text"]
    if any(said):
        told = "\n\n".join(filter(None, said))
        yield place.turn(speaker, content=told, attachments=read_attachments(parts))
    for block in parts:
        call_id = text(block.get("id")) or place.message_id
        if block.get("type") == "toolRequest":
            call = obj(obj(block.get("toolCall")).get("value"))
            called = call.get("name"), call.get("arguments") or {}
            yield from calls.open_call(place, call_id, *called)
        elif block.get("type") == "toolResponse":
            yield calls.close_call(call_id, place, _read_result(block))
    if not any(said) and not any(one.get("type") in _TOOLS for one in parts):
        yield SkippedLine(place.line)


def _read_result(block: JsonObject) -> JsonValue:
    result = obj(block.get("toolResult"))
    value = result.get("value")
    content = value if isinstance(value, list) else obj(value).get("content")
    return result_text(content) or text(result.get("error")) or value or "done"


def _places() -> Iterator[Path]:
    folders = [
        *(root / "data" / "sessions" for root in list_named("GOOSE_PATH_ROOT")),
        *data_folders("goose", "sessions"),
        *data_folders("Block", "goose", "data", "sessions"),  # on Windows
    ]
    for folder in folders:
        database = folder / "sessions.db"
        yield database if database.exists() else folder


GOOSE = ImportSource(
    name="goose",
    title="Goose",
    client="goose",
    patterns=("sessions.db", "*.jsonl"),
    recognises=recognise,
    read=read,
    places=_places,
    unit="message",
    note="~/.local/share/goose/sessions",
)
