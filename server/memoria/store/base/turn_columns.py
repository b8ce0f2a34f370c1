"""Turn columns: turns as arrays, for ranking hundreds of them at once."""

from collections.abc import Sequence
from typing import Protocol

from memoria.store.positions import Surroundings
from memoria.store.remark import Remarks, Sayings


class TurnColumns(Protocol):
    """A tenant's turns as columns; what hardly ever changes is cached across questions."""

    def surroundings(
        self, central: Sequence[int], others: Sequence[int], *, include_processed: bool
    ) -> Surroundings:
        """Find the places of turns, and the turns up to two places around the central ones.

        Without `include_processed`, turns from which nothing more is to be concluded are left out
        around them.
        """
        ...

    def remarks(self, ns: Sequence[int]) -> Remarks:
        """Return speakers and times of the turns, a row for each in the order of the numbers."""
        ...

    def sayings(self, ns: Sequence[int], *, with_wishes: bool) -> Sayings:
        """Read the turns' texts and return their features, a row for each.

        Wishes are looked for only if asked for, since that takes longest.
        """
        ...
