"""Episodes: memories that sum up segments of sessions."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from memoria.model import TurnRange


class Episodes(Protocol):
    """The memories that sum up segments of sessions."""

    def add(self, memory_id: str, session_n: int, first_index: int, last_index: int) -> None:
        """Record the turns that a memory sums up.

        Raises:
            NotFoundError: there is no such memory.
        """
        ...

    def find(self, session_n: int, first_index: int, last_index: int) -> str | None:
        """Return the id of the memory that sums up exactly this segment; None if none does."""
        ...

    def get_span(self, memory_id: str) -> TurnRange | None:
        """Return the segment that a memory sums up; None if it sums up none."""
        ...

    def list_over_turns(self, turn_ns: Sequence[int]) -> list[str]:
        """List ids of the memories that sum up a segment with one of these turns."""
        ...

    def stop_summarising(self, memory_id: str, now: int) -> None:
        """Take an episode's segment out of the queue, so that it is not summed up again."""
        ...

    def list_active(self, after: int, limit: int) -> list[tuple[int, str]]:
        """List (number, id) of active episodes beyond a number, in order."""
        ...

    def list_recent(self, at: int, project: str | None, limit: int) -> list[str]:
        """List ids of the last episodes of a project that are active at a moment, newest first.

        Those of other projects are left out; None stands for no project.
        """
        ...

    def list_read_before(self, moments: Mapping[str, int]) -> list[str]:
        """List the episodes whose segment was last read before the moment given for each.

        A segment that waits to be read is none of them.

        Args:
            moments: UTC epoch ms, by the episode's id.
        """
        ...

    def requeue_summary(self, memory_id: str, moment: int) -> bool:
        """Requeue an episode's segment if it was last read before a moment; True if it was."""
        ...

    def requeue_summaries(self, turn_ns: Sequence[int], not_before: int = 0) -> int:
        """Put finished segments with one of these turns back into the queue.

        They may be taken from `not_before` on. Returns their number.
        """
        ...
