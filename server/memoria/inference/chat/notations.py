"""Notations: reads the objects that a text holds in whatever notation a model has chosen.

Most answers are JSON. Some models write labelled lines instead, as in YAML, TOML and lists of
people, or tables, or tags. Only the names tell what such an object means, as with JSON.
"""

import csv
import html
import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

from memoria.bare.lazy_regex import lazy_regex
from memoria.inference.chat.loose_json import read_json, unescape

_ENDS_OF_THOUGHT = ("</think>", "</thinking>", "</thought>", "</reasoning>")
_TERMINAL = lazy_regex(r"\x1b(?:\[[0-9;?]{0,20}[ -/]{0,3}[@-~]|\][^\x07\x1b]{0,200}\x07?)")
_LINE_MARK = lazy_regex(
    r"""(?m)^(?:[ \t]{0,8}>[ \t]?|\+[ \t]{0,40}(?=["'{}\[\]])"""
    r"""|[ \t]{0,8}\d{1,4}[ \t]?[|:.)]?[ \t]{1,40}(?=["'{}\[\]]))"""
)
"""Matches the mark before a line of a quotation, of a diff, or of a numbered text."""
_LEAST_FIELDS = 3
"""Number of names, labels or columns that make an object: two may be prose, or a part of one."""
_LABEL = lazy_regex(
    r"""(?x)(?P<before>[\s>|•+-]{0,40} (?:\*[ ]{1,8})? (?:\d{1,3}[.)][ ]{0,8})?)
    [*_`"'“#:]{0,4} (?P<name>[^\W\d][\w$ -]{0,40}?) (?:[ ]?[(（]\d{1,4}[)）])? [*_`"'”]{0,4}
    \s{0,20} (?:=>|->|[:：=|]) [*_`]{0,4} (?P<value>(?!//).*)"""
)
_NUMBERED = lazy_regex(r"^[\s*+•-]{0,20}(?:\d{1,3}[.)]\s{0,8})?")
_NAMED = lazy_regex(r"""(?:^|[,，;；{])\s{0,9}["'`*]{0,2}[^\W\d]\w{1,30}["'`*]{0,2}\s?[:：=]""")
_ENDS_OF_VALUE = " \t\r|,，;"
_MARKS_AROUND = lazy_regex(
    r"""(?s)(?P<marks>"{1,3}|'{1,3}|`{1,2}|\*{1,2}|_)(?P<a>.*)(?P=marks)|“(?P<b>.*)”|「(?P<c>.*)」"""
)
_BLOCK = ("|", ">", "|-", ">-", '"""')
_HEADING = lazy_regex(r"[\s#*_`>\[-]{0,10}([^\W\d]\w{1,30})[\s#*_`:：\]]{0,10}")
_TAG = lazy_regex(
    r"<(?:(?P<end>/)|(?P<more>[!?]))?(?P<name>[^\W\d][\w.:-]{0,40})"
    r"(?P<attributes>(?:\s[^<>]{0,2000}?)?)(?P<alone>/)?>"
)
_ATTRIBUTE = lazy_regex(r"""([\w.:-]{1,40})\s{0,9}=\s{0,9}(?:"([^"]*)"|'([^']*)')""")
_CDATA = lazy_regex(r"<!\[CDATA\[|\]\]>")
_MOST_DEPTH = 10
_CELL = lazy_regex(r"(?<!\\)\|")
_RULE = lazy_regex(r"[\s|:+=-]*")


def read_values(text: str) -> list[Any]:
    """List the objects, and lists with objects in them, that a text holds, in their order."""
    plain = _LINE_MARK.sub("", _TERMINAL.sub("", text))
    if plain.count("&quot;") > plain.count('"'):
        plain = html.unescape(plain)
    values = _read_all(_after_thoughts(plain))
    return values or _read_all(plain)


def _after_thoughts(text: str) -> str:
    """Return a text without the model's thoughts before the answer."""
    small = text.lower()
    ends = [small.rfind(tag) + len(tag) for tag in _ENDS_OF_THOUGHT if tag in small]
    return text[max(ends) :] if ends else text


def _read_all(text: str) -> list[Any]:
    values = read_json(text)
    if any(map(_holds_whole_object, values)):
        return values
    for read in (_read_tags, _read_tables, _read_lines, _read_labels):
        if found := read(text):
            return [*values, *found]
    return values


def _holds_whole_object(value: object) -> bool:
    if isinstance(value, dict):
        return len(value) >= _LEAST_FIELDS or any(map(_holds_whole_object, value.values()))
    if isinstance(value, str):
        return "{" in value and any(map(_holds_whole_object, read_json(value)))
    return isinstance(value, list) and any(map(_holds_whole_object, value))


def _read_lines(text: str) -> list[Any]:
    """List objects that are written one a line without brackets."""
    lines = (line for line in text.splitlines() if "{" not in line)
    named = (line for line in lines if len(_NAMED.findall(line)) >= _LEAST_FIELDS)
    found = (read_json("{" + _NUMBERED.sub("", line) + "}") for line in named)
    return [value for values in found for value in values]


def _read_labels(text: str) -> list[Any]:
    """List records of labelled lines; a repeated label or a heading begins a record."""
    reader = _LabelReader()
    for line in text.splitlines():
        reader.add(line)
    return reader.end()


class _LabelReader:
    """Collects records from lines with labels."""

    def __init__(self) -> None:
        self.records: list[Any] = []
        self._fields: dict[str, str] = {}
        self._heading = self._last = ""
        self._depth = 0
        """Indentation of the record's labels."""
        self._open: int | None = None
        """Indentation of the last label, if no value stands beside it."""

    def _begin(self, heading: str) -> None:
        """Keep the record if it has enough fields, and begin another."""
        if len(self._fields) >= _LEAST_FIELDS:
            record = {name: _read_plain(value) for name, value in self._fields.items()}
            self.records.append({self._heading: record} if self._heading else record)
        self._fields, self._heading, self._last, self._open = {}, heading, "", None

    def add(self, line: str) -> None:
        """Read a line."""
        found = _LABEL.fullmatch(line)
        if not line.strip():
            return
        if found is None:
            self._add_text(line)
            return
        name, value, depth = found["name"].strip().lower(), found["value"], found.end("before")
        if self._open is not None and depth > self._open:
            return  # it belongs to a label that has more than a text
        if value.strip():
            self._add_field(name, value.strip(), depth)
        elif self._fields and depth >= self._depth:
            self._last, self._open = name, depth
        else:
            self._begin(found["name"])

    def _add_field(self, name: str, value: str, depth: int) -> None:
        is_heading = self._open is not None and " " in self._last
        if name in self._fields or (is_heading and len(self._fields) >= _LEAST_FIELDS):
            self._begin("")
        self._depth = self._depth if self._fields else depth
        self._fields[name] = "" if value in _BLOCK else value
        self._last, self._open = name, None

    def _add_text(self, line: str) -> None:
        """Read a line without a label: more text of the last label, or a heading."""
        former = self._fields.get(self._last, "")
        if self._last and (line[0].isspace() or not former):
            self._fields[self._last] = f"{former} {line.strip()}".strip()
            self._open = None
            return
        heading = _HEADING.fullmatch(line)
        self._begin(heading[1] if heading else "")

    def end(self) -> list[Any]:
        """Return the records after the last line."""
        self._begin("")
        return self.records


def _read_plain(text: str) -> object:
    """Return a text without quotation marks around it, or the list or object that it is."""
    text = text.strip(_ENDS_OF_VALUE)
    if text[:1] in ("[", "{") and (values := read_json(text)):
        return values[0]
    marks = _MARKS_AROUND.fullmatch(text)
    return unescape(marks["a"] or marks["b"] or marks["c"] or "") if marks else text


def _read_tables(text: str) -> list[Any]:
    """List the rows of tables as objects, with the names of the columns."""
    lines = [line.strip() for line in text.splitlines() if not line.strip().startswith("```")]
    found = list[Any]()
    for separator in ("|", "\t", ","):
        cells = [line.count(separator) + 1 for line in lines]
        for is_row, run in groupby(
            zip(cells, lines, strict=True), lambda one: one[0] >= _LEAST_FIELDS
        ):
            found += _read_rows((line for _, line in run), separator) if is_row else ()
        if found:
            return found
    return found


def _read_rows(lines: Iterable[str], separator: str) -> Iterator[dict[str, str]]:
    rows = [_split_row(line, separator) for line in lines if not _RULE.fullmatch(line)]
    names = rows[0] if rows else []
    if len(names) < _LEAST_FIELDS or not all(one.replace(" ", "_").isidentifier() for one in names):
        return
    for row in rows[1:]:
        if len(row) == len(names):
            yield dict(zip(names, row, strict=True))


def _split_row(line: str, separator: str) -> list[str]:
    if separator != "|":
        return next(csv.reader([line], delimiter=separator, skipinitialspace=True))
    cells = [cell.strip(" \t`*").replace("\\|", "|") for cell in _CELL.split(line)]
    return cells[not cells[0] : len(cells) - (not cells[-1])]


def _read_tags(text: str) -> list[Any]:
    """List the outermost elements of a text with tags, as objects."""
    elements: list[_Element] = [_Element("", [], 0)]
    text = _CDATA.sub("", text)
    for tag in _TAG.finditer(text):
        if tag["more"]:
            continue
        if tag["end"]:
            _close(elements, tag, text)
        elif len(elements) < _MOST_DEPTH:
            pairs = [(name, a or b) for name, a, b in _ATTRIBUTE.findall(tag["attributes"])]
            elements.append(_Element(tag["name"], pairs, tag.end()))
            if tag["alone"]:
                _close(elements, tag, "")
    while len(elements) > 1:
        _close_last(elements, "")
    return [{name: value} for name, value in elements[0].pairs if not isinstance(value, str)]


class _Element:
    """An element of a text with tags whose end tag has not come yet."""

    def __init__(self, name: str, pairs: list[tuple[str, Any]], start: int) -> None:
        self.name, self.pairs, self.start = name, pairs, start


def _close(elements: "list[_Element]", tag: re.Match[str], text: str) -> None:
    """Close the last element with a tag's name, and the elements within it."""
    if any(one.name == tag["name"] for one in elements):
        while elements[-1].name != tag["name"]:
            _close_last(elements, "")
        _close_last(elements, text[elements[-1].start : tag.start()])


def _close_last(elements: "list[_Element]", text: str) -> None:
    last = elements.pop()
    elements[-1].pairs.append((last.name, _value_of(last.pairs, html.unescape(text.strip()))))


def _value_of(pairs: list[tuple[str, Any]], text: str) -> object:
    """Return an element's value: its text, or its parts; parts with the same name as a list."""
    if not pairs:
        return text
    parts: dict[str, list[Any]] = {}
    for name, value in pairs if "<" in text or not text else [*pairs, ("text", text)]:
        parts.setdefault(name, []).append(value)
    return {name: values if len(values) > 1 else values[0] for name, values in parts.items()}
