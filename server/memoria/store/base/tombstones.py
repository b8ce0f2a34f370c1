"""Tombstones: proofs of what was forgotten."""

from collections.abc import Iterable, Sequence
from typing import Protocol

from memoria.model import Vector
from memoria.model.forgetting import HiddenRecord
from memoria.store.values import (
    Tombstone,
    TombstoneKind,
    TombstoneRecord,
)


class Tombstones(Protocol):
    """Proofs of what was forgotten."""

    def any(self) -> bool:
        """Whether the tenant has ever forgotten anything."""
        ...

    def has_older(self) -> bool:
        """Whether the tenant has digests of earlier versions, which are looked up otherwise."""
        ...

    def find_anchored(self, anchors: Iterable[str]) -> list[tuple[str, Tombstone]]:
        """The stored imprints that have one of these anchors, with their tombstones."""
        ...

    def find(self, digests: Iterable[str], kind: TombstoneKind) -> Tombstone | None:
        """The newest tombstone of this kind that has one of the digests."""
        ...

    def get(self, subject: str) -> Tombstone | None:
        """The tombstone of the record that had this id."""
        ...

    def find_hiding(self, subject: str, now: int) -> HiddenRecord | None:
        """The forget that has hidden the record that had this id, where it can be put back now."""
        ...

    def has_meanings(self) -> bool:
        """Whether any tombstone of the tenant has a vector, to recognise paraphrases by."""
        ...

    def find_by_meaning(self, model: str, vector: Vector) -> Tombstone | None:
        """The newest tombstone that has a vector close to this one.

        Args:
            model: the model that made the vector.
            vector: the vector of a text.
        """
        ...

    def all(self) -> list[TombstoneRecord]:
        """Every tombstone with its digests and vectors, oldest first."""
        ...

    def add(self, record: TombstoneRecord) -> None:
        """Add a tombstone. One that exists already gains the new digests and vectors."""
        ...

    def add_all(self, records: Sequence[TombstoneRecord]) -> None:
        """Add many tombstones without vectors, by a number of statements that does not grow."""
        ...

    def lift(self, digests: Iterable[str]) -> int:
        """Delete these digests and the vectors beside them, so that memories may say it again.

        Gives how many digests were deleted.
        """
        ...
