"""Edits of YAML, as text, at places that PyYAML names."""

import json
from typing import Any

import yaml

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

_TO_LINE_END = lazy_regex(r"[^\n]*\n?")


class _TolerantLoader(yaml.SafeLoader):  # type: ignore[misc]
    """Loader that reads a value of an unknown tag as text, to be compared."""


_TolerantLoader.add_constructor(None, lambda _, node: f"{node.tag} {node.value}")


class YamlSyntax:
    """YAML."""

    name = "YAML"

    def parse(self, text: str) -> Any:  # noqa: ANN401  (whatever the document holds)
        """Parse the document."""
        try:
            return yaml.load(text, _TolerantLoader)  # noqa: S506  (a safe loader)
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            problem = getattr(error, "problem", None) or "this is no YAML"
            position = mark.index if mark else getattr(error, "position", 0)
            raise UnreadableTextError(problem, text, min(position, len(text))) from error
        except RecursionError as error:
            raise UnreadableTextError("nested too deep", text, 0) from error
        except ValueError as error:  # a date that is none
            raise UnreadableTextError(str(error), text, 0) from error

    def insert_member(self, text: str, path: Path, value: object) -> tuple[str, InsertedPiece]:
        """Write a member as the first of its block, or the last within braces."""
        return _insert(text, path[0], path[1], value, path)

    def append_item(self, text: str, path: Path, item: object) -> tuple[str, InsertedPiece]:
        """Write an item as the first of its block, or the last within brackets."""
        if len(path) == 1:
            return _insert(text, path[0], None, item, path)
        pair = _pair_at(_compose(text), path)
        if pair is None:
            return _insert(text, path[0], path[1], [item], path)
        return _insert_within(text, pair, None, item, path)

    def cut_member(self, text: str, path: Path, pieces: Pieces) -> str:
        """Take a member out."""
        if look_up(self.parse(text), path) is None:
            return text
        exact = self._cut_piece(text, find_piece(pieces, path), lambda _: True)
        if exact is not None:
            return exact
        pair = _pair(_compose(text), path[0])
        keys = [key.value for key, _ in pair[1].value] if pair else []
        return _cut_from(text, pair[1], keys.index(path[1])) if pair else text

    def cut_items(self, text: str, path: Path, is_ours: IsOurs, pieces: Pieces) -> str:
        """Take our items out."""
        listed = look_up(self.parse(text), path)
        if not isinstance(listed, list) or not any(map(is_ours, listed)):
            return text
        exact = self._cut_piece(
            text, find_piece(pieces, path), lambda left: not any(map(is_ours, left or []))
        )
        if exact is not None:
            return exact
        for index in reversed(range(len(listed))):
            pair = _pair_at(_compose(text), path)
            if pair and is_ours(listed[index]):
                text = _cut_from(text, pair[1], index)
        return text

    def cut_empty(self, text: str, pieces: Pieces) -> str:
        """Take out the containers that were made for us and are empty."""
        for piece in pieces:
            pair = _pair(_compose(text), piece.path[0])
            if pair and piece.tail == "container" and not pair[1].value:
                start, end = pair[0].start_mark.index, pair[1].end_mark.index
                rest = _TO_LINE_END.match(text, max(end, _line_end(text, start) - 1))
                text = text[:start] + text[rest.end() if rest else end :]
        return text

    def _cut_piece(self, text: str, piece: InsertedPiece | None, holds: IsOurs) -> str | None:
        """Cut a piece out of a text; None if the piece was changed, or if more would go."""
        if piece is None or text.count(piece.lead) != 1:
            return None
        cut = text.replace(piece.lead, "")
        try:
            left = self.parse(cut)
        except UnreadableTextError:
            return None
        before = self.parse(text) or {}
        inner, kept = before.get(piece.path[0]), (left or {}).get(piece.path[0])
        others = {key: value for key, value in before.items() if key != piece.path[0]}
        rest = {key: value for key, value in (left or {}).items() if key != piece.path[0]}
        if others != rest or not holds(kept):
            return None
        if isinstance(inner, dict):
            expected = {key: value for key, value in inner.items() if key != piece.path[-1]}
            return cut if (kept or {}) == expected else None
        return cut if len(kept or []) == len(inner or []) - 1 else None


def _compose(text: str) -> yaml.Node | None:
    return yaml.compose(text, yaml.SafeLoader)


def _pair(node: yaml.Node | None, key: str) -> tuple[yaml.Node, yaml.Node] | None:
    """Return the key and the value of a member."""
    if not isinstance(node, yaml.MappingNode):
        return None
    return next((pair for pair in reversed(node.value) if pair[0].value == key), None)


def _pair_at(node: yaml.Node | None, path: Path) -> tuple[yaml.Node, yaml.Node] | None:
    """Return the key and the value of a member at a path."""
    pair = _pair(node, path[0])
    return pair if pair is None or len(path) == 1 else _pair_at(pair[1], path[1:])


def _insert(
    text: str, container: str, key: str | None, value: object, path: Path
) -> tuple[str, InsertedPiece]:
    root, newline = _compose(text), newline_of(text)
    if root is not None and (not isinstance(root, yaml.MappingNode) or root.flow_style):
        raise OccupiedError(("the whole file",))
    pair = _pair(root, container)
    if pair is None:
        indent = " " * (root.start_mark.column if root else 0)
        lead = "" if not text or text.endswith("\n") else newline
        block = f"{indent}{container}:{newline}{_block(key, value, indent + '  ', newline)}"
        return text + lead + block, InsertedPiece(path, lead + block, "container")
    return _insert_within(text, pair, key, value, path)


def _insert_within(
    text: str, pair: tuple[yaml.Node, yaml.Node], key: str | None, value: object, path: Path
) -> tuple[str, InsertedPiece]:
    (name, held), newline = pair, newline_of(text)
    wanted = yaml.MappingNode if key else yaml.SequenceNode
    is_void = isinstance(held, yaml.ScalarNode) and held.value in ("", "~", "null")
    if not isinstance(held, wanted) and not (is_void and not held.value):
        raise OccupiedError(path[:1] if key else path)
    if isinstance(held, wanted) and held.flow_style:
        return _insert_flow(text, held, key, value, path)
    position = _line_end(text, name.end_mark.index)
    column = name.start_mark.column + 2 if is_void else _column_of_members(text, held)
    block = _block(key, value, " " * column, newline)
    lead = "" if text[:position].endswith("\n") else newline
    return text[:position] + lead + block + text[position:], InsertedPiece(path, lead + block)


def _insert_flow(
    text: str, held: yaml.Node, key: str | None, value: object, path: Path
) -> tuple[str, InsertedPiece]:
    inner = text[held.start_mark.index + 1 : held.end_mark.index - 1]
    position = held.start_mark.index + 1 + len(inner.rstrip())
    lead = "" if not inner.strip() else " " if inner.rstrip().endswith(",") else ", "
    written = json.dumps(value, ensure_ascii=False)
    piece = lead + (f"{key}: {written}" if key else written)
    return text[:position] + piece + text[position:], InsertedPiece(path, piece)


def _block(key: str | None, value: object, indent: str, newline: str) -> str:
    """Write a member, or an item where there is no key, as lines."""
    members = [f"{name}: {json.dumps(of, ensure_ascii=False)}" for name, of in _items(value)]
    if isinstance(value, list):
        lines = [f"{indent}{key}: {json.dumps(value, ensure_ascii=False)}"]
    elif key is not None:
        lines = [f"{indent}{key}:", *(f"{indent}  {member}" for member in members)]
    else:
        lines = [f"{indent}- {members[0]}", *(f"{indent}  {member}" for member in members[1:])]
    return "".join(line + newline for line in lines)


def _column_of_members(text: str, held: yaml.Node) -> int:
    """Return the column of a block's members; an anchor may stand before them."""
    first = held.value[0]
    if isinstance(held, yaml.MappingNode):
        return int(first[0].start_mark.column)
    dash = text.rindex("-", 0, first.start_mark.index)
    return dash - (text.rfind("\n", 0, dash) + 1)


def _items(value: object) -> list[tuple[str, Any]]:
    return list(value.items()) if isinstance(value, dict) else []


def _line_end(text: str, position: int) -> int:
    found = _TO_LINE_END.match(text, position)
    return found.end() if found else len(text)


def _cut_from(text: str, held: yaml.Node, index: int) -> str:
    """Cut the lines of a member or item; within braces or brackets, its words."""
    parts = [part if isinstance(part, tuple) else (part, part) for part in held.value]
    if held.flow_style:
        spans = [(first.start_mark.index, last.end_mark.index) for first, last in parts]
        return cut_listed(text, spans, index)
    first, last = parts[index]
    line = text.rfind("\n", 0, first.start_mark.index) + 1
    return text[:line] + text[_line_end(text, _end_of(last)) :]


def _end_of(node: yaml.Node) -> int:
    """Return the end of a value's last scalar, as a block ends only where the next begins."""
    while not isinstance(node, yaml.ScalarNode) and node.value and not node.flow_style:
        node = node.value[-1][1] if isinstance(node, yaml.MappingNode) else node.value[-1]
    return int(node.end_mark.index)
