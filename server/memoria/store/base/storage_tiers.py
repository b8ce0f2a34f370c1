"""Storage tiers: texts of conversations at rest are packed together, and read back to the byte."""

from typing import Protocol

from memoria.store.values import TextPage


class StorageTiers(Protocol):
    """A tenant's conversations by how their texts are stored.

    Hot and warm texts lie as they were recorded, each compressed by itself where that takes less
    room. Cold texts lie together in blocks. What they say stays the same to the byte.
    """

    def count_unpacked(self, before: int) -> int:
        """How many conversations got no turn since a moment and are not packed yet."""
        ...

    def next_unpacked(self, before: int) -> int | None:
        """The number of one of them; None where there is none."""
        ...

    def pack_page(self, session_n: int, after: int) -> TextPage:
        """Pack some of a conversation's texts; nothing is written.

        Args:
            session_n: the conversation.
            after: the number of a turn: only texts of later ones.
        """
        ...

    def write_page(self, page: TextPage) -> bool:
        """Write what was packed.

        False where one of the texts was erased since it was read: then nothing is written.
        """
        ...

    def mark_packed(self, session_n: int, before: int) -> None:
        """Note that a conversation is packed, unless it got a turn since the moment."""
        ...
