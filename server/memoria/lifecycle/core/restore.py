"""Restoration of core files as before a run, from images: copies that the run keeps of them.

A file that somebody has edited since stays, and so does the note of its lines: else the next
reading would take what Memoria wrote there for the user's own words. Only what the user had typed
before the run, and the run had taken over, is an edit again.

An image has no secret and no private text. Where the user's own text with such stays in the file,
an undo leaves it there.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from memoria.disk.folders import BEFORE_IMAGES
from memoria.disk.tenant_files import TenantFiles
from memoria.language.reading.clean import Tally, clean_text
from memoria.lifecycle.core.cycle import digest_file, note_lines
from memoria.lifecycle.core.document import Document, compare_lines, parse_file
from memoria.lifecycle.core.lines import CorePlace, list_places
from memoria.model.core import USER_EDIT_NAME, CoreFile, CoreLine
from memoria.model.nightly import MadeByRun, NightlyRun
from memoria.store.rows.transaction import Transaction

_NEW = ".new"
"""Ending of a name that notes that there was no such file before the run."""


@dataclass(frozen=True, slots=True)
class CoreImages:
    """A tenant's core files as they were before one run.

    Every method raises `UnusableFileError` where a file can't be read or written.
    """

    files: TenantFiles
    run_id: str

    def save(self, file: CoreFile) -> None:
        """Keep a copy of a file, only the first time: later the run may have written it."""
        if self.read(file) is not None or self.was_missing(file):
            return
        before = self.files.read(file)
        place = self._image(file) if before is not None else self._missing(file)
        self.files.write(place, _clean((before or b"").decode("utf-8", "replace")).encode())

    def read(self, file: CoreFile) -> bytes | None:
        """Return a file's content before the run; None if there was no file, or no copy is kept."""
        return self.files.read(self._image(file))

    def was_missing(self, file: CoreFile) -> bool:
        """Check whether there was no such file before the run."""
        return self.files.read(self._missing(file)) is not None

    def _image(self, file: CoreFile) -> str:
        return f"{BEFORE_IMAGES}/{self.run_id}/{file}"

    def _missing(self, file: CoreFile) -> str:
        return f"{self._image(file)}{_NEW}"


def put_own_text(image: bytes, present: bytes) -> bytes:
    """Return a copy of a file with the secrets and private text that the present file has."""
    text = present.decode("utf-8", "replace")
    if _clean(text) == text:
        return image
    lines, parts = _split(image.decode()), list(_join_uncleanable(_split(text)))
    same = SequenceMatcher(None, lines, [_clean(part) for part in parts], autojunk=False)
    for first, there, count in same.get_matching_blocks():
        lines[first : first + count] = parts[there : there + count]
    return "".join(lines).encode()


def _clean(text: str) -> str:
    return clean_text(text, Tally())


def _join_uncleanable(lines: Sequence[str]) -> Iterator[str]:
    """Yield the lines; lines over which one secret or private span runs are joined.

    The text is halved as long as each half can be cleaned by itself, which is much faster than
    cleaning line by line.
    """
    text = "".join(lines)
    cleaned = _clean(text)
    if cleaned == text:
        yield from lines
        return
    middle = len(lines) // 2
    for at in sorted(range(1, len(lines)), key=lambda at: abs(at - middle)):
        if _clean("".join(lines[:at])) + _clean("".join(lines[at:])) == cleaned:
            yield from _join_uncleanable(lines[:at])
            yield from _join_uncleanable(lines[at:])
            return
    yield text


def _split(text: str) -> list[str]:
    return [line for line in re.split(r"(?<=\n)", text) if line]


@dataclass(frozen=True, slots=True)
class _TypedBefore:
    """Changes that the user had made in a file before the run wrote it."""

    digests: frozenset[bytes] = frozenset()
    """Digests of lines that were written or changed."""
    deleted: frozenset[str] = frozenset()
    """Ids of memories whose line was deleted."""


@dataclass(frozen=True, slots=True)
class CoreRestoration:
    """Restores the core files of a tenant, while a run is undone.

    Every method raises `UnusableFileError` where a file can't be read or written.
    """

    tx: Transaction
    """Transaction before the run's rows are reverted: they say what the run wrote."""
    files: TenantFiles
    run: NightlyRun

    def restore(self) -> tuple[int, int]:
        """Restore the files from the run's copies; return how many were restored, how many left."""
        done = [self._restore(place) for place in list_places(self.tx)]
        return done.count(True), done.count(False)

    def _restore(self, place: CorePlace) -> bool | None:
        """Restore a file; return False if it stays as edited, None if there is nothing to do."""
        images, file = CoreImages(self.files, self.run.id), place.file
        before = images.read(file)
        if before is None and not images.was_missing(file):
            return False if self._keep_lines(place, None) else None
        if self.files.find_obstacle(file) is None:
            present = self.files.read(file)
            if present == before:
                return None
            if present is not None and self._is_as_written(file, present):
                self._put_back(file, before, present)
                return True
        self._keep_lines(place, before)
        return False

    def _is_as_written(self, file: CoreFile, present: bytes) -> bool:
        """Check whether a file says what the run wrote, even if that was not noted."""
        state = self.tx.core.file_state(file)
        return digest_file(present) in (state.digest, state.pending)

    def _put_back(self, file: CoreFile, before: bytes | None, present: bytes) -> None:
        if before is None:
            self.files.delete(file)
        else:
            self.files.write(file, put_own_text(before, present))

    def _keep_lines(self, place: CorePlace, before: bytes | None) -> bool:
        """Keep the record of the lines of a file that stays; return whether the run wrote the file.

        Args:
            place: of the file.
            before: the file's content before the run; None if unknown, because a forget has erased
                the content or there was no such file.
        """
        file = place.file
        wrote, state = self.tx.core.lines(file), self.tx.core.file_state(file)
        self.tx.nightly_runs.revert_core_file(self.run, file)
        if self.tx.core.file_state(file).digest == state.digest:
            return False  # or an undo that was stopped had come to here
        earlier = self.tx.core.lines(file)
        made = self.tx.nightly_runs.list_made(self.run)
        typed = _find_typed(earlier, parse_file(before or b"", file))
        ours = [one for one in wrote if not self._was_typed(one, typed, made)]
        self._take_out(place, wrote, {one.memory_id for one in ours} & made.memory_ids)
        again = _join(wrote, ours, earlier, typed)
        note_lines(self.tx, file, [self._as_before(one, made) for one in again])
        return True

    def _was_typed(self, line: CoreLine, typed: _TypedBefore, made: MadeByRun) -> bool:
        """Check whether the user, not the run, first wrote what a line says."""
        if line.digest in typed.digests:
            return True
        memory = self.tx.memories.get(line.memory_id)
        return memory is not None and any(
            one.n == line.version_n and one.provenance.channel == USER_EDIT_NAME
            for one in memory.versions
            if one.n in made.version_ns
        )

    def _as_before(self, line: CoreLine, made: MadeByRun) -> CoreLine:
        """Return a line, linked to the wording that its memory has once the run is undone."""
        memory = self.tx.memories.get(line.memory_id)
        if memory is None or memory.current.n not in made.version_ns:
            return line
        left = (one.n for one in memory.versions if one.n not in made.version_ns)
        return CoreLine(line.memory_id, line.mark, line.digest, next(left, line.version_n))

    def _take_out(self, place: CorePlace, wrote: Sequence[CoreLine], ids: set[str]) -> None:
        """Remove the lines of memories that go with the run, unless the user has changed the line.

        A line that stayed without its memory would pass for the user's at the next reading.
        """
        while True:
            data = place.read(self.files)
            document = parse_file(data or b"", place.file)
            if document is None or not ids:
                return
            kept = compare_lines(wrote, document).kept
            gone = {id(line) for one, line in kept if one.memory_id in ids}
            left = tuple(line for line in document.lines if id(line) not in gone)
            content = Document(left, document.end, document.bom).text.encode()
            if not gone or self._write(place, content, data):
                return

    def _write(self, place: CorePlace, content: bytes, read: bytes | None) -> bool:
        """Write a file, unless it has been saved since it was read."""
        return self.files.write(place.file, content, lambda: place.read(self.files) == read)


def _find_typed(earlier: Sequence[CoreLine], document: Document | None) -> _TypedBefore:
    """Return the user's changes in a file since it was last written."""
    if document is None:
        return _TypedBefore()
    edits = compare_lines(earlier, document)
    lines = (*edits.added, *(line for _, line in edits.changed))
    return _TypedBefore(
        frozenset(line.digest for line in lines), frozenset(one.memory_id for one in edits.gone)
    )


def _join(
    wrote: Sequence[CoreLine],
    ours: Sequence[CoreLine],
    earlier: Sequence[CoreLine],
    typed: _TypedBefore,
) -> Iterator[CoreLine]:
    """Yield the record of each line of a file: the run's or, for an edited line, the earlier one.

    A line that only the run removed gets no record: the user has not deleted that line.
    """
    known = {one.memory_id for one in wrote}
    before: Mapping[str, CoreLine] = {one.memory_id: one for one in earlier}
    yield from ours
    edited = [one.memory_id for one in wrote if one not in ours]
    edited += [one for one in sorted(typed.deleted) if one not in known]
    yield from (before[one] for one in edited if one in before)
