"""The folder of notes: where each lies, and what was last written there.

Files are opened and written as those of a home are: regular ones of the folder itself, no link
followed, all or nothing, for their owner alone. What nobody but Memoria has written is written anew
or deleted; whatever else is in the folder stays as it is.
"""

import hashlib
import os
import stat
import time
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath

from pydantic import ValidationError

from memoria.connectors.notes.note import as_title
from memoria.connectors.notes.state import FolderState, is_place, parse_state
from memoria.connectors.transcripts.files import NOTES_STATE
from memoria.disk.folders import DRAFT, make_private
from memoria.disk.home_files import replace_file
from memoria.disk.regular_files import check_place, list_files, read_file, walk
from memoria.errors import ExportError, UnusableFileError

MEMORIES = "memories"
PAGES = "names"
_MOST_NOTE_BYTES = 1 << 20
_MOST_STATE_BYTES = 256 << 20
_ABANDONED_S = 3600


class NoteFolder:
    """A folder of notes."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._taken: dict[str, str] = {}

    def is_empty(self) -> bool:
        """Check whether there is nothing in it, or no such folder."""
        return not self.root.exists() or not any(self.root.iterdir())

    def read_state(self, tenant: str) -> FolderState:
        """Return what was last written into it.

        Raises:
            ExportError: it is of another tenant, of a newer Memoria, or can't be understood.
        """
        data = read_file(self.root, NOTES_STATE, _MOST_STATE_BYTES) if self.root.exists() else None
        if data is None:
            return FolderState(tenant=tenant)
        try:
            state = parse_state(data)
        except ValidationError as error:
            raise ExportError(
                f"{self.root / NOTES_STATE} can't be read. Move it away: notes are then written "
                "anew beside those that are there."
            ) from error
        if state.format > FolderState.model_fields["format"].default:
            raise ExportError.for_newer(self.root, "its notes are of a later format")
        if state.tenant != tenant:
            raise ExportError(
                f"{self.root} has the notes of the tenant {state.tenant}, not of {tenant}. Name "
                "another folder."
            )
        return state

    def write_state(self, state: FolderState) -> None:
        """Note what was written."""
        self._replace(NOTES_STATE, state.model_dump_json().encode())

    def read(self, place: str) -> bytes | None:
        """Return the content of a note; None where there is none.

        Raises:
            UnusableFileError: it is a link, no regular file or too large.
        """
        return read_file(self.root, place, _MOST_NOTE_BYTES)

    def has(self, place: str) -> bool:
        """Check whether anything lies at a place, usable or not."""
        return os.path.lexists(self.root / place)

    def write(self, place: str, text: str, former: str | None = None) -> bool:
        """Give a note another content. False where somebody has written there just now.

        Args:
            place: of the note.
            text: what it shall say.
            former: the digest of what it said when it was read; None where there was nothing.
        """

        def is_as_read() -> bool:
            data = self._read_or_none(place)
            return former == (None if data is None else digest(data))

        return self._replace(place, text.encode(), is_as_read)

    def delete(self, place: str) -> None:
        """Delete a note that nobody else has written."""
        check_place(self.root, place)
        (self.root / place).unlink(missing_ok=True)

    def delete_left_drafts(self) -> None:
        """Delete what killed processes left half written: drafts of ours that are an hour old."""
        before = time.time() - _ABANDONED_S
        for file, found in walk(self.root):
            draft = DRAFT.fullmatch(file.name)
            is_note = draft is not None and draft[1].endswith(
                (".md", PurePosixPath(NOTES_STATE).name)
            )
            if is_note and stat.S_ISREG(found.st_mode) and found.st_mtime < before:
                file.unlink(missing_ok=True)

    def find_moved(self, known: set[str]) -> Iterator[tuple[str, bytes]]:
        """Yield the notes that are not where they were written, or that somebody else has made."""
        if not self.root.exists():
            return
        for file in list_files(self.root):
            place = file.relative_to(self.root).as_posix()
            if is_place(place) and place not in known:
                data = self._read_or_none(place)
                if data is not None:
                    yield place, data

    def find_place(self, folder: str, title: str, own_id: str) -> str:
        """Return a free place for a note or a page, after its title."""
        base = f"{folder}/{as_title(title)}"
        for place in (f"{base}.md", f"{base} ({own_id[-8:]}).md", f"{base} ({own_id}).md"):
            taken = self._taken.get(_name_of(place))
            if taken == own_id or (taken is None and not (self.root / place).exists()):
                self.take(place, own_id)
                return place
        raise ExportError(f"{self.root / base} and other names for it are taken. Move them away.")

    def take(self, place: str, own_id: str) -> None:
        """Let nothing else have this name: links have names alone, so that folders can be moved."""
        self._taken[_name_of(place)] = own_id

    def _read_or_none(self, place: str) -> bytes | None:
        try:
            return self.read(place)
        except UnusableFileError:
            return None

    def _replace(
        self, place: str, content: bytes, is_current: Callable[[], bool] = lambda: True
    ) -> bool:
        check_place(self.root, place)
        make_private((self.root / place).parent)
        return replace_file(self.root / place, content, is_current)


def title_of(place: str) -> str:
    """Return the title of the note or page at a place."""
    return PurePosixPath(place).name.removesuffix(".md")


def _name_of(place: str) -> str:
    """Return the name by which a link names a file, wherever it lies."""
    return PurePosixPath(place).name.casefold()


def digest(content: bytes) -> str:
    """Return a digest that tells contents apart."""
    return hashlib.sha256(content).hexdigest()
