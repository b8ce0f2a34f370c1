"""JSON with comments and trailing commas, read with the place of everything in it.

Clients read their files as JSON or as JSON with comments; people write what they like. The reader
takes both, tells exactly where it can't go on, and knows of each value where it begins and ends.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from json.decoder import scanstring  # type: ignore[attr-defined]  # typeshed lacks it
from typing import Any, Literal, NamedTuple

from memoria.bare.lazy_regex import lazy_regex
from memoria.connectors.clients.syntax.interface import UnreadableTextError

_TOKEN = lazy_regex(
    r"""(?P<space>[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/)"""
    r"""|(?P<text>"(?:[^"\\]|\\.)*")|(?P<mark>[{}\[\],:])|(?P<word>[^\s{}\[\],:"/]+)""",
    re.DOTALL,
)
_SPACE = lazy_regex(r"[ \t\r\n]*")
_KINDS: dict[str, Literal["object", "array"]] = {"{": "object", "[": "array"}
_MAX_DEPTH = 400
_decode = json.JSONDecoder().raw_decode


class JsonToken(NamedTuple):
    """A word of the text."""

    kind: str
    text: str
    start: int
    end: int


@dataclass(slots=True, eq=False)
class JsonNode:
    """A value, and its place in the text."""

    kind: Literal["object", "array", "scalar"]
    start: int
    end: int = 0
    value: Any = None
    """Value of a scalar; in plain JSON, value of any node."""
    plain_text: str | None = None
    """The document if it is plain JSON, in which children are looked up when wanted."""
    trailing_comma: int | None = None
    """Place of a comma behind the last child; None for no comma."""
    _children: "list[JsonChild] | None" = None

    @property
    def children(self) -> "list[JsonChild]":
        """The members of an object, or the items of an array."""
        if self._children is None:
            text = self.plain_text if self.kind != "scalar" else None
            self._children = [] if text is None else list(_plain_children(text, self))
        return self._children

    def child(self, key: str) -> "JsonChild | None":
        """Return the last member of a key, which readers take; None for no member."""
        return next((one for one in reversed(self.children) if one.key == key), None)

    def plain(self) -> Any:  # noqa: ANN401  (whatever the document holds)
        """Return the value without places."""
        if self.plain_text is None and self.kind == "object":
            return {one.key: one.node.plain() for one in self.children}
        if self.plain_text is None and self.kind == "array":
            return [one.node.plain() for one in self.children]
        return self.value


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

    An edit asks for the places in one text several times, and Claude Code's file has megabytes: of
    plain JSON the standard library reads what is not on the way to an edit, many times as fast.

    Raises:
        UnreadableTextError: it is no JSON.
    """
    try:
        _check_depth(json.loads(text))
        return _plain_node(text, _skip_space(text, 0))
    except (ValueError, RecursionError):  # comments, commas too many, or no JSON at all
        return _JsonReader(text).read()


def _check_depth(value: object) -> None:
    """Refuse a value that is nested deeper than an edit can follow."""
    level, depth = [value], 0
    while level := [one for one in level if isinstance(one, dict | list)]:
        depth += 1
        if depth > _MAX_DEPTH:
            raise RecursionError
        inner = (one.values() if isinstance(one, dict) else one for one in level)
        level = [one for values in inner for one in values]


def _plain_node(text: str, start: int) -> JsonNode:
    value, end = _decode(text, start)
    return JsonNode(_KINDS.get(text[start], "scalar"), start, end, value, text)


def _plain_children(text: str, node: JsonNode) -> Iterator["JsonChild"]:
    """Yield the children of a container of plain JSON."""
    at = _skip_space(text, node.start + 1)
    while text[at] not in "}]":
        start, key = at, ""
        if node.kind == "object":
            key, at = scanstring(text, at + 1)
            at = _skip_space(text, _skip_space(text, at) + 1)
        child = _plain_node(text, at)
        yield JsonChild(key, start, child)
        at = _skip_space(text, child.end)
        if text[at] == ",":
            at = _skip_space(text, at + 1)


def _skip_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _tokens(text: str) -> Iterator[JsonToken]:
    position = 0
    while position < len(text):
        found = _TOKEN.match(text, position)
        if found is None:
            raise UnreadableTextError("this character has no place here", text, position)
        position = found.end()
        if found.lastgroup != "space":
            yield JsonToken(str(found.lastgroup), found[0], found.start(), found.end())
    yield JsonToken("end", "", len(text), len(text))


class _JsonReader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = _tokens(text)
        self._next = next(self._tokens)

    def read(self) -> JsonNode | None:
        if self._next.kind == "end":
            return None
        node = self._value(0)
        if self._next.kind != "end":
            raise self._fail("the document has ended before this")
        return node

    def _fail(self, problem: str) -> UnreadableTextError:
        return UnreadableTextError(problem, self._text, self._next.start)

    def _take(self) -> JsonToken:
        token = self._next
        self._next = next(self._tokens, token)
        return token

    def _value(self, depth: int) -> JsonNode:
        if depth > _MAX_DEPTH:
            raise self._fail("nested too deep")
        token = self._next
        if token.text in ("{", "["):
            return self._container(depth)
        if token.kind not in ("text", "word"):
            raise self._fail("a value is missing" if token.text else "the text ends too early")
        self._take()
        return JsonNode("scalar", token.start, token.end, self._scalar(token))

    def _scalar(self, token: JsonToken) -> Any:  # noqa: ANN401  (any scalar)
        try:
            return json.loads(token.text, strict=False)
        except ValueError as error:
            raise UnreadableTextError("this is no JSON value", self._text, token.start) from error

    def _container(self, depth: int) -> JsonNode:
        opening = self._take()
        is_object = opening.text == "{"
        closing = "}" if is_object else "]"
        node = JsonNode("object" if is_object else "array", opening.start)
        while self._next.text != closing:
            start = self._next.start
            key = self._key() if is_object else ""
            node.children.append(JsonChild(key, start, self._value(depth + 1)))
            node.trailing_comma = None
            if self._next.text == ",":
                node.trailing_comma = self._take().start
            elif self._next.text != closing:
                raise self._fail(f"a comma or {closing} is missing")
        node.end = self._take().end
        return node

    def _key(self) -> str:
        if self._next.kind != "text":
            raise self._fail('a key in "quotes" or } is missing')
        key = str(self._scalar(self._take()))
        if self._next.text != ":":
            raise self._fail("a colon is missing")
        self._take()
        return key
