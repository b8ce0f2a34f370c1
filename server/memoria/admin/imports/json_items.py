"""The items of a JSON document, one at a time, however large the document is.

An export is one list of conversations, or an object with lists in it, in a single line of a
gigabyte. It is walked through by its brackets alone: no more is held than one item, and an item
that is longer than the limit or is no JSON is named and passed over, while the rest is read.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from pydantic import JsonValue

from memoria.admin.transcripts.source import MAX_LINE_BYTES

_BLOCK_BYTES = 1024 * 1024
_INSIDE = re.compile(rb'(?:[^"\[\]{}]++|"(?:[^"\\]++|\\.)*+")*+', re.DOTALL)
"""All before the next bracket, or before a text that goes on beyond what is held."""
_IN_TEXT = re.compile(rb'(?:[^"\\]++|\\.)*+', re.DOTALL)
_WORD = re.compile(rb'[^"\[\]{},:]*+')
_BETWEEN = re.compile(rb"[ \t\r\n,:]*+")
_OPENING, _CLOSING = b"[{", b"]}"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_CUT_OFF = "ends in the middle"


class ByteStream(Protocol):
    """What a document is read from."""

    def read(self, size: int, /) -> bytes:
        """The next bytes, at most so many; none at the end."""
        ...


@dataclass(frozen=True, slots=True)
class JsonItem:
    """A value of the document."""

    key: str | None
    """The key of the object under which it stands, or under which the list is that it stands in."""
    size: int
    value: JsonValue = None
    problem: str | None = None
    """Why there is no value."""


def read_items(stream: ByteStream, *, is_record: bool = False) -> Iterator[JsonItem]:
    """The items of a document that is a list; of an object, its values, of lists each by itself.

    What is cut off or no JSON comes as a problem.

    Args:
        stream: the document.
        is_record: an object is one item itself.
    """
    for item in _Walk(stream).items(is_record=is_record):
        yield item
        if item.problem == _CUT_OFF:
            return


class _Walk:
    """A pass over a document: what is held of it, where the item begins, and how far we are."""

    def __init__(self, stream: ByteStream) -> None:
        self._stream = stream
        self._data = b""
        self._begin = 0
        self._at = 0
        self._dropped = 0
        """Bytes of the present item that are no longer held, because it is too long anyway."""

    def items(self, *, is_record: bool) -> Iterator[JsonItem]:
        """The items of the document."""
        self._read_more()
        if self._data.startswith(_BYTE_ORDER_MARK):
            self._at = len(_BYTE_ORDER_MARK)
        match self._find_next():
            case b"[":
                self._at += 1
                yield from self._list_items(None)
            case b"{" if is_record:
                yield self._take_value(None)
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
            if self._find_next() == b"[":
                self._at += 1
                yield from self._list_items(key)
            else:
                yield self._take_value(key)
        if byte != b"}":
            problem = "is no JSON from here on" if byte else _CUT_OFF
            yield JsonItem(None, 0, problem=problem)

    def _list_items(self, key: str | None) -> Iterator[JsonItem]:
        while byte := self._find_next():
            if byte in _CLOSING:
                self._at += 1
                return
            yield self._take_value(key)
        yield JsonItem(key, 0, problem=_CUT_OFF)

    def _take_value(self, key: str | None) -> JsonItem:
        """The value that begins here, whatever is wrong inside of it."""
        self._begin, self._dropped = self._at, 0
        is_whole = self._find_end()
        size = self._dropped + self._at - self._begin
        if not is_whole:
            return JsonItem(key, size, problem=_CUT_OFF)
        if size > MAX_LINE_BYTES:
            return JsonItem(key, size, problem=f"is longer than {MAX_LINE_BYTES:,} bytes")
        try:
            return JsonItem(
                key, size, json.loads(self._data[self._begin : self._at].decode("utf-8"))
            )
        except UnicodeDecodeError:
            return JsonItem(key, size, problem="is not UTF-8")
        except json.JSONDecodeError as error:
            return JsonItem(key, size, problem=f"is not JSON: {error.msg} at character {error.pos}")
        except (RecursionError, ValueError):  # the latter: a number of five thousand digits
            return JsonItem(key, size, problem="is nested too deeply, or has too long a number")

    def _find_end(self) -> bool:
        """Go to the end of the value. False where the document ends before."""
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
        """Go behind the quotation mark that ends a text. False where the document ends before."""
        while byte := self._skip(_IN_TEXT):
            if byte == b'"':
                self._at += 1
                return True
            if not self._read_more():  # a backslash, and the character after it is not held yet
                return False
        return False

    def _pass_word(self) -> bool:
        """Go behind a number or a word, which the end of the document ends as well."""
        self._skip(_WORD)
        return True

    def _find_next(self) -> bytes:
        """Go to where the next value begins or a bracket closes, and give that byte."""
        byte = self._skip(_BETWEEN)
        self._begin = self._at
        return byte

    def _skip(self, pattern: re.Pattern[bytes]) -> bytes:
        """Go on as long as it matches, and give the byte that does not; none at the end."""
        while True:
            found = pattern.match(self._data, self._at)
            self._at = self._at if found is None else found.end()
            if self._at < len(self._data):
                return self._data[self._at : self._at + 1]
            if not self._read_more():
                return b""

    def _read_more(self) -> bool:
        """Hold another block, and no longer what is before the item. False at the end."""
        if self._at - self._begin > MAX_LINE_BYTES:
            self._dropped += self._at - self._begin
            self._begin = self._at
        block = self._stream.read(_BLOCK_BYTES)
        self._data = self._data[self._begin :] + block
        self._at, self._begin = self._at - self._begin, 0
        return bool(block)
