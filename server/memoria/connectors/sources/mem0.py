"""mem0 and OpenMemory: what `get_all` gives, OpenMemory's export or database, mem0's own history.

What was deleted, archived or put on hold there is left out.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

from pydantic import JsonValue

from memoria.connectors.sources.archives import read_documents
from memoria.connectors.sources.common import (
    downloads,
    file_time,
    home_folder,
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
from memoria.connectors.sources.json_items import WRAPPERS, JsonItem
from memoria.connectors.sources.probe import Probe, has_fields
from memoria.connectors.transcripts.base import SkippedLine, read_each
from memoria.connectors.transcripts.messages import obj, text, words
from memoria.connectors.transcripts.source import (
    JsonObject,
    Record,
    TranscriptSource,
    UnusableLine,
)
from memoria.model.conclusions import ForeignMemory

_NAMED = ("apps", "categories")
"""Things that OpenMemory's export names before the memories that refer to them."""
_GONE = frozenset({"deleted", "archived", "paused"})
_OPENMEMORY = ("content", "state", "app_id")
_HISTORY = ("memory_id", "new_memory", "event")


def recognise(probe: Probe) -> bool:
    """Check whether it holds memories as mem0 writes them."""
    columns = probe.tables
    return (
        any(has_fields(one, "id", "memory") for one in probe.records())
        or (probe.keys >= {"memories", "export_meta"})
        or any(has_fields(line, "id", "content", "state", "app") for line in probe.lines)
        or columns.get("memories", frozenset()) >= set(_OPENMEMORY)
        or columns.get("history", frozenset()) >= set(_HISTORY)
    )


def read(source: TranscriptSource) -> Iterator[ImportItem]:
    """Yield a memory for each of its own."""
    if is_database(source.path):
        yield from _read_database(source)
        return
    if source.path.suffix == ".jsonl":
        yield from _read_lines(source)
        return
    names: dict[str, JsonValue] = {}

    def read_item(item: JsonItem) -> Iterator[ImportItem]:
        if item.key in _NAMED:
            named = obj(item.value)
            names[text(named.get("id")) or ""] = named.get("name")
        elif item.key is None or item.key in WRAPPERS:
            yield _as_item(source, *_resolve_names(obj(item.value), names), item.size)

    yield from read_each(source, read_documents(source, "memories.json", "*.json"), read_item)


def _resolve_names(
    value: JsonObject, names: Mapping[str, JsonValue]
) -> tuple[JsonObject, str | None]:
    """Fill in the names of a memory's categories, and return the name of its application, too."""
    app = names.get(text(value.get("app_id")) or "")
    ids = value.get("category_ids")
    if not isinstance(ids, list):
        return value, text(app)
    categories = [names[one] for one in ids if isinstance(one, str) and one in names]
    return {**value, "categories": categories}, text(app)


def _read_lines(source: TranscriptSource) -> Iterator[ImportItem]:
    def read_line(record: Record) -> Iterator[ImportItem]:
        yield _as_item(source, record.value, text(record.value.get("app")), record.size)

    yield from read_each(source, source.records(), read_line)


def _as_item(source: TranscriptSource, value: JsonObject, app: str | None, size: int) -> ImportItem:
    if text(value.get("state")) in _GONE:
        return SkippedLine(source.lines)
    told = words(value.get("memory")) or words(value.get("content"))
    key = text(value.get("id"))
    if told is None or key is None:
        return UnusableLine(source.lines, "is no memory: it has no id, or no text")
    author = app or text(value.get("agent_id")) or text(value.get("actor_id"))
    created = read_time(value.get("created_at"), is_utc=True)
    changed = read_time(value.get("updated_at"), is_utc=True)
    memory = ForeignMemory(
        key=key,
        content=told,
        at=changed or created or file_time(source),
        created_at=created,
        kind=read_kind(_category(value)),
        author=author or text(value.get("user_id")),
    )
    return ForeignItem(source.lines, memory, size)


def _category(value: JsonObject) -> JsonValue:
    categories = value.get("categories")
    named = obj(value.get("metadata")).get("category")
    return categories[0] if isinstance(categories, list) and categories else named


def _read_database(source: TranscriptSource) -> Iterator[ImportItem]:
    try:
        with open_database(source.path) as database:
            tables = database.list_columns()
            name = "history" if "history" in tables else "openmemory"
            rows = database.read_rows("mem0", name)
            yield from read_each(source, source.count(rows), partial(_read_row, source))
    except ForeignDatabaseError as error:
        yield UnusableLine(None, str(error))


def _read_row(source: TranscriptSource, row: ForeignRow) -> Iterator[ImportItem]:
    yield _as_item(source, _row_fields(row), text(read_value(row, "app")), 0)


def _row_fields(row: ForeignRow) -> JsonObject:
    names = ("id", "content", "state", "created_at", "updated_at", "user_id", "actor_id")
    return {name: read_value(row, name) for name in names}


def _places() -> Iterator[Path]:
    yield home_folder(".mem0", "history.db")
    yield from downloads("memories_export_*.zip", "openmemory.db")


MEM0 = ImportSource(
    name="mem0",
    title="mem0/OpenMemory",
    client="mem0",
    patterns=("*.json", "memories*.zip", "openmemory.db", "history.db"),
    recognises=recognise,
    read=read,
    places=_places,
    unit="memory",
    note="what get_all gives as JSON, OpenMemory's export or database, ~/.mem0/history.db",
)
