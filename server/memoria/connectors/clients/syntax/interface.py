"""Parts that the editors of all syntaxes share: errors, pieces of text, paths.

An editor parses a text, inserts a member or an item, and cuts members, items and empty containers
out. Each edit leaves every other character as it is.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self

SyntaxName = Literal["JSON", "TOML", "YAML"]
Path = tuple[str, ...]
"""Keys from the top of a document down."""


class UnreadableTextError(ValueError):
    """The text is not of its syntax. The message says where, and what is wrong."""

    def __init__(self, problem: str, text: str, position: int) -> None:
        """Create the error from the problem, to end a sentence, and its place in the text."""
        line = text.count("\n", 0, position) + 1
        column = position - (text.rfind("\n", 0, position) + 1) + 1
        super().__init__(f"line {line}, column {column}: {problem}")


class OccupiedError(ValueError):
    """The place of something of ours is taken by something of another kind."""

    def __init__(self, path: Path) -> None:
        """Create the error with the path of the place."""
        super().__init__(f"`{'.'.join(path)}` holds something else than is expected there")


@dataclass(frozen=True, slots=True)
class InsertedPiece:
    """Text written around a part of ours, so that the part can be cut out to the byte."""

    path: Path
    """Path of an entry, or of the outermost container that had to be made for it."""
    lead: str
    """Text before our part: a line break, an indentation, a comma if needed."""
    tail: str = ""
    """Text behind our part."""
    has_own_comma: bool = False
    """True if a comma was written behind the part before ours, apart from the lead."""

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> Self:
        """Read a piece as the ledger has it."""
        return cls(
            path=tuple(map(str, kept["path"])),
            lead=str(kept["lead"]),
            tail=str(kept["tail"]),
            has_own_comma=bool(kept["has_own_comma"]),
        )


Pieces = Sequence[InsertedPiece]
IsOurs = Callable[[Any], bool]


def look_up(value: Any, path: Path) -> Any:  # noqa: ANN401  (of a document)
    """Return the value at a path of a document; None if the path leads nowhere."""
    for key in path:
        if not isinstance(value, dict) or key not in value:
            return None
        value = value[key]
    return value


def find_piece(pieces: Pieces, path: Path) -> InsertedPiece | None:
    """Return the piece written for a path; None if no piece was."""
    return next((piece for piece in pieces if piece.path == path), None)


def cut_listed(text: str, spans: Sequence[tuple[int, int]], index: int) -> str:
    """Cut one of several parts with commas between them, by the spans of all parts."""
    start, end = spans[index]
    if index + 1 < len(spans):
        end = spans[index + 1][0]
    elif index:
        start = spans[index - 1][1]
    return text[:start] + text[end:]


def newline_of(text: str) -> str:
    """Return the line ending of a text."""
    return "\r\n" if "\r\n" in text else "\n"
