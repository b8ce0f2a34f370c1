"""Documents of an export: a file by itself, or some of the files in a zip, read as streams.

Nothing is ever unpacked to the disk. Nobody trusts a zip: names in an archive are looked at and
never followed, damaged or refused files are named, and the others are read.
"""

import os
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from io import BufferedReader
from pathlib import Path, PurePosixPath, PureWindowsPath

from memoria.connectors.sources.json_items import ByteStream, JsonItem, read_items
from memoria.connectors.transcripts.source import (
    ALWAYS_FINE,
    MOST_TIMES,
    TranscriptSource,
    UnusableLine,
    open_file,
)

TORN = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    KeyError,
    NotImplementedError,
    OverflowError,
    RuntimeError,
    ValueError,
)
"""Errors that `zipfile` raises over a file that is no zip or a damaged one."""
_MOST_DIRECTORY_BYTES = 16 << 20
"""Longest table of contents that is read. In memory it takes ten times as much."""
_HEADER_BYTES = 30
_ENCRYPTED = 1
_METHODS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})


class _Bounded:
    """File of a zip, read by at most as many bytes at once as a table of contents may have."""

    def __init__(self, file: BufferedReader) -> None:
        self._file = file
        self.seek, self.tell, self.close = file.seek, file.tell, file.close
        self.seekable = file.seekable

    def read(self, size: int = -1) -> bytes:
        """Read the next bytes; without a size, as many as a table of contents may have."""
        if size > _MOST_DIRECTORY_BYTES:
            raise zipfile.BadZipFile("its table of contents is far too long")
        return self._file.read(_MOST_DIRECTORY_BYTES if size < 0 else size)


def open_zip(file: BufferedReader) -> zipfile.ZipFile:
    """Open a zip for reading. All errors that a damaged zip raises are in `TORN`."""
    return zipfile.ZipFile(_Bounded(file))


def is_zip(file: BufferedReader) -> bool:
    """Check whether a file ends as a zip does: with its table of contents."""
    try:
        return zipfile.is_zipfile(_Bounded(file))
    except TORN:
        return False


def find_refusals(
    archive: zipfile.ZipFile, wanted: Iterable[zipfile.ZipInfo], size: int
) -> dict[zipfile.ZipInfo, str]:
    """Map the entries that must not be read to the reason.

    All wanted entries together may unpack to a multiple of `size`, the bytes of the zip's file.
    """
    overlapping = _find_overlapping(archive)
    last = {entry.filename: entry for entry in archive.infolist()}
    left = ALWAYS_FINE + MOST_TIMES * size
    refusals = dict[zipfile.ZipInfo, str]()
    for entry in wanted:
        reason = _find_refusal(entry)
        if entry in overlapping:
            reason = "shares its bytes with another file of the archive: it was not read"
        elif last[entry.filename] is not entry:
            reason = "is there again under the same name: the last one counts"
        elif reason is None and entry.file_size > left:
            reason = "would unpack to more, together with the others, than any conversations do"
        if reason is None:
            left -= entry.file_size
        else:
            refusals[entry] = reason
    return refusals


def _find_refusal(entry: zipfile.ZipInfo) -> str | None:
    path = PureWindowsPath(entry.filename)  # it knows slashes, backslashes and drives
    if path.anchor or ".." in path.parts:
        return "has a path that leads out of the archive: it was not read"
    if stat.S_IFMT(entry.external_attr >> 16) not in (0, stat.S_IFREG):
        return "is no regular file: it was not read"
    if entry.flag_bits & _ENCRYPTED:
        return "needs a password: unpack it and import the file"
    if entry.compress_type not in _METHODS:
        return "is packed in a way that is not read: unpack it and import the file"
    if entry.file_size > max(ALWAYS_FINE, MOST_TIMES * entry.compress_size):
        return f"would unpack to {entry.file_size:,} bytes, as no conversation does"
    return None


def _find_overlapping(archive: zipfile.ZipFile) -> set[zipfile.ZipInfo]:
    """Find the entries that share bytes with another entry or with the table of contents."""
    overlapping, reached, before = set[zipfile.ZipInfo](), 0, None
    for entry in sorted(archive.infolist(), key=lambda one: one.header_offset):
        if before is not None and entry.header_offset < reached:
            overlapping |= {before, entry}
        end = entry.header_offset + _HEADER_BYTES + entry.compress_size
        if end > archive.start_dir:
            overlapping.add(entry)
        if end > reached:
            reached, before = end, entry
    return overlapping


_BEGINNING = b"PK\x03\x04"
DAMAGED = "is a damaged zip. Download it again, and import that."


class DocumentStream:
    """Bytes of a document. A stream that can't be read on ends, and `problem` says why."""

    def __init__(self, stream: ByteStream) -> None:
        self._stream = stream
        self.problem: str | None = None
        """Reason why the stream ended too early."""

    def read(self, size: int, /) -> bytes:
        """Read the next bytes, at most `size`; none at the end."""
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
    """Name of the document, without folders."""
    stream: DocumentStream
    progress: Callable[[], int]
    """Counter of bytes of the export's file that are read."""


def open_documents(path: Path, *patterns: str) -> Iterator[ExportDocument | UnusableLine]:
    """Yield an export's documents that have one of the names; a file that is no zip, itself.

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
    """Yield the items of an export's JSON documents, counted by the source.

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
                yield UnusableLine(source.lines, f"of {document.name} {item.problem}")
    if is_empty:
        advice = "If it holds another archive, unpack it, and import that."
        yield UnusableLine(None, f"holds none of {', '.join(patterns)}. {advice}")


def _has_name(place: PurePosixPath, pattern: str) -> bool:
    parts = pattern.count("/") + 1
    return fnmatch("/".join(place.parts[-parts:]), pattern)


def is_damaged_zip(path: Path) -> bool:
    """Check whether a file begins as a zip and ends without a table of contents."""
    try:
        with open_file(path) as file:
            return file.read(len(_BEGINNING)) == _BEGINNING and not is_zip(file)
    except OSError:
        return False


def list_names(path: Path) -> tuple[str, ...]:
    """List the names of the files in a zip, without folders; none for any other file."""
    try:
        with open_file(path) as raw, open_zip(raw) as archive:
            return tuple(PurePosixPath(name).name for name in archive.namelist())
    except (OSError, *TORN):
        return ()


def _open_entries(raw: BufferedReader, *patterns: str) -> Iterator[ExportDocument | UnusableLine]:
    """Yield the entries of a zip that have one of the names, sorted."""
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
