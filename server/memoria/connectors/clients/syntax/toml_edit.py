"""Edits of TOML, as text: `tomllib` parses a text, and statements are found by place."""

import json
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from memoria.bare.lazy_regex import lazy_regex
from memoria.connectors.clients.syntax.interface import (
    InsertedPiece,
    IsOurs,
    OccupiedError,
    Path,
    Pieces,
    UnreadableTextError,
    cut_listed,
    find_piece,
    look_up,
    newline_of,
)

_BLANK = lazy_regex(r"(?:[ \t\r\n]+|#[^\n]*)*")
_TEXT = lazy_regex(
    r'"""(?:[^\\]|\\.)*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'', re.DOTALL
)
_KEY = lazy_regex(r"""[ \t]*([A-Za-z0-9_-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')[ \t]*""")
_PLAIN = lazy_regex(r"""[^\s,#\]}\["'{]+(?:[ ]\d[^\s,#\]}]*)?""")
_BARE_KEY = lazy_regex(r"[A-Za-z0-9_-]+")
_REST_OF_LINE = lazy_regex(r"[ \t]*(?:#[^\n]*)?\r?\n?")


@dataclass(frozen=True, slots=True)
class TomlStatement:
    """A table's header, or a key with its value."""

    path: Path
    """Path from the top of the document."""
    start: int
    value: int
    """Start of the value; of a header, its end."""
    end: int
    """Place behind the line's end."""
    inline_end: int = 0
    """Place of the closing brace of a table in braces."""


class TomlSyntax:
    """TOML."""

    name = "TOML"

    def parse(self, text: str) -> Any:  # noqa: ANN401  (whatever the document holds)
        """Parse the document."""
        try:
            return tomllib.loads(text.replace("\r\n", "\n")) or None
        except tomllib.TOMLDecodeError as error:
            raise _as_unreadable(error, text) from error
        except RecursionError as error:
            raise UnreadableTextError("nested too deep", text, 0) from error
        except ValueError as error:  # a number too long, a date that is none
            raise UnreadableTextError(str(error), text, 0) from error

    def insert_member(self, text: str, path: Path, value: object) -> tuple[str, InsertedPiece]:
        """Write a table behind everything else, or into the braces that hold its siblings."""
        if not isinstance(value, dict):
            raise OccupiedError(path)
        for statement in read_statements(text):
            if statement.path == path[:-1] and statement.inline_end:
                return _insert_inline(text, statement, path, value)
        held = look_up(self.parse(text), path[:-1])
        if held is not None and not isinstance(held, dict):
            raise OccupiedError(path[:-1])
        newline = newline_of(text)
        if not text.strip("\r\n"):
            lead = "" if not text or text.endswith("\n") else newline
        else:
            missing = 0 if re.search(r"\n\r?\n\Z", text) else 1 if text.endswith("\n") else 2
            lead = newline * missing
        lines = [
            f"[{_join_keys(path)}]",
            *(f"{_key(key)} = {write_value(of)}" for key, of in value.items()),
        ]
        block = newline.join(lines) + newline
        return text + lead + block, InsertedPiece(path, lead + block)

    def append_item(self, _text: str, path: Path, _item: object) -> tuple[str, InsertedPiece]:
        """Raise an OccupiedError, as no client keeps a list of ours in TOML."""
        raise OccupiedError(path)

    def cut_member(self, text: str, path: Path, pieces: Pieces) -> str:
        """Take a table out, with its sub-tables."""
        piece = find_piece(pieces, path)
        if piece is not None and text.count(piece.lead) == 1:
            cut = text.replace(piece.lead, "")
            if self._is_without(cut, text, path):
                return cut
        return _cut_statements(text, path)

    def cut_items(self, text: str, _path: Path, _is_ours: IsOurs, _pieces: Pieces) -> str:
        """Return the text as it is, which has no lists of ours."""
        return text

    def cut_empty(self, text: str, _pieces: Pieces) -> str:
        """Return the text as it is: a table made for ours goes with its header."""
        return text

    def _is_without(self, cut: str, text: str, path: Path) -> bool:
        """Check whether a text has lost a member and nothing else."""
        left = self.parse(text) or {}
        look_up(left, path[:-1]).pop(path[-1], None)
        try:
            after = self.parse(cut) or {}
        except UnreadableTextError:
            return False
        # A table that only a header below it implied goes with that header.
        is_implied = look_up(left, path[:-1]) == {} and look_up(after, path[:-1]) is None
        if is_implied:
            look_up(left, path[:-2]).pop(path[-2])
        return bool(after == left)


def read_statements(text: str) -> Iterator[TomlStatement]:
    """Yield the statements of a text that `tomllib` has read."""
    table: Path = ()
    position = _skip_blank(text, 0)
    while position < len(text):
        start = position
        if text[position] == "[":
            width = 2 if text.startswith("[[", position) else 1
            table, position = _read_key(text, position + width)
            position += width
            end = _end_of_line(text, position)
            yield TomlStatement(table, start, position, end)
        else:
            key, position = _read_key(text, position)
            value = _skip_blank(text, position + 1)
            position = skip_value(text, value)
            inline = position - 1 if text[value] == "{" else 0
            end = _end_of_line(text, position)
            yield TomlStatement((*table, *key), start, value, end, inline_end=inline)
        position = _skip_blank(text, end)


def _skip_blank(text: str, position: int) -> int:
    found = _BLANK.match(text, position)
    return found.end() if found else position


def _end_of_line(text: str, position: int) -> int:
    found = _REST_OF_LINE.match(text, position)
    return found.end() if found else position


def _read_key(text: str, position: int) -> tuple[Path, int]:
    keys = list[str]()
    while found := _KEY.match(text, position):
        keys.append(_unquote(found[1]))
        position = found.end()
        if not text.startswith(".", position):
            break
        position += 1
    return tuple(keys), position


def _unquote(key: str) -> str:
    if key[0] == "'":
        return key[1:-1]
    return str(tomllib.loads(f"k = {key}")["k"]) if key[0] == '"' else key


def skip_value(text: str, position: int) -> int:
    """Return the end of a value that begins at a position."""
    if text[position] in "\"'":
        found = _TEXT.match(text, position)
        return found.end() if found else len(text)
    if text[position] not in "[{":
        found = _PLAIN.match(text, position)
        return found.end() if found else position + 1
    closing = "]" if text[position] == "[" else "}"
    is_table = closing == "}"
    position = _skip_blank(text, position + 1)
    while position < len(text) and text[position] != closing:
        if text[position] == ",":
            position += 1
        elif is_table:
            _, position = _read_key(text, position)
            position = skip_value(text, _skip_blank(text, position + 1))
        else:
            position = skip_value(text, position)
        position = _skip_blank(text, position)
    return position + 1


def _insert_inline(
    text: str, table: TomlStatement, path: Path, value: dict[str, Any]
) -> tuple[str, InsertedPiece]:
    inner = text[table.value + 1 : table.inline_end]
    position = table.value + 1 + len(inner.rstrip())
    lead = ", " if inner.strip() else " "
    piece = f"{lead}{_key(path[-1])} = {write_value(value)}"
    return text[:position] + piece + text[position:], InsertedPiece(path, piece)


def _cut_statements(text: str, path: Path) -> str:
    """Cut every statement of a path and below it; a comment between them stays."""
    statements = list(read_statements(text))
    for statement in reversed(statements):
        if statement.path[: len(path)] == path:
            text = text[: statement.start] + text[statement.end :]
        elif statement.inline_end and path[:-1] == statement.path:
            members = list(_inline_members(text, statement.value))
            keys = [key for key, _, _ in members]
            if path[-1:] in keys:
                spans = [(start, end) for _, start, end in members]
                text = cut_listed(text, spans, keys.index(path[-1:]))
    return text


def _inline_members(text: str, opening: int) -> Iterator[tuple[Path, int, int]]:
    """Yield the members of a table in braces: the key, its start, the end of the value."""
    position = _skip_blank(text, opening + 1)
    while text[position] != "}":
        start = position
        key, position = _read_key(text, position)
        position = skip_value(text, _skip_blank(text, position + 1))
        yield key, start, position
        position = _skip_blank(text, position)
        if text[position] == ",":
            position = _skip_blank(text, position + 1)


def _join_keys(path: Path) -> str:
    return ".".join(map(_key, path))


def _key(key: str) -> str:
    return key if _BARE_KEY.fullmatch(key) else write_value(key)


def write_value(value: object) -> str:
    """Write a value as TOML has it, on one line."""
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
        case dict():
            inner = ", ".join(f"{_key(key)} = {write_value(of)}" for key, of in value.items())
            return f"{{ {inner} }}" if inner else "{}"
        case list():
            return f"[{', '.join(map(write_value, value))}]"
        case _:
            return str(value)


def _as_unreadable(error: tomllib.TOMLDecodeError, text: str) -> UnreadableTextError:
    """Convert an error of `tomllib`, which names the place in words."""
    found = re.search(r"(.*) \(at line (\d+), column (\d+)\)", str(error))
    if found is None:
        return UnreadableTextError("the text ends too early", text, len(text))
    lines = text.splitlines(keepends=True)[: int(found[2]) - 1]
    problem = found[1][:1].lower() + found[1][1:]
    return UnreadableTextError(problem, text, sum(map(len, lines)) + int(found[3]) - 1)
