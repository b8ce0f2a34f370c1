"""Lines of a terminal: broken where a reader would break them, never wider than it, with colour.

A Chinese character takes two cells and needs no space to break after; a word of another script is
broken only where it alone is too long. Where there is no terminal nothing is broken, so that what
is piped can be searched.
"""

import os
import re
import sys
from collections.abc import Iterable, Iterator
from shutil import get_terminal_size

from rich.cells import cell_len, chop_cells
from rich.console import Console
from rich.text import Text

from memoria.bare.lazy_regex import lazy_regex
from memoria.language.reading.fences import join_lines

_WIDEST = 100
"""Widest line: longer ones are hard to read, however wide the terminal."""
_NARROW = 60
_ENDLESS = 1_000_000
WORDS = 2
"""Indentation of an entry's words."""
DETAILS = 4
"""Indentation of an entry's details. The further lines of stored words stand as far in, as
`retrieval/answer/form.py` writes them."""
DATED = 25
"""Width of a column for a date, a time and an offset."""
_LABEL = 14
_WIDE = "ᄀ-ᅟ⺀-꓏가-힣豈-﫿︰-﹏＀-｠￠-￦"
_DOT = "(?: ·(?= ))?"
"""The dot between two details stays with the first of them."""
_PIECE = lazy_regex(
    rf"[ \t]+|[“‘]?[{_WIDE}][，。、；：？！）」』】》”’…]*{_DOT}|[^ \t{_WIDE}]+{_DOT}"
)


def columns() -> int:
    """Return the width of lines: `COLUMNS`, else the terminal's, else a huge number."""
    if os.environ.get("COLUMNS", "").isdigit() or sys.stdout.isatty():
        return max(20, min(get_terminal_size().columns, _WIDEST))
    return _ENDLESS


def wrap_text(text: str, width: int, indent: int = 0) -> list[str]:
    """Wrap a text to lines of at most `width` cells, indent included; a longer word is cut."""
    room = max(width - indent, 8)
    return [" " * indent + line for part in text.split("\n") for line in _fit_lines(part, room)]


def entry_of_list(
    words: str, details: Iterable[str], width: int, between: Iterable[str] = ()
) -> Iterator[str]:
    """Yield the lines of a list's entry: its words, and indented below its details, ids last.

    Args:
        words: as they are stored.
        details: parts of the last line.
        width: of a line.
        between: lines between the two.
    """
    yield from wrap_text(words, width, WORDS)
    for line in between:
        yield from wrap_text(line, width, DETAILS)
    yield from detail_lines(details, width)


def detail_lines(details: Iterable[str], width: int, indent: int = DETAILS) -> list[str]:
    """Return an entry's details as one line, wrapped."""
    return wrap_text(join_lines(" · ".join(details)), width, indent)


def hang_text(text: str, width: int) -> list[str]:
    """Wrap a text, all lines but the first indented."""
    first, *rest = wrap_text(text, width - DETAILS)
    return [first, *(f"{'':<{DETAILS}}{line.lstrip()}" for line in rest)]


def wrap_answer(text: str, width: int) -> str:
    """Break the long lines of an answer, their rest indented."""
    return "\n".join(line for part in text.split("\n") for line in _hang(part, width))


def _hang(line: str, width: int) -> list[str]:
    """Break a line that is too long.

    What follows stands as far in as stored words do, so that it can't pass for a line of ours.
    """
    words = line.lstrip(" ")
    indent = len(line) - len(words)
    if indent + _cells(words) <= width:
        return [line]
    inward = DETAILS if indent < DETAILS else indent + 2
    first, *rest = wrap_text(words, width, inward)
    return [first[inward - indent :], *rest]


def entry_lines(
    label: str, texts: Iterable[str], width: int, indent: int = 0, column: int = _LABEL
) -> list[str]:
    """Put texts in a column beside a label, or below the label on a narrow terminal."""
    if width < _NARROW:
        beside = [line for text in texts for line in wrap_text(text, width, indent + 2)]
        return [*wrap_text(label, width, indent), *beside]
    lines = [line for text in texts for line in wrap_text(text, width, indent + column)]
    if cell_len(label) >= column:
        return [*wrap_text(label, width, indent), *lines]
    gap = " " * (column - cell_len(label))
    head = lines[0][indent + column :] if lines else ""
    return [f"{' ' * indent}{label}{gap}{head}".rstrip(), *lines[1:]]


def _fit_lines(text: str, room: int) -> Iterator[str]:
    line, used = "", 0
    for piece in _pieces(text, room):
        size = _cells(piece)
        if used + size > room and line.strip():
            yield line.rstrip()
            line, used = "", 0
            if piece.isspace():
                continue
        line, used = line + piece, used + size
    yield line.rstrip()


def _pieces(text: str, room: int) -> Iterator[str]:
    """Yield the unbreakable pieces of a text; a piece longer than a line is chopped."""
    for piece in _PIECE.findall(text):
        if _cells(piece) > room:
            yield from chop_cells(piece, room)
        else:
            yield piece


def _cells(piece: str) -> int:
    return sum(8 if char == "\t" else 0 for char in piece) + cell_len(piece.replace("\t", ""))


_DOUBTS = "contradicted|pending[ _]confirmation|superseded|archived|outdated|undone since"
_DONE = (
    "Remembered|Remembered again|Corrected|Confirmed|Archived|Restored|Pinned|Unpinned|Voted up|"
    "Voted down|Seen everywhere|Seen in its project alone|Undone|Put back|Imported|Exported"
)
_STYLES = tuple(
    (re.compile(pattern, re.MULTILINE), style)
    for pattern, style in (
        (r"^ {4}\S.* · .*$", "dim"),
        (r"^ {4}[0-9a-f]{8,12}$", "dim"),
        (r"\[(?:memory|turn) [0-9a-f-]{8,36}\]", "dim"),
        (r"^ *(?:memory|turn|entity|run|report) [0-9a-f-]{8,36}$", "dim"),
        (r"^\d{4}-\d\d-\d\dT\d\d:\d\dZ?", "dim"),
        (r"^\d{4}-\d\d-\d\d$", "bold"),
        (rf"(?<= · )(?:{_DOUBTS})(?= · )", "not dim magenta"),
        (rf"(?<=[( ])(?:{_DOUBTS})(?=[,)])", "magenta"),
        (r"^ +(?:contradicts|outdated|out of date):", "magenta"),
        (r"^(?:note|warning):", "magenta"),
        (rf"^(?:{_DONE})(?=[ ,.:])", "green"),
        (r"^[A-Z][^.:\n]*: (?=memoria )", "bold"),
        (r"^>(?= )", "bold green"),
    )
)
"""Styles of our own lines by patterns; a later style wins."""


def has_colour() -> bool:
    """Check whether standard output is a terminal and may have colour."""
    return not os.environ.get("NO_COLOR") and sys.stdout.isatty()


def print_coloured(text: str, console: Console) -> None:
    """Print a text with colours; `without_steering` has made it harmless before."""
    painted = Text(text)
    for pattern, style in _STYLES:
        painted.highlight_regex(pattern, style)
    console.print(painted)
