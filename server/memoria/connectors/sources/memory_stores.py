"""Programs that keep memories, one by one: mem0 with OpenMemory, mcp-memory-service, memories.json.

Each is read from a JSON document, from lines of JSON or from a database, as fields of one memory.
What was deleted, archived or put on hold there is left out, and so is what has expired.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

from pydantic import JsonValue

from memoria.connectors.sources.archives import read_documents
from memoria.connectors.sources.common import (
    data_folders,
    downloads,
    file_time,
    home_folder,
    list_named,
    read_database,
    read_kind,
    read_share,
    read_time,
)
from memoria.connectors.sources.database import ForeignDatabase, ForeignRow, is_database
from memoria.connectors.sources.interface import ForeignItem, ImportItem, ImportSource
from memoria.connectors.sources.json_items import WRAPPERS, JsonItem
from memoria.connectors.sources.probe import Probe, has_fields
from memoria.connectors.transcripts.base import SkippedLine, read_each
from memoria.connectors.transcripts.messages import obj, parse_json, text, words
from memoria.connectors.transcripts.source import JsonObject, Record, TranscriptSource, UnusableLine
from memoria.model import DAY_MS, now_millis
from memoria.model.conclusions import ForeignMemory

_AsItem = Callable[[TranscriptSource, JsonObject, int], ImportItem]


def _read_rows(
    source: TranscriptSource,
    statements: str,
    choose: Callable[[ForeignDatabase], str],
    as_item: _AsItem,
) -> Iterator[ImportItem]:
    """Yield an item for each row that a statement gives, chosen by the database."""

    def read_row(row: ForeignRow) -> Iterator[ImportItem]:
        yield as_item(source, dict(row), 0)

    def read_all(database: ForeignDatabase) -> Iterator[ImportItem]:
        rows = database.read_rows(statements, choose(database))
        yield from read_each(source, source.count(rows), read_row)

    yield from read_database(source, read_all)


def _read_list(source: TranscriptSource, pattern: str, as_item: _AsItem) -> Iterator[ImportItem]:
    """Yield an item for each memory of a document."""

    def read_item(item: JsonItem) -> Iterator[ImportItem]:
        yield as_item(source, obj(item.value), item.size)

    yield from read_each(source, read_documents(source, pattern, are_records=True), read_item)


# mem0 and OpenMemory: what `get_all` gives, OpenMemory's export or database, mem0's own history

_NAMED = ("apps", "categories")
"""Lists whose names the memories that follow in OpenMemory's export refer to."""
_GONE = frozenset({"deleted", "archived", "paused"})


def _is_mem0(probe: Probe) -> bool:
    return (
        any(has_fields(one, "id", "memory") for one in probe.records())
        or probe.keys >= {"memories", "export_meta"}
        or any(has_fields(line, "id", "content", "state", "app") for line in probe.lines)
        or probe.tables.get("memories", frozenset()) >= {"content", "state", "app_id"}
        or probe.tables.get("history", frozenset()) >= {"memory_id", "new_memory", "event"}
    )


def _read_mem0(source: TranscriptSource) -> Iterator[ImportItem]:
    names: dict[str, JsonValue] = {}

    def read_line(record: Record) -> Iterator[ImportItem]:
        yield _as_mem0_item(source, record.value, record.size)

    def read_item(item: JsonItem) -> Iterator[ImportItem]:
        value = obj(item.value)
        if item.key in _NAMED:
            names[text(value.get("id")) or ""] = value.get("name")
        elif item.key is None or item.key in WRAPPERS:
            app = names.get(text(value.get("app_id")) or "")
            if isinstance(ids := value.get("category_ids"), list):
                categories = [names[one] for one in ids if isinstance(one, str) and one in names]
                value = {**value, "categories": categories}
            yield _as_mem0_item(source, {**value, "app": app}, item.size)

    def choose(database: ForeignDatabase) -> str:
        return "history" if "history" in database.list_columns() else "openmemory"

    if is_database(source.path):
        yield from _read_rows(source, "mem0", choose, _as_mem0_item)
    elif source.path.suffix == ".jsonl":
        yield from read_each(source, source.records(), read_line)
    else:
        yield from read_each(source, read_documents(source, "memories.json", "*.json"), read_item)


def _as_mem0_item(source: TranscriptSource, value: JsonObject, size: int) -> ImportItem:
    if text(value.get("state")) in _GONE:
        return SkippedLine(source.lines)
    told = words(value.get("memory")) or words(value.get("content"))
    key = text(value.get("id"))
    if told is None or key is None:
        return UnusableLine(source.lines, "is no memory: it has no id, or no text")
    authors = (text(value.get(name)) for name in ("app", "agent_id", "actor_id", "user_id"))
    created = read_time(value.get("created_at"), is_utc=True)
    changed = read_time(value.get("updated_at"), is_utc=True)
    categories = value.get("categories")
    named = obj(value.get("metadata")).get("category")
    memory = ForeignMemory(
        key=key,
        content=told,
        at=changed or created or file_time(source),
        created_at=created,
        kind=read_kind(categories[0] if isinstance(categories, list) and categories else named),
        author=next(filter(None, authors), None),
    )
    return ForeignItem(source.lines, memory, size)


def _mem0_places() -> Iterator[Path]:
    yield home_folder(".mem0", "history.db")
    yield from downloads("memories_export_*.zip", "openmemory.db")


MEM0 = ImportSource(
    name="mem0",
    title="mem0/OpenMemory",
    client="mem0",
    patterns=("*.json", "memories*.zip", "openmemory.db", "history.db"),
    recognises=_is_mem0,
    read=_read_mem0,
    places=_mem0_places,
    unit="memory",
    note="what get_all gives as JSON, OpenMemory's export or database, ~/.mem0/history.db",
)


# mcp-memory-service: its JSON export, or its database. A memory is known by the hash of its text


def _is_memory_service(probe: Probe) -> bool:
    is_export = any(has_fields(one, "content", "content_hash") for one in probe.records())
    return is_export or probe.tables.get("memories", frozenset()) >= {"content_hash", "content"}


def _read_memory_service(source: TranscriptSource) -> Iterator[ImportItem]:
    if is_database(source.path):
        yield from _read_rows(source, "memory_service", lambda _: "memories", _as_service_item)
    else:
        yield from _read_list(source, "*.json", _as_service_item)


def _as_service_item(source: TranscriptSource, value: JsonObject, size: int) -> ImportItem:
    told, key = words(value.get("content")), text(value.get("content_hash"))
    if told is None or key is None:
        return UnusableLine(source.lines, "is no memory: it has no text, or no hash")
    if value.get("deleted_at"):
        return SkippedLine(source.lines)
    created = read_time(value.get("created_at"), is_utc=True)
    metadata = value.get("metadata")
    written = obj(parse_json(metadata, metadata))
    memory = ForeignMemory(
        key=key,
        content=told,
        at=created or file_time(source),
        created_at=created,
        kind=read_kind(value.get("memory_type")),
        author=text(written.get("agent_id")) or text(written.get("hostname")),
    )
    return ForeignItem(source.lines, memory, size)


def _memory_service_places() -> Iterator[Path]:
    yield from list_named("MCP_MEMORY_SQLITE_PATH")
    yield from data_folders("mcp-memory", "sqlite_vec.db")


MEMORY_SERVICE = ImportSource(
    name="mcp-memory-service",
    title="mcp-memory-service",
    client="mcp-memory-service",
    patterns=("sqlite_vec.db", "*.db", "*.json"),
    recognises=_is_memory_service,
    read=_read_memory_service,
    places=_memory_service_places,
    unit="memory",
    note="its database or its JSON export",
)


# `memories.json`, the file of an older agent. The end of a memory without one follows from its
# priority and from when it was written

_DAYS = {"transient": 1, "short_term": 3, "long_term": 30}
_TELLING = ("priority", "importance_score", "importance", "expires_at")


def _is_memories_json(probe: Probe) -> bool:
    return any(
        has_fields(one, "type", "content") and any(name in one for name in _TELLING)
        for one in probe.records()
    )


def _read_memories_json(source: TranscriptSource) -> Iterator[ImportItem]:
    yield from _read_list(source, "memories.json", _as_json_item)


def _as_json_item(source: TranscriptSource, value: JsonObject, size: int) -> ImportItem:
    told = words(value.get("content"))
    if told is None:
        return UnusableLine(source.lines, "is no memory: it has no content")
    created = read_time(value.get("created_at") or value.get("created"))
    changed = read_time(value.get("updated_at") or value.get("updated"))
    at = changed or created or file_time(source)
    days = _DAYS.get((text(value.get("priority")) or "").lower())
    expires_at = read_time(value.get("expires_at")) or (days and at + days * DAY_MS)
    if expires_at is not None and expires_at <= now_millis():
        return SkippedLine(source.lines)
    memory = ForeignMemory(
        key=text(value.get("id")) or told,
        content=told,
        at=at,
        created_at=created,
        kind=read_kind(value.get("type")),
        author=text(value.get("source")),
        subject=text(value.get("subject")),
        importance=read_share(value.get("importance_score", value.get("importance"))),
        expires_at=expires_at,
    )
    return ForeignItem(source.lines, memory, size)


MEMORIES_JSON = ImportSource(
    name="memories-json",
    title="memories.json",
    client="memories.json",
    patterns=("memories.json",),
    recognises=_is_memories_json,
    read=_read_memories_json,
    unit="memory",
    note="a list of memories with type, content, priority or importance",
)
