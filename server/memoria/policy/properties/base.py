"""What a statement says: a property of a subject, with its value."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

ON_CONDITION = "@"
"""Stands in the predicate of a rule for the assistant before the place or case it holds for."""
MOVED_HOUSE = "move:house"
"""The predicate of a clause that tells a move, and nothing of where to."""
WHOLE = "say:"
"""Begins the predicate of a clause that no rule reads."""


@dataclass(frozen=True, slots=True)
class Property:
    """One thing that a statement says of a subject."""

    subject: str
    """As `subject_key` makes it: `user`, `user's mother`, `alice`, `billing service`."""
    predicate: str
    """One key for one property in both languages where possible: `home`, `taste:cat`, `port`."""
    value: str
    """What is said of it, in a canonical form."""
    has_one_value: bool
    """Whether only one value holds at a time, as of a home or a deadline, not of allergies."""
    affirmed: bool = True
    """Whether it is stated, not denied."""
    is_change: bool = False
    """Whether the wording itself says that something changed or is corrected."""
    is_past: bool = False
    """Whether it tells what was, and so replaces nothing."""
    is_tentative: bool = False
    """Whether it is a plan, a wish, hearsay or a possibility, and so replaces nothing."""
    is_certain: bool = True
    """Whether another value is surely a change; if not, both may be true, of two events."""

    @property
    def is_unread(self) -> bool:
        """Whether no rule read the clause, so that its words are all that is known of it."""
        return self.predicate.startswith(WHOLE)

    @property
    def condition(self) -> str:
        """Where or when a rule for the assistant holds; empty if it always does."""
        return "" if self.is_unread else self.predicate.partition(ON_CONDITION)[2]

    @property
    def holds_now(self) -> bool:
        """Whether it tells what is, not what was, may be or is planned."""
        return not (self.is_past or self.is_tentative)


def place_movers(found: Sequence[Property], previous: Sequence[Property]) -> list[Property]:
    """The properties of a clause; where somebody is of whom the one before tells a move, they live.

    Args:
        found: what the clause tells.
        previous: what the clause before tells.
    """
    if not previous or previous[-1].predicate != MOVED_HOUSE:
        return [*found]
    return [replace(one, predicate="home") if one.predicate == "location" else one for one in found]
