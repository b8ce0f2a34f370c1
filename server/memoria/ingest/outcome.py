"""The outcome of a reading: what of the proposals was applied, and why the rest was not."""

from collections import Counter
from dataclasses import dataclass, field


@dataclass(slots=True)
class ExtractionOutcome:
    """What became of what was proposed, by kind and by reason."""

    applied: Counter[str] = field(default_factory=Counter)
    rejected: Counter[str] = field(default_factory=Counter)

    def add_rejection(self, error: Exception) -> None:
        """Count a proposal that could not be applied, by its reason."""
        self.rejected[str(error)] += 1

    def __str__(self) -> str:
        """As the queue's log has it."""
        parts = [", ".join(f"{name} {count}" for name, count in sorted(self.applied.items()))]
        if self.rejected:
            reasons = ", ".join(f"{why} {count}" for why, count in sorted(self.rejected.items()))
            parts.append(f"rejected: {reasons}")
        return "; ".join(filter(None, parts)) or "nothing"
