"""What may leave the active memories: what a night looks at."""

from typing import Protocol

from memoria.model.retention import MemoryTier, RetentionAttributes, SupportCounts


class RetentionRows(Protocol):
    """A tenant's memories by how long they last."""

    def list_expired(self, at: int, after: int, limit: int) -> list[tuple[int, str]]:
        """(number, id) of active memories that count no longer at a moment, beyond a number.

        Pinned ones stay.
        """
        ...

    def list_attributes(self, after: int, limit: int) -> list[tuple[int, RetentionAttributes]]:
        """(number, vitals) of active memories beyond a number, in order."""
        ...

    def get_attributes(self, memory_id: str) -> RetentionAttributes | None:
        """An active memory's vitals; None if there is no such memory or it is not active."""
        ...

    def get_support(self, memory_id: str) -> SupportCounts:
        """How broadly a memory is borne out; by nothing where there is no such memory."""
        ...

    def set_tier(self, memory_id: str, tier: MemoryTier) -> None:
        """Let a memory rise or sink. Nothing else of it is touched, least of all its dates."""
        ...

    def note_review(self, memory_id: str, at: int, tier: MemoryTier, importance: float) -> None:
        """Note that a reviewer has kept a memory, and how high it stands from now on."""
        ...
