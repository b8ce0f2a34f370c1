"""Storage tiers: texts of old conversations are packed together, and read back to the byte."""

from typing import Protocol

from memoria.store.values import TextPage


class StorageTiers(Protocol):
    """A tenant's conversations by how their texts are stored.

    Hot and warm texts lie as they were recorded, each compressed by itself where that takes less
    room. Cold texts lie together in blocks. What they say stays the same to the byte.
    """

    def count_unpacked(self, before: int) -> int:
        """Count the conversations without a turn since a moment that are not packed yet."""
        ...

    def next_unpacked(self, before: int) -> int | None:
        """Return the number of a conversation to pack; None if there is none."""
        ...

    def pack_page(self, session_n: int, after: int) -> TextPage:
        """Pack some of a conversation's texts; nothing is written.

        Args:
            session_n: the conversation.
            after: number of a turn; only texts of later ones are packed.
        """
        ...

    def write_page(self, page: TextPage) -> bool:
        """Write a packed page.

        Returns False, and writes nothing, if one of the texts was erased since it was read.
        """
        ...

    def mark_packed(self, session_n: int, before: int) -> None:
        """Mark a conversation as packed, unless it got a turn since the moment."""
        ...
