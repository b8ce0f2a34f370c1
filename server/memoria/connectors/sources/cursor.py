"""Cursor: the editor's own database, and the transcripts of its agent.

The database has a value for each conversation (`composerData:ID`), which names its messages in
order and, in newer versions, the folder, and one for each message (`bubbleId:ID:MESSAGE`). A
transcript is a line a message, without times and ids: as old as its file at the least, and known by
its line. Where the database has a conversation, its transcript is left out: it says the same and
less. So are subagents' conversations.
"""

from collections.abc import Iterator
from functools import lru_cache, partial
from pathlib import Path

from memoria.connectors.sources.common import (
    file_time,
    home_folder,
    read_database,
    read_time,
    settings_folders,
)
from memoria.connectors.sources.database import (
    ForeignDatabase,
    ForeignDatabaseError,
    ForeignRow,
    is_database,
    open_database,
)
from memoria.connectors.sources.interface import ImportItem, ImportSource
from memoria.connectors.sources.probe import Probe, has_fields
from memoria.connectors.transcripts.base import SkippedLine, TranscriptPosition, read_each
from memoria.connectors.transcripts.messages import (
    SPEAKERS,
    blocks,
    obj,
    objects,
    parse_json,
    parse_object,
    result_text,
    text,
    without_spans,
    words,
)
from memoria.connectors.transcripts.reading import OpenCalls
from memoria.connectors.transcripts.source import JsonObject, Record, TranscriptSource, UnusableLine
from memoria.model import Role

_SPEAKERS = {1: Role.USER, 2: Role.ASSISTANT}
_NOTHING = (None, "null", b"null")
"""Values of a message that was deleted."""
_PROMPT = ("<user_query>", "</user_query>")


def recognise(probe: Probe) -> bool:
    """Check whether a file is the editor's database, or a transcript of its agent."""
    if probe.tables.get("cursorDiskKV", frozenset()) >= {"key", "value"}:
        return True
    return any(
        text(line.get("role")) in SPEAKERS
        and isinstance(obj(line.get("message")).get("content"), list)
        and not has_fields(line, "sessionId")
        for line in probe.lines
    )


def read(source: TranscriptSource) -> Iterator[ImportItem]:
    """Yield the turns of all conversations."""
    if is_database(source.path):
        yield from read_database(source, partial(_read_conversations, source))
    elif any(source.path.stem in _list_conversations(place) for place in _databases()):
        source.lines += 1
        yield SkippedLine(1)
    else:
        yield from _read_transcript(source)


# The editor's database


def _read_conversations(
    source: TranscriptSource, database: ForeignDatabase
) -> Iterator[ImportItem]:
    agents = _list_agents(database)

    def read_row(row: ForeignRow) -> Iterator[ImportItem]:
        conversation = parse_object(row["value"])
        own_id = row["key"].partition(":")[2]
        is_skipped = row["value"] in _NOTHING or own_id in agents
        if is_skipped or (conversation and conversation.get("subagentInfo")):
            yield SkippedLine(source.lines)
        elif conversation is None:
            yield UnusableLine(source.lines, f"is not JSON: {row['key']}")
        else:
            yield from _read_conversation(database, source, own_id, conversation)

    rows = source.count(database.read_rows("cursor", "conversations"))
    yield from read_each(source, rows, read_row)


def _list_agents(database: ForeignDatabase) -> frozenset[str]:
    """List the ids of subagents' conversations; older versions of Cursor list none."""
    if "isSubagent" not in database.list_columns().get("composerHeaders", ()):
        return frozenset()
    return frozenset(row["composerId"] for row in database.read_rows("cursor", "agents"))


def _read_conversation(
    database: ForeignDatabase, source: TranscriptSource, own_id: str, conversation: JsonObject
) -> Iterator[ImportItem]:
    line = source.lines
    bubbles = objects(conversation.get("conversation"))
    for header in objects(conversation.get("fullConversationHeadersOnly")):
        key = f"bubbleId:{own_id}:{header.get('bubbleId')}"
        rows = database.read_rows("cursor", "value", key=key)
        found = [parse_object(row["value"]) for row in rows if row["value"] not in _NOTHING]
        bubbles += [one for one in found if one is not None]
        if None in found:
            yield UnusableLine(line, f"has a message that is not JSON: {key}")
    place_of = obj(obj(conversation.get("workspaceIdentifier")).get("uri"))
    folder = text(place_of.get("fsPath")) or text(place_of.get("path"))

    def read_bubble(numbered: tuple[int, JsonObject]) -> Iterator[ImportItem]:
        number, bubble = numbered
        at = bubble.get("createdAt") or obj(bubble.get("timingInfo")).get("clientStartTime")
        place = TranscriptPosition(
            line,
            len(words(bubble.get("text")) or ""),
            own_id,
            text(bubble.get("bubbleId")) or f"{number}",
            read_time(at) or read_time(conversation.get("createdAt")),
            folder,
        )
        yield from _read_bubble(place, bubble)

    yield from read_each(source, enumerate(bubbles), read_bubble)


def _read_bubble(place: TranscriptPosition, bubble: JsonObject) -> Iterator[ImportItem]:
    kind = bubble.get("type")
    role = _SPEAKERS.get(kind) if isinstance(kind, int) else None
    said = words(bubble.get("text"))
    call = obj(bubble.get("toolFormerData"))
    if role is None:
        yield UnusableLine(place.line, f"has a message of an unknown type: {place.message_id}")
        return
    if said:
        yield place.turn(role, content=said)
    if text(call.get("name")):
        arguments = call.get("rawArgs") or call.get("params")
        result = call.get("result") or call.get("error")
        yield place.turn(
            Role.TOOL,
            message_id=text(call.get("toolCallId")) or f"{place.message_id}.call",
            tool_name=text(call.get("name")),
            tool_args=parse_json(arguments, arguments) or {},
            tool_result=parse_json(result, result),
        )
    elif not said:
        yield SkippedLine(place.line)


@lru_cache(maxsize=4)
def _list_conversations(database: Path) -> frozenset[str]:
    """List the ids of the conversations that the editor's database has."""
    try:
        with open_database(database) as opened:
            rows = opened.read_rows("cursor", "ids")
            return frozenset(str(row["key"]).partition(":")[2] for row in rows)
    except ForeignDatabaseError:
        return frozenset()


# Transcripts of the agent


def _read_transcript(source: TranscriptSource) -> Iterator[ImportItem]:
    calls, cwd = OpenCalls(), _find_folder(source.path)
    at = file_time(source)
    open_ids: list[str] = []

    def read_line(record: Record) -> Iterator[ImportItem]:
        own_id = record.own_id
        place = TranscriptPosition(record.line, record.size, source.path.stem, own_id, at, cwd)
        role = SPEAKERS.get(text(record.value.get("role")) or "")
        content = blocks(obj(record.value.get("message")).get("content"))
        if role is None or not content:
            yield SkippedLine(record.line)
            return
        said = "\n\n".join(filter(None, (_block_words(block) for block in content)))
        if said.strip():
            yield place.turn(role, content=said)
        for number, block in enumerate(content):
            if block.get("type") == "tool_use":
                call_id = text(block.get("id")) or f"{own_id}.{number}"
                open_ids.append(call_id)
                called = block.get("name"), block.get("input") or {}
                yield from calls.open_call(place, call_id, *called)
            elif block.get("type") == "tool_result":
                first = open_ids.pop(0) if open_ids else f"{own_id}.{number}"
                call_id = text(block.get("tool_use_id")) or first
                result = result_text(block.get("content")) or block.get("content")
                yield calls.close_call(call_id, place, result)

    yield from read_each(source, source.records(), read_line)
    yield from calls.remaining_calls()


def _block_words(block: JsonObject) -> str:
    """Return a block's words, without what Cursor adds to a prompt."""
    said = words(block.get("text")) or "" if block.get("type") == "text" else ""
    begins, ends = _PROMPT
    if begins in said and ends in said:
        return said.split(begins, 1)[1].rsplit(ends, 1)[0].strip()
    return without_spans(said, "<system_reminder>", "</system_reminder>")


def _find_folder(transcript: Path) -> str | None:
    """Find the folder of `projects/SLUG`: a folder on this machine that gives the slug."""
    names = [
        parent.parent.name for parent in transcript.parents if parent.name == "agent-transcripts"
    ]
    return _match_folder(Path("/"), names[0]) if names else None


def _match_folder(folder: Path, slug: str) -> str | None:
    try:
        inside = sorted(one for one in folder.iterdir() if one.is_dir())
    except OSError:
        return None
    for one in inside:
        own = "".join(char if char.isalnum() else "-" for char in one.name).strip("-")
        if own == slug:
            return str(one)
        if own and slug.startswith(f"{own}-"):
            found = _match_folder(one, slug.removeprefix(f"{own}-"))
            if found is not None:
                return found
    return None


def _databases() -> Iterator[Path]:
    for folder in settings_folders("Cursor", "User", "globalStorage"):
        if (folder / "state.vscdb").exists():
            yield folder / "state.vscdb"


def _places() -> Iterator[Path]:
    yield from _databases()
    yield home_folder(".cursor", "projects")


CURSOR = ImportSource(
    name="cursor",
    title="Cursor",
    client="cursor",
    patterns=("state.vscdb", "*.jsonl"),
    recognises=recognise,
    read=read,
    places=_places,
    unit="item",
    note="the editor's state.vscdb and ~/.cursor/projects/*/agent-transcripts",
    excluded_folders=frozenset({"subagents"}),
)
