"""What every report is made of: tables for people, plain values for JSON."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table

_DIGITS = 4
_WIDE = 160
"""Columns where nobody's terminal says how many there are: a table in a file is not cut."""

Cell = str | int | float | None
"""None where there is nothing to measure."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table of a report, for people and for JSON."""

    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    words: int = 1
    """The first columns that are text."""

    def to_table(self) -> Table:
        """As people read it: shares such as `.484`."""
        filled = table(self.title, self.words, *self.headings)
        for row in self.rows:
            filled.add_row(*map(_show, row))
        return filled

    def to_document(self) -> list[dict[str, object]]:
        """A row an object."""
        return [
            {name: rounded(cell) for name, cell in zip(self.headings, row, strict=True)}
            for row in self.rows
        ]


def report_console() -> Console:
    """Where tables are printed: as wide as the terminal, else wide enough for all."""
    console = Console()
    return console if console.is_terminal else Console(width=_WIDE)


def table(title: str, words: int, *headings: str) -> Table:
    """An empty table whose first `words` columns are text and whose others are numbers."""
    empty = Table(title=f"\n{title}", box=None, padding=(0, 1, 0, 0), title_justify="left")
    for i, heading in enumerate(headings):
        empty.add_column(heading, justify="left" if i < words else "right", no_wrap=True)
    return empty


def rounded(value: object) -> object:
    """The value with every number in it to four decimals and every key as text."""
    match value:
        case dict():
            return {str(key): rounded(item) for key, item in value.items()}
        case float():
            return round(value, _DIGITS)
        case _:
            return value


def _show(cell: Cell) -> str:
    match cell:
        case None:
            return "–"
        case float():
            sign = "−" if cell < 0 else ""
            return sign + f"{abs(cell):.3f}".removeprefix("0")
        case _:
            return str(cell)
