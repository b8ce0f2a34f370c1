"""What may be erased for good: nothing brings it back."""

from typing import Protocol


class PurgeCandidates(Protocol):
    """A tenant's leftovers. Moments are UTC epoch ms."""

    def list_short_lived(self, before: int, limit: int) -> list[str]:
        """Ids of archived memories that were said to count for a day at most, earliest first.

        Args:
            before: when their time must have been over, and they archived.
            limit: how many at most.
        """
        ...

    def list_archived(self, before: int, limit: int) -> list[str]:
        """Ids of memories archived before a moment, earliest first."""
        ...

    def close_runs(self, before: int) -> None:
        """Note that runs before a moment can't be undone any more."""
        ...

    def drop_images(self, limit: int) -> int:
        """Delete journal rows of runs that can't be undone.

        Gives how many rows went; none where nothing is left.
        """
        ...
