"""Tombstones: proofs of what was forgotten."""

from collections.abc import Iterable
from typing import Protocol

from memoria.model import Vector
from memoria.store.values import (
    Tombstone,
    TombstoneKind,
    TombstoneRecord,
)


class Tombstones(Protocol):
    """Proofs of what was forgotten."""

    def any(self) -> bool:
        """Whether the tenant ever forgot anything."""
        ...

    def find(self, marks: Iterable[str], kind: TombstoneKind) -> Tombstone | None:
        """The newest tombstone of this kind that has one of the marks."""
        ...

    def get(self, subject: str) -> Tombstone | None:
        """The tombstone of what had this id."""
        ...

    def has_meanings(self) -> bool:
        """Whether any tombstone of the tenant can tell what means nearly the same."""
        ...

    def find_by_meaning(self, model: str, vector: Vector) -> Tombstone | None:
        """The newest tombstone of a memory that means nearly the same, of those that can tell.

        Args:
            model: who made the vector.
            vector: of a text.
        """
        ...

    def all(self) -> list[TombstoneRecord]:
        """Every tombstone with what it knows again, oldest first."""
        ...

    def add(self, grave: TombstoneRecord) -> None:
        """Set up a tombstone. One that stands already gains what it did not know."""
        ...

    def lift(self, marks: Iterable[str]) -> int:
        """Let memories say again what has these marks, in any words.

        Gives how many marks were lifted.
        """
        ...
