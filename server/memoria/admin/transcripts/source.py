"""A file as JSON objects, one a line, whatever the bytes are.

Memory is bounded: one line is held at a time, and a line longer than the limit is passed over
without being held at all. A file that is one JSON document counts as one line.
"""

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedIOBase
from pathlib import Path

from pydantic import JsonValue

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

JsonObject = dict[str, JsonValue]
LONGEST_LINE = 32 * 1024 * 1024
"""Bytes. Lines carry pictures and whole files that are not kept, so this is well above the
largest turn; parsed, such a line takes some ten times as much."""
_PASSED_AT_ONCE = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Bad:
    """A line that can't be used; the whole file, where there is no line."""

    line: int | None
    problem: str


@dataclass(frozen=True, slots=True)
class Record:
    """A line's JSON object."""

    line: int
    offset: int
    size: int
    value: JsonObject


class Source:
    """A transcript's file."""

    def __init__(self, path: Path, session: str, *, is_document: bool = False) -> None:
        """Nothing is read yet.

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
        """How far into the file, in its bytes, the work has come."""
        self._is_document = is_document

    def records(self, *, ahead: bool = False) -> Iterator[Record | Bad]:
        """Every line that is not blank, in order.

        Args:
            ahead: this is a look ahead, and the work itself is still to come.
        """
        try:
            with self._opened() as (file, bytes_read):
                for record in self._records(file):
                    self.position = 0 if ahead else bytes_read()
                    yield record
        except OSError as error:
            yield Bad(None, f"can't be read: {error.strerror or error}")
        except (zstd.ZstdError, EOFError):
            yield Bad(None, "can't be decompressed to its end")

    def records_at(self, places: Iterable[tuple[int, int]]) -> Iterator[Record | Bad]:
        """The lines at these (offset, line number), which an earlier look at `records` gave."""
        last: tuple[int, Record | Bad] | None = None
        try:
            with self._opened() as (file, _):
                for offset, number in places:
                    if last is None or last[0] != offset:
                        file.seek(offset)
                        last = offset, _parse(number, offset, self._next(file))
                        self.position = max(self.position, file.tell())
                    yield last[1]
        except OSError as error:
            yield Bad(None, f"can't be read: {error.strerror or error}")

    def _records(self, file: BufferedIOBase) -> Iterator[Record | Bad]:
        number = offset = 0
        while data := self._next(file):
            number += 1
            begun, offset = offset, offset + len(data)
            if len(data) > LONGEST_LINE:
                offset += self._pass_over(file, data)
            if data.strip() or len(data) > LONGEST_LINE:
                self.lines += 1
                yield _parse(number, begun, data)

    def _next(self, file: BufferedIOBase, most: int = LONGEST_LINE + 1) -> bytes:
        return file.read(most) if self._is_document else file.readline(most)

    def _pass_over(self, file: BufferedIOBase, begun: bytes) -> int:
        """Read to the end of a line that is too long; how many bytes that took."""
        passed = 0
        while begun and (self._is_document or not begun.endswith(b"\n")):
            begun = self._next(file, _PASSED_AT_ONCE)
            passed += len(begun)
        return passed

    @contextmanager
    def _opened(self) -> Iterator[tuple[BufferedIOBase, Callable[[], int]]]:
        """The file, and how to tell how many of its bytes are read."""
        with self.path.open("rb") as raw:
            if self.path.suffix != ".zst":
                yield raw, raw.tell
                return
            with zstd.open(raw, "rb") as plain:
                yield plain, raw.tell


def _parse(number: int, offset: int, data: bytes) -> Record | Bad:
    if len(data) > LONGEST_LINE:
        return Bad(number, f"is longer than {LONGEST_LINE:,} bytes")
    try:
        value = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        return Bad(number, _problem(error, data))
    if not isinstance(value, dict):
        return Bad(number, "is not a JSON object")
    return Record(number, offset, len(data), value)


def _problem(error: ValueError | RecursionError, data: bytes) -> str:
    match error:
        case UnicodeDecodeError() | json.JSONDecodeError() if not data.endswith(b"\n"):
            return "is not JSON as far as it goes; if it is still being written, import it again"
        case UnicodeDecodeError():
            return "is not UTF-8"
        case json.JSONDecodeError():
            return f"is not JSON: {error.msg} at column {error.colno}"
        case RecursionError():
            return "is nested too deeply"
        case _:  # such as a number of five thousand digits
            return f"can't be read: {error}"
