"""OpenCode: its database, or the JSON files of older versions: sessions, messages, parts.

A message is taken apart into parts: words, calls of tools, thinking. Words up to the next call are
a turn. Sessions of subagents are left out, and so is what OpenCode itself put into a message.
Version 2 has a table of its own, with the parts in the message. A session that was moved there is
read from where it has more prompts.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path

from memoria.connectors.sources.archives import read_documents
from memoria.connectors.sources.common import (
    data_folders,
    home_folder,
    read_database,
    read_time,
    say_part,
)
from memoria.connectors.sources.database import ForeignDatabase, ForeignRow, is_database, read_value
from memoria.connectors.sources.interface import ImportItem, ImportSource
from memoria.connectors.sources.probe import Probe
from memoria.connectors.transcripts.base import SkippedLine, TranscriptPosition, read_each
from memoria.connectors.transcripts.encoding import UnknownEncodingError
from memoria.connectors.transcripts.messages import (
    SPEAKERS,
    blocks,
    obj,
    parse_object,
    result_text,
    text,
    without_quotes,
    words,
)
from memoria.connectors.transcripts.source import (
    JsonObject,
    TranscriptSource,
    UnusableLine,
    read_text,
)
from memoria.model import Role


def recognise(probe: Probe) -> bool:
    """Check whether a database has messages and parts in JSON, or a file is a session's."""
    tables = probe.tables
    if tables.get("session_message", frozenset()) >= {"session_id", "type", "seq", "data"}:
        return True
    if all("data" in tables.get(one, frozenset()) for one in ("message", "part")):
        return "session" in tables
    return probe.path.name.startswith("ses_") and probe.keys >= {"id", "time"}


def read(source: TranscriptSource) -> Iterator[ImportItem]:
    """Yield the turns of all sessions."""
    if is_database(source.path):
        yield from read_database(source, partial(_read_tables, source))
    else:
        yield from _read_folder(source)


def _read_tables(source: TranscriptSource, database: ForeignDatabase) -> Iterator[ImportItem]:
    tables = database.list_columns()
    moved = _list_moved(database, tables)
    if "message" in tables:
        yield from _read_parts(database, source, moved)
    if "session_message" in tables:
        yield from _read_messages(database, source, moved, is_own="session_v2" in tables)


def _list_moved(database: ForeignDatabase, tables: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """List the sessions that are to be read from version 2's table."""
    if "session_message" not in tables:
        return frozenset()
    former = database.read_rows("opencode", "prompts") if "message" in tables else ()
    prompts = {row["session_id"]: row["prompts"] for row in former}
    listed = database.read_rows("opencode", "prompts_two")
    return frozenset(
        row["session_id"] for row in listed if row["prompts"] >= prompts.get(row["session_id"], 0)
    )


def _read_parts(
    database: ForeignDatabase, source: TranscriptSource, moved: frozenset[str]
) -> Iterator[ImportItem]:
    def read_message(grouped: tuple[str, Iterator[ForeignRow]]) -> Iterator[ImportItem]:
        message_id, listed = grouped[0], list(grouped[1])
        if listed[0]["session_id"] in moved:
            return
        source.lines += 1
        message = parse_object(listed[0]["message"])
        place = TranscriptPosition(
            source.lines,
            sum(len(row["part"] or "") for row in listed),
            listed[0]["session_id"],
            message_id,
            read_time(listed[0]["time_created"]),
            text(listed[0]["directory"]),
        )
        read = [parse_object(row["part"]) for row in listed if row["part"] is not None]
        yield from _read_message(place, message, read)

    rows = database.read_rows("opencode", "parts")
    grouped = groupby(rows, key=lambda row: row["message_id"])
    yield from read_each(source, grouped, read_message)


def _read_messages(
    database: ForeignDatabase, source: TranscriptSource, moved: frozenset[str], *, is_own: bool
) -> Iterator[ImportItem]:
    """Yield the messages of version 2."""
    name = "messages_two_of_own_sessions" if is_own else "messages_two"

    def read_row(row: ForeignRow) -> Iterator[ImportItem]:
        if row["session_id"] not in moved or read_value(row, "parent_id") is not None:
            return
        source.lines += 1
        place = TranscriptPosition(
            source.lines,
            len(row["data"] or ""),
            row["session_id"],
            row["message_id"],
            read_time(row["said_at"]),
            text(read_value(row, "directory")),
        )
        data = parse_object(row["data"] or "")
        if row["type"] not in SPEAKERS:
            yield SkippedLine(source.lines)
        elif data is None:
            yield UnusableLine(source.lines, f"is not JSON: {row['message_id']}")
        else:
            yield from _read_message(place, {"role": row["type"]}, _list_parts(data))

    yield from read_each(source, database.read_rows("opencode", name), read_row)


def _list_parts(message: JsonObject) -> list[JsonObject]:
    """List the parts of a message of version 2 in the form of version 1."""
    parts: list[JsonObject] = []
    if said := words(message.get("text")):
        parts.append({"type": "text", "text": said})
    for part in blocks(message.get("content")):
        state = obj(part.get("state"))
        error = state.get("error")
        output = result_text(state.get("content")) or state.get("output")
        told = text(obj(error).get("message")) or error
        own = {"callID": part.get("id") or part.get("callID"), "tool": part.get("name")}
        is_call = part.get("type") == "tool"
        parts.append(
            {**part, **own, "state": {**state, "output": output, "error": told}}
            if is_call
            else part
        )
    return parts


def _read_folder(source: TranscriptSource) -> Iterator[ImportItem]:
    """Yield the messages of a session's file, from the folders of messages and parts beside it."""
    fields: JsonObject = {}
    for item in read_documents(source):
        if isinstance(item, UnusableLine):
            yield item
            return
        fields[item.key or ""] = item.value
    session = text(fields.get("id")) or source.session
    source.lines = 0
    if text(fields.get("parentID")):
        return
    storage = source.path.parents[2]

    def read_message(path: Path) -> Iterator[ImportItem]:
        message = _load(path)
        if message is None:
            yield UnusableLine(source.lines, f"{path.name} is not JSON")
            return
        place = TranscriptPosition(
            source.lines,
            path.stat().st_size,
            session,
            text(message.get("id")) or path.stem,
            read_time(obj(message.get("time")).get("created")),
            text(fields.get("directory")),
        )
        files = sorted((storage / "part" / place.message_id).glob("*.json"))
        yield from _read_message(place, message, [_load(file) for file in files])

    paths = sorted((storage / "message" / session).glob("*.json"))
    yield from read_each(source, source.count(paths), read_message)


def _read_message(
    place: TranscriptPosition, message: JsonObject | None, parts: Sequence[JsonObject | None]
) -> Iterator[ImportItem]:
    role = SPEAKERS.get(text((message or {}).get("role")) or "")
    if message is None or role is None:
        yield UnusableLine(place.line, f"is no message: {place.message_id}")
        return
    is_summary = message.get("summary") is True or message.get("agent") == "compaction"
    said: list[str] = []
    spoken = told = 0
    for part in [] if is_summary else parts:
        if part is None:
            yield UnusableLine(place.line, f"has a part that is not JSON: {place.message_id}")
            continue
        if part.get("type") == "text" and not (part.get("synthetic") or part.get("ignored")):
            spoken_words = words(part.get("text")) or ""
            said.append(without_quotes(spoken_words) if role is Role.USER else spoken_words)
        elif part.get("type") == "tool":
            if any(said):
                yield say_part(place, role, said, spoken)
                said, spoken = [], spoken + 1
            told += 1
            yield _read_call(place, part, told)
    if any(said):
        yield say_part(place, role, said, spoken)
    elif not told:
        yield SkippedLine(place.line)


def _read_call(place: TranscriptPosition, part: JsonObject, number: int) -> ImportItem:
    state = obj(part.get("state"))
    at = read_time(obj(state.get("time")).get("start"))
    code, output = obj(state.get("metadata")).get("exit"), state.get("output") or state.get("error")
    return place.turn(
        Role.TOOL,
        message_id=text(part.get("callID")) or f"{place.message_id}.call{number}",
        at=place.at if at is None else at,
        tool_name=text(part.get("tool")),
        tool_args=state.get("input", {}),
        # As the plugin tells it: the output does not say that a command failed.
        tool_result={"output": output, "exit_code": code} if code else output,
    )


def _load(path: Path) -> JsonObject | None:
    try:
        return parse_object(read_text(path))
    except (OSError, UnknownEncodingError):
        return None


def _places() -> Iterator[Path]:
    for folder in {*data_folders("opencode"), home_folder(".local", "share", "opencode")}:
        database = folder / "opencode.db"
        yield database if database.exists() else folder / "storage" / "session"


OPENCODE = ImportSource(
    name="opencode",
    title="OpenCode",
    client="opencode",
    patterns=("opencode.db", "ses_*.json"),
    recognises=recognise,
    read=read,
    places=_places,
    unit="message",
    note="~/.local/share/opencode",
)
