"""Values that the finders share: the text they read, and the spans of the secrets in it."""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter
from typing import Generic, NamedTuple, TypeVar

from memoria.bare.lazy_regex import lazy_regex

MARKER_START = "[redacted:"
_LONG_MATCH = 500
_MARKER = lazy_regex(r"\[redacted:[a-z-]{1,40}\]?")


class Span(NamedTuple):
    """A secret of one kind, from its first character to the one after its last."""

    start: int
    end: int
    kind: str


@dataclass(frozen=True)
class ReadText:
    """A text as the finders read it."""

    text: str

    @cached_property
    def lower(self) -> str:
        """The text in lower case, each character in its place."""
        # "İ" alone becomes two characters.
        return self.text.replace("İ", "I").lower()

    @cached_property
    def ascii_letters(self) -> str:
        """The lower text without characters beyond ASCII."""
        if self.lower.isascii():
            return self.lower
        return self.lower.encode("ascii", "ignore").decode("ascii")

    @cached_property
    def markers(self) -> list[tuple[int, int]]:
        """Spans that were redacted before."""
        if MARKER_START not in self.text:
            return []
        return [match.span() for match in _MARKER.finditer(self.text)]

    def is_in_marker(self, at: int) -> bool:
        """Check whether a place is within a marker."""
        i = bisect_right(self.markers, at, key=itemgetter(0))
        return i > 0 and at < self.markers[i - 1][1]

    def find_all(self, part: str) -> Iterator[int]:
        """Yield every place in the lower text where a part begins."""
        at = self.lower.find(part)
        while at >= 0:
            yield at
            at = self.lower.find(part, at + len(part))


_Rule = TypeVar("_Rule")
_Entry = tuple[str, re.Pattern[str], _Rule]


class PartIndex(Generic[_Rule]):
    """Patterns by the parts that they begin with.

    To look for a part is many times as fast as to match a pattern, and ordinary text has few parts.
    """

    def __init__(self, entries: Iterable[_Entry[_Rule]]) -> None:
        """Index parts in lower case, each with its pattern and the value it stands for."""
        by_part = defaultdict[str, list[tuple[re.Pattern[str], _Rule]]](list)
        for part, pattern, rule in entries:
            by_part[part].append((pattern, rule))
        self._ascii = [(part, rules) for part, rules in by_part.items() if part.isascii()]
        self._others = [(part, rules) for part, rules in by_part.items() if not part.isascii()]

    def find_matches(self, read: ReadText) -> Iterator[tuple[re.Match[str], _Rule]]:
        """Yield the matches of each pattern where its part occurs."""
        letters = read.ascii_letters
        present = [entry for entry in self._ascii if entry[0] in letters]
        if letters is not read.lower:
            # To look for one character is faster still.
            lower = read.lower
            present += [
                entry for entry in self._others if entry[0][0] in lower and entry[0] in lower
            ]
        for part, rules in present:
            for pattern, rule in rules:
                for match in _match_all(read, part, pattern):
                    yield match, rule


def _match_all(read: ReadText, part: str, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
    at = read.lower.find(part)
    while at >= 0:
        match = pattern.match(read.text, at)
        step = at + len(part)
        if match is not None:
            yield match
            # After a very long match it goes on behind it, else a row of beginnings were read each
            # to the end of all.
            step = match.end() if match.end() - at > _LONG_MATCH else step
        at = read.lower.find(part, step)
