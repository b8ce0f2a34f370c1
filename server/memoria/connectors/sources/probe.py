"""A look into a file, to tell which program wrote the file.

What is in a file decides, not what it is called: `conversations.json` is a name that several
programs give, and the official memory server keeps lines of JSON in a `memory.json`.
"""

from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import islice
from pathlib import Path

from pydantic import JsonValue

from memoria.connectors.sources.archives import (
    ExportDocument,
    is_damaged_zip,
    list_names,
    open_documents,
)
from memoria.connectors.sources.database import ForeignDatabaseError, is_database, list_tables
from memoria.connectors.sources.json_items import WRAPPERS, JsonItem, read_items
from memoria.connectors.transcripts.encoding import decode_head, find_utf_16
from memoria.connectors.transcripts.messages import obj, objects
from memoria.connectors.transcripts.source import JsonObject, open_file, read_head, split_values

_MOST_LINES = 50
_MOST_ITEMS = 200
_NAMED = 6
_HEAD_BYTES = 64 * 1024
_LOOK_BYTES = 4 * 1024 * 1024
_LINE_SUFFIXES = (".jsonl", ".ndjson", ".zst")
_JSON_SUFFIXES = (".json", *_LINE_SUFFIXES)
_TEXT_SUFFIXES = (".md", ".markdown", ".txt")
_DATA = (
    "conversations*.json",
    "memories.json",
    "memories/*.json",
    "projects.json",
    "projects/*.json",
    "design_chats/*.json",
)
"""Names of the documents in an archive that are worth a look."""


class Probe:
    """Facts on a file before the file is read. Each is looked up once, if at all."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.suffix = path.suffix.lower()

    @property
    def is_markdown(self) -> bool:
        """True if the file is a note in Markdown."""
        return self.suffix in _TEXT_SUFFIXES[:-1]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the files in a zip, without folders; none for any other file."""
        return list_names(self.path) if self.suffix == ".zip" else ()

    @cached_property
    def tables(self) -> dict[str, frozenset[str]]:
        """Columns of each table of an SQLite database; none for any other file."""
        return {} if isinstance(self._database, str) else self._database

    @cached_property
    def _database(self) -> dict[str, frozenset[str]] | str:
        """Columns of each table, or the reason why no table can be read."""
        if self.suffix in (*_JSON_SUFFIXES, *_TEXT_SUFFIXES) or not is_database(self.path):
            return ""
        try:
            return list_tables(self.path) or "has no plain table"
        except ForeignDatabaseError as error:
            return str(error)

    @cached_property
    def lines(self) -> tuple[JsonObject, ...]:
        """Objects in the first lines of a file that has an object in each line."""
        if self.suffix not in _JSON_SUFFIXES:
            return ()
        if self.suffix == ".json" and not self._has_objects_in_lines:
            return ()
        return tuple(islice(self._read_objects(), _MOST_LINES))

    @cached_property
    def items(self) -> tuple[JsonItem, ...]:
        """First items of a JSON document, or of the document in a zip that holds the data."""
        if self.suffix not in (".json", ".zip"):
            return ()
        return tuple(self._first_items(*_DATA))

    @cached_property
    def is_damaged(self) -> bool:
        """True if the file is a zip that was cut off."""
        return is_damaged_zip(self.path)

    @property
    def keys(self) -> frozenset[str]:
        """Keys of a document that is an object; none for a list."""
        return frozenset(item.key for item in self.items if item.key is not None)

    def records(self) -> list[JsonObject]:
        """List objects that may be items: the first of a document's lists, and the document itself.

        Which of them were written oddly is not known, so a program is to be known by any of them.
        """
        listed = [one.value for one in self.items if one.key is None or one.key in WRAPPERS]
        inner = [one for value in listed for one in _unwrap(value)]
        whole: JsonObject = {one.key: one.value for one in self.items if one.key is not None}
        return [*inner, *([whole] if whole else [])]

    @cached_property
    def head(self) -> str:
        """Beginning of the file's text."""
        try:
            with open_file(self.path) as file:
                return decode_head(file.read(_HEAD_BYTES))
        except OSError:
            return ""

    @property
    def description(self) -> str:
        """Description of the file for a person who has to name its format."""
        if self._database:
            says = f"with the tables {_name_some(self.tables)}"
            return f"a database {says if self.tables else f'that {self._database}'}"
        if self.names:
            return f"an archive with {_name_some(self.names)}"
        if self.lines:
            return f"lines of JSON with the fields {_name_some(self.lines[0])}"
        if self.items and self.keys:
            return f"a JSON object with the fields {_name_some(sorted(self.keys))}"
        if first := next(iter(self.records()), None):
            return f"a JSON list of objects with the fields {_name_some(first)}"
        return "nothing that could be read as JSON, a database or a text"

    @property
    def _has_objects_in_lines(self) -> bool:
        lines = [line for line in self.head.splitlines() if line.strip()]
        if self.head.lstrip().startswith("["):
            return False
        return any(split_objects(line) for line in lines[:_MOST_LINES])

    def _read_objects(self) -> Iterator[JsonObject]:
        """Yield the objects of the whole lines at the beginning of the file."""
        try:
            data = read_head(self.path, _LOOK_BYTES)
        except OSError:
            return
        if find_utf_16(data[: len(data) // 2 * 2]):
            data = decode_head(data).encode()
        for line in data.split(b"\n"):
            yield from split_objects(decode_head(line))

    def _first_items(self, *patterns: str) -> Iterator[JsonItem]:
        for document in open_documents(self.path, *patterns):
            if isinstance(document, ExportDocument):
                items = tuple(_take_some(read_items(document.stream)))
                yield from items
                if any(item.problem is None for item in items):
                    return  # otherwise it is empty or damaged, and the next one may tell


def _take_some(items: Iterator[JsonItem]) -> Iterator[JsonItem]:
    """Yield the first items, up to a number of bytes."""
    size = 0
    for item in islice(items, _MOST_ITEMS):
        yield item
        size += item.size
        if size > _LOOK_BYTES:
            return


def _unwrap(value: JsonValue) -> list[JsonObject]:
    """List an object, and the objects of the lists that it wraps."""
    wrapped = [obj(value).get(key) for key in WRAPPERS]
    return [*objects([value]), *(one for listed in wrapped for one in objects(listed))]


def split_objects(line: str) -> list[JsonObject]:
    """Split a line into its objects, mostly one; none for a line with a part that is no JSON."""
    try:
        return objects([value for _, value in split_values(line)])
    except (ValueError, RecursionError):
        return []


def _name_some(names: Iterable[str]) -> str:
    listed = list(names)
    return ", ".join(listed[:_NAMED]) + (" …" if len(listed) > _NAMED else "")


def is_binary(text: str) -> bool:
    """Check whether a text is none: it holds a NUL, or mostly control characters."""
    controls = sum(char < " " and char not in "\t\n\r\f" for char in text)
    return "\0" in text or 2 * controls > len(text)


def has_fields(value: JsonValue, *names: str) -> bool:
    """Check whether a value is an object that has all of these fields."""
    return isinstance(value, dict) and value.keys() >= set(names)
