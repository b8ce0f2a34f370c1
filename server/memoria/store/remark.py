"""Remark: what a ranking asks of a turn, of one or of many side by side."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Bits: TypeAlias = NDArray[np.bool_]
    Integers: TypeAlias = NDArray[np.int64]
    Small: TypeAlias = NDArray[np.int16]

UNHEARD = -1
"""What is not known because the text has not been read."""


class Remark(NamedTuple):
    """Who said a turn and when."""

    speaker: str | None
    role: str
    at: int
    read: Callable[[], str]
    """Unpacks what was said, while the transaction lasts."""
    is_whole: bool = True
    """Whether that is all: a turn may be a tool call as well."""

    @property
    def content(self) -> str:
        """What was said; unpacked where it is asked for."""
        return self.read()


class Sayings(NamedTuple):
    """What texts tell by themselves, as columns; see `Saying` and `find_wish`."""

    words: "Small"
    """`UNHEARD` where the text has not been read; then nobody knows whether it asks."""
    asks: "Bits"
    wishes: "Small"
    """`UNHEARD` where nobody has looked for one."""

    def with_rows(self, rows: "Integers", sayings: "Sayings") -> "Sayings":
        """The same with what is told in some rows."""
        words, asks, wishes = self.words.copy(), self.asks.copy(), self.wishes.copy()
        words[rows], asks[rows], wishes[rows] = sayings
        return Sayings(words, asks, wishes)


class Remarks(NamedTuple):
    """Who said turns and when, as columns: a row for each document that was asked for."""

    is_turn: "Bits"
    """Of what is no turn nothing else is told, and nothing is left unheard."""
    ats: "Integers"
    is_user: "Bits"
    is_assistant: "Bits"
    speakers: "Integers"
    """Who of the following."""
    names: Sequence[str]
    """The first, which is empty, stands for who has no name."""
    said: Sayings
    """As far as it is known without reading anything."""
