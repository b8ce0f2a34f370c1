"""Images of the core files before a run wrote them, kept as long as the run can be undone."""

from dataclasses import dataclass

from memoria.model.core import CoreFile
from memoria.store.base import TenantFiles
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
        if self.read(file) is not None or self.was_missing(file):
            return
        before = self.files.read(file)
        place = self._image(file) if before is not None else self._missing(file)
        self.files.write(place, before or b"")

    def read(self, file: CoreFile) -> bytes | None:
        """What a file said before the run; None where there was none, or no image is left."""
        return self.files.read(self._image(file))

    def was_missing(self, file: CoreFile) -> bool:
        """Whether there was no such file before the run."""
        return self.files.read(self._missing(file)) is not None

    def _image(self, file: CoreFile) -> str:
        return f"{BEFORE_IMAGES}/{self.run_id}/{file}"

    def _missing(self, file: CoreFile) -> str:
        return f"{self._image(file)}{_NEW}"
