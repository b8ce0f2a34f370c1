"""Documents of an export: a file by itself, or some of the files in a zip, read as streams.

Nothing is ever unpacked to the disk. Names in an archive are looked at and never followed. What is
damaged or refused is named, and the rest is read.
"""

import os
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from io import BufferedReader
from pathlib import Path, PurePosixPath

from memoria.connectors.sources.json_items import ByteStream, JsonItem, read_items
from memoria.connectors.transcripts.source import TranscriptSource, UnusableLine, open_file
from memoria.connectors.zip_files import TORN, find_refusals, is_zip, open_zip

_BEGINNING = b"PK\x03\x04"
DAMAGED = "is a damaged zip. Download it again, and import that."


class DocumentStream:
    """The bytes of a document; where they can't be read on, it ends, and says why."""

    def __init__(self, stream: ByteStream) -> None:
        self._stream = stream
        self.problem: str | None = None
        """Reason why it ended too early."""

    def read(self, size: int, /) -> bytes:
        """Read the next bytes, at most so many; none at the end."""
        try:
            return self._stream.read(size)
        except OSError as error:
            self.problem = f"can't be read on: {error.strerror or error}"
        except TORN as error:
            self.problem = f"is damaged: {error}"
        return b""


@dataclass(frozen=True, slots=True)
class ExportDocument:
    """One document of an export, open."""

    name: str
    """Its name, without folders."""
    stream: DocumentStream
    progress: Callable[[], int]
    """Counter of bytes of the export's file that are read."""


def open_documents(path: Path, *patterns: str) -> Iterator[ExportDocument | UnusableLine]:
    """Yield an export's documents of these names; the file itself if it is no zip.

    Each is closed when the next one is asked for; if it was damaged, that is said then.

    Args:
        path: the file.
        patterns: names, with the folder that a file lies in or without folders. A file that is
            no zip is taken whatever its name.
    """
    try:
        with open_file(path) as raw:
            begins = raw.read(len(_BEGINNING)) == _BEGINNING
            if is_zip(raw):
                yield from _open_entries(raw, *patterns)
            elif begins:
                yield UnusableLine(None, DAMAGED)
            else:
                raw.seek(0)
                yield from _open_document(path.name, raw, raw, "")
    except OSError as error:
        yield UnusableLine(None, f"can't be read: {error.strerror or error}")
    except TORN as error:
        yield UnusableLine(None, f"{DAMAGED} ({error})")


def read_documents(
    source: TranscriptSource, *patterns: str, are_records: bool = False
) -> Iterator[JsonItem | UnusableLine]:
    """Yield the items of an export's JSON documents, in turn; the source counts them.

    Args:
        source: the export.
        patterns: names of the documents; see `open_documents`.
        are_records: a document that is an object is one item.
    """
    is_empty = True
    for document in open_documents(source.path, *patterns):
        is_empty = False
        if isinstance(document, UnusableLine):
            yield document
            continue
        for item in read_items(document.stream, is_record=are_records):
            source.lines += 1
            source.position = document.progress()
            source.encodings.update(filter(None, [item.encoding]))
            if item.problem is None:
                yield item
            elif document.stream.problem is None:
                yield UnusableLine(source.lines, f"{_place(document)}{item.problem}")
    if is_empty:
        yield UnusableLine(None, f"holds none of {', '.join(patterns)}. {_ADVICE}")


_ADVICE = "If it holds another archive, unpack it, and import that."


def _has_name(place: PurePosixPath, pattern: str) -> bool:
    parts = pattern.count("/") + 1
    return fnmatch("/".join(place.parts[-parts:]), pattern)


def _place(document: ExportDocument) -> str:
    return f"of {document.name} "


def is_damaged_zip(path: Path) -> bool:
    """Check whether a file begins as a zip and lacks the table of contents that ends one."""
    try:
        with open_file(path) as file:
            return file.read(len(_BEGINNING)) == _BEGINNING and not is_zip(file)
    except OSError:
        return False


def list_names(path: Path) -> tuple[str, ...]:
    """List the names of the files in a zip, without folders; none of what is no zip."""
    try:
        with open_file(path) as raw, open_zip(raw) as archive:
            return tuple(PurePosixPath(name).name for name in archive.namelist())
    except (OSError, *TORN):
        return ()


def _open_entries(raw: BufferedReader, *patterns: str) -> Iterator[ExportDocument | UnusableLine]:
    """Yield the entries of a zip that have one of these names, by name."""
    with open_zip(raw) as archive:
        places = {entry: PurePosixPath(entry.filename) for entry in archive.infolist()}
        wanted = [
            entry
            for entry in sorted(places, key=lambda one: one.filename)
            if any(_has_name(places[entry], pattern) for pattern in patterns)
        ]
        refusals = find_refusals(archive, wanted, os.fstat(raw.fileno()).st_size)
        for entry in wanted:
            name = places[entry].name
            if entry in refusals:
                yield UnusableLine(None, f"holds {name}, which {refusals[entry]}")
            else:
                yield from _open_entry(archive, entry, name, raw)


def _open_entry(
    archive: zipfile.ZipFile, entry: zipfile.ZipInfo, name: str, raw: BufferedReader
) -> Iterator[ExportDocument | UnusableLine]:
    try:
        stream = archive.open(entry)
    except TORN as error:
        yield UnusableLine(None, f"holds {name}, which is damaged: {error}")
        return
    with stream:
        yield from _open_document(name, stream, raw, f"holds {name}, which ")


def _open_document(
    name: str, stream: ByteStream, raw: BufferedReader, named: str
) -> Iterator[ExportDocument | UnusableLine]:
    document = ExportDocument(name, DocumentStream(stream), raw.tell)
    yield document
    if document.stream.problem is not None:
        yield UnusableLine(None, f"{named}{document.stream.problem}")
