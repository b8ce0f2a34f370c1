"""Features of documents that ranking asks for: tokens, places, and metadata of turns."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Bits: TypeAlias = NDArray[np.bool_]
    Integers: TypeAlias = NDArray[np.int64]
    Small: TypeAlias = NDArray[np.int16]

UNHEARD = -1
"""Value of a feature of a text that has not been read."""


class TurnMetadata(NamedTuple):
    """The speaker, role and time of a turn, and a way to read its text."""

    speaker: str | None
    role: str
    at: int
    read: Callable[[], str]
    """Returns the text; to be called while the transaction lasts."""
    is_whole: bool = True
    """True if the turn has a text alone, and no tool call."""

    @property
    def content(self) -> str:
        """Text of the turn, read when asked for."""
        return self.read()


class TextFeatureColumns(NamedTuple):
    """Features of texts, as columns; see `Saying` and `find_wish`."""

    words: "Small"
    """Numbers of words; `UNHEARD` for an unread text, whose `asks` is unknown too."""
    asks: "Bits"
    wishes: "Small"
    """Results of `find_wish`; `UNHEARD` for a text that was not searched for a wish."""

    def with_rows(self, rows: "Integers", sayings: "TextFeatureColumns") -> "TextFeatureColumns":
        """Return a copy in which some rows are replaced."""
        words, asks, wishes = self.words.copy(), self.asks.copy(), self.wishes.copy()
        words[rows], asks[rows], wishes[rows] = sayings
        return TextFeatureColumns(words, asks, wishes)


class TurnMetadataColumns(NamedTuple):
    """Metadata of turns as columns, with a row for each document asked for."""

    is_turn: "Bits"
    """False for a document that is no turn, whose other columns have no meaning."""
    ats: "Integers"
    is_user: "Bits"
    is_assistant: "Bits"
    speakers: "Integers"
    """Index of the speaker in `names`."""
    names: Sequence[str]
    """Names of speakers; the first is empty, for a speaker without a name."""
    said: TextFeatureColumns
    """Features that are known without reading a text."""


class TurnPosition(NamedTuple):
    """A turn's number, its session and its place there."""

    n: int
    session_n: int
    turn_index: int


SESSION_BITS = 32
"""Number of low bits of a place that hold the turn's place in its session; the others hold the
session's number."""


class Surroundings(NamedTuple):
    """Positions of turns and of turns around them, as columns in order of place."""

    ns: "Integers"
    """Numbers of all turns, each once."""
    places: "Integers"
    speakers: frozenset[str] = frozenset()
    """Names of the speakers of the central turns, without unnamed speakers."""


IndexTokens: TypeAlias = bytes
"""Tokens of a document as indexed, separated by spaces: those of the text, a line feed, and those
of speaker and time. They are bytes because a search counts tokens in a hundred documents."""


def pack_tokens(words: str, context: str) -> IndexTokens:
    """Join the tokens of a document's text with those of speaker and time."""
    return f"{words}\n{context}".encode()


def list_words(tokens: IndexTokens) -> list[str]:
    """Return the tokens of a document's text."""
    return tokens[: tokens.index(b"\n")].decode().split(" ")
