"""Columns of secrets: tables in Markdown and CSV whose header names them."""

import re
from collections.abc import Iterable, Iterator

from memoria.bare.lazy_regex import lazy_regex
from memoria.language.secrets.names import Name
from memoria.language.secrets.span import ReadText, Span
from memoria.language.secrets.values import (
    has_symbols,
    is_literal,
    is_mixed,
    is_passphrase,
    looks_scrambled,
)

_LONGEST_LINE = 400
_MOST_ROWS = 200
_DELIMITERS = "|\t;,"
_HEADING = lazy_regex(r"""[\w .#"'`*()（）/-]{0,40}""")
_RULE = lazy_regex(r"[|:\- ]+")
_CELL = lazy_regex(r"""[\s"'`*]*(?P<value>.*?)[\s"'`*]*""", re.DOTALL)
_LEAST = 4


def find_in_tables(read: ReadText, names: Iterable[Name]) -> Iterator[Span]:
    """Yield the cells below each name that heads a column."""
    done = (-1, -1)
    for name in sorted(names):
        header = _header_of(read.text, name)
        if header is None:
            continue
        line_end, delimiter, column, columns = header
        if name.start < done[0] and column == done[1]:
            continue
        cells = list(_cells_below(read.text, line_end, delimiter, column, columns))
        for start, _, value in cells:
            if _is_secret(value):
                yield Span(start, start + len(value), _kind_of(name))
        done = (cells[-1][1] if cells else line_end, column)


def _kind_of(name: Name) -> str:
    return name.kind if name.kind in {"password", "secret"} else "credential"


def _is_secret(value: str) -> bool:
    if len(value) < _LEAST or not is_literal(value, is_quoted=False):
        return False
    if " " in value:
        return is_passphrase(value)
    is_odd = is_mixed(value) or has_symbols(value) or looks_scrambled(value)
    return is_odd or value.isdigit() or is_passphrase(value)


def _header_of(text: str, name: Name) -> tuple[int, str, int, int] | None:
    """Return a header line's end, its delimiter, the name's column and their number, or None."""
    begin = text.rfind("\n", max(0, name.start - _LONGEST_LINE), name.start) + 1
    end = text.find("\n", name.end, name.end + _LONGEST_LINE)
    if end < 0 or (not begin and name.start > _LONGEST_LINE):
        return None
    line = text[begin:end]
    delimiter = next((sign for sign in _DELIMITERS if sign in line), "")
    if not delimiter or not all(
        _HEADING.fullmatch(cell.strip("\r")) for cell in line.split(delimiter)
    ):
        return None
    return end, delimiter, text.count(delimiter, begin, name.start), line.count(delimiter)


def _cells_below(
    text: str, at: int, delimiter: str, column: int, columns: int
) -> Iterator[tuple[int, int, str]]:
    """Yield each cell of a column: where its value starts, where its line ends, and the value."""
    for _ in range(_MOST_ROWS):
        begin = at + 1
        at = text.find("\n", begin, begin + _LONGEST_LINE)
        at = len(text) if at < 0 and len(text) - begin <= _LONGEST_LINE else at
        if at < 0 or begin >= len(text):
            return
        cells = text[begin:at].split(delimiter)
        if len(cells) != columns + 1:
            return
        if _RULE.fullmatch(text[begin:at].strip()):
            continue
        cell = cells[column]
        start = begin + sum(len(one) + 1 for one in cells[:column])
        if match := _CELL.fullmatch(cell):
            yield start + match.start("value"), at, match["value"]
