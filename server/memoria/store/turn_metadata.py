"""Metadata of turns and features of their texts that ranking asks for, singly or as columns."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Bits: TypeAlias = NDArray[np.bool_]
    Integers: TypeAlias = NDArray[np.int64]
    Small: TypeAlias = NDArray[np.int16]

UNHEARD = -1
"""Mark of a feature that is not known because the text has not been read."""


class TurnMetadata(NamedTuple):
    """The speaker, role and time of a turn, and a way to read its text."""

    speaker: str | None
    role: str
    at: int
    read: Callable[[], str]
    """Unpacks the text; may be called while the transaction lasts."""
    is_whole: bool = True
    """True if the text is all of the turn: it may be a tool call as well."""

    @property
    def content(self) -> str:
        """Text of the turn, unpacked when it is asked for."""
        return self.read()


class TextFeatureColumns(NamedTuple):
    """Features of texts, as columns; see `Saying` and `find_wish`."""

    words: "Small"
    """`UNHEARD` where the text has not been read; then `asks` is not known either."""
    asks: "Bits"
    wishes: "Small"
    """`UNHEARD` where nobody has looked for one."""

    def with_rows(self, rows: "Integers", sayings: "TextFeatureColumns") -> "TextFeatureColumns":
        """Return a copy in which some rows are replaced."""
        words, asks, wishes = self.words.copy(), self.asks.copy(), self.wishes.copy()
        words[rows], asks[rows], wishes[rows] = sayings
        return TextFeatureColumns(words, asks, wishes)


class TurnMetadataColumns(NamedTuple):
    """Metadata of turns as columns: a row for each document that was asked for."""

    is_turn: "Bits"
    """False for a document that is no turn; its other columns then mean nothing."""
    ats: "Integers"
    is_user: "Bits"
    is_assistant: "Bits"
    speakers: "Integers"
    """Index of the speaker in `names`."""
    names: Sequence[str]
    """Names of speakers; the first, which is empty, stands for a speaker without a name."""
    said: TextFeatureColumns
    """Features as far as they are known without reading a text."""
