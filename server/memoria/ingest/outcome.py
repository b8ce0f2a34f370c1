"""Outcome of an extraction: the operations that were applied, and why others were rejected."""

from collections import Counter
from dataclasses import dataclass, field

from memoria.model import MemoryChange


@dataclass(slots=True)
class ExtractionOutcome:
    """Counts of applied operations by kind, and of rejected ones by reason."""

    applied: Counter[str] = field(default_factory=Counter)
    rejected: Counter[str] = field(default_factory=Counter)
    memory_ids: list[str] = field(default_factory=list)
    """Memory of each conclusion that was taken on, in order."""
    changes: list[MemoryChange] = field(default_factory=list)
    """Memories that took the place of others, or contradict them."""

    def add_rejection(self, error: Exception) -> None:
        """Count an operation that was rejected, by its reason."""
        self.rejected[str(error)] += 1

    def __str__(self) -> str:
        """Return the counts in a line, as the queue shows it."""
        parts = [", ".join(f"{name} {count}" for name, count in sorted(self.applied.items()))]
        if self.rejected:
            reasons = ", ".join(f"{why} {count}" for why, count in sorted(self.rejected.items()))
            parts.append(f"rejected: {reasons}")
        return "; ".join(filter(None, parts)) or "nothing"
