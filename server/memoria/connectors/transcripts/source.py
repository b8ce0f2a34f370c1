"""File of a transcript, read as JSON objects, one or more a line.

Memory is bounded: one line is held at a time, and a line longer than the limit is passed over
without being held at all. A file that is one JSON document counts as one line.
"""

import errno
import json
import os
import re
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedIOBase, BufferedReader, BytesIO
from math import inf
from pathlib import Path
from typing import TypeVar

from pydantic import JsonValue

from memoria.connectors.transcripts.encoding import (
    UnknownEncodingError,
    decode_line,
    decode_text,
    find_utf_16,
)

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

JsonObject = dict[str, JsonValue]
_ItemT = TypeVar("_ItemT")
MAX_LINE_BYTES = 32 * 1024 * 1024
"""Bytes. Lines carry pictures and whole files that are not kept, so this is well above the
largest turn; parsed, such a line takes some ten times as much."""
MOST_TIMES = 200
"""Largest ratio of a text to its packed form; that of conversations is about ten."""
ALWAYS_FINE = 64 * 1024 * 1024
"""Bytes that anything may unpack to."""
_SKIP_BLOCK_BYTES = 1024 * 1024
_SNIFFED_BYTES = 4_096
_DECODER = json.JSONDecoder()
_BETWEEN = re.compile(r"[\s,]*+")
"""Separators that may stand between two values of a line."""


@dataclass(frozen=True, slots=True)
class UnusableLine:
    """A line that can't be used; the whole file, where `line` is None."""

    line: int | None
    problem: str


@dataclass(frozen=True, slots=True)
class Record:
    """A JSON object of a line. A line may have several, as some programs lose a line's end."""

    line: int
    offset: int
    size: int
    value: JsonObject
    part: int = 0
    """Number of objects that come before it in the line."""

    @property
    def own_id(self) -> str:
        """Id for an object without one: the line's number, and the number of objects before it."""
        return f"line-{self.line}" + (f".{self.part}" if self.part else "")


class TranscriptSource:
    """A transcript's file, read line by line."""

    def __init__(self, path: Path, session: str, *, is_document: bool = False) -> None:
        """Prepare to read a file.

        Args:
            path: the file; one that ends in `.zst` is decompressed on the way.
            session: the session of lines that name none.
            is_document: the file is one JSON document, not a line each.
        """
        self.path = path
        self.session = session
        self.lines = 0
        """Lines seen so far that were not blank."""
        self.position = 0
        """Number of the file's bytes that have been worked through."""
        self.offset = 0
        """Start of the first line that `records_after` has not given."""
        self.number = 0
        """Number of lines before that one."""
        self.encodings: set[str] = set()
        """Encodings other than UTF-8 that the file was read as."""
        self._is_document = is_document

    def count(self, items: Iterable[_ItemT]) -> Iterator[_ItemT]:
        """Yield the items of a file that has no lines, and count each item as a line."""
        for item in items:
            self.lines += 1
            yield item

    def records(self, *, ahead: bool = False) -> Iterator[Record | UnusableLine]:
        """Yield every line that is not blank, in order.

        Args:
            ahead: this is a look ahead, and the work itself is still to come.
        """
        with self._name_fault() as faults, self._open() as (file, bytes_read):
            for record in self._records(file, self._most_bytes()):
                self.position = 0 if ahead else bytes_read()
                yield record
        yield from faults

    def records_at(self, places: Iterable[tuple[int, int]]) -> Iterator[Record | UnusableLine]:
        """Yield the lines at (offset, line number) pairs that a former run of `records` gave."""
        last: tuple[int, Record | UnusableLine] | None = None
        with self._name_fault() as faults, self._open() as (file, _):
            for offset, number in places:
                if last is None or last[0] != offset:
                    file.seek(offset)
                    last = offset, next(self._parse(number, offset, self._next(file)))
                    self.position = max(self.position, file.tell())
                yield last[1]
        yield from faults

    def records_after(self, offset: int, number: int, ends: int) -> Iterator[Record | UnusableLine]:
        """Yield whole lines, from the one that begins at `offset` to the first beyond `ends`.

        A last line that is still being written is left for the next time. What was read is in
        `offset` and `number` of the source after each line.

        Raises:
            OSError: the file can't be read.
        """
        self.offset, self.number = offset, number
        with open_file(self.path) as file:
            file.seek(offset)
            while self.offset < ends and (data := file.readline(MAX_LINE_BYTES + 1)):
                begun, size = self.offset, len(data)
                if size > MAX_LINE_BYTES and not data.endswith(b"\n"):
                    size += self._skip_line(file, data)
                    file.seek(begun + size - 1)
                    data = data if file.read(1) == b"\n" else b""
                elif not data.endswith(b"\n"):
                    data = b""
                if not data:  # it is still being written
                    return
                self.offset, self.number = begun + size, self.number + 1
                if data.strip():
                    yield from self._parse(self.number, begun, data)

    @contextmanager
    def _name_fault(self) -> Iterator[list[UnusableLine]]:
        """Yield a list, to which an error that ends the reading is added as an `UnusableLine`."""
        faults = list[UnusableLine]()
        try:
            yield faults
        except OSError as error:
            faults.append(UnusableLine(None, f"can't be read: {error.strerror or error}"))
        except (zstd.ZstdError, EOFError):
            faults.append(UnusableLine(None, "can't be decompressed to its end"))

    def _most_bytes(self) -> float:
        """Return how many bytes a transcript may unpack to; infinity for an unpacked file."""
        size = self.path.stat().st_size
        return ALWAYS_FINE + MOST_TIMES * size if self.path.suffix == ".zst" else inf

    def _records(self, file: BufferedIOBase, most: float) -> Iterator[Record | UnusableLine]:
        number = offset = 0
        while data := self._next(file):
            number += 1
            begun, offset = offset, offset + len(data)
            if len(data) > MAX_LINE_BYTES:
                offset += self._skip_line(file, data, most - offset)
            if offset > most:
                yield UnusableLine(number, f"unpacks to more than {most:,} bytes, as none does")
                return
            if data.strip() or len(data) > MAX_LINE_BYTES:
                self.lines += 1
                yield from self._parse(number, begun, data)

    def _next(self, file: BufferedIOBase, most: int = MAX_LINE_BYTES + 1) -> bytes:
        return file.read(most) if self._is_document else file.readline(most)

    def _skip_line(self, file: BufferedIOBase, begun: bytes, most: float = inf) -> int:
        """Read on to the end of a line, or to `most`; return the number of bytes read."""
        passed = 0
        while begun and passed <= most and (self._is_document or not begun.endswith(b"\n")):
            begun = self._next(file, _SKIP_BLOCK_BYTES)
            passed += len(begun)
        return passed

    def _as_lines(self, raw: BufferedReader) -> BufferedIOBase:
        """Return the file with lines in UTF-8, recoded from UTF-16 where the file is in that.

        Raises:
            OSError: the file is in UTF-16 and too long to be held, or damaged.
        """
        head = raw.peek(_SNIFFED_BYTES)[:_SNIFFED_BYTES]
        if find_utf_16(head[: len(head) // 2 * 2]) is None:
            return raw
        data = raw.read(MAX_LINE_BYTES + 1)
        if len(data) > MAX_LINE_BYTES:
            raise OSError(errno.EFBIG, "it is in UTF-16 and too long for that: save it as UTF-8")
        try:
            plain = decode_text(data)[0]
        except UnknownEncodingError as error:
            raise OSError(errno.EILSEQ, f"it {error}") from error
        self.encodings.add("UTF-16")
        return BytesIO(plain.encode())

    def _parse(self, number: int, offset: int, data: bytes) -> Iterator[Record | UnusableLine]:
        """Yield the objects of a line, mostly one, and add the line's encoding to the encodings."""
        if len(data) > MAX_LINE_BYTES:
            yield UnusableLine(number, f"is longer than {MAX_LINE_BYTES:,} bytes")
            return
        part = 0
        try:
            text, encoding = decode_line(data)
            self.encodings.update(filter(None, [encoding]))
            for at, value in split_values(text):
                behind = len(text[at:].encode()) if part and encoding is None else len(data)
                if isinstance(value, dict):
                    yield Record(number, offset + len(data) - behind, len(data), value, part)
                else:
                    yield UnusableLine(number, "is not a JSON object")
                part += 1
        except (ValueError, RecursionError) as error:
            yield UnusableLine(number, _describe_problem(error, data))
        else:
            if not part:
                yield UnusableLine(number, "is not a JSON object")

    @contextmanager
    def _open(self) -> Iterator[tuple[BufferedIOBase, Callable[[], int]]]:
        """Open the file; yield the file and a counter of the bytes read."""
        with open_file(self.path) as raw:
            if self.path.suffix != ".zst":
                yield self._as_lines(raw), raw.tell
                return
            with zstd.open(raw, "rb") as plain:
                yield plain, raw.tell


def read_before(path: Path, offset: int, most: int) -> bytes:
    """Return the bytes before a place of a file; none where the file ends before that place.

    Raises:
        OSError: the file can't be read.
    """
    with open_file(path) as file:
        file.seek(max(offset - most, 0))
        found = file.read(min(offset, most))
    return found if len(found) == min(offset, most) else b""


def open_file(path: Path, *, may_be_link: bool = True) -> BufferedReader:
    """Open a regular file to be read.

    Raises:
        OSError: the file can't be opened, or is no regular file.
    """
    return open(path, "rb", opener=_open_regular_file if may_be_link else _open_unfollowed)


def read_text(path: Path, most: int = MAX_LINE_BYTES) -> str:
    """Read the text of a regular file.

    Raises:
        OSError: the file can't be read, is no regular file, or has more than `most` bytes.
        UnknownEncodingError: the file is no text of any known encoding.
    """
    with open_file(path) as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise OSError(errno.EFBIG, f"it is longer than {most:,} bytes")
    return decode_text(data)[0]


def read_head(path: Path, most: int) -> bytes:
    """Read the beginning of a file, decompressed on the way.

    Raises:
        OSError: the file can't be read.
    """
    with open_file(path) as raw:
        if path.suffix != ".zst":
            return raw.read(most)
        try:
            with zstd.open(raw, "rb") as plain:
                return plain.read(most)
        except (zstd.ZstdError, EOFError) as error:
            raise OSError(errno.EINVAL, "it can't be decompressed") from error


def _open_regular_file(path: str, flags: int) -> int:
    """Open a regular file and nothing else: a pipe may stay silent, and a device may never end."""
    descriptor = os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "it is no regular file")
    return descriptor


def _open_unfollowed(path: str, flags: int) -> int:
    if Path(path).is_symlink():  # Windows has no flag for it
        raise OSError(errno.ELOOP, "it is a link")
    return _open_regular_file(path, flags | getattr(os, "O_NOFOLLOW", 0))


def split_values(text: str) -> Iterator[tuple[int, JsonValue]]:
    """Yield the JSON values of a line, in order, each with the place where it begins.

    Raises:
        ValueError: from some place on it is no JSON; what stands before has been given.
        RecursionError: a value is nested too deeply.
    """
    at = _skip_between(text, 0)
    while at < len(text):
        value, end = _DECODER.raw_decode(text, at)
        yield at, value
        at = _skip_between(text, end)


def _skip_between(text: str, at: int) -> int:
    found = _BETWEEN.match(text, at)
    return at if found is None else found.end()


def _describe_problem(error: ValueError | RecursionError, data: bytes) -> str:
    match error:
        case UnknownEncodingError() | json.JSONDecodeError() if not data.endswith(b"\n"):
            return "is not JSON as far as it goes; if it is still being written, import it again"
        case UnknownEncodingError():
            return str(error)
        case json.JSONDecodeError():
            return f"is not JSON: {error.msg} at column {error.colno}"
        case RecursionError():
            return "is nested too deeply"
        case _:  # such as a number of five thousand digits
            return f"can't be read: {error}"
