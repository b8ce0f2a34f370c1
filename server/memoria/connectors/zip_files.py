"""Zips that nobody trusts: what they raise when they are damaged, and what of one may be read."""

import stat
import struct
import zipfile
import zlib
from collections.abc import Iterable
from io import BufferedReader
from pathlib import PureWindowsPath

from memoria.connectors.transcripts.source import ALWAYS_FINE, MOST_TIMES

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
"""All that `zipfile` raises over a file that is no zip, or no longer."""

_MOST_DIRECTORY_BYTES = 16 << 20
"""The longest table of contents that is read. It is held whole, at ten times its size."""
_HEADER_BYTES = 30
_ENCRYPTED = 1
_METHODS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})


class _Bounded:
    """A zip's file of which no more is read at once than a table of contents may have."""

    def __init__(self, file: BufferedReader) -> None:
        self._file = file
        self.seek, self.tell, self.close = file.seek, file.tell, file.close
        self.seekable = file.seekable

    def read(self, size: int = -1) -> bytes:
        """Read the next bytes; all that are left where that is not too much."""
        if size > _MOST_DIRECTORY_BYTES:
            raise zipfile.BadZipFile("its table of contents is far too long")
        return self._file.read(_MOST_DIRECTORY_BYTES if size < 0 else size)


def open_zip(file: BufferedReader) -> zipfile.ZipFile:
    """Open a zip to be read. What it raises is in `TORN`."""
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

    Args:
        archive: the zip.
        wanted: the entries that would be read.
        size: bytes of the zip's file. All entries together may unpack to a multiple of it.
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
    """Find the entries whose bytes are another's, too, or those of the table of contents."""
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
