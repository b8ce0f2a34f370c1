"""Generated files: a killed run goes on, an undo restores them, and no edit of a user's is lost.

The plan holds the digest of each file before it is written. So a file is ours if it says what we
wrote last, or what we are about to write: then the process died between the file and the row that
records it. Any other content is a user's edit, and is left alone.
"""

import hashlib
import os
import shutil
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from memoria.errors import UnusableFileError
from memoria.lifecycle.interface import Item, ItemResult, StepContext
from memoria.model.day import GeneratedFile
from memoria.model.nightly import NightlyRun, StepOutcome
from memoria.store.base import Transaction
from memoria.store.files import replace_file
from memoria.store.folders import (
    BEFORE_IMAGES,
    DERIVED,
    DRAFT,
    WRITTEN,
    make_private,
    tenant_folder,
)

_EDITED = "the user has edited it: it is left as it is"


class FileItem(Item):
    """A file to be written; its key is its place below the tenant's folder."""

    digest: str | None
    """Of what it shall say; None where it shall go."""
    stamp: str
    """What it is made from."""


@dataclass(frozen=True, slots=True)
class GeneratedFiles:
    """A tenant's files."""

    folder: Path

    def exists(self, path: str) -> bool:
        """Whether a file exists."""
        return (self.folder / path).is_file()

    def digest(self, path: str) -> str | None:
        """The digest of a file; None where there is none."""
        return digest(_read_content(self.folder / path))

    def write(
        self, tx: Transaction, run: NightlyRun, item: FileItem, content: str | None
    ) -> ItemResult:
        """Write a file, and record it.

        Raises:
            UnusableFileError: it can't be written.
        """
        known, present = tx.file_records.get(item.key), self.digest(item.key)
        if present not in (None, item.digest, known.digest if known else None):
            return ItemResult(StepOutcome.CHANGED_SINCE, item.key, _EDITED)
        data = None if content is None else content.encode()
        if digest(data) != item.digest:
            if present is not None and present == item.digest:
                _note_file(tx, run, item.model_copy(update={"stamp": ""}))
            return ItemResult(StepOutcome.CHANGED_SINCE)
        if present != item.digest:
            self._replace_keeping(run, item.key, data)
        _note_file(tx, run, item)
        return ItemResult(StepOutcome.DONE)

    def restore(self, tx: Transaction, run: NightlyRun) -> tuple[int, int]:
        """Restore files as they were before a run. Gives (restored, left because edited since)."""
        back = left = 0
        for path in sorted({*self._image_paths(run), *_paths_of_run(tx, run)}):
            known = tx.file_records.get(path)
            ours = known.digest if known and known.run_n == run.n else None
            present, before = self.digest(path), _read_content(self._image(run, path))
            if present == digest(before):
                continue
            if present != ours:
                left += 1
                continue
            _write_or_delete(self.folder / path, before)
            back += 1
        return back, left

    def drop_images(self, run: NightlyRun) -> None:
        """Delete the images of what files said before a run."""
        shutil.rmtree(self.folder / BEFORE_IMAGES / run.id, ignore_errors=True)

    def drop_other_images(self, undoable: Collection[str]) -> None:
        """Delete the images of all runs but those that may still be undone.

        Args:
            undoable: their ids.
        """
        for folder in (self.folder / BEFORE_IMAGES).glob("*"):
            if folder.name not in undoable:
                shutil.rmtree(folder, ignore_errors=True)

    def delete_drafts(self) -> None:
        """Delete what killed processes left half written."""
        for name in DERIVED:
            for file in (self.folder / name).rglob(".*"):
                if DRAFT.fullmatch(file.name):
                    file.unlink(missing_ok=True)

    def _replace_keeping(self, run: NightlyRun, path: str, content: bytes | None) -> None:
        before, image = _read_content(self.folder / path), self._image(run, path)
        if before is not None:
            _write_or_delete(image, before)
        _write_or_delete(self.folder / path, content)

    def _image(self, run: NightlyRun, path: str) -> Path:
        return self.folder / BEFORE_IMAGES / run.id / path

    def _image_paths(self, run: NightlyRun) -> Iterator[str]:
        root = self.folder / BEFORE_IMAGES / run.id
        for file in (each for name in WRITTEN for each in (root / name).rglob("*")):
            if file.is_file() and not DRAFT.fullmatch(file.name):
                yield file.relative_to(root).as_posix()


def files_of(context: StepContext) -> GeneratedFiles:
    """The files of the tenant whose memories are looked after."""
    return GeneratedFiles(tenant_folder(context.settings.home_path, context.tenant))


def digest(content: bytes | None) -> str | None:
    """The digest of a content; None where there is none."""
    return None if content is None else hashlib.sha256(content).hexdigest()


def _note_file(tx: Transaction, run: NightlyRun, item: FileItem) -> None:
    if item.digest is None:
        tx.file_records.drop(item.key)
    else:
        tx.file_records.put(
            GeneratedFile(path=item.key, digest=item.digest, stamp=item.stamp, run_n=run.n)
        )


def _paths_of_run(tx: Transaction, run: NightlyRun) -> Iterator[str]:
    return (file.path for file in tx.file_records.all() if file.run_n == run.n)


def _read_content(file: Path) -> bytes | None:
    try:
        return file.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _unusable(file, error) from error


def _write_or_delete(file: Path, content: bytes | None) -> None:
    try:
        if content is None:
            file.unlink(missing_ok=True)
        else:
            make_private(file.parent)
            replace_file(file, content)
            _sync(file.parent)
    except OSError as error:
        raise _unusable(file, error) from error


def _sync(folder: Path) -> None:
    """Have a folder's names on disk before a row records them. Windows has no such call."""
    if os.name != "nt":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _unusable(file: Path, error: OSError) -> UnusableFileError:
    return UnusableFileError(
        f"{file} can't be used: {error.strerror}. Mend that, and the next run writes it."
    )
