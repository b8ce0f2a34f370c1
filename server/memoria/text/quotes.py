"""Quotes: finds the words that a model says it has read in a text."""

import re

from memoria.bare.lazy_regex import lazy_regex
from memoria.text.invisible import drop_invisible, visible_places

_AROUND = " \t\n\r\"'“”‘’「」『』《》…"
_LEAST = 2
_SPACE = lazy_regex(r"\s+")
_LATIN = lazy_regex("[A-Za-z0-9]")
_REST_OF_WORD = lazy_regex("[A-Za-z0-9]*+")


def find_quote(quote: str, text: str) -> str | None:
    """The part of `text` that `quote` repeats word for word, as it stands there.

    Line breaks, runs of spaces and quotation marks around the whole may differ, because models are
    careless about them, and invisible characters, because they are not shown any. Nothing else may
    differ, and the quote must not begin or end within a word.
    """
    seen = drop_invisible(text)
    found = _find_seen(drop_invisible(quote), seen)
    if found is None or seen == text:
        return None if found is None else seen[slice(*found)]
    places = visible_places(text)
    return text[places[found[0]] : places[found[1] - 1] + 1]


def _find_seen(quote: str, text: str) -> tuple[int, int] | None:
    """Where the quote begins and ends."""
    wanted = quote.strip(_AROUND)
    if len(wanted) < _LEAST:
        return None
    words = _SPACE.split(wanted)
    if _is_evenly_spaced(text):
        return _find_as_written(" ".join(words), text)
    before = r"(?<![A-Za-z0-9])" if _LATIN.match(wanted[0]) else ""
    after = r"(?![A-Za-z0-9])" if _LATIN.match(wanted[-1]) else ""
    found = re.search(before + r"\s+".join(map(re.escape, words)) + after, text)
    return None if found is None else found.span()


def _is_evenly_spaced(text: str) -> bool:
    """Whether words are parted by one space each: such a text needs no expression for a quote."""
    return " ".join(text.split()) == text


def _find_as_written(wanted: str, text: str) -> tuple[int, int] | None:
    """Where a quote stands as it is written, and not within a word."""
    start = text.find(wanted)
    while start >= 0:
        end = start + len(wanted)
        if not (_is_within(text, start) or _is_within(text, end)):
            return start, end
        rest = _REST_OF_WORD.match(text, start + 1)  # no quote begins in it
        start = text.find(wanted, rest.end() if rest and _LATIN.match(wanted) else start + 1)
    return None


def _is_within(text: str, place: int) -> bool:
    """Whether a place parts two letters or digits of the same word."""
    around = text[max(place - 1, 0) : place + 1]
    return len(_LATIN.findall(around)) == 2  # noqa: PLR2004  (one on each side)
