"""`memories.json`, the file of an older agent: a list of memories with types and priorities.

What has expired by its own reckoning is left out; of a priority without an end, the end follows
from when the memory was written.
"""

from collections.abc import Iterator

from memoria.connectors.sources.archives import read_documents
from memoria.connectors.sources.common import file_time, read_kind, read_share, read_time
from memoria.connectors.sources.interface import ForeignItem, ImportItem, ImportSource
from memoria.connectors.sources.json_items import JsonItem
from memoria.connectors.sources.probe import Probe, has_fields
from memoria.connectors.transcripts.base import SkippedLine, read_each
from memoria.connectors.transcripts.messages import obj, text, words
from memoria.connectors.transcripts.source import JsonObject, TranscriptSource, UnusableLine
from memoria.model import DAY_MS, now_millis
from memoria.model.conclusions import ForeignMemory

_DAYS = {"transient": 1, "short_term": 3, "long_term": 30}
_TELLING = ("priority", "importance_score", "importance", "expires_at")


def recognise(probe: Probe) -> bool:
    """Check whether it is a list of memories with types, and with priorities or importance."""
    return any(
        has_fields(one, "type", "content") and any(name in one for name in _TELLING)
        for one in probe.records()
    )


def read(source: TranscriptSource) -> Iterator[ImportItem]:
    """Yield a memory for each of the list."""

    def read_item(item: JsonItem) -> Iterator[ImportItem]:
        yield _as_item(source, obj(item.value), item.size)

    documents = read_documents(source, "memories.json", are_records=True)
    yield from read_each(source, documents, read_item)


def _as_item(source: TranscriptSource, value: JsonObject, size: int) -> ImportItem:
    told = words(value.get("content"))
    if told is None:
        return UnusableLine(source.lines, "is no memory: it has no content")
    created = read_time(value.get("created_at") or value.get("created"))
    changed = read_time(value.get("updated_at") or value.get("updated"))
    at = changed or created or file_time(source)
    expires_at = read_time(value.get("expires_at")) or _end_of(value, at)
    if expires_at is not None and expires_at <= now_millis():
        return SkippedLine(source.lines)
    importance = value.get("importance_score", value.get("importance"))
    memory = ForeignMemory(
        key=text(value.get("id")) or told,
        content=told,
        at=at,
        created_at=created,
        kind=read_kind(value.get("type")),
        author=text(value.get("source")),
        subject=text(value.get("subject")),
        importance=read_share(importance),
        expires_at=expires_at,
    )
    return ForeignItem(source.lines, memory, size)


def _end_of(value: JsonObject, at: int) -> int | None:
    days = _DAYS.get((text(value.get("priority")) or "").lower())
    return None if days is None else at + days * DAY_MS


MEMORIES_JSON = ImportSource(
    name="memories-json",
    title="memories.json",
    client="memories.json",
    patterns=("memories.json",),
    recognises=recognise,
    read=read,
    unit="memory",
    note="a list of memories with type, content, priority or importance",
)
