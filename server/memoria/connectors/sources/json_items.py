"""The items of a JSON document, one at a time, however large the document is.

An export is one list of conversations, or an object with lists in it, in a single line of a
gigabyte. It is walked through by its brackets alone: no more is held than one item, and an item
that is longer than the limit or is no JSON is named and passed over, while the rest is read.
"""

import codecs
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from pydantic import JsonValue

from memoria.connectors.transcripts.encoding import UnknownEncodingError, decode_line, find_codec
from memoria.connectors.transcripts.source import MAX_LINE_BYTES

_BLOCK_BYTES = 1024 * 1024
_INSIDE = re.compile(rb'(?:[^"\[\]{}]++|"(?:[^"\\]++|\\.)*+")*+', re.DOTALL)
"""Bytes before the next bracket, or before a text whose end is not held."""
_IN_TEXT = re.compile(rb'(?:[^"\\]++|\\.)*+', re.DOTALL)
_WORD = re.compile(rb'[^"\[\]{},:]*+')
_BETWEEN = re.compile(rb"[ \t\r\n,:]*+")
_OPENING, _CLOSING = b"[{", b"]}"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_CUT_OFF = "ends in the middle"
WRAPPERS = frozenset(
    ("conversations", "chats", "memories", "entities", "relations", "results", "items", "data")
)
"""Keys under which a document may have its list of items."""
_NESTING = "data"
"""Wrapper that may hold an object with further wrappers."""


class ByteStream(Protocol):
    """Stream of a document's bytes."""

    def read(self, size: int, /) -> bytes:
        """Read the next bytes, at most `size`; none at the end."""
        ...


@dataclass(frozen=True, slots=True)
class JsonItem:
    """A value of a document."""

    key: str | None
    """Key of the value in an object, or of the list that the value stands in."""
    size: int
    value: JsonValue = None
    problem: str | None = None
    """Reason why there is no value."""
    encoding: str | None = None
    """Encoding, where that is not UTF-8."""


def read_items(stream: ByteStream, *, is_record: bool = False) -> Iterator[JsonItem]:
    """Yield a document's items: those of a list, or an object's values and its lists' items.

    What is cut off or no JSON comes as a problem.

    Args:
        stream: the document.
        is_record: an object is one item itself, unless it has a list under one of `WRAPPERS`.
    """
    for item in _Walk(stream).items(is_record=is_record):
        yield item
        if item.problem == _CUT_OFF:
            return


def as_utf_8(stream: ByteStream) -> tuple[ByteStream, str | None]:
    """Return a stream in UTF-8, and the former encoding's name as far as the beginning tells."""
    head = stream.read(_BLOCK_BYTES)
    found = find_codec(head)
    given = _Joined(head, stream)
    return (given, None) if found is None else (_Recoded(given, found[0]), found[1])


class _Joined:
    """Stream whose beginning was read already."""

    def __init__(self, head: bytes, rest: ByteStream) -> None:
        self._head = head
        self._rest = rest

    def read(self, size: int, /) -> bytes:
        """Read the next bytes; the first read returns the beginning."""
        head, self._head = self._head, b""
        return head or self._rest.read(size)


class _Recoded:
    """Stream in UTF-8 of a stream in another encoding."""

    def __init__(self, stream: ByteStream, codec: str) -> None:
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder(codec)("replace")

    def read(self, size: int, /) -> bytes:
        """Read the next bytes, more or fewer than `size`; none at the end."""
        while block := self._stream.read(size):
            if plain := self._decoder.decode(block):
                return plain.removeprefix("\ufeff").encode()
        return self._decoder.decode(b"", final=True).encode()


class _Walk:
    """Pass over a document that holds the present item, and its beginning and end."""

    def __init__(self, stream: ByteStream) -> None:
        self._stream, self._encoding = as_utf_8(stream)
        self._data = b""
        self._begin = 0
        self._at = 0
        self._dropped = 0
        """Bytes of the present item that are no longer held, because the item is too long."""

    def items(self, *, is_record: bool) -> Iterator[JsonItem]:
        """Yield the items of the document."""
        self._read_more()
        if self._data.startswith(_BYTE_ORDER_MARK):
            self._at = len(_BYTE_ORDER_MARK)
        match self._find_next():
            case b"[":
                self._at += 1
                yield from self._list_items(None)
            case b"{" if is_record:
                yield from self._record_items(None)
            case b"{":
                self._at += 1
                yield from self._object_items()
            case b"":
                yield JsonItem(None, 0, problem="is empty")
            case _:
                yield JsonItem(None, 0, problem="is no JSON list or object")

    def _object_items(self) -> Iterator[JsonItem]:
        while (byte := self._find_next()) == b'"':
            name = self._take_value(None)
            key = name.value if isinstance(name.value, str) else None
            byte = self._find_next()
            self._at += byte == b"[" or (byte == b"{" and key == _NESTING)
            if byte == b"[":
                yield from self._list_items(key)
            elif byte == b"{" and key == _NESTING:
                yield from self._object_items()
            else:
                yield self._take_value(key)
        self._at += byte == b"}"
        if byte != b"}":
            problem = "is no JSON from here on" if byte else _CUT_OFF
            yield JsonItem(None, 0, problem=problem)

    def _record_items(self, key: str | None) -> Iterator[JsonItem]:
        """Yield the items of the lists that an object wraps; the object where it wraps no list."""
        self._begin, self._dropped = self._at, 0
        self._at += 1
        wraps = False
        while (byte := self._skip(_BETWEEN)) == b'"':
            name = self._take_name()
            byte = self._skip(_BETWEEN)
            if name in WRAPPERS and byte == b"[":
                self._at += 1
                wraps = True
                yield from self._list_items(name)
            elif name == _NESTING and byte == b"{":
                wraps = True
                yield from self._record_items(name)
            elif not self._find_end():
                break
        self._at += byte == b"}"
        if byte != b"}":
            yield JsonItem(key, 0, problem="is no JSON from here on" if byte else _CUT_OFF)
        elif not wraps:
            yield self._parse_value(key, is_whole=True)

    def _take_name(self) -> str | None:
        """Take the name at the present place; None for a name that is too long."""
        begun = self._at - self._begin + self._dropped
        self._at += 1
        is_whole = self._pass_text()
        first = begun - self._dropped + self._begin
        name = self._data[first : self._at] if first >= self._begin else b""
        try:
            value = json.loads(name) if is_whole else None
        except ValueError:
            return None
        return value if isinstance(value, str) else None

    def _list_items(self, key: str | None) -> Iterator[JsonItem]:
        while byte := self._find_next():
            if byte in _CLOSING:
                self._at += 1
                return
            yield self._take_value(key)
        yield JsonItem(key, 0, problem=_CUT_OFF)

    def _take_value(self, key: str | None) -> JsonItem:
        """Take the value at the present place, even if something inside is wrong."""
        self._begin, self._dropped = self._at, 0
        return self._parse_value(key, is_whole=self._find_end())

    def _parse_value(self, key: str | None, *, is_whole: bool) -> JsonItem:
        size = self._dropped + self._at - self._begin
        if not is_whole:
            return JsonItem(key, size, problem=_CUT_OFF)
        if size > MAX_LINE_BYTES:
            return JsonItem(key, size, problem=f"is longer than {MAX_LINE_BYTES:,} bytes")
        try:
            text, encoding = decode_line(self._data[self._begin : self._at])
            return JsonItem(key, size, json.loads(text), encoding=self._encoding or encoding)
        except UnknownEncodingError as error:
            return JsonItem(key, size, problem=str(error))
        except json.JSONDecodeError as error:
            return JsonItem(key, size, problem=f"is not JSON: {error.msg} at character {error.pos}")
        except (RecursionError, ValueError):  # the latter: a number of five thousand digits
            return JsonItem(key, size, problem="is nested too deeply, or has too long a number")

    def _find_end(self) -> bool:
        """Go to the end of the value. Return False where the document ends before."""
        first = self._data[self._at : self._at + 1]
        if first == b'"':
            self._at += 1
            return self._pass_text()
        if first not in _OPENING:
            return self._pass_word()
        depth = 0
        while True:
            byte = self._skip(_INSIDE)
            if not byte:
                return False
            self._at += 1
            if byte == b'"':
                if not self._pass_text():
                    return False
            else:
                depth += 1 if byte in _OPENING else -1
            if depth == 0:
                return True

    def _pass_text(self) -> bool:
        """Go behind the end of a text. Return False where the document ends before."""
        while byte := self._skip(_IN_TEXT):
            if byte == b'"':
                self._at += 1
                return True
            if not self._read_more():  # a backslash, and the character after it is not held yet
                return False
        return False

    def _pass_word(self) -> bool:
        """Go behind a number or a word. Return True, as the document's end may end either."""
        self._skip(_WORD)
        return True

    def _find_next(self) -> bytes:
        """Go to where the next value begins or a bracket closes, and return the byte there."""
        byte = self._skip(_BETWEEN)
        self._begin = self._at
        return byte

    def _skip(self, pattern: re.Pattern[bytes]) -> bytes:
        """Go on while a pattern matches, and return the byte behind; none at the end."""
        while True:
            found = pattern.match(self._data, self._at)
            self._at = self._at if found is None else found.end()
            if self._at < len(self._data):
                return self._data[self._at : self._at + 1]
            if not self._read_more():
                return b""

    def _read_more(self) -> bool:
        """Hold another block, and drop the bytes before the item. Return False at the end."""
        if self._at - self._begin > MAX_LINE_BYTES:
            self._dropped += self._at - self._begin
            self._begin = self._at
        block = self._stream.read(_BLOCK_BYTES)
        self._data = self._data[self._begin :] + block
        self._at, self._begin = self._at - self._begin, 0
        return bool(block)
