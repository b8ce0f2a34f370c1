"""How tightly texts are packed: what a night makes of conversations that have come to rest."""

from typing import Protocol

from memoria.store.values import AgedSession, RepackedTexts, TierAges


class StorageTiers(Protocol):
    """A tenant's texts by how they are kept. What they say stays the same to the byte."""

    def count_aged(self, ages: TierAges) -> int:
        """How many conversations are old enough for another tier."""
        ...

    def next_aged(self, ages: TierAges) -> AgedSession | None:
        """One of them."""
        ...

    def repack(self, aged: AgedSession, after: int) -> RepackedTexts:
        """Some of a conversation's texts, packed for its tier; nothing is written.

        Args:
            aged: the conversation.
            after: the number of a turn: only texts of later ones.
        """
        ...

    def write_packed(self, repacked: RepackedTexts) -> bool:
        """Write what was packed.

        Gives False where one of the texts was erased meanwhile: then nothing is written.
        """
        ...

    def set_tier(self, aged: AgedSession, ages: TierAges) -> None:
        """Note that a conversation is in its tier, unless somebody has added to it since."""
        ...
