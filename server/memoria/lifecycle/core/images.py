"""Images of the core files before a run wrote them, kept as long as the run can be undone."""

import hashlib
from dataclasses import dataclass

from memoria.lifecycle.core.places import list_places
from memoria.model.core import CoreFile
from memoria.store.base import TenantFiles, Transaction
from memoria.store.folders import BEFORE_IMAGES

_NEW = ".new"
"""Ends the name that stands for a file there was none of."""


@dataclass(frozen=True, slots=True)
class CoreImages:
    """A tenant's core files as they were before one run.

    Every method raises `UnusableFileError` where a file can't be read or written.
    """

    files: TenantFiles
    run_id: str

    def save(self, file: CoreFile) -> None:
        """Keep a file as it stands, once: the run may have written it since."""
        if self._read_image(file) is not None or self._was_missing(file):
            return
        before = self.files.read(file)
        place = self._image(file) if before is not None else self._missing(file)
        self.files.write(place, before or b"")

    def restore(self, tx: Transaction) -> tuple[int, int]:
        """Restore the files from their images, but for those that the user has edited since.

        The rows must still be the run's: they say what it wrote. Gives (restored, left as edited).
        """
        done = [self._restore(tx, place.file) for place in list_places(tx)]
        return done.count(True), done.count(False)

    def _restore(self, tx: Transaction, file: CoreFile) -> bool | None:
        """Whether the file was restored; None where there is nothing to restore."""
        before = self._read_image(file)
        if before is None and not self._was_missing(file):
            return None
        if self.files.find_obstacle(file) is not None:
            return False
        present = self.files.read(file)
        if present == before:
            return None
        if present is None or hashlib.sha256(present).digest() != tx.core.file_state(file).digest:
            return False
        if before is None:
            self.files.delete(file)
        else:
            self.files.write(file, before)
        return True

    def _read_image(self, file: CoreFile) -> bytes | None:
        return self.files.read(self._image(file))

    def _was_missing(self, file: CoreFile) -> bool:
        """Whether there was no such file before the run."""
        return self.files.read(self._missing(file)) is not None

    def _image(self, file: CoreFile) -> str:
        return f"{BEFORE_IMAGES}/{self.run_id}/{file}"

    def _missing(self, file: CoreFile) -> str:
        return f"{self._image(file)}{_NEW}"
