"""The official memory server: a file with an entity or a relation in each line.

Clients and copies of it write the same as one document: a list of both, or an object of two lists.

An observation is a memory about its entity, a relation one about both. The file has no times, so
all of it is as old as the file at the least. `default_user` is whom the memory belongs to.
"""

from collections.abc import Iterator
from pathlib import Path

from memoria.connectors.sources.archives import read_documents
from memoria.connectors.sources.common import (
    as_mention,
    file_time,
    home_folder,
    list_named,
    read_entity_kind,
    read_time,
)
from memoria.connectors.sources.interface import ForeignItem, ImportItem, ImportSource
from memoria.connectors.sources.probe import Probe, has_fields
from memoria.connectors.transcripts.base import SkippedLine, read_each
from memoria.connectors.transcripts.messages import obj, text, words
from memoria.connectors.transcripts.source import JsonObject, Record, TranscriptSource, UnusableLine
from memoria.language.names.keys import USER
from memoria.model import MemoryType
from memoria.model.conclusions import ForeignMemory
from memoria.model.operation import EntityKind

_LISTS = ("entities", "relations")
_USERS = frozenset({"default_user", "user", "the_user", "用户"})


def recognise(probe: Probe) -> bool:
    """Check whether a file has entities and relations, in lines or in a document."""
    return any(map(_is_own, (*probe.lines, *probe.records())))


def _is_own(value: JsonObject) -> bool:
    return _is_item(value) or has_fields(value, *_LISTS)


def _is_item(value: JsonObject) -> bool:
    is_entity = has_fields(value, "name", "entityType", "observations")
    return is_entity or has_fields(value, "from", "to", "relationType")


def read(source: TranscriptSource) -> Iterator[ImportItem]:
    """Yield a memory for each observation and each relation."""
    kinds: dict[str, EntityKind] = {}
    written_at = file_time(source)

    def read_record(record: Record) -> Iterator[ImportItem]:
        if has_fields(record.value, "from", "to", "relationType"):
            yield _read_relation(record, kinds, written_at)
        elif has_fields(record.value, "name", "observations"):
            yield from _read_entity(record, kinds, written_at)
        else:
            yield UnusableLine(record.line, "is neither an entity nor a relation")

    yield from read_each(source, _list_records(source), read_record)


def _list_records(source: TranscriptSource) -> Iterator[Record | UnusableLine]:
    """Yield the entities and relations, from lines or from items of a document."""
    if source.path.suffix != ".json" or any(map(_is_item, Probe(source.path).lines)):
        yield from source.records()
        return
    for item in read_documents(source, are_records=True):
        if isinstance(item, UnusableLine):
            yield item
        elif isinstance(item.value, dict):
            yield Record(source.lines, 0, item.size, item.value)
        else:
            yield UnusableLine(source.lines, "is neither an entity nor a relation")


def _read_entity(
    record: Record, kinds: dict[str, EntityKind], written_at: int
) -> Iterator[ImportItem]:
    name = text(record.value.get("name"))
    mention = as_mention(name, read_entity_kind(record.value.get("entityType"))) if name else None
    observations = record.value.get("observations")
    if name is None or mention is None or not isinstance(observations, list):
        yield UnusableLine(record.line, "is an entity without a name or a list of observations")
        return
    kinds[name] = mention.kind
    if not observations:
        yield SkippedLine(record.line)
    is_user = name.lower() in _USERS
    for observation in observations:
        told = text(observation) or words(obj(observation).get("content"))
        if told is None:
            yield UnusableLine(record.line, f"has an observation of {name} that is no text")
            continue
        said_at = read_time(obj(observation).get("createdAt"))
        memory = ForeignMemory(
            key=f"{name}\0{told}",
            content=_name_subject("User" if is_user else mention.name, told),
            at=said_at or written_at,
            created_at=said_at,
            subject=USER if is_user else mention.name,
            mentions=() if is_user else (mention,),
        )
        yield ForeignItem(record.line, memory, record.size // len(observations))


def _read_relation(record: Record, kinds: dict[str, EntityKind], written_at: int) -> ImportItem:
    ends = [text(record.value.get(name)) or "" for name in ("from", "to")]
    kind = text(record.value.get("relationType"))
    mentions = [as_mention(name, kinds.get(name, "other")) for name in ends]
    first, second = mentions
    if kind is None or first is None or second is None:
        return UnusableLine(record.line, "is a relation without both names and a type")
    of_people = all(kinds.get(name) == "person" for name in ends)
    is_user = ends[0].lower() in _USERS
    names = [
        "User" if name.lower() in _USERS else one.name
        for name, one in zip(ends, (first, second), strict=True)
    ]
    memory = ForeignMemory(
        key="\0".join((*ends, kind)),
        content=f"{names[0]} {kind.replace('_', ' ')} {names[1]}",
        at=written_at,
        kind=MemoryType.RELATIONSHIP if of_people else MemoryType.FACT,
        subject=USER if is_user else first.name,
        mentions=tuple(
            one
            for name, one in zip(ends, (first, second), strict=True)
            if name.lower() not in _USERS
        ),
    )
    return ForeignItem(record.line, memory, record.size)


def _name_subject(name: str, told: str) -> str:
    return told if name.lower() in told.lower() else f"{name}: {told}"


def _places() -> Iterator[Path]:
    yield from list_named("MEMORY_FILE_PATH")
    below = "*/node_modules/@modelcontextprotocol/server-memory/dist"
    for folder in sorted(home_folder(".npm", "_npx").glob(below)):
        yield from (folder / "memory.jsonl", folder / "memory.json")


SERVER_MEMORY = ImportSource(
    name="server-memory",
    title="Memory server (official)",
    client="server-memory",
    patterns=("memory*.jsonl", "memory*.json"),
    recognises=recognise,
    read=read,
    places=_places,
    note="entities, observations and relations; on this machine $MEMORY_FILE_PATH",
)
