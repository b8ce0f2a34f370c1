"""Loose JSON: the objects and lists in a text, as models write them.

Models add thoughts, prose and fences, leave out brackets, write Python literals, comments, other
quotation marks and full-width punctuation, and are cut off. Every object that was begun and ended
is read; of one that was never ended, what was whole in it.

Each part of a text is read once, and what can't be read is tried from a limited number of places:
the time it takes grows with the text alone.
"""

import re
from collections.abc import Iterable
from typing import Any

from memoria.text.pattern import LazyPattern

_MOST_DEPTH = 20
_MOST_FAILURES = 50
_ENDS_OF_THOUGHT = ("</think>", "</thinking>", "</thought>", "</reasoning>")
_CLOSED_BY = {
    '"': '"',
    "'": "'",
    "`": "`",
    "“": '”“"',
    "”": '”“"',
    "‘": "’‘'",
    "「": "」",
    "『": "』",
}
_OBJECT, _OBJECT_END = "{｛", "}｝"
_LIST, _LIST_END = "[［", "]］"
_BETWEEN = LazyPattern(r"(?:[\s\ufeff,，;]|//[^\n]*|\#[^\n]*|/\*[\s\S]{0,500}?\*/)+")
_BLANK = LazyPattern(r"(?:[\s\ufeff]|//[^\n]*|\#[^\n]*|/\*[\s\S]{0,500}?\*/)+")
_STARTS = LazyPattern(r"[{｛\[［]")
_COLON = LazyPattern(r"\s{0,100}(?:[:：=]|=>)")
_BARE_KEY = LazyPattern(r"[\w$][\w$ .-]{0,60}?(?=\s{0,20}[:：])")
_BARE = LazyPattern(r"[^\s,，{}\[\]｛｝［］](?:[^\n,，{}\[\]｛｝［］/#]|[/#](?![/ ])){0,500}")
_NUMBER = LazyPattern(r"[-+]?(?:\d{1,15}(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d{1,2})?")
_WORDS = {"true": True, "false": False, "null": None, "none": None, "undefined": None}
_KEY_END = LazyPattern(r"\s{0,100}[:：=]")
_VALUE_END = LazyPattern(
    r"""(?x)\s{0,200}(?:
      $ | [}\]｝］] | // | \#
    | [,，;]\s{0,200}(?: $ | ["'`“”‘「『{\[}\]｛［｝］] | // | \# | /\* | -?\d
        | (?:true|false|null|None|True|False)\b | [\w$]{1,60}\s{0,20}[:：])
    )
    | \s{1,200}["'“「][\w$ ]{1,60}["'”」]\s{0,20}[:：]"""
)
"""What follows a text that is over; another quotation mark belongs to the text."""
_ESCAPE = LazyPattern(r"\\(?:u([0-9a-fA-F]{4})|([\s\S]))")
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_ESCAPED_WHOLE = LazyPattern(r"[{\[](?:[\s{\[]|\\[nrt]){0,100}\\\"")
"""An object whose every quotation mark is escaped: it stood in a text itself."""


class CutObject(dict[str, Any]):
    """An object that was begun and never ended."""


class _NoJsonError(Exception):
    """No value can be read where one was tried."""


def read_values(text: str) -> list[Any]:
    """The objects, and lists with objects in them, that a text holds, in their order."""
    values = _read_all(_after_thoughts(text))
    return values or _read_all(text)


def _after_thoughts(text: str) -> str:
    """A text without what its author thought before."""
    small = text.lower()
    ends = [small.rfind(tag) + len(tag) for tag in _ENDS_OF_THOUGHT if tag in small]
    return text[max(ends) :] if ends else text


def _read_all(text: str) -> list[Any]:
    first = _STARTS.regex.search(text)
    if first and _ESCAPED_WHOLE.regex.match(text, first.start()):
        text = _unescape(text)
    values, at, failures = list[Any](), 0, 0
    while failures < _MOST_FAILURES and (start := _STARTS.regex.search(text, at)):
        reader = _ValueReader(text, start.start())
        try:
            value = reader.read()
        except _NoJsonError:
            at, failures = start.end(), failures + 1
            continue
        at = max(reader.at, start.end())
        if _holds_object(value):
            values.append(value)
    return values


def _holds_object(value: object) -> bool:
    """Whether it is more than a mark such as [1]; an empty list says that there is nothing."""
    return isinstance(value, dict) or value == [] or any(map(_is_object, _items(value)))


def _items(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _is_object(value: object) -> bool:
    return isinstance(value, dict)


def join_pairs(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """An object of its pairs: lists of one name are joined, else the last of a name counts."""
    joined: dict[str, Any] = {}
    for name, value in pairs:
        former = joined.get(name)
        if isinstance(former, list) and isinstance(value, list):
            joined[name] = [*former, *value]
        else:
            joined[name] = value
    return joined


class _ValueReader:
    """Reads one value of a text."""

    def __init__(self, text: str, at: int) -> None:
        self.at = at
        self._text = text
        self._is_cut = False
        """Whether the text ended before the value did."""

    def read(self, depth: int = 0) -> Any:  # noqa: ANN401  (any JSON)
        """The value that begins here.

        Raises:
            _NoJsonError: none does.
        """
        self._skip(_BLANK)
        sign = self._sign()
        if depth > _MOST_DEPTH:
            raise _NoJsonError
        if sign in _OBJECT:
            joined = join_pairs(self._pairs(depth))
            return CutObject(joined) if self._is_cut else joined
        if sign in _LIST:
            return self._list(depth)
        return self._text_in(sign, _VALUE_END) if sign in _CLOSED_BY else self._word()

    def _sign(self) -> str:
        """The character here; a space at the end of the text, where more should stand."""
        if self.at < len(self._text):
            return self._text[self.at]
        self._is_cut = True
        return " "

    def _skip(self, what: LazyPattern) -> None:
        skipped = what.regex.match(self._text, self.at)
        self.at = skipped.end() if skipped else self.at

    def _is_over(self, ends: str, others: str) -> bool:
        """Whether a list or object ends here: by its sign, that of what is around it, or a cut."""
        self._skip(_BETWEEN)
        sign = self._sign()
        self.at += sign in ends
        return sign in ends or sign in others or self._is_cut

    def _list(self, depth: int) -> list[Any]:
        self.at += 1
        items = list[Any]()
        while not self._is_over(_LIST_END, _OBJECT_END):
            item = self.read(depth + 1)
            if not self._is_cut or isinstance(item, CutObject):
                items.append(item)
        return items

    def _pairs(self, depth: int) -> list[tuple[str, Any]]:
        self.at += 1
        pairs = list[tuple[str, Any]]()
        while not self._is_over(_OBJECT_END, _LIST_END):
            name = self._name()
            value = None if self._is_cut else self._value_of_name(depth)
            if not self._is_cut or isinstance(value, dict | list):
                pairs.append((name, value))
        return pairs

    def _name(self) -> str:
        sign = self._sign()
        if sign in _CLOSED_BY:
            name = self._text_in(sign, _KEY_END)
        else:
            bare = _BARE_KEY.regex.match(self._text, self.at)
            if bare is None:
                raise _NoJsonError
            self.at, name = bare.end(), bare[0]
        colon = _COLON.regex.match(self._text, self.at)
        if colon is None and not self._is_cut:
            raise _NoJsonError
        self.at = colon.end() if colon else self.at
        return name.strip()

    def _value_of_name(self, depth: int) -> Any:  # noqa: ANN401  (any JSON)
        """The value after a colon; none where it was left out."""
        self._skip(_BLANK)
        return None if self._sign() in f",，{_OBJECT_END}" else self.read(depth + 1)

    def _text_in(self, opening: str, end: LazyPattern) -> str:
        """A text in quotation marks, which may hold such marks itself."""
        start = at = self.at + 1
        closing = _CLOSED_BY[opening]
        while at < len(self._text):
            if self._text[at] == "\\":
                at += 2
                continue
            if self._text[at] in closing and end.regex.match(self._text, at + 1):
                self.at = at + 1
                return _unescape(self._text[start:at])
            at += 1
        self.at, self._is_cut = len(self._text), True
        return _unescape(self._text[start:])

    def _word(self) -> object:
        """A number, true, false or nothing; else a text without quotation marks."""
        found = _BARE.regex.match(self._text, self.at)
        if found is None:
            if self._is_cut:
                return None
            raise _NoJsonError
        self.at = found.end()
        self._is_cut = self.at >= len(self._text)
        word = found[0].strip()
        if word.lower() in _WORDS:
            return _WORDS[word.lower()]
        if _NUMBER.regex.fullmatch(word) is None:
            return word
        return int(word) if word.lstrip("-+").isdecimal() else float(word)


def _unescape(text: str) -> str:
    """A text with the characters that its escapes stand for; halves of a character are marked."""
    if "\\" not in text:
        return text
    plain = _ESCAPE.regex.sub(_replace_escape, text)
    return plain.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _replace_escape(found: re.Match[str]) -> str:
    return chr(int(found[1], 16)) if found[1] else _ESCAPED.get(found[2], found[2])
