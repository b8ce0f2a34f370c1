"""Features of documents that ranking asks for: tokens, places, metadata of turns."""

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


class TurnPosition(NamedTuple):
    """A turn's number, its session and its place there."""

    n: int
    session_n: int
    turn_index: int


SESSION_BITS = 32
"""Bits of a place that hold the turn's place in its session; the session's number is above them."""


class Surroundings(NamedTuple):
    """Positions of turns and of those around them, as columns in order of their places."""

    ns: "Integers"
    """Numbers of the turns, each once."""
    places: "Integers"
    speakers: frozenset[str] = frozenset()
    """Names of the speakers of the turns in the middle, as far as they have names."""


IndexTokens: TypeAlias = bytes
"""Tokens of a document as they are indexed, separated by single spaces: those of what was said and
done, and behind a line feed, which stands in no token, those of who said it and when. They are
counted as bytes, in a hundred documents at once."""


def pack_tokens(words: str, context: str) -> IndexTokens:
    """Join the tokens of what a document says with those of who said it and when."""
    return f"{words}\n{context}".encode()


def list_words(tokens: IndexTokens) -> list[str]:
    """Return the tokens of what a document says."""
    return tokens[: tokens.index(b"\n")].decode().split(" ")
