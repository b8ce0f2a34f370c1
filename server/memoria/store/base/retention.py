"""What may leave the active memories: what a night looks at."""

from typing import Protocol


class Retention(Protocol):
    """A tenant's memories by how long they last."""

    def expired(self, at: int, after: int, limit: int) -> list[tuple[int, str]]:
        """(number, id) of active memories that count no longer at a moment, beyond a number.

        Pinned ones stay.
        """
        ...
