"""Files: erasure of phrases from the text files of a tenant.

A file that a nightly run wrote and nobody has edited goes whole: the next run writes it anew from
what is left. What goes from any other, `erasure/file_text` says.
"""

import hashlib
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from memoria.bare.home import TENANTS
from memoria.bare.kept import delete_kept
from memoria.bare.shown import delete_shown, erase_shown
from memoria.disk.folders import (
    BEFORE_IMAGES,
    DRAFT,
    PROJECTS,
    former_folder,
    make_private,
    tenant_folder,
)
from memoria.disk.home_files import BACKUPS, replace_file
from memoria.disk.home_folder import TenantFiles
from memoria.disk.regular_files import find_obstacle, is_folder, list_files, list_folder, read_file
from memoria.erasure.file_text import RECORDS, Unwanted, list_removed, remove_unwanted
from memoria.errors import StoreUnavailableError
from memoria.language.reading.statement import Phrases

_SUFFIXES = (".md", ".txt", RECORDS)
_RESTORED_OVER = "before-restore-*"
_State = tuple[int, int, int]
EVERY_FILE = ""
"""The place of all files, where marks are given by place."""
_NO_MARKS: Mapping[str, Collection[str]] = {}


class FileLine(NamedTuple):
    """A line of a file that somebody may have written or edited."""

    place: str
    """Place of the file, below the tenant's folder."""
    text: str


class TextFileEraser:
    """Erases forgotten content from a tenant's text files; a repeated search reads changed ones."""

    def __init__(self, home: Path, tenant: str) -> None:
        self._home = home
        self._tenant = tenant
        self._folder = tenant_folder(home, tenant)
        self._clean: dict[Path, _State] = {}
        self._searched_for: object = None

    def find_lines(
        self,
        phrases: Phrases,
        generated: Mapping[str, str],
        erased_ids: Collection[str] = (),
        marks: Mapping[str, Collection[str]] = _NO_MARKS,
    ) -> list[FileLine]:
        """Find the lines that `erase_phrases` would remove, except in files that it would delete.

        Raises:
            StoreUnavailableError: a file can't be read.
        """
        self._search_for(phrases, erased_ids, marks)
        ids, found = frozenset(erased_ids), list[FileLine]()
        with _store_errors():
            for file in sorted(set(self._text_files())):
                unwanted = Unwanted(phrases, ids, self._list_marks(file, marks))
                texts = self._read_without(file, unwanted)
                if texts is not None and not self._goes_whole(file, generated):
                    lines = list_removed(*texts)
                    found += (FileLine(self._place(file), line) for line in lines)
        return found

    def erase_phrases(
        self,
        phrases: Phrases,
        generated: Mapping[str, str],
        erased_ids: Collection[str] = (),
        marks: Mapping[str, Collection[str]] = _NO_MARKS,
    ) -> list[Path]:
        """Remove the lines that hold a phrase; return the files that were changed or deleted.

        Backups are left alone: they are the user's to delete. So are other tenants' files. Answers
        that were kept for the next session go in any case: they are composed anew.

        Args:
            phrases: the forgotten texts.
            generated: digests of files as nightly runs wrote them, by place below the tenant's
                folder.
            erased_ids: ids of turns whose records are to go.
            marks: marks of lines that are to go, by the place of the file, or `EVERY_FILE`.

        Raises:
            StoreUnavailableError: a file can't be changed. Others may have been.
            UnusableFileError: a file is too large to be searched, or can't be read.
        """
        self._search_for(phrases, erased_ids, marks)
        ids, changed = frozenset(erased_ids), list[Path]()
        with _store_errors():
            delete_kept(str(self._home), self._tenant)
            for file in sorted(set(self._text_files())):
                unwanted = Unwanted(phrases, ids, self._list_marks(file, marks))
                if self._erase_in_file(file, unwanted, generated):
                    changed.append(file)
        return changed

    def erase_notes(self, ids: Collection[str]) -> None:
        """Take records out of the notes of what agents were shown.

        Raises:
            StoreUnavailableError: the notes can't be changed.
        """
        with _store_errors():
            erase_shown(str(self._home), self._tenant, ids)

    def remove_generated(self, path: str, generated: Mapping[str, str]) -> list[Path]:
        """Delete a file that a nightly run wrote, unless edited, and its images from before runs.

        Raises:
            StoreUnavailableError: a file can't be deleted.
        """
        with _store_errors():
            images = self._folder.glob(f"{BEFORE_IMAGES}/*/{path}")
            gone = [
                file
                for file in images  # no link leads out of the home
                if find_obstacle(self._home, file.relative_to(self._home)) is None
            ]
            if self._is_as_generated(self._folder / path, generated):
                gone.append(self._folder / path)
            for file in gone:
                file.unlink(missing_ok=True)
        return gone

    def remove_all(self) -> list[Path]:
        """Delete every text file of the tenant, whoever wrote it. Backups are left alone.

        Folders of images and of projects go as well: their names say what was known.

        Raises:
            StoreUnavailableError: a file can't be deleted.
        """
        with _store_errors():
            delete_kept(str(self._home), self._tenant)
            delete_shown(str(self._home), self._tenant)
            gone = sorted(set(self._text_files()))
            for file in gone:
                file.unlink(missing_ok=True)
            TenantFiles(self._home, self._tenant).delete_folder(BEFORE_IMAGES)
            self._remove_empty_folders(PROJECTS)
        return gone

    def read_own(self, generated: Mapping[str, str]) -> dict[str, bytes]:
        """Map the places of the tenant's files that no nightly run wrote to their contents."""
        with _store_errors():
            files = [file for file in self._text_files() if file.is_relative_to(self._folder)]
            found = (
                (self._place(file), read_file(self._home, file.relative_to(self._home)))
                for file in files
                if not self._goes_whole(file, generated)
            )
            return {place: content for place, content in found if content is not None}

    @staticmethod
    def digest(content: bytes) -> str:
        """Return the SHA-256 of a file's content."""
        return hashlib.sha256(content).hexdigest()

    def digest_of(self, place: str) -> str | None:
        """Return the SHA-256 of the file at a place; None where there is none."""
        with _store_errors():
            content = read_file(self._home, (self._folder / place).relative_to(self._home))
        return None if content is None else self.digest(content)

    def put_back(self, place: str, content: bytes, left_as: str | None) -> bool:
        """Restore a file, unless it was changed meanwhile; return True if it was restored."""
        if self.digest_of(place) != left_as:
            return False
        file = self._folder / place
        with _store_errors():
            make_private(file.parent)
            replace_file(file, content)
        return True

    def list_files(self) -> list[str]:
        """List the places of the tenant's text files."""
        with _store_errors():
            return [self._place(file) for file in sorted(set(self._text_files()))]

    def list_places(self, files: list[Path]) -> set[str]:
        """Return the places of files that a nightly run wrote, or wrote over."""
        inside = (f.relative_to(self._folder) for f in files if f.is_relative_to(self._folder))
        return {
            Path(*f.parts[2:]).as_posix() if f.parts[0] == BEFORE_IMAGES else f.as_posix()
            for f in inside
        }

    def _search_for(
        self, phrases: Phrases, erased_ids: Collection[str], marks: Mapping[str, Collection[str]]
    ) -> None:
        """Clear the list of clean files if this search differs from the one before."""
        wanted = phrases.statements, frozenset(erased_ids), marks
        if wanted != self._searched_for:
            self._clean.clear()
            self._searched_for = wanted

    def _list_marks(self, file: Path, marks: Mapping[str, Collection[str]]) -> list[str]:
        return [*marks.get(self._place(file), ()), *marks.get(EVERY_FILE, ())]

    def _place(self, file: Path) -> str:
        root = self._folder if file.is_relative_to(self._folder) else self._home
        return file.relative_to(root).as_posix()

    def _erase_in_file(self, file: Path, unwanted: Unwanted, generated: Mapping[str, str]) -> bool:
        texts = self._read_without(file, unwanted)
        if texts is None:
            return False
        if self._goes_whole(file, generated):
            file.unlink(missing_ok=True)
        else:
            replace_file(file, texts[1].encode("utf-8", "surrogateescape"))
        return True

    def _read_without(self, file: Path, unwanted: Unwanted) -> tuple[str, str] | None:
        """Return a file's text before and after a removal; None if nothing is to be removed."""
        state = _read_state(file)
        if state is None or self._clean.get(file) == state:
            return None
        content = read_file(self._home, file.relative_to(self._home))
        if content is None:
            return None
        text = content.decode("utf-8", "surrogateescape")
        kept = remove_unwanted(text, unwanted, _suffix(file))
        if kept != text:
            return text, kept
        self._clean[file] = state
        return None

    def _goes_whole(self, file: Path, generated: Mapping[str, str]) -> bool:
        is_image = file.is_relative_to(self._folder / BEFORE_IMAGES)
        is_draft = DRAFT.fullmatch(file.name) is not None
        return is_image or is_draft or self._is_as_generated(file, generated)

    def _is_as_generated(self, file: Path, generated: Mapping[str, str]) -> bool:
        """Check whether a file is unchanged since a nightly run wrote it."""
        if not file.is_relative_to(self._folder):
            return False
        noted = generated.get(file.relative_to(self._folder).as_posix())
        content = None if noted is None else read_file(self._home, file.relative_to(self._home))
        return content is not None and self.digest(content) == noted

    def _text_files(self) -> Iterator[Path]:
        for root in (self._folder, *self._folders_restored_over()):
            for file in list_files(self._home, root.relative_to(self._home)):
                inside = file.relative_to(self._home).parts
                others = root == self._home and TENANTS in inside[:2]
                if _suffix(file) in _SUFFIXES and inside[0] != BACKUPS and not others:
                    yield file

    def _remove_empty_folders(self, folder: str) -> None:
        """Remove the empty folders in a folder, and the folder itself if it is empty."""
        root = (self._folder / folder).relative_to(self._home)
        inside = [path for path, found in list_folder(self._home, root) if is_folder(found)]
        for each in (*inside, self._home / root):
            with suppress(OSError):
                each.rmdir()

    def _folders_restored_over(self) -> Iterator[Path]:
        """Yield the folders of the tenant that restores have set aside."""
        if self._folder != self._home:
            for folder in (self._folder, former_folder(self._home, self._tenant)):
                yield from self._home.glob(f"{_RESTORED_OVER}/{folder.relative_to(self._home)}")


def _suffix(file: Path) -> str:
    draft = DRAFT.fullmatch(file.name)
    return Path(draft[1] if draft else file.name).suffix


def _read_state(file: Path) -> _State | None:
    """Return a file's inode, size and time of change; None where it has gone."""
    try:
        found = file.lstat()
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


@contextmanager
def _store_errors() -> Iterator[None]:
    """Raise errors of the operating system as a store error that names the file."""
    try:
        yield
    except OSError as error:
        raise StoreUnavailableError(
            f"{error.filename} can't be changed: {error.strerror}. Check that it is writable."
        ) from error
