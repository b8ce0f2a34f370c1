"""Turn columns: turns side by side, for whoever ranks hundreds of them."""

from collections.abc import Sequence
from typing import Protocol

from memoria.store.positions import Surroundings
from memoria.store.remark import Remarks, Sayings


class TurnColumns(Protocol):
    """A tenant's turns as columns. What hardly ever changes is not read for every question."""

    def surroundings(
        self, central: Sequence[int], others: Sequence[int], *, include_processed: bool
    ) -> Surroundings:
        """Where turns stand, and what is up to two places around the central ones.

        Without `include_processed`, the turns around them are left out from which nothing more is
        to be concluded.
        """
        ...

    def remarks(self, ns: Sequence[int]) -> Remarks:
        """Who said the turns and when, a row for each in the order of the numbers."""
        ...

    def sayings(self, ns: Sequence[int], *, with_wishes: bool) -> Sayings:
        """What is told by what was said in the turns, which is read; a row for each.

        What their authors wish is told where it is asked for, for it takes longest.
        """
        ...
