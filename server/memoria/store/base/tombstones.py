"""Tombstones: proofs of what was forgotten."""

from collections.abc import Iterable
from typing import Protocol

from memoria.store.values import (
    Tombstone,
    TombstoneKind,
)


class Tombstones(Protocol):
    """Proofs of what was forgotten."""

    def any(self) -> bool:
        """Whether the tenant ever forgot anything."""
        ...

    def find(self, marks: Iterable[str], kind: TombstoneKind) -> Tombstone | None:
        """The newest tombstone of this kind that has one of the marks."""
        ...

    def of(self, subject: str) -> Tombstone | None:
        """The tombstone of what had this id."""
        ...

    def all(self) -> list[tuple[Tombstone, tuple[str, ...]]]:
        """Every tombstone with its marks, oldest first."""
        ...

    def add(self, tombstone: Tombstone, marks: Iterable[str]) -> None:
        """Set up a tombstone. One that stands already gains the marks."""
        ...

    def lift(self, marks: Iterable[str]) -> int:
        """Let memories say again what has these marks. Gives how many marks were lifted."""
        ...
