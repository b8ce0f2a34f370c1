"""What may leave the active memories, as nightly maintenance looks at it."""

from typing import Protocol

from memoria.model.retention import MemoryTier, RetentionAttributes, SupportCounts


class RetentionRows(Protocol):
    """A tenant's memories by how long they last."""

    def list_expired(self, at: int, after: int, limit: int) -> list[tuple[int, str]]:
        """(number, id) of active memories that count no longer at a moment, beyond a number.

        Pinned ones stay.
        """
        ...

    def list_rule_made(self, after: int, limit: int) -> list[tuple[int, str, str]]:
        """(number, id, quote) of active memories beyond a number that rules once concluded.

        What anybody confirmed, pinned, edited or voted for, and what ends another memory, is none
        of them, nor is what an undone night has given back.
        """
        ...

    def list_attributes(self, after: int, limit: int) -> list[tuple[int, RetentionAttributes]]:
        """(number, vitals) of active memories beyond a number, in order."""
        ...

    def get_attributes(self, memory_id: str) -> RetentionAttributes | None:
        """An active memory's vitals; None if there is no such memory or it is not active."""
        ...

    def get_support(self, memory_id: str) -> SupportCounts:
        """How much evidence a memory has; none where there is no such memory."""
        ...

    def set_tier(self, memory_id: str, tier: MemoryTier) -> None:
        """Set a memory's tier. Nothing else of it is touched, least of all its dates."""
        ...

    def note_review(self, memory_id: str, at: int, tier: MemoryTier, importance: float) -> None:
        """Note that a reviewer has kept a memory, and how high it stands from now on."""
        ...
