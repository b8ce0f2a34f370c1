"""Quotes: finds the words that a model says it has read in a text."""

import re
from itertools import chain

from memoria.bare.lazy_regex import lazy_regex
from memoria.text.invisible import drop_invisible, visible_places

_AROUND = " \t\n\r\"'「」『』《》…"
_LEAST = 2
_ELLIPSIS = lazy_regex(r"\s*(?:…|\.{3}|\[…\])[\s…]*")
_LONGEST_GAP = 200
"""How many characters a quote may leave out in the middle."""
_ALIKE = {
    ord(mark): plain
    for plain, marks in {'"': "“”„‟«»「」『』《》〈〉", "'": "‘’‚‛`´", "-": "–—‐‑−"}.items()
    for mark in marks
} | dict(zip(map(ord, "，。：；！？（）"), ",.:;!?()", strict=True))
"""Marks that are written for each other, one character for one."""
_BY_CHINESE = lazy_regex(r"(?<=[^\x00-\x7f])\s+|\s+(?=[^\x00-\x7f])")
"""Spaces that Chinese does with and without."""
_SPACE = lazy_regex(r"\s+")
_LATIN = lazy_regex("[A-Za-z0-9]")
_REST_OF_WORD = lazy_regex("[A-Za-z0-9]*+")


def find_quote(quote: str, text: str) -> str | None:
    """The part of `text` that `quote` repeats word for word, as it stands there.

    Line breaks, runs of spaces and marks such as quotation marks and dashes may differ, because
    models are careless about them, and invisible characters, because they are not shown any.
    Nothing else may differ, and the quote must not begin or end within a word. Where it leaves
    words out and says so, the whole passage is the quote.
    """
    seen = drop_invisible(text)
    found = _find_parts(drop_invisible(quote).translate(_ALIKE), seen.translate(_ALIKE))
    if found is None or seen == text:
        return None if found is None else seen[slice(*found)]
    places = visible_places(text)
    return text[places[found[0]] : places[found[1] - 1] + 1]


def _find_parts(quote: str, text: str) -> tuple[int, int] | None:
    """Where the parts of a quote, of which it leaves out what is between, begin and end."""
    whole = _find_seen(quote, text) or _find_close(quote, text)
    if whole is not None:
        return whole
    parts = [part for part in _ELLIPSIS.split(quote.strip(_AROUND)) if part]
    if not parts or parts == [quote]:
        return None
    start = end = 0
    for number, part in enumerate(parts):
        found = _find_seen(part, text[end : end + len(part) + _LONGEST_GAP] if number else text)
        if found is None:
            return None
        start, end = (start, end + found[1]) if number else found
    return start, end


def _find_close(quote: str, text: str) -> tuple[int, int] | None:
    """Where a quote begins and ends in a text, both without the spaces beside Chinese."""
    if quote.isascii():
        return None
    spaces = chain.from_iterable(match.span() for match in _BY_CHINESE.finditer(text))
    edges = [0, *spaces, len(text)]
    places = [at for a, b in zip(edges[::2], edges[1::2], strict=True) for at in range(a, b)]
    found = _find_seen(_BY_CHINESE.sub("", quote), "".join(text[at] for at in places))
    return None if found is None else (places[found[0]], places[found[1] - 1] + 1)


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
