"""Description of an import's source, and of what reading its files yields.

A source says which files are its own (`recognises`) and reads one of them (`read`) as items:

- a `TranscriptTurn` for each message of a conversation, with a `Turn` in it;
- a `ForeignItem` for each conclusion, note or fact, with a `ForeignMemory` in it;
- a `SkippedLine` for what holds no words to keep, so that it is counted;
- an `UnusableLine` for what can't be read. It is named in the report, and the import goes on.

A file may be imported again, grown or unchanged. What came in before is known by its ids alone: by
`session_id` and `message_id` of a turn, by `key` of a memory. They must come from the file, and
never from the time, the path or chance.

A reader is a generator and keeps one item at a time. Cleaning, redaction of secrets, folders that
are left out, batches and progress are the importer's.
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path

from memoria.connectors.sources.probe import Probe
from memoria.connectors.transcripts.base import (
    FileFormat,
    FoldersLeftOut,
    SkippedLine,
    TranscriptFormat,
    TranscriptItem,
    TranscriptPosition,
    TranscriptTurn,
    guard,
    is_left_out,
)
from memoria.connectors.transcripts.files import Transcript
from memoria.connectors.transcripts.source import TranscriptSource, UnusableLine
from memoria.model import Role
from memoria.model.conclusions import ForeignMemory


@dataclass(frozen=True, slots=True)
class ForeignItem:
    """A memory of another program, and its place in a file."""

    line: int
    """Line, row or number of the item in its file, counted from 1: what a report names."""
    memory: ForeignMemory
    size: int = 0
    """Bytes that the memory took up."""
    folder: str | None = None
    """Folder of the project that the memory belongs to, where that is known."""


ImportItem = TranscriptItem | ForeignItem


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportSource(FileFormat):
    """A program whose data can be imported. The command line's help follows from it.

    Needed are `name`, `title`, `client`, `patterns`, `recognises` and `read`. A package of your own
    offers the source as an entry point of the group `memoria.sources`.
    """

    title: str
    """Name that people use."""
    recognises: Callable[[Probe], bool]
    """Check by a file's content whether the file is its own. Files of all kinds are shown,
    so it must turn away whatever only looks alike."""
    read: Callable[[TranscriptSource], Iterator[ImportItem]]
    """Read one file, item by item. `source.records()` yields its JSON objects a line each, and
    `read_each` keeps what one of them raises from the others; `source.path` is the file."""
    find: Callable[[Sequence[Path]], Sequence[Transcript]] | None = None
    """Finder of what is read in some folders, or in the current one where none is named, where that
    is no file. Such a source is read where its name is given, and never by `--all`."""
    places: Callable[[], Iterator[Path]] = lambda: iter(())
    """Finder of files and folders that may hold the program's data on this machine."""
    unit: str = "line"
    """Unit in which items are numbered: lines, items, rows."""
    companions: frozenset[str] = frozenset()
    """Names of files that its program writes beside its data, with nothing to be remembered."""
    is_personal: bool = True
    """True if items belong to the person, and to no project unless an item names a folder."""

    def list_places(self) -> list[Path]:
        """List the places of its data on this machine."""
        own = [self.folder.path] if self.folder else []
        return [place for place in (*own, *self.places()) if place.exists()]

    @classmethod
    def of_transcripts(
        cls, form: TranscriptFormat, title: str, recognises: Callable[[Probe], bool]
    ) -> "ImportSource":
        """Make the source of a format of transcripts, which hooks read as well."""
        shared = {one.name: getattr(form, one.name) for one in fields(FileFormat)}
        return cls(title=title, recognises=recognises, read=form.read, is_personal=False, **shared)


Reader = Callable[[TranscriptSource], Iterator[ImportItem]]
_ID_CHARS = 32


def read_file(
    source: TranscriptSource, read: Reader, folders: FoldersLeftOut
) -> Iterator[ImportItem]:
    """Yield the items of a file, without our own tools' calls and turns in folders left out.

    Args:
        source: the file.
        read: the reader of its format. What it raises outside of an item ends this file alone.
        folders: those of which nothing is kept.
    """
    for item in guard(None, read, source):
        yield from guard(item.line, partial(_leave_out, folders=folders), item)


def _leave_out(item: ImportItem, folders: FoldersLeftOut) -> list[ImportItem]:
    match item:
        case TranscriptTurn() if is_left_out(item, folders):
            return [SkippedLine(item.line)]
        case ForeignItem() if item.folder in folders:
            return [SkippedLine(item.line)]
        case _:
            return [item]


def as_note(item: ForeignItem, client: str) -> TranscriptTurn | UnusableLine:
    """Return a memory that is too long for one as a turn, to be read like any other."""
    given = item.memory
    own_id = hashlib.sha256(given.key.encode("utf-8", "surrogatepass")).hexdigest()[:_ID_CHARS]
    place = TranscriptPosition(
        item.line, item.size, f"{client} notes", own_id, given.at, item.folder
    )
    return place.turn(Role.ASSISTANT, content=given.content, speaker=given.author)
