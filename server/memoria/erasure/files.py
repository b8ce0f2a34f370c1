"""Files: erasure of phrases from the text files of a tenant.

A file that a nightly run wrote and nobody has edited goes whole: the next run writes it anew from
what is left. What goes from any other, `erasure/file_text` says.
"""

import hashlib
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from memoria.bare.home import TENANTS
from memoria.bare.kept import delete_kept
from memoria.bare.shown import delete_shown, erase_shown
from memoria.bare.silence import delete_sessions
from memoria.bare.spool import HOOKS, SPOOL
from memoria.disk.folders import BEFORE_IMAGES, DRAFT, PROJECTS
from memoria.disk.home_files import BACKUPS
from memoria.disk.home_folder import TenantFolder
from memoria.disk.regular_files import MOST_BYTES
from memoria.disk.tenant_files import TenantFiles
from memoria.erasure.file_text import RECORDS, Unwanted, list_removed, remove_unwanted
from memoria.errors import StoreUnavailableError
from memoria.language.reading.statement import Phrases

_SUFFIXES = (".md", ".txt", RECORDS)
EVERY_FILE = ""
"""The place of all files, where marks are given by place."""
_QUOTED_CHARS = 8
"""Number of an id's last characters in the mark of a line that quotes the record."""
_OF_MACHINE = (SPOOL, HOOKS)
"""Folders of what hooks leave, which are on disk wherever the tenant's other files are."""
_UNKNOWN = object()
_NO_MARKS: Mapping[str, Collection[str]] = {}


def quote_mark(record_id: str) -> str:
    """Return the mark of lines that quote a turn or memory, in core files and pages of days."""
    return f"q:{record_id[-_QUOTED_CHARS:]}"


class FileLine(NamedTuple):
    """A line of a file that somebody may have written or edited."""

    place: str
    """Place of the file, below the tenant's folder."""
    text: str


class ErasedFile(NamedTuple):
    """A file that was changed or deleted."""

    place: str
    """Place below the tenant's folder."""
    name: str
    """Name by which a user knows the file."""
    is_deleted: bool


class _TextFile(NamedTuple):
    """A text file of a tenant, perhaps one in a folder that a restore has set aside."""

    files: TenantFiles
    place: str
    state: Hashable = None
    """Value that changes with the file."""
    folder: str = ""
    """Name of the folder set aside; empty for the tenant's own files."""

    @property
    def known_as(self) -> str:
        """Place below the tenant's folder, or below the home for what was set aside."""
        return f"{self.folder}/{self.place}" if self.folder else self.place

    @property
    def name(self) -> str:
        """Name by which a user knows the file."""
        return self.files.name(self.place)

    def read(self) -> bytes | None:
        """Return the content, of whatever size; None if there is no file."""
        return self.files.read(self.place, MOST_BYTES)


class TextFileEraser:
    """Erases forgotten content from a tenant's text files; a repeated search reads changed ones.

    Every method raises `UnusableFileError` if a file is too large to be searched, or can't be read
    or changed. Others may have been changed by then.
    """

    def __init__(self, home: Path, tenant: str, files: TenantFiles) -> None:
        """Bind to a tenant's files, and to what this machine keeps in the home besides."""
        self._home = str(home)
        self._tenant = tenant
        self._files = files
        self._on_disk = TenantFolder(home, tenant)
        self._clean: dict[str, Hashable] = {}
        self._searched_for: object = None

    def find_lines(
        self,
        phrases: Phrases,
        generated: Mapping[str, str],
        erased_ids: Collection[str] = (),
        marks: Mapping[str, Collection[str]] = _NO_MARKS,
    ) -> list[FileLine]:
        """Find the lines that `erase_phrases` would remove, but not in files it would delete."""
        self._search_for(phrases, erased_ids, marks)
        ids, found = frozenset(erased_ids), list[FileLine]()
        with self._files.reading():
            for file in self._text_files():
                texts = self._read_without(file, Unwanted(phrases, ids, _list_marks(file, marks)))
                if texts is not None and not self._goes_whole(file, generated):
                    found += (FileLine(file.known_as, line) for line in list_removed(*texts))
        return found

    def erase_phrases(
        self,
        phrases: Phrases,
        generated: Mapping[str, str],
        erased_ids: Collection[str] = (),
        marks: Mapping[str, Collection[str]] = _NO_MARKS,
    ) -> list[ErasedFile]:
        """Remove the lines that hold a phrase; return the files that were changed or deleted.

        Backups are left alone: they are the user's to delete. So are other tenants' files. Answers
        that were kept for the next session go in any case: they are composed anew.

        Args:
            phrases: the forgotten texts.
            generated: digests of files as nightly runs wrote them, by place below the tenant's
                folder.
            erased_ids: ids of turns whose records are to go.
            marks: marks of lines that are to go, by the place of the file, or `EVERY_FILE`.
        """
        self._search_for(phrases, erased_ids, marks)
        ids, changed = frozenset(erased_ids), list[ErasedFile]()
        with _store_errors():
            delete_kept(self._home, self._tenant)
        for file in self._text_files():
            texts = self._read_without(file, Unwanted(phrases, ids, _list_marks(file, marks)))
            if texts is None:
                continue
            is_deleted = self._goes_whole(file, generated)
            if is_deleted:
                file.files.delete(file.place)
            else:
                file.files.write(file.place, texts[1].encode("utf-8", "surrogateescape"))
            changed.append(ErasedFile(file.known_as, file.name, is_deleted))
        return changed

    def erase_notes(self, ids: Collection[str]) -> None:
        """Take records out of the notes of what agents were shown.

        Raises:
            StoreUnavailableError: the notes can't be changed.
        """
        with _store_errors():
            erase_shown(self._home, self._tenant, ids)

    def remove_generated(self, path: str, generated: Mapping[str, str]) -> list[ErasedFile]:
        """Delete a file that a nightly run wrote, unless edited, and its images."""
        runs = self._files.list_folders(BEFORE_IMAGES)
        images = (f"{BEFORE_IMAGES}/{run}/{path}" for run in runs)
        gone = [place for place in images if self._files.exists(place)]
        if self._is_as_generated(_TextFile(self._files, path), generated):
            gone.append(path)
        return self._delete(_TextFile(self._files, place) for place in gone)

    def remove_all(self) -> list[ErasedFile]:
        """Delete every text file of the tenant, whoever wrote it. Backups are left alone.

        Folders of images and of projects go as well: their names say what was known.
        """
        with _store_errors():
            delete_kept(self._home, self._tenant)
            delete_shown(self._home, self._tenant)
            delete_sessions(self._home, self._tenant)
        gone = self._delete(self._text_files())
        self._files.delete_folder(BEFORE_IMAGES)
        self._files.delete_empty_folders(PROJECTS)
        return gone

    def read_own(self, generated: Mapping[str, str]) -> dict[str, bytes]:
        """Map the places of the tenant's files that no nightly run wrote to their contents."""
        files = [one for one in self._text_files() if not one.folder]
        found = ((one.place, one.read()) for one in files if not self._goes_whole(one, generated))
        return {place: content for place, content in found if content is not None}

    @staticmethod
    def digest(content: bytes) -> str:
        """Return the SHA-256 of a file's content."""
        return hashlib.sha256(content).hexdigest()

    def digest_of(self, place: str) -> str | None:
        """Return the SHA-256 of the file at a place; None where there is none."""
        content = self._files_at(place).read(place, MOST_BYTES)
        return None if content is None else self.digest(content)

    def put_back(self, place: str, content: bytes, left_as: str | None) -> bool:
        """Restore a file, unless it was changed meanwhile; return True if it was restored."""
        files = self._files_at(place)
        return files.write(place, content, lambda: self.digest_of(place) == left_as)

    def list_files(self) -> list[str]:
        """List the places of the tenant's text files."""
        return [file.known_as for file in self._text_files()]

    def list_places(self, files: Iterable[ErasedFile]) -> set[str]:
        """Return the places of files that a nightly run wrote, or wrote over."""
        inside = (PurePosixPath(file.place).parts for file in files)
        return {
            PurePosixPath(*(parts[2:] if parts[0] == BEFORE_IMAGES else parts)).as_posix()
            for parts in inside
        }

    def _search_for(
        self, phrases: Phrases, erased_ids: Collection[str], marks: Mapping[str, Collection[str]]
    ) -> None:
        """Clear the list of clean files if this search differs from the one before."""
        wanted = phrases.statements, frozenset(erased_ids), marks
        if wanted != self._searched_for:
            self._clean.clear()
            self._searched_for = wanted

    def _delete(self, files: Iterable[_TextFile]) -> list[ErasedFile]:
        gone = [*files]
        for file in gone:
            file.files.delete(file.place)
        return [ErasedFile(file.known_as, file.name, is_deleted=True) for file in gone]

    def _read_without(self, file: _TextFile, unwanted: Unwanted) -> tuple[str, str] | None:
        """Return a file's text before and after a removal; None if nothing is to be removed."""
        if self._clean.get(file.known_as, _UNKNOWN) == file.state:
            return None
        content = file.read()
        if content is None:
            return None
        text = content.decode("utf-8", "surrogateescape")
        kept = remove_unwanted(text, unwanted, _suffix(file.place))
        if kept != text:
            return text, kept
        self._clean[file.known_as] = file.state
        return None

    def _goes_whole(self, file: _TextFile, generated: Mapping[str, str]) -> bool:
        path = PurePosixPath(file.known_as)
        is_draft = DRAFT.fullmatch(path.name) is not None
        is_image = path.parts[0] == BEFORE_IMAGES
        return is_image or is_draft or self._is_as_generated(file, generated)

    def _is_as_generated(self, file: _TextFile, generated: Mapping[str, str]) -> bool:
        """Check whether a file is unchanged since a nightly run wrote it."""
        noted = generated.get(file.known_as)
        content = None if noted is None else file.read()
        return content is not None and self.digest(content) == noted

    def _text_files(self) -> list[_TextFile]:
        """List the tenant's text files, those half written and set aside included."""
        folders: list[tuple[TenantFiles, str, str]] = [(self._files, "", "")]
        folders += [(files, name, "") for name, files in self._files.list_set_aside().items()]
        if not self._files.are_on_disk:
            folders += [(self._on_disk, "", folder) for folder in _OF_MACHINE]
        return sorted(
            (
                _TextFile(files, place, state, name)
                for files, name, folder in folders
                for place, state in files.list_states(folder).items()
                if _suffix(place) in _SUFFIXES and not _is_of_others(place)
            ),
            key=lambda file: file.known_as,
        )

    def _files_at(self, place: str) -> TenantFiles:
        """Return the files among which a place is."""
        return self._on_disk if PurePosixPath(place).parts[0] in _OF_MACHINE else self._files


def _list_marks(file: _TextFile, marks: Mapping[str, Collection[str]]) -> list[str]:
    return [*marks.get(file.known_as, ()), *marks.get(EVERY_FILE, ())]


def _is_of_others(place: str) -> bool:
    """Check whether a place is in a backup, or in another tenant's folder below the home."""
    parts = PurePosixPath(place).parts
    return parts[0] == BACKUPS or TENANTS in parts[:2]


def _suffix(place: str) -> str:
    name = PurePosixPath(place).name
    draft = DRAFT.fullmatch(name)
    return PurePosixPath(draft[1] if draft else name).suffix


@contextmanager
def _store_errors() -> Iterator[None]:
    """Raise errors of the operating system as a store error that names the file."""
    try:
        yield
    except OSError as error:
        raise StoreUnavailableError(
            f"{error.filename} can't be changed: {error.strerror}. Check that it is writable."
        ) from error
