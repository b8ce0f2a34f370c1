"""mcp-memory-service: its JSON export, or its SQLite database.

A memory is known by the hash of its text there, so one that was reworded is another one.
"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from memoria.connectors.sources.archives import read_documents
from memoria.connectors.sources.common import (
    data_folders,
    file_time,
    list_named,
    read_kind,
    read_time,
)
from memoria.connectors.sources.database import (
    ForeignDatabaseError,
    ForeignRow,
    is_database,
    open_database,
    read_value,
)
from memoria.connectors.sources.interface import ForeignItem, ImportItem, ImportSource
from memoria.connectors.sources.json_items import JsonItem
from memoria.connectors.sources.probe import Probe, has_fields
from memoria.connectors.transcripts.base import SkippedLine, read_each
from memoria.connectors.transcripts.messages import obj, parse_json, text, words
from memoria.connectors.transcripts.source import JsonObject, TranscriptSource, UnusableLine
from memoria.model.conclusions import ForeignMemory

_COLUMNS = ("content_hash", "content", "memory_type", "metadata", "created_at", "deleted_at")


def recognise(probe: Probe) -> bool:
    """Check whether it holds memories with hashes of their texts."""
    is_export = any(has_fields(one, "content", "content_hash") for one in probe.records())
    return is_export or probe.tables.get("memories", frozenset()) >= {"content_hash", "content"}


def read(source: TranscriptSource) -> Iterator[ImportItem]:
    """Yield a memory for each of its own."""
    if is_database(source.path):
        yield from _read_database(source)
        return

    def read_item(item: JsonItem) -> Iterator[ImportItem]:
        yield _as_item(source, obj(item.value), item.size)

    yield from read_each(source, read_documents(source, "*.json", are_records=True), read_item)


def _read_database(source: TranscriptSource) -> Iterator[ImportItem]:
    try:
        with open_database(source.path) as database:
            rows = database.read_rows("memory_service", "memories")
            yield from read_each(source, source.count(rows), partial(_read_row, source))
    except ForeignDatabaseError as error:
        yield UnusableLine(None, str(error))


def _read_row(source: TranscriptSource, row: ForeignRow) -> Iterator[ImportItem]:
    yield _as_item(source, {name: read_value(row, name) for name in _COLUMNS}, 0)


def _as_item(source: TranscriptSource, value: JsonObject, size: int) -> ImportItem:
    told, key = words(value.get("content")), text(value.get("content_hash"))
    if told is None or key is None:
        return UnusableLine(source.lines, "is no memory: it has no text, or no hash")
    if value.get("deleted_at"):
        return SkippedLine(source.lines)
    created = read_time(value.get("created_at"), is_utc=True)
    memory = ForeignMemory(
        key=key,
        content=told,
        at=created or file_time(source),
        created_at=created,
        kind=read_kind(value.get("memory_type")),
        author=_find_author(value),
    )
    return ForeignItem(source.lines, memory, size)


def _find_author(value: JsonObject) -> str | None:
    """Find the machine or the agent that stored it."""
    metadata = value.get("metadata")
    fields = obj(parse_json(metadata, metadata))
    return next(filter(None, (text(fields.get(one)) for one in ("agent_id", "hostname"))), None)


def _places() -> Iterator[Path]:
    yield from list_named("MCP_MEMORY_SQLITE_PATH")
    yield from data_folders("mcp-memory", "sqlite_vec.db")


MEMORY_SERVICE = ImportSource(
    name="mcp-memory-service",
    title="mcp-memory-service",
    client="mcp-memory-service",
    patterns=("sqlite_vec.db", "*.db", "*.json"),
    recognises=recognise,
    read=read,
    places=_places,
    unit="memory",
    note="its database or its JSON export",
)
