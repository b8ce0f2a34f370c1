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
        """Let nights before a moment be undone no more."""
        ...

    def drop_images(self, limit: int) -> int:
        """Let go of what nights that can't be undone have changed.

        Gives how many rows went; none where nothing is left.
        """
        ...
