"""Follower of a transcript that is being written: each look begins where the last one ended.

How far that was is kept (`TranscriptPlace`) with what the format's reader has to know to go on.
What is open then, such as a call without its result, is read again from its own lines. A file that
is shorter than it was, or says something else before that place, was written anew, and is read
from its beginning; every turn has an id, so nothing is recorded twice.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from memoria.connectors.transcripts.base import (
    FoldersLeftOut,
    TranscriptFormat,
    TranscriptItem,
    guard,
    leave_out,
    read_each,
)
from memoria.connectors.transcripts.messages import obj
from memoria.connectors.transcripts.reading import TranscriptReading
from memoria.connectors.transcripts.source import JsonObject, Record, TranscriptSource, read_before

_MARK_BYTES = 256
"""Number of bytes before a place by which the place is known again."""


class FilePlace(NamedTuple):
    """Place up to which a file was read."""

    offset: int = 0
    notes: str = "{}"


class TranscriptFollower:
    """Reader of what is new in one transcript."""

    def __init__(
        self,
        form: TranscriptFormat,
        path: Path,
        session: str,
        digest: Callable[[str], str],
        folders: FoldersLeftOut,
    ) -> None:
        """Prepare to read a file. A digest of the text before a place tells the place again."""
        self._format = form
        self._path = path
        self._session = session
        self._digest = digest
        self._folders = folders
        self.place = FilePlace()
        """Place up to which the file was read, once a read is done."""

    def check(self, last: FilePlace | None) -> FilePlace:
        """Return where to go on: at `last`, if the file is still the same before that place.

        Raises:
            OSError: the file can't be read.
        """
        if last is None or not last.offset:
            return FilePlace()
        known = obj(json.loads(last.notes)).get("mark") or ""
        return last if known == self._mark(last.offset) else FilePlace()

    def read(self, last: FilePlace, ends: int, *, finishes: bool) -> Iterator[TranscriptItem]:
        """Return the items that are new, in order.

        Args:
            last: how far it was read before, as `check` gave it.
            ends: no line is begun from here on.
            finishes: whether the session has come to a rest, so that what is open is told as it is.

        Raises:
            OSError: the file can't be read.
        """
        return leave_out(self._read(last, ends, finishes=finishes), self._folders)

    def _read(self, last: FilePlace, ends: int, *, finishes: bool) -> Iterator[TranscriptItem]:
        is_document = self._path.suffix in self._format.documents
        source = TranscriptSource(self._path, self._session, is_document=is_document)
        if self._format.follow is None or is_document:
            yield from self._format.read(source)
            size = self._path.stat().st_size
            self.place = FilePlace(size, json.dumps({"mark": self._mark(size)}))
            return
        notes = obj(json.loads(last.notes))
        reading = self._format.follow(self._session, self._path)
        lines = _resume(reading, source, notes)

        def read_line(record: Record) -> Iterator[TranscriptItem]:
            lines.setdefault(record.line, record.offset)
            yield from reading.read_line(record)

        records = source.records_after(last.offset, _number(notes.get("line")), ends)
        yield from read_each(source, records, read_line)
        if finishes:
            yield from guard(None, lambda last: last.finish(), reading)
        yield from guard(None, lambda last: last.pause(), reading)
        kept = {str(line): lines[line] for line in sorted(reading.open_lines) if line in lines}
        told = {"line": source.number, "open": kept, "reader": reading.dump()}
        mark = self._mark(source.offset)
        self.place = FilePlace(source.offset, json.dumps({**told, "mark": mark}))

    def _mark(self, offset: int) -> str:
        """Return a keyed digest of the bytes before a place; empty where the file is shorter."""
        before = read_before(self._path, offset, _MARK_BYTES)
        return self._digest(before.hex()) if before else ""


def _resume(
    reading: TranscriptReading, source: TranscriptSource, notes: JsonObject
) -> dict[int, int]:
    """Let a reader go on; return the places of the open lines, by line number."""
    lines = {int(line): _number(offset) for line, offset in obj(notes.get("open")).items()}
    for record in source.records_at((offset, line) for line, offset in lines.items()):
        if isinstance(record, Record):
            for _ in reading.read_line(record):
                pass
    if notes:
        reading.load(obj(notes.get("reader")))
    return lines


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0
