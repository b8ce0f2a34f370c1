"""Generated files: a killed run goes on, an undo restores them, and no edit of a user's is lost.

The plan holds the digest of each file before it is written. So a file is Memoria's if it says what
was written last, or what is about to be written: then the process died between the file and the row
that records it. Any other content is a user's edit, and is left alone.
"""

import hashlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from memoria.disk.folders import BEFORE_IMAGES, DERIVED, WRITTEN
from memoria.disk.tenant_files import TenantFiles
from memoria.lifecycle.interface import Item, ItemResult, StepContext
from memoria.model.nightly import GeneratedFile, NightlyRun, StepOutcome
from memoria.store.rows.transaction import Transaction

_EDITED = "the user has edited it: it is left as it is"


class FileItem(Item):
    """A file to be written; its key is its place below the tenant's folder."""

    digest: str | None
    """Digest of the content to write; None: the file is to be deleted."""
    stamp: str
    """Digest of what the content is made from."""


@dataclass(frozen=True, slots=True)
class GeneratedFiles:
    """The files that nightly maintenance writes for a tenant."""

    files: TenantFiles

    def digest(self, path: str) -> str | None:
        """Return the digest of a file; None without a file."""
        return digest(self.files.read(path))

    def write(
        self, tx: Transaction, run: NightlyRun, item: FileItem, content: str | None
    ) -> ItemResult:
        """Write a file, and record it.

        Raises:
            UnusableFileError: it can't be written; the next run tries it again.
        """
        known, present = tx.file_records.get(item.key), self.digest(item.key)
        if present not in (None, item.digest, known.digest if known else None):
            return ItemResult(StepOutcome.CHANGED_SINCE, item.key, _EDITED)
        data = None if content is None else content.encode()
        if digest(data) != item.digest:
            if present is not None and present == item.digest:
                _note_file(tx, run, item.model_copy(update={"stamp": ""}))
            return ItemResult(StepOutcome.CHANGED_SINCE)
        if present != item.digest and not self._replace_keeping(run, item.key, data):
            return ItemResult(StepOutcome.CHANGED_SINCE, item.key, _EDITED)
        _note_file(tx, run, item)
        return ItemResult(StepOutcome.DONE)

    def restore(self, tx: Transaction, run: NightlyRun) -> tuple[int, int]:
        """Restore files as before a run; return how many were restored, how many left as edited."""
        back = left = 0
        for path in sorted({*self._image_paths(run), *_paths_of_run(tx, run)}):
            known = tx.file_records.get(path)
            ours = known.digest if known and known.run_n == run.n else None
            if self.files.find_obstacle(path) is not None:
                left += 1
                continue
            present, before = self.digest(path), self.files.read(_image(run, path))
            if present == digest(before):
                continue
            if present != ours:
                left += 1
                continue
            self._write_or_delete(path, before)
            back += 1
        return back, left

    def drop_images(self, run: NightlyRun) -> None:
        """Delete the former versions of files that were kept for undoing a run."""
        self.files.delete_folder(f"{BEFORE_IMAGES}/{run.id}")

    def drop_other_images(self, undoable: Collection[str]) -> None:
        """Delete the former versions of files, kept for undoing runs, except for `undoable` runs.

        Args:
            undoable: ids of the runs that can still be undone.
        """
        for run_id in self.files.list_folders(BEFORE_IMAGES):
            if run_id not in undoable:
                self.files.delete_folder(f"{BEFORE_IMAGES}/{run_id}")

    def delete_drafts(self) -> None:
        """Delete files that killed processes left half written."""
        for folder in DERIVED:
            for draft in self.files.list_drafts(folder):
                self.files.delete(draft)

    def _replace_keeping(self, run: NightlyRun, path: str, content: bytes | None) -> bool:
        """Write or delete a file after keeping a copy; return False if it was edited meanwhile."""
        before = self.files.read(path)
        if before is not None:
            self._write_or_delete(_image(run, path), before)
        if content is not None:
            return self.files.write(path, content, lambda: self.files.read(path) == before)
        self.files.delete(path)
        return True

    def _image_paths(self, run: NightlyRun) -> Iterator[str]:
        """Yield the places of the files that the run has written over."""
        root = f"{BEFORE_IMAGES}/{run.id}/"
        for folder in WRITTEN:
            for image in self.files.list_places(f"{root}{folder}"):
                yield image.removeprefix(root)

    def _write_or_delete(self, path: str, content: bytes | None) -> None:
        if content is None:
            self.files.delete(path)
        else:
            self.files.write(path, content)


def files_of(context: StepContext) -> GeneratedFiles:
    """Return the generated files of the run's tenant."""
    return GeneratedFiles(context.files)


def digest(content: bytes | None) -> str | None:
    """Return the digest of a content; None for no content."""
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


def _image(run: NightlyRun, path: str) -> str:
    return f"{BEFORE_IMAGES}/{run.id}/{path}"
