"""What core files said when they were last written, and what belongs into them."""

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
        """All that is active at a moment; episodes are not, nor what belongs to a task."""
        ...

    def present(self, at: int, project: str | None, files: Sequence[CoreFile]) -> list[CoreMemory]:
        """What of it a reader may be shown at once, as seen from a project.

        That is what the files say, all rules, and the newest of everything else, so that the number
        of memories makes no difference.

        Args:
            at: UTC epoch milliseconds.
            project: what is seen in other projects alone is left out; None stands for no project.
            files: the core files whose lines are wanted.
        """
        ...

    def version(self) -> tuple[int, int]:
        """A value that is another one after every change to the home, while it is open.

        It tells changes of others: it is asked for where nothing is written.
        """
        ...

    def next_end(self, at: int) -> int | None:
        """The first moment after this one at which a memory comes to its end."""
        ...

    def projects(self) -> list[str]:
        """The projects in which something is seen that is seen nowhere else."""
        ...

    def disputes(self) -> list[EditConflict]:
        """Wordings by hand that stand against a memory, oldest first."""
        ...

    def statuses(self, memory_ids: Sequence[str]) -> dict[str, LineStatus]:
        """Where memories stand now; those that were erased are missing."""
        ...

    def lines(self, file: CoreFile) -> list[CoreLine]:
        """What a file said when it was last written."""
        ...

    def set_line(self, file: CoreFile, line: CoreLine) -> None:
        """Note what a file says of a memory, in the place of what it said before.

        Raises:
            NotFoundError: there is no such memory.
        """
        ...

    def drop_line(self, file: CoreFile, memory_id: str) -> None:
        """Note that a file says nothing of a memory."""
        ...

    def file_state(self, file: CoreFile) -> CoreFileState:
        """What was last written to a file, or is about to be."""
        ...

    def announce_write(self, file: CoreFile, digest: bytes) -> None:
        """Note what is about to be written to a file."""
        ...

    def confirm_write(self, file: CoreFile, digest: bytes) -> None:
        """Note what has been written to a file: nothing is about to be any more."""
        ...
