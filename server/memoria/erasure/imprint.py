"""Imprint: the part of a text that a tombstone keeps, to recognise it inside of any other.

It is a digest of the text's words in their recognised form (`language/reading/recognition`), with
their number and an anchor: a short digest of two of these words. An arriving text is read word by
word; where two of its words have a known anchor, as many words as the imprint tells are digested
and compared. So a forgotten statement is found wherever it stands, for the price of one lookup a
text.
"""

from dataclasses import dataclass
from typing import Literal

from memoria.language.reading.recognition import Place

PREFIX = "w"
"""Start of an imprint as it is stored. Digests of older versions begin with a digit or a to f."""
Reach = Literal["conclusions", "record"]
"""Places that a text which states it again is kept out of: conclusions, or the record as well."""
_PLACES: dict[str, Place] = {"a": "anywhere", "e": "end", "c": "clause", "t": "text"}
_REACHES: dict[str, Reach] = {"c": "conclusions", "r": "record"}


@dataclass(frozen=True, slots=True)
class Imprint:
    """Digest of a text, and where to look for the text inside of others."""

    anchor: str
    """Digest of the two words by which it is looked for."""
    offset: int
    """Number of words before these two."""
    length: int
    """Number of words of the text."""
    place: Place
    reach: Reach
    digest: str

    def encode(self) -> str:
        """Return the imprint as it is stored."""
        place = next(code for code, place in _PLACES.items() if place == self.place)
        reach = next(code for code, reach in _REACHES.items() if reach == self.reach)
        return f"{self.anchor}:{self.offset}:{self.length}:{place}{reach}:{self.digest}"

    @classmethod
    def decode(cls, stored: str) -> "Imprint":
        """Read the imprint that was stored."""
        anchor, offset, length, codes, digest = stored.split(":")
        place, reach = _PLACES[codes[0]], _REACHES[codes[1]]
        return cls(anchor, int(offset), int(length), place, reach, digest)
