"""Images of the core files before a run wrote them, kept as long as the run can be undone."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from memoria.errors import StoreUnavailableError
from memoria.model.core import CORE_FILES, CoreFile
from memoria.store.base import Transaction
from memoria.store.files import replace_file
from memoria.store.folders import BEFORE_IMAGES

_NEW = ".new"
"""Ends the name that stands for a file there was none of."""


@dataclass(frozen=True, slots=True)
class CoreImages:
    """A tenant's core files as they were before one run."""

    folder: Path
    """Where the tenant's files lie."""
    run_id: str

    def save(self, file: CoreFile) -> None:
        """Keep a file as it stands, unless it was kept before: the run may have written it since.

        Raises:
            StoreUnavailableError: it can't be read or kept.
        """
        image, nothing = self._image(file), self._nothing(file)
        if image.exists() or nothing.exists():
            return
        try:
            image.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            before = _read_content(self.folder / file)
            replace_file(nothing if before is None else image, before or b"")
        except OSError as error:
            raise StoreUnavailableError.from_system(error) from error

    def restore(self, tx: Transaction) -> tuple[int, int]:
        """Restore the files from their images, but for those that the user has edited since.

        The rows must still be the run's: they say what it wrote. Gives (restored, left as edited).

        Raises:
            StoreUnavailableError: a file can't be written.
        """
        try:
            done = [self._restore(tx, file) for file in CORE_FILES]
        except OSError as error:
            raise StoreUnavailableError.from_system(error) from error
        return done.count(True), done.count(False)

    def _restore(self, tx: Transaction, file: CoreFile) -> bool | None:
        """Whether the file was restored; None where there is nothing to restore."""
        before, present = _read_content(self._image(file)), _read_content(self.folder / file)
        if before is None and not self._nothing(file).exists():
            return None
        if present == before:
            return None
        if present is None or hashlib.sha256(present).digest() != tx.core.file_state(file).digest:
            return False
        if before is None:
            (self.folder / file).unlink()
        else:
            replace_file(self.folder / file, before)
        return True

    def _image(self, file: CoreFile) -> Path:
        return self.folder / BEFORE_IMAGES / self.run_id / file

    def _nothing(self, file: CoreFile) -> Path:
        return self._image(file).with_name(f"{file}{_NEW}")


def _read_content(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
