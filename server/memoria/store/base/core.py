"""Lines of core files as last written, and the memories that belong in them."""

from collections.abc import Sequence
from typing import Protocol

from memoria.model.core import (
    CoreFile,
    CoreFileState,
    CoreLine,
    CoreMemory,
    EditConflict,
    LineStatus,
)


class CoreLines(Protocol):
    """The lines of core files, each with its memory. Their text is not stored here."""

    def memories(self, at: int) -> list[CoreMemory]:
        """List the memories active at a moment, without episodes and those limited to a task."""
        ...

    def present(self, at: int, project: str | None, files: Sequence[CoreFile]) -> list[CoreMemory]:
        """List the memories that a reader may be shown at once, as seen from a project.

        These are the lines of the files, all rules, and the newest of everything else, so that the
        number of memories makes no difference to the time.

        Args:
            at: UTC epoch milliseconds.
            project: memories seen in other projects alone are left out; None stands for no project.
            files: the core files whose lines are wanted.
        """
        ...

    def version(self) -> tuple[int, int]:
        """Return a value that changes with every change to the home, while it is open.

        It tells changes of others: ask for it where nothing is written.
        """
        ...

    def next_end(self, at: int) -> int | None:
        """Return the first moment after this one at which a memory expires; None if none does."""
        ...

    def projects(self) -> list[str]:
        """List the projects in which something is seen that is seen nowhere else."""
        ...

    def disputes(self) -> list[EditConflict]:
        """List wordings by hand that stand against a memory, oldest first."""
        ...

    def statuses(self, memory_ids: Sequence[str]) -> dict[str, LineStatus]:
        """Map memories to their present status; those that were erased are missing."""
        ...

    def lines(self, file: CoreFile) -> list[CoreLine]:
        """List the lines of a file as it was last written."""
        ...

    def set_line(self, file: CoreFile, line: CoreLine) -> None:
        """Note the line that a file has for a memory, in place of the one before.

        Raises:
            NotFoundError: there is no such memory.
        """
        ...

    def drop_line(self, file: CoreFile, memory_id: str) -> None:
        """Note that a file has no line for a memory."""
        ...

    def file_state(self, file: CoreFile) -> CoreFileState:
        """Return the digests of what was last written to a file and of what is about to be."""
        ...

    def announce_write(self, file: CoreFile, digest: bytes) -> None:
        """Note the digest of what is about to be written to a file."""
        ...

    def confirm_write(self, file: CoreFile, digest: bytes) -> None:
        """Note the digest of what has been written to a file, and that no write is pending."""
        ...
