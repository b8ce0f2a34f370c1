"""Documents of an export: a file by itself, or some of the files in a zip, read as streams.

Nothing is ever unpacked to the disk. Names in an archive are looked at and never followed; one that
leads out of the archive, needs a password, or unpacks to what no text unpacks to is refused.
"""

import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath
from typing import IO

from memoria.admin.imports.json_items import ByteStream, JsonItem, read_items
from memoria.admin.transcripts.source import TranscriptSource, UnusableLine, open_file

_MOST_TIMES = 200
"""How many times larger than its packed form a text may be. Conversations are some ten times."""
_ALWAYS_FINE = 64 * 1024 * 1024
_ENCRYPTED = 1
_BEGINNING = b"PK\x03\x04"
DAMAGED = "is a damaged zip. Download it again, and import that."


@dataclass(frozen=True, slots=True)
class ExportDocument:
    """One document of an export, open."""

    name: str
    """Its name, without folders."""
    stream: ByteStream
    progress: Callable[[], int]
    """How many bytes of the export's file are read."""


def open_documents(path: Path, *patterns: str) -> Iterator[ExportDocument | UnusableLine]:
    """The documents of an export that have one of these names; the file itself if it is no zip.

    Each is closed when the next one is asked for.

    Args:
        path: the file.
        patterns: names, with the folder that a file lies in or without folders. A file that is
            no zip is taken whatever its name.
    """
    try:
        if is_damaged_zip(path):
            yield UnusableLine(None, DAMAGED)
            return
        if not zipfile.is_zipfile(path):
            yield from _open_plain(path)
            return
        with open_file(path) as raw, zipfile.ZipFile(raw) as archive:
            for entry in sorted(archive.infolist(), key=lambda one: one.filename):
                place = PurePosixPath(entry.filename)
                if any(_has_name(place, pattern) for pattern in patterns):
                    yield from _open_entry(archive, entry, place.name, raw)
    except OSError as error:
        yield UnusableLine(None, f"can't be read: {error.strerror or error}")
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        yield UnusableLine(None, f"{DAMAGED} ({error})")


def read_documents(
    source: TranscriptSource, *patterns: str, are_records: bool = False
) -> Iterator[JsonItem | UnusableLine]:
    """The items of an export's JSON documents, one after the other; the source counts them.

    Args:
        source: the export.
        patterns: names of the documents; see `open_documents`.
        are_records: a document that is an object is one item.
    """
    for document in open_documents(source.path, *patterns):
        if isinstance(document, UnusableLine):
            yield document
            continue
        for item in read_items(document.stream, is_record=are_records):
            source.lines += 1
            source.position = document.progress()
            if item.problem is None:
                yield item
            else:
                yield UnusableLine(source.lines, f"{_place(document)}{item.problem}")


def _has_name(place: PurePosixPath, pattern: str) -> bool:
    parts = pattern.count("/") + 1
    return fnmatch("/".join(place.parts[-parts:]), pattern)


def _place(document: ExportDocument) -> str:
    return f"of {document.name} "


def is_damaged_zip(path: Path) -> bool:
    """Whether a file begins as a zip and does not end as one: its table of contents is the end."""
    try:
        with open_file(path) as file:
            begins = file.read(len(_BEGINNING)) == _BEGINNING
        return begins and not zipfile.is_zipfile(path)
    except OSError:
        return False


def list_names(path: Path) -> tuple[str, ...]:
    """The names of the files in a zip, without folders; none of what is no zip."""
    try:
        with zipfile.ZipFile(path) as archive:
            return tuple(PurePosixPath(name).name for name in archive.namelist())
    except (OSError, zipfile.BadZipFile):
        return ()


def _open_plain(path: Path) -> Iterator[ExportDocument]:
    with open_file(path) as raw:
        yield ExportDocument(path.name, raw, raw.tell)


def _open_entry(
    archive: zipfile.ZipFile, entry: zipfile.ZipInfo, name: str, raw: IO[bytes]
) -> Iterator[ExportDocument | UnusableLine]:
    refusal = _find_refusal(entry)
    if refusal is not None:
        yield UnusableLine(None, f"holds {name}, which {refusal}")
        return
    with archive.open(entry) as stream:
        yield ExportDocument(name, stream, raw.tell)


def _find_refusal(entry: zipfile.ZipInfo) -> str | None:
    path = PurePosixPath(entry.filename.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or ":" in path.parts[0]:
        return "has a path that leads out of the archive: it was not read"
    if entry.flag_bits & _ENCRYPTED:
        return "needs a password: unpack it and import the file"
    if entry.file_size > max(_ALWAYS_FINE, _MOST_TIMES * entry.compress_size):
        return f"would unpack to {entry.file_size:,} bytes, as no conversation does"
    return None
