"""Edits of JSON with comments and trailing commas, as text.

Clients read their files as JSON or as JSON with comments; people write what they like. Comments and
spare commas are blanked, so that the standard library reads the rest, each value at its place.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from json.decoder import scanstring  # type: ignore[attr-defined]  # typeshed lacks it
from typing import Any, Literal

from memoria.bare.lazy_regex import lazy_regex
from memoria.connectors.clients.syntax.interface import (
    InsertedPiece,
    IsOurs,
    OccupiedError,
    Path,
    Pieces,
    UnreadableTextError,
    find_piece,
    newline_of,
)

_TEXT = r'"(?:[^"\\]|\\.)*+"'
_COMMENT = lazy_regex(rf"{_TEXT}|(//[^\r\n]*|/\*.*?\*/)", re.DOTALL)
_SPARE_COMMA = lazy_regex(rf'((?:{_TEXT}|[^\s"\[{{,:])\s*+),(?=\s*+[}}\]])|{_TEXT}', re.DOTALL)
_EXTRAS = lazy_regex(r"(?:[ \t\r\n]++|//[^\r\n]*+|/\*.*?\*/)*+", re.DOTALL)
_SPACE = lazy_regex(r"[ \t\r\n]*")
_COMMENT_OF_THE_LINE = lazy_regex(r"[ \t]*(?://[^\r\n]*|/\*(?:(?!\*/)[^\r\n])*\*/(?=[ \t]*[\r\n]))")
_SPACE_BEFORE = lazy_regex(r"(?:\r?\n)?[ \t]*\Z")
_BLANK = " \t\r\n"
_ITEM = "[]"
"""Last part of the path of an item that was put into an older list."""
_KINDS: dict[str, Literal["object", "array"]] = {"{": "object", "[": "array"}
_MAX_DEPTH = 400
_decode = json.JSONDecoder(strict=False).raw_decode


@dataclass(eq=False)
class JsonNode:
    """A value, and its place in the text."""

    kind: Literal["object", "array", "scalar"]
    start: int
    end: int
    value: Any
    text: str
    """The document without comments and spare commas, in which children are looked up."""

    @cached_property
    def children(self) -> "list[JsonChild]":
        """The members of an object, or the items of an array."""
        return [] if self.kind == "scalar" else [*_read_children(self)]

    def child(self, key: str) -> "JsonChild | None":
        """Return the last member of a key, which readers take; None for no member."""
        return next((one for one in reversed(self.children) if one.key == key), None)


@dataclass(slots=True, eq=False)
class JsonChild:
    """A member of an object, from its key on, or an item of an array."""

    key: str
    """Name of the member; empty for an item."""
    start: int
    node: JsonNode

    @property
    def end(self) -> int:
        """End of its value."""
        return self.node.end


@lru_cache(maxsize=4)
def read_json(text: str) -> JsonNode | None:
    """Parse the document; None for a text of space and comments.

    An edit asks for places in one text several times, and Claude Code's file has megabytes: only
    what is on the way to an edit is looked up by place.

    Raises:
        UnreadableTextError: the text is no JSON.
    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):  # comments, commas too many, or no JSON at all
        value, text = _read_tolerantly(text)
        if not text:
            return None
    _check_depth(value, text)
    return _read_node(text, _skip_space(text, 0))


def _read_tolerantly(text: str) -> tuple[object, str]:
    """Return a document's value, and its text without comments and spare commas; or no text."""
    bare = _COMMENT.sub(lambda found: " " * len(found[0]) if found[1] else found[0], text)
    bare = _SPARE_COMMA.sub(lambda found: f"{found[1]} " if found[1] else found[0], bare)
    if not bare.strip(_BLANK):
        return None, ""
    try:
        return json.loads(bare, strict=False), bare
    except json.JSONDecodeError as error:
        problem = error.msg[:1].lower() + error.msg[1:]
        raise UnreadableTextError(problem, text, error.pos) from error
    except (ValueError, RecursionError) as error:  # the former: a number of five thousand digits
        raise UnreadableTextError("nested too deep, or a number too long", text, 0) from error


def _check_depth(value: object, text: str) -> None:
    """Refuse a value that is nested deeper than an edit can follow."""
    level, depth = [value], 0
    while level := [one for one in level if isinstance(one, dict | list)]:
        depth += 1
        if depth > _MAX_DEPTH:
            raise UnreadableTextError("nested too deep", text, 0)
        inner = (one.values() if isinstance(one, dict) else one for one in level)
        level = [one for values in inner for one in values]


def _read_node(text: str, start: int) -> JsonNode:
    value, end = _decode(text, start)
    return JsonNode(_KINDS.get(text[start], "scalar"), start, end, value, text)


def _read_children(node: JsonNode) -> Iterator[JsonChild]:
    """Yield the children of a container."""
    text, at = node.text, _skip_space(node.text, node.start + 1)
    while text[at] not in "}]":
        start, key = at, ""
        if node.kind == "object":
            key, at = scanstring(text, at + 1, False)
            at = _skip_space(text, _skip_space(text, at) + 1)
        child = _read_node(text, at)
        yield JsonChild(key, start, child)
        at = _skip_space(text, child.end)
        if text[at] == ",":
            at = _skip_space(text, at + 1)


def _skip_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


class JsonSyntax:
    """JSON, with comments and trailing commas where somebody wrote them."""

    name = "JSON"

    def parse(self, text: str) -> Any:  # noqa: ANN401  (whatever the document holds)
        """Parse the document."""
        try:
            return json.loads(text)  # a hundred times as fast, where it is plain JSON
        except (ValueError, RecursionError):
            root = read_json(text)
            return None if root is None else root.value

    def insert_member(self, text: str, path: Path, value: object) -> tuple[str, InsertedPiece]:
        """Write a member as the last of its container."""
        node, depth = _deepest(_root_of(text), path)
        if node.kind != "object" or depth == len(path):
            raise OccupiedError(path[:depth])
        for key in reversed(path[depth + 1 :]):
            value = {key: value}
        return _insert_last(text, node, path[: depth + 1], value)

    def append_item(self, text: str, path: Path, item: object) -> tuple[str, InsertedPiece]:
        """Write an item as the last of its list."""
        node, depth = _deepest(_root_of(text), path)
        if depth < len(path):
            return self.insert_member(text, path, [item])
        if node.kind != "array":
            raise OccupiedError(path)
        return _insert_last(text, node, (*path, _ITEM), item)

    def cut_member(self, text: str, path: Path, pieces: Pieces) -> str:
        """Take a member out."""
        parent, depth = _deepest(_root_of(text), path[:-1])
        child = parent.child(path[-1]) if depth == len(path) - 1 else None
        if child is None:
            return text
        return _cut_child(text, parent, child, find_piece(pieces, path))

    def cut_items(self, text: str, path: Path, is_ours: IsOurs, pieces: Pieces) -> str:
        """Take our items out, the last one first."""
        node, depth = _deepest(_root_of(text), path)
        if depth < len(path) or node.kind != "array":
            return text
        for index in reversed(range(len(node.children))):
            child = node.children[index]
            if is_ours(child.node.value):
                text = _cut_child(text, node, child, find_piece(pieces, (*path, _ITEM)))
                node = _deepest(_root_of(text), path)[0]
        return text

    def cut_empty(self, text: str, pieces: Pieces) -> str:
        """Take empty containers out, the innermost first; in the end the document itself."""
        outermost_first = sorted(pieces, key=lambda one: len(one.path))
        for piece in reversed(outermost_first):
            root = read_json(text)
            if root is None or _ITEM in piece.path:
                continue
            node, depth = _deepest(root, piece.path)
            if depth < len(piece.path) or not _is_hollow(node):
                continue
            if piece.path:
                text = self.cut_member(text, piece.path, pieces)
            else:
                text = _cut_root(text, root, piece)
        return text


def _is_hollow(node: JsonNode) -> bool:
    """Check whether a container holds nothing but containers without values."""
    return node.kind != "scalar" and all(_is_hollow(child.node) for child in node.children)


def begin_document(text: str) -> tuple[str, InsertedPiece]:
    """Add an empty object at the end of a text without a value."""
    lead = newline_of(text) if text.strip(_BLANK) and not text.endswith("\n") else ""
    tail = newline_of(text)
    return f"{text}{lead}{{}}{tail}", InsertedPiece((), lead, tail)


def _root_of(text: str) -> JsonNode:
    root = read_json(text)
    if root is None or root.kind != "object":
        raise OccupiedError(("the whole file",))
    return root


def _deepest(node: JsonNode, path: Path) -> tuple[JsonNode, int]:
    """Return the deepest value on the way to a path, and how many keys lead there."""
    for depth, key in enumerate(path):
        child = node.child(key) if node.kind == "object" else None
        if child is None:
            return node, depth
        node = child.node
    return node, len(path)


def _insert_last(
    text: str, parent: JsonNode, path: Path, value: object
) -> tuple[str, InsertedPiece]:
    key = "" if path[-1] == _ITEM else f"{json.dumps(path[-1], ensure_ascii=False)}: "
    if not parent.children:
        return _insert_only(text, parent, path, key, value)
    last = parent.children[-1]
    comma = _find_comma(text, last.end)
    after = last.end if comma is None else comma + 1
    comment = _COMMENT_OF_THE_LINE.match(text, after)
    position = comment.end() if comment else after
    own_line = _own_line(text, last.start)
    if own_line is None and comment is None and "\n" not in text[parent.start : last.start]:
        lead, written = " ", json.dumps(value, ensure_ascii=False)
    else:
        indent = own_line if own_line is not None else _line_indent(text, last.start)
        lead = newline_of(text) + indent
        written = _write_value(value, text, indent, is_item=path[-1] == _ITEM)
    tail = "" if comma is None else ","
    has_own_comma = comma is None and position != after
    if comma is None and not has_own_comma:
        lead = "," + lead
    edited = text[:position] + lead + key + written + tail + text[position:]
    if has_own_comma:
        edited = edited[:after] + "," + edited[after:]
    return edited, InsertedPiece(path, lead, tail, has_own_comma)


def _insert_only(
    text: str, parent: JsonNode, path: Path, key: str, value: object
) -> tuple[str, InsertedPiece]:
    """Insert into a container that is empty but for space and comments."""
    inner = text[parent.start + 1 : parent.end - 1]
    filled = inner.rstrip(_BLANK)
    position = parent.start + 1 + len(filled)
    outer, newline = _line_indent(text, parent.start), newline_of(text)
    indent = outer + _unit(text)
    ends_line = "\n" in inner[len(filled) :]
    lead, tail = newline + indent, "" if ends_line else newline + outer
    written = _write_value(value, text, indent, is_item=path[-1] == _ITEM)
    edited = text[:position] + lead + key + written + tail + text[position:]
    return edited, InsertedPiece(path, lead, tail)


def _write_value(value: object, text: str, indent: str, *, is_item: bool) -> str:
    if is_item:
        return json.dumps(value, ensure_ascii=False)
    return _render(value, newline_of(text) + indent, _unit(text))


def _render(value: object, line: str, unit: str) -> str:
    """Render a value over several lines, with a line for each item of a list."""
    match value:
        case dict() if value:
            inner = [
                f"{json.dumps(key, ensure_ascii=False)}: {_render(of, line + unit, unit)}"
                for key, of in value.items()
            ]
            opening, closing = "{", "}"
        case [dict(), *_]:
            inner = [json.dumps(item, ensure_ascii=False) for item in value]
            opening, closing = "[", "]"
        case _:
            return json.dumps(value, ensure_ascii=False)
    lines = f",{line}{unit}".join(inner)
    return f"{opening}{line}{unit}{lines}{line}{closing}"


def _unit(text: str) -> str:
    """Return the indentation of one level."""
    root = read_json(text)
    first = root.children[0] if root is not None and root.children else None
    return (_own_line(text, first.start) if first else None) or "  "


def _own_line(text: str, position: int) -> str | None:
    """Return the indentation of a place that begins its line; None for any other place."""
    before = text[text.rfind("\n", 0, position) + 1 : position]
    return before if not before.strip(" \t") and "\n" in text[:position] else None


def _line_indent(text: str, position: int) -> str:
    line = text[text.rfind("\n", 0, position) + 1 : position]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _cut_child(text: str, parent: JsonNode, child: JsonChild, piece: InsertedPiece | None) -> str:
    start, end, commas = child.start, child.end, 0
    if piece and text[:start].endswith(piece.lead) and text[end:].startswith(piece.tail):
        start, end = start - len(piece.lead), end + len(piece.tail)
        commas = piece.lead.count(",") + piece.tail.count(",")
    else:
        space = _SPACE_BEFORE.search(text, 0, start)
        start = space.start() if space else start
    index = parent.children.index(child)
    if not commas and (comma := _find_comma(text, child.end)) is not None:
        return text[:start] + text[end:comma] + text[comma + 1 :]
    if not commas and index:
        comma = _find_comma(text, parent.children[index - 1].end)
        return text[:comma] + text[(comma or 0) + 1 : start] + text[end:]
    return text[:start] + text[end:]


def _find_comma(text: str, position: int) -> int | None:
    """Return the place of the comma behind a value, past comments; None for no comma."""
    found = _EXTRAS.match(text, position)
    place = found.end() if found else position
    return place if text.startswith(",", place) else None


def _cut_root(text: str, root: JsonNode, piece: InsertedPiece) -> str:
    start, end = root.start, root.end
    if text[:start].endswith(piece.lead):
        start -= len(piece.lead)
    if text[end:].startswith(piece.tail):
        end += len(piece.tail)
    return text[:start] + text[end:]
