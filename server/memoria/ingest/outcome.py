"""The outcome of an extraction: which operations were applied, and why others were rejected."""

from collections import Counter
from dataclasses import dataclass, field

from memoria.model import MemoryChange


@dataclass(slots=True)
class ExtractionOutcome:
    """Counts of applied operations by kind, and of rejected ones by reason."""

    applied: Counter[str] = field(default_factory=Counter)
    rejected: Counter[str] = field(default_factory=Counter)
    memory_ids: list[str] = field(default_factory=list)
    """Of each conclusion that was taken on, in order, the memory that says it."""
    changes: list[MemoryChange] = field(default_factory=list)
    """Memories that took the place of others, or contradict them."""

    def add_rejection(self, error: Exception) -> None:
        """Count an operation that was rejected, by its reason."""
        self.rejected[str(error)] += 1

    def __str__(self) -> str:
        """The counts in a line, as the queue shows it."""
        parts = [", ".join(f"{name} {count}" for name, count in sorted(self.applied.items()))]
        if self.rejected:
            reasons = ", ".join(f"{why} {count}" for why, count in sorted(self.rejected.items()))
            parts.append(f"rejected: {reasons}")
        return "; ".join(filter(None, parts)) or "nothing"
