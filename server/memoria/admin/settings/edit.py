"""Edits of a settings file's text. Comments and the order of its lines stay as they are."""

from memoria.admin.settings.template import COMMENTS, comment_out
from memoria.connectors.clients.syntax.interface import newline_of
from memoria.connectors.clients.syntax.toml_edit import (
    TomlStatement,
    read_statements,
    skip_value,
    write_value,
)


def set_value(text: str, name: str, value: object) -> str:
    """Set a setting in a text: in the place of its line, of its comment, or behind the others."""
    written = write_value(value)
    statement = _find(text, name)
    if statement is not None:
        end = skip_value(text, statement.value)
        return text[: statement.value] + written + text[end:]
    line = f"{name} = {written}{newline_of(text)}"
    lines = text.splitlines(keepends=True)
    for place, one in enumerate(lines):
        if _is_comment_of(one, name):
            return "".join([*lines[:place], line, *lines[place + 1 :]])
    return _append(text, line)


def unset_value(text: str, name: str) -> str:
    """Take a setting out of a text; one that people need is left as a comment."""
    statement = _find(text, name)
    if statement is None:
        return text
    left = comment_out(name) + newline_of(text) if name in COMMENTS else ""
    return text[: statement.start] + left + text[statement.end :]


def _find(text: str, name: str) -> TomlStatement | None:
    return next((one for one in read_statements(text) if one.path == (name,)), None)


def _is_comment_of(line: str, name: str) -> bool:
    key, equals, _ = line.strip().removeprefix("#").partition("=")
    return line.startswith("#") and bool(equals) and key.strip() == name


def _append(text: str, line: str) -> str:
    """Add a line behind the last one, but before any table: a line below one belongs to it."""
    tables = (one.start for one in read_statements(text) if text[one.start] == "[")
    place = next(tables, len(text))
    before = text[:place]
    gap = newline_of(text) if before and not before.endswith("\n") else ""
    return before + gap + line + text[place:]
