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
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from memoria.connectors.sources.probe import Probe
from memoria.connectors.transcripts.base import (
    DefaultFolder,
    FoldersLeftOut,
    SkippedLine,
    TranscriptFormat,
    TranscriptItem,
    TranscriptPosition,
    TranscriptTurn,
    guard,
    is_left_out,
)
from memoria.connectors.transcripts.source import TranscriptSource, UnusableLine
from memoria.model import Role
from memoria.model.conclusions import ForeignMemory


@dataclass(frozen=True, slots=True)
class ForeignItem:
    """A memory of another program, and where it stands there."""

    line: int
    """Line, row or number of the item in its file, counted from 1: what a report names."""
    memory: ForeignMemory
    size: int = 0
    """Bytes that it took up."""
    folder: str | None = None
    """The folder of the project that it belongs to, where that is known."""


ImportItem = TranscriptItem | ForeignItem


def no_places() -> Iterator[Path]:
    """Yield nothing: the source keeps nothing on this machine by itself."""
    yield from ()


@dataclass(frozen=True, slots=True)
class ImportSource:
    """A program whose data can be imported. The command line's help follows from it.

    Only the first six fields are needed. A package of your own offers it as an entry point of the
    group `memoria.sources`.
    """

    name: str
    """Name for `--format`: lower case, with hyphens."""
    title: str
    """Name that people use."""
    client: str
    """The source of its sessions, and the author of its memories. Keep it for ever: what was
    imported before is known by it."""
    patterns: tuple[str, ...]
    """Names of its files, as globs: `("*.jsonl",)`. Where two are one transcript written twice, the
    first pattern wins."""
    recognises: Callable[[Probe], bool]
    """Check whether a file is one of its own, by what is in it. It is asked of files of all kinds,
    so it must turn away whatever only looks alike."""
    read: Callable[[TranscriptSource], Iterator[ImportItem]]
    """Read one file, item by item. `source.records()` yields its JSON objects a line each, and
    `read_each` keeps what one of them raises from the others; `source.path` is the file."""
    places: Callable[[], Iterator[Path]] = no_places
    """Files and folders that may hold something of it on this machine, if they exist."""
    folder: DefaultFolder | None = None
    """The one place, where a variable of the environment moves it."""
    note: str = ""
    """Advice in the help for a user who has to choose."""
    unit: str = "line"
    """Unit in which items are numbered: lines, items, rows."""
    documents: frozenset[str] = frozenset()
    """Suffixes of files that are one JSON document, not a line each."""
    excluded_folders: frozenset[str] = frozenset()
    """Names of folders that hold something else."""
    companions: frozenset[str] = frozenset()
    """Names of files that its program writes beside its data, with nothing to be remembered."""
    is_personal: bool = True
    """True if what it has belongs to the person, and to no project unless it names a folder."""

    @property
    def summary(self) -> str:
        """The files it reads and where they lie, as the help says."""
        where = f" in {self.folder}" if self.folder else ""
        return f"{self.name}: {', '.join(self.patterns)}{where}{self.note and '; '}{self.note}"

    def list_places(self) -> list[Path]:
        """List the places of its data on this machine."""
        own = [self.folder.path] if self.folder else []
        return [place for place in (*own, *self.places()) if place.exists()]

    @classmethod
    def of_transcripts(
        cls, form: TranscriptFormat, title: str, recognises: Callable[[Probe], bool]
    ) -> "ImportSource":
        """Make the source of a format of transcripts, which hooks read as well."""
        return cls(
            name=form.name,
            title=title,
            client=form.client,
            patterns=form.patterns,
            recognises=recognises,
            read=form.read,
            folder=form.folder,
            note=form.note,
            documents=form.documents,
            excluded_folders=form.excluded_folders,
            is_personal=False,
        )


Reader = Callable[[TranscriptSource], Iterator[ImportItem]]
_ID_CHARS = 32


def read_file(
    source: TranscriptSource, read: Reader, folders: FoldersLeftOut
) -> Iterator[ImportItem]:
    """Yield the items of a file, without our own tools' calls and what folders leave out.

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
    """Turn what is too long for a memory into a turn, from which nobody has yet concluded."""
    given = item.memory
    own_id = hashlib.sha256(given.key.encode("utf-8", "surrogatepass")).hexdigest()[:_ID_CHARS]
    place = TranscriptPosition(
        item.line, item.size, f"{client} notes", own_id, given.at, item.folder
    )
    return place.turn(Role.ASSISTANT, content=given.content, speaker=given.author)
