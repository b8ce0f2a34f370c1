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
        """The newest schema this version knows."""
        ...

    def copy(self, source: Path, target: Path, progress: Callable[[int, int], None]) -> None:
        """Write the file as it is at this moment, while others go on writing to it."""
        ...

    def list_foreign_objects(self, path: Path) -> list[str]:
        """What in a file is not as a version made it, such as a trigger. Nothing in it is run."""
        ...

    def check_truth(self, path: Path) -> list[Finding]:
        """Whether the truth in a file that nobody else has open is whole."""
        ...

    def describe(self, path: Path) -> tuple[int, Mapping[str, int]]:
        """The schema's number, and how much of what is in the file."""
        ...

    def claim(self, path: Path) -> AbstractContextManager[Callable[[Path, Path], None]]:
        """Keep everybody else out of the file. Gives what puts another in its place.

        What it gives takes the new file and the folder the present one goes to.

        Raises:
            StoreUnavailableError: another process has it open.
        """
        ...
