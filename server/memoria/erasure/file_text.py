"""Text of files: removal of lines with a forgotten phrase, an erased turn, or a given mark.

In JSON Lines a record goes if it holds a phrase, however that is escaped there, or is the record
of an erased turn. In other texts the lines go in which a phrase occurs, also where it runs over
several of them.
"""

import json
import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from memoria.bare.lazy_regex import lazy_regex
from memoria.language.reading.statement import Phrases
from memoria.language.words.document import full_text
from memoria.model.core import CONTRADICTED, EARLIER

RECORDS = ".jsonl"
_MARK = lazy_regex(r"(?:(?<![ \t])[ \t]++)?<!-- [a-z]:[0-9a-f]{4,36}(?: [0-9a-f]{8})? -->")
_LABEL = lazy_regex(
    r"^- (?:file says|chat says|put aside in chat|taken out here, kept so far): ", re.MULTILINE
)
"""Matches the label of a line in a core file that shows what contradicts the file."""
_LINE = lazy_regex(r"[^\n]*\n|[^\n]+")
_CONTENT_KEYS = ("content", "text")
_INERT = "‹!--", "<!--"


@dataclass(frozen=True, slots=True)
class Unwanted:
    """Contents to be removed from a file."""

    phrases: Phrases
    turn_ids: Collection[str]
    """Ids of turns whose records are to go, whatever they say."""
    marks: Collection[str] = ()
    """Marks of lines that are to go, whatever they say."""


@dataclass(frozen=True, slots=True)
class _Record:
    """A line of JSON that may be a turn."""

    content: str
    tool_name: str | None
    tool_args: JsonValue
    tool_result: JsonValue


def remove_unwanted(text: str, unwanted: Unwanted, suffix: str) -> str:
    """Remove the lines that hold a phrase, have a mark, or record an erased turn."""
    phrases = unwanted.phrases
    if suffix == RECORDS:
        return "".join(
            line
            for line in _split_lines(text)
            if not (_is_record_of(line, unwanted.turn_ids) or _record_contains(line, phrases))
        )
    kept = [
        line
        for line in _split_lines(text)
        if not any(f"<!-- {mark} " in line for mark in unwanted.marks)
    ]
    if not phrases.may_occur_in(text):
        return "".join(kept)
    kept = [line for line in kept if not _line_contains(line, phrases)]
    while phrases.occur_in(_strip_markup("".join(kept))):
        _remove_shortest_match(kept, phrases)
    return "".join(kept)


def list_removed(text: str, kept: str) -> list[str]:
    """List the lines that were removed from a text, without the marks that Memoria put there."""
    left = iter(_split_lines(kept))
    waiting = next(left, None)
    removed: list[str] = []
    for line in _split_lines(text):
        if line == waiting:
            waiting = next(left, None)
        else:
            removed.append(_strip_markup(line).strip())
    return removed


def _is_record_of(line: str, turn_ids: Collection[str]) -> bool:
    """Check whether a line is a history file's record of one of the given turns."""
    if not any(turn_id in line for turn_id in turn_ids):
        return False
    try:
        record = json.loads(line)
    except ValueError:
        return False
    return isinstance(record, dict) and record.get("id") in turn_ids


def _remove_shortest_match(lines: list[str], phrases: Phrases) -> None:
    """Remove the first of the shortest runs of lines that hold a phrase together."""

    def says(first: int, end: int) -> bool:
        return phrases.occur_in(_strip_markup("".join(lines[first:end])))

    end = bisect_left(range(len(lines)), True, key=lambda i: says(0, i + 1)) + 1
    begins = bisect_left(range(end), True, key=lambda i: not says(i, end))
    del lines[max(0, begins - 1) : end]


def _line_contains(line: str, phrases: Phrases) -> bool:
    return phrases.may_occur_in(line) and (
        phrases.occur_in(line) or phrases.occur_in(_strip_markup(line))
    )


def _strip_markup(text: str) -> str:
    """Remove the labels and marks that Memoria has put into a text."""
    plain = _LABEL.sub("", _MARK.sub("", text)).replace(CONTRADICTED, "").replace(EARLIER, "")
    return plain.replace(*_INERT)


def _record_contains(line: str, phrases: Phrases) -> bool:
    if "\\u" not in line and not phrases.may_occur_in(line):
        return False
    try:
        record = json.loads(line)
    except ValueError:
        return phrases.occur_in(line)
    said, whole = _content_texts(record), "\n".join(_all_texts(record))
    return any(map(phrases.occur_in, said)) or phrases.distinctive.occur_in(whole)


def _content_texts(value: JsonValue) -> Iterator[str]:
    """Yield the spoken texts of a record; a short phrase ("user") is common in the rest of it."""
    match value:
        case list():
            for each in value:
                yield from _content_texts(each)
        case dict():
            yield from (each for key in _CONTENT_KEYS if isinstance(each := value.get(key), str))
            yield from (text for each in value.values() for text in _content_texts(each))
            yield full_text(_to_record(value))
        case _:
            pass


def _all_texts(value: JsonValue) -> Iterator[str]:
    match value:
        case str():
            yield value
        case list():
            yield from (text for each in value for text in _all_texts(each))
        case dict():
            yield from (text for each in value.values() for text in _all_texts(each))
        case _:
            pass


def _to_record(value: Mapping[str, JsonValue]) -> _Record:
    content, tool = value.get("content"), value.get("tool_name")
    return _Record(
        content if isinstance(content, str) else "",
        tool if isinstance(tool, str) else None,
        value.get("tool_args"),
        value.get("tool_result"),
    )


def _split_lines(text: str) -> list[str]:
    """Split a text at line feeds alone, as records may contain other line ends."""
    return _LINE.findall(text)
