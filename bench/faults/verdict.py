"""What came of a fault."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

Progress = Callable[[int, int], None]
"""Told (rounds done, of how many)."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A fault, what was seen, and which promises it broke."""

    fault: str
    figures: Mapping[str, int | float] = field(default_factory=dict)
    broken: tuple[str, ...] = ()
    skipped: str | None = None
    """Why it could not be tried here."""


def silent(_done: int, _total: int) -> None:
    """Nobody looks at the progress."""
