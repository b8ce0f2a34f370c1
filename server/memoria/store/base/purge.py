"""Candidates for erasure for good: rows that nothing brings back."""

from typing import Protocol


class PurgeCandidates(Protocol):
    """A tenant's leftovers. Moments are UTC epoch ms."""

    def list_short_lived(self, before: int, limit: int) -> list[str]:
        """List ids of archived memories that were said to count for a day at most, earliest first.

        Args:
            before: the moment before which they expired and were archived.
            limit: the largest number of ids.
        """
        ...

    def list_archived(self, before: int, limit: int) -> list[str]:
        """List ids of memories archived before a moment, earliest first."""
        ...

    def close_runs(self, before: int) -> None:
        """Mark runs before a moment as no longer to be undone."""
        ...

    def drop_images(self, limit: int) -> int:
        """Delete journal rows of runs that can't be undone.

        Returns the number of deleted rows; 0 if nothing is left.
        """
        ...
