"""Operations that an editor of a configuration file's text has, whatever its syntax."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self

Path = tuple[str, ...]
"""Keys from the top of a document down."""


class UnreadableTextError(ValueError):
    """The text is not of its syntax. Says where, and what is wrong there."""

    def __init__(self, problem: str, text: str, position: int) -> None:
        """Create it from the problem, as the end of a sentence, and the place where it was seen."""
        line = text.count("\n", 0, position) + 1
        column = position - (text.rfind("\n", 0, position) + 1) + 1
        super().__init__(f"line {line}, column {column}: {problem}")


class OccupiedError(ValueError):
    """The place of something of ours is taken by something of another kind."""

    def __init__(self, path: Path) -> None:
        """Create it with that place."""
        super().__init__(f"`{'.'.join(path)}` holds something else than is expected there")


@dataclass(frozen=True, slots=True)
class InsertedPiece:
    """Text written around something of ours, so that it can be cut out again to the byte."""

    path: Path
    """Path of an entry, or of the outermost container that had to be made for it."""
    lead: str
    """Text before it: a line break, an indentation, a comma where one was wanted there."""
    tail: str = ""
    """Text behind it."""
    has_own_comma: bool = False
    """True if a comma was written behind what stood before it, apart from the lead."""

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> Self:
        """Read it as the ledger has it."""
        return cls(
            path=tuple(map(str, kept["path"])),
            lead=str(kept["lead"]),
            tail=str(kept["tail"]),
            has_own_comma=bool(kept["has_own_comma"]),
        )


Pieces = Sequence[InsertedPiece]
IsOurs = Callable[[Any], bool]


class ConfigSyntax(Protocol):
    """Reads a text and edits it. Each edit leaves every other character as it is."""

    name: str

    def parse(self, text: str) -> Any:  # noqa: ANN401  (whatever the document holds)
        """Parse the document; None if it is empty.

        Raises:
            UnreadableTextError: it is not of this syntax.
        """

    def insert_member(self, text: str, path: Path, value: object) -> tuple[str, InsertedPiece]:
        """Write a member that is not there, and the containers it wants."""

    def append_item(self, text: str, path: Path, item: object, /) -> tuple[str, InsertedPiece]:
        """Write an item into the list at a path, and the list if there is none."""

    def cut_member(self, text: str, path: Path, pieces: Pieces) -> str:
        """Take a member out, whoever wrote it; its container stays."""

    def cut_items(self, text: str, path: Path, is_ours: IsOurs, pieces: Pieces, /) -> str:
        """Take those items out of the list at a path that are ours."""

    def cut_empty(self, text: str, pieces: Pieces, /) -> str:
        """Take out the containers that were made for us, where nothing is left in them."""


def look_up(value: Any, path: Path) -> Any:  # noqa: ANN401  (of a document)
    """Return the value at a path; None if there is none."""
    for key in path:
        if not isinstance(value, dict) or key not in value:
            return None
        value = value[key]
    return value


def find_piece(pieces: Pieces, path: Path) -> InsertedPiece | None:
    """Return what was written around the thing at a path."""
    return next((piece for piece in pieces if piece.path == path), None)


def cut_listed(text: str, spans: Sequence[tuple[int, int]], index: int) -> str:
    """Cut one of several things, given by their places, with commas between them."""
    start, end = spans[index]
    if index + 1 < len(spans):
        end = spans[index + 1][0]
    elif index:
        start = spans[index - 1][1]
    return text[:start] + text[end:]


def newline_of(text: str) -> str:
    """Return the line ending of a text."""
    return "\r\n" if "\r\n" in text else "\n"
