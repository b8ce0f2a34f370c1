"""Loose JSON: reads the objects and lists in a text, as models write them.

Models add thoughts, prose and fences, leave out brackets, marks and commas, write Python literals
and calls (`ADD(turn=1)`), comments, other quotation marks and full-width punctuation, and are cut
off. Every object that was begun and ended is read; of an object that never ended, what was whole
in it.

Each part of a text is read once, and what can't be read is tried from a limited number of places:
the time grows with the length of the text alone.
"""

import re
from collections.abc import Iterable
from functools import cache
from typing import Any

from memoria.bare.lazy_regex import lazy_regex

_MOST_DEPTH = 20
_MOST_FAILURES = 50
_MOST_AGAIN = 4
"""Most characters that are read again after failures, in lengths of the text."""
_CLOSED_BY = {
    '"': '"',
    "'": "'",
    "`": "`",
    "“": '”“"',
    "”": '”“"',
    "„": '“”"',
    "‘": "’‘'",
    "「": "」",
    "『": "』",
    "«": "»",
}
_OBJECT, _OBJECT_END = "{｛", "}｝"
_LIST, _LIST_END = "[［", "]］"
_CALL_END = ")）"
_MARK = r"""["'`“”„‘’「」『』«»]"""
_UNSEEN = r"\ufeff\u200b-\u200f\u2060"
_COMMENT = r"//[^\n]*|\#[^\n]*|/\*[\s\S]{0,500}?\*/"
_SETS = r"(?:[:：=→]|->)"
"""Matches the sign between a name and its value."""
_STRAY = r"\\(?:[nrt](?![a-z])|(?=[{}\[\]]))"
"""Matches an escape outside of any text."""
_BETWEEN = lazy_regex(rf"(?:[\s{_UNSEEN},，;；…]|\.\.\.|{_STRAY}|{_COMMENT})+")
"""Matches what stands between values; dots stand for items that a model left out."""
_BLANK = lazy_regex(rf"(?:[\s{_UNSEEN}]|{_STRAY}|{_COMMENT})+")
_CALL = lazy_regex(r"(?:\w{1,30}\.){0,3}([^\W\d]\w{0,30})[(（](?=\s{0,100}\w{1,30}\s{0,20}=[^=])")
_STARTS = lazy_regex(
    rf"[{{｛]|[\[［](?=[\s{_UNSEEN}]{{0,100}}(?:[{{｛\[［\]］/\#.…\\]|{_MARK}|\w{{1,30}}[(（]))"
    rf"|(?<![\w.]){_CALL.pattern}"
)
"""Matches the start of a value, but not a reference such as [1]."""
_COLON = lazy_regex(r"\s{0,100}(?:=>|->|[:：=→])")
_KEY = lazy_regex(rf"{_MARK}([\w$ .{_UNSEEN}-]{{1,60}}){_MARK}(?=\s{{0,20}}{_SETS})")
_BARE_KEY = lazy_regex(rf":?[\w$][\w$ .-]{{0,60}}?(?=\s{{0,20}}{_SETS})")
_BARE_ITEM = lazy_regex(r"[^\s,，{}\[\]｛｝［］](?:[^\n,，{}\[\]｛｝［］/#]|[/#](?![/ ])){0,500}")
_BARE_ARGUMENT = lazy_regex(r"[^\s,，{}\[\]｛｝［］()（）][^\n,，{}\[\]｛｝［］()（）]{0,500}")
_BARE_VALUE = lazy_regex(
    r"[^\s,，{}\[\]｛｝［］](?:[^\n,，{}\[\]｛｝［］/#]|[/#](?![/ ])"
    rf"|[,，](?!\s{{0,20}}(?:$|\n|{_MARK}|\w{{1,30}}\s?{_SETS}))){{0,500}}"
)
"""Matches a text without quotation marks, up to the next name, a bracket or the end of the line."""
_PREFIX = lazy_regex(r"[urfbURFB]{1,2}(?=[\"'])")
_JSON_IN_MARKS = lazy_regex(r"[\"'`]\s{0,20}(?=[{\[]\s{0,20}[{\[]?\s{0,20}\")")
"""Matches the start of an object in quotation marks whose own quotation marks are not escaped."""
_JOINED = lazy_regex(r"\s{0,100}\+\s{0,100}(?=[\"'`])")
_NUMBER = lazy_regex(r"[-+]?(?:\d{1,15}(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d{1,2})?")
_WORDS = {"true": True, "false": False, "null": None, "none": None, "undefined": None}
_KEY_END = lazy_regex(rf"\s{{0,100}}{_SETS}")
_END_OF_VALUE = rf"""(?x)\s{{0,200}}(?:
      $ | \\?[}}\]｝］%s] | \{{\s{{0,20}}["'] | \\n[\s}}\]\\] | // | \# | \+\s{{0,100}}["'`]
    | [,，;](?:\s|\\n){{0,200}}(?: $ | {_MARK} | [{{}}\[\]｝｛］［] | // | \# | /\* | -?\d
        | (?:true|false|null|None|True|False)\b | [\w$]{{1,60}}\s{{0,20}}[:：=])
    )
    | \s{{1,200}}["'“「][\w$ ]{{1,60}}["'”」]\s{{0,20}}[:：]"""
_VALUE_END = lazy_regex(_END_OF_VALUE % "")
"""Matches what may follow a closing quotation mark; any other mark belongs to the text."""
_ARGUMENT_END = lazy_regex(_END_OF_VALUE % _CALL_END)
_UNENDED = lazy_regex(
    r"""[,，]\s{0,20}["“][A-Za-z_]{2,30}["”]\s{0,3}[:：]\s{0,3}(?=["“\d\[{tfn-])"""
)
"""Matches the next name and value within a text whose own closing mark was left out."""
_ESCAPE = lazy_regex(r"\\(?:u([0-9a-fA-F]{4})|([\s\S]))")
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_ESCAPED_WHOLE = lazy_regex(r"[{\[](?:[\s{\[]|\\[nrt]){0,100}\\\"")
"""Matches the start of an object whose quotation marks are all escaped, as within a text."""


class CutObject(dict[str, Any]):
    """An object that was begun and never ended."""


class _NoJsonError(Exception):
    """No value can be read where one was tried."""


def read_json(text: str) -> list[Any]:
    """List the objects, and lists with objects in them, that a text holds, in their order."""
    first = _STARTS.search(text)
    if first and _ESCAPED_WHOLE.match(text, first.start()):
        text = unescape(text)
    values, at, failures, again = list[Any](), 0, 0, 0
    while (
        failures < _MOST_FAILURES
        and again <= _MOST_AGAIN * len(text)
        and (start := _STARTS.search(text, at))
    ):
        reader = _ValueReader(text, start.start())
        try:
            value = reader.read()
        except _NoJsonError:
            at, failures = start.start() + 1, failures + 1
            again += reader.at - start.start()
            continue
        at = max(reader.at, start.start() + 1)
        if _holds_object(value):
            values.append(value)
    return values


def _holds_object(value: object) -> bool:
    """Check for an object, a list with objects, or an empty list, which says there are none."""
    return isinstance(value, dict) or value == [] or any(map(_is_object, _items(value)))


def _items(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _is_object(value: object) -> bool:
    return isinstance(value, dict)


def join_pairs(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object of pairs; lists with one name are joined, else a name's last value counts."""
    joined: dict[str, Any] = {}
    for name, value in pairs:
        former = joined.get(name)
        if isinstance(former, list) and isinstance(value, list):
            joined[name] = [*former, *value]
        else:
            joined[name] = value
    return joined


class _Bare(str):
    """A text without quotation marks."""

    __slots__ = ()


class _ValueReader:
    """Reads one value of a text."""

    def __init__(self, text: str, at: int) -> None:
        self.at = at
        self._text = text
        self._is_cut = False
        """True if the text ended before the value did."""
        self._is_call = False
        """True within a call, where a parenthesis ends a value."""

    def read(self, depth: int = 0, *, bare: re.Pattern[str] = _BARE_ITEM) -> Any:  # noqa: ANN401  (any JSON)
        """Read the value that begins at the present place.

        Raises:
            _NoJsonError: none does.
        """
        self._skip(_BLANK)
        self._skip(_PREFIX)
        sign = self._sign()
        if depth > _MOST_DEPTH:
            raise _NoJsonError
        if sign in _OBJECT:
            self.at += 1
            return self._object(depth, _OBJECT_END)
        if sign in _LIST:
            return self._list(depth)
        if sign in _CLOSED_BY:
            return self._read_quoted(sign, depth)
        if call := _CALL.match(self._text, self.at):
            self.at = call.end()
            return {call[1]: self._object(depth, _CALL_END)}
        return self._word(_BARE_ARGUMENT if self._is_call else bare)

    def _read_quoted(self, sign: str, depth: int) -> Any:  # noqa: ANN401  (any JSON)
        """Read a text or an object in quotation marks; texts joined by `+` are one text."""
        if opened := _JSON_IN_MARKS.match(self._text, self.at):
            self.at = opened.end()
            value = self.read(depth + 1)
            self.at += self._text[self.at : self.at + 1] == sign
            return value
        end = _ARGUMENT_END if self._is_call else _VALUE_END
        text = self._text_in(sign, end)
        while joined := _JOINED.match(self._text, self.at):
            self.at = joined.end()
            text += self._text_in(self._sign(), end)
        return text

    def _sign(self) -> str:
        """Return the next character; at the text's end a space, and note that the value is cut."""
        if self.at < len(self._text):
            return self._text[self.at]
        self._is_cut = True
        return " "

    def _skip(self, what: re.Pattern[str]) -> None:
        skipped = what.match(self._text, self.at)
        self.at = skipped.end() if skipped else self.at

    def _is_over(self, ends: str, others: str) -> bool:
        """Check for the end of a list or object: its bracket, an outer one, or the text's end."""
        self._skip(_BETWEEN)
        sign = self._sign()
        self.at += sign in ends
        return sign in ends or sign in others or self._is_cut

    def _ends_around(self, ends: str) -> str:
        """Return the closing brackets of what may be around a value: they end the value as well."""
        return (_OBJECT_END + _LIST_END + _CALL_END * self._is_call).replace(ends, "")

    def _list(self, depth: int) -> list[Any]:
        """Read a list; words without quotation marks are dropped as remarks if it has objects."""
        self.at += 1
        items = list[Any]()
        while not self._is_over(_LIST_END, self._ends_around(_LIST_END)):
            if _KEY.match(self._text, self.at):
                item = self._object(depth, _OBJECT_END)  # its bracket was left out
            else:
                item = self.read(depth + 1)
            if not self._is_cut or isinstance(item, CutObject):
                items.append(item)
        if any(map(_is_object, items)):
            return [one for one in items if not isinstance(one, _Bare)]
        return items

    def _object(self, depth: int, ends: str) -> dict[str, Any]:
        outer, self._is_call = self._is_call, ends == _CALL_END
        joined = join_pairs(self._pairs(depth, ends))
        self._is_call = outer
        return CutObject(joined) if self._is_cut else joined

    def _pairs(self, depth: int, ends: str) -> list[tuple[str, Any]]:
        pairs = list[tuple[str, Any]]()
        while not self._is_over(ends, self._ends_around(ends)):
            if self._sign() in _OBJECT:
                if pairs:
                    break  # the end of this one was left out
                pairs.append(("", self.read(depth + 1)))
                continue
            name = self._name()
            value = None if self._is_cut else self._value_of_name(depth)
            if not self._is_cut or isinstance(value, dict | list):
                pairs.append((name, value))
        return pairs

    def _name(self) -> str:
        sign = self._sign()
        if plain := _KEY.match(self._text, self.at):
            self.at, name = plain.end(), plain[1]
        elif sign in _CLOSED_BY:
            name = self._text_in(sign, _KEY_END)
        elif bare := _BARE_KEY.match(self._text, self.at):
            self.at, name = bare.end(), bare[0].lstrip(":")
        else:
            raise _NoJsonError
        colon = _COLON.match(self._text, self.at)
        if colon is None and not self._is_cut:
            raise _NoJsonError
        self.at = colon.end() if colon else self.at
        return name.strip()

    def _value_of_name(self, depth: int) -> Any:  # noqa: ANN401  (any JSON)
        """Read the value after a colon; None where it was left out."""
        self._skip(_BLANK)
        if self._sign() in f",，{_OBJECT_END}":
            return None
        return self.read(depth + 1, bare=_BARE_VALUE)

    def _text_in(self, opening: str, end: re.Pattern[str]) -> str:
        """Read a text in quotation marks, which may hold such marks itself."""
        start = self.at + 1
        closing = _CLOSED_BY[opening]
        if self._text.startswith(3 * opening, self.at):
            return self._text_in_three(3 * opening)
        for stop in _stops(closing, is_bounded=opening in '"“').finditer(self._text, start):
            at = stop.start()
            if self._text[at] in closing and end.match(self._text, at + 1):
                self.at = at + 1
                return unescape(self._text[start:at])
            if self._text[at] in ",，" and _UNENDED.match(self._text, at):
                self.at = at
                return unescape(self._text[start:at])
        self.at, self._is_cut = len(self._text), True
        return unescape(self._text[start:])

    def _text_in_three(self, marks: str) -> str:
        """Read a text of several lines, as Python has it."""
        start = self.at + len(marks)
        end = self._text.find(marks, start)
        self._is_cut = end < 0
        self.at = len(self._text) if self._is_cut else end + len(marks)
        return unescape(self._text[start : None if self._is_cut else end])

    def _word(self, bare: re.Pattern[str]) -> object:
        """Read a number, true, false or nothing; else a text without quotation marks."""
        found = bare.match(self._text, self.at)
        if found is None:
            if self._is_cut:
                return None
            raise _NoJsonError
        self.at = found.end()
        self._is_cut = self.at >= len(self._text)
        word = found[0].strip()
        word = word[:-1] if word.find('"') == len(word) - 1 else word  # its other mark was left out
        if word.lower() in _WORDS:
            return _WORDS[word.lower()]
        if _NUMBER.fullmatch(word) is None:
            return _Bare(word)
        return int(word) if word.lstrip("-+").isdecimal() else float(word)


@cache
def _stops(closing: str, *, is_bounded: bool) -> re.Pattern[str]:
    """Return a pattern for the end of a quoted text: its closing mark and, if bounded, a comma."""
    return re.compile(rf"(?s)\\.|[{closing}{',，' if is_bounded else ''}]")


def unescape(text: str) -> str:
    """Replace escapes by their characters, and half a character by a replacement sign."""
    if "\\" not in text:
        return text
    plain = _ESCAPE.sub(_replace_escape, text)
    return plain.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _replace_escape(found: re.Match[str]) -> str:
    return chr(int(found[1], 16)) if found[1] else _ESCAPED.get(found[2], found[2])
