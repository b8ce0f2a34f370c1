"""Retention: memories that may leave the active ones, as nightly maintenance looks at them."""

from typing import Protocol

from memoria.model.retention import MemoryTier, RetentionAttributes, SupportCounts


class RetentionRows(Protocol):
    """A tenant's memories with the attributes that decide how long they last."""

    def list_expired(self, at: int, after: int, limit: int) -> list[tuple[int, str]]:
        """List (number, id) of active memories that have expired at a moment, beyond a number.

        Pinned ones stay.
        """
        ...

    def list_rule_made(self, after: int, limit: int) -> list[tuple[int, str, str]]:
        """List (number, id, quote) of active memories beyond a number that rules once concluded.

        Left out are those that anybody confirmed, pinned, edited or voted for, those that end
        another memory, and those that an undone night has given back.
        """
        ...

    def list_attributes(self, after: int, limit: int) -> list[tuple[int, RetentionAttributes]]:
        """List (number, attributes) of active memories beyond a number, in order."""
        ...

    def get_attributes(self, memory_id: str) -> RetentionAttributes | None:
        """Return a memory's attributes; None if there is no such memory or it is not active."""
        ...

    def get_support(self, memory_id: str) -> SupportCounts:
        """Count a memory's evidence; zeros if there is no such memory."""
        ...

    def set_tier(self, memory_id: str, tier: MemoryTier) -> None:
        """Set a memory's tier. Nothing else of it is touched, least of all its dates."""
        ...

    def note_review(self, memory_id: str, at: int, tier: MemoryTier, importance: float) -> None:
        """Record that a reviewer has kept a memory, with its new tier and importance."""
        ...
