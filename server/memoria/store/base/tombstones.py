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
        """Check whether the tenant has ever forgotten anything."""
        ...

    def has_older(self) -> bool:
        """Check whether the tenant has digests of earlier versions, looked up in another way."""
        ...

    def find_anchored(self, anchors: Iterable[str]) -> list[tuple[str, Tombstone]]:
        """List the stored imprints that have one of these anchors, with their tombstones."""
        ...

    def find(self, digests: Iterable[str], kind: TombstoneKind) -> Tombstone | None:
        """Return the newest tombstone of a kind with one of the digests; None if none has any."""
        ...

    def get(self, subject: str) -> Tombstone | None:
        """Return the tombstone of the record that had this id; None if there is none."""
        ...

    def find_hiding(self, subject: str, now: int) -> HiddenRecord | None:
        """Return the forget that has hidden the record with this id, if it can be put back now."""
        ...

    def has_meanings(self) -> bool:
        """Check whether any tombstone of the tenant has a vector, to recognise paraphrases by."""
        ...

    def find_by_meaning(self, model: str, vector: Vector) -> Tombstone | None:
        """Return the newest tombstone that has a vector close to this one; None if none has.

        Args:
            model: the model that made the vector.
            vector: the vector of a text.
        """
        ...

    def all(self) -> list[TombstoneRecord]:
        """List every tombstone with its digests and vectors, oldest first."""
        ...

    def add(self, record: TombstoneRecord) -> None:
        """Add a tombstone; one that exists already gains the new digests and vectors."""
        ...

    def add_all(self, records: Sequence[TombstoneRecord]) -> None:
        """Add many tombstones without vectors, in a fixed number of statements."""
        ...

    def lift(self, digests: Iterable[str]) -> int:
        """Delete these digests and the vectors beside them, so that memories may say it again.

        Returns the number of deleted digests.
        """
        ...
