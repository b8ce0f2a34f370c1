"""A database file as a whole, opened or not."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from memoria.model import (
    Finding,
)


class DatabaseFiles(Protocol):
    """Work on a database file as a whole, opened or not."""

    @property
    def newest_schema(self) -> int:
        """Number of the newest schema that this version knows."""
        ...

    def copy(self, source: Path, target: Path, progress: Callable[[int, int], None]) -> None:
        """Copy the file as it is at this moment, while others go on writing to it."""
        ...

    def list_foreign_objects(self, path: Path) -> list[str]:
        """List objects in a file that no version of Memoria made, such as triggers; none is run."""
        ...

    def check_truth(self, path: Path) -> list[Finding]:
        """Check that the truth in a file is whole; nobody else may have it open."""
        ...

    def describe(self, path: Path) -> tuple[int, Mapping[str, int]]:
        """Return the schema's number, and the number of rows of each kind in the file."""
        ...

    def claim(self, path: Path) -> AbstractContextManager[Callable[[Path, Path], None]]:
        """Lock everybody else out of the file, and yield a function that replaces it.

        The function takes the new file and the folder that the present one is moved to.

        Raises:
            StoreUnavailableError: another process has it open.
        """
        ...
