"""Quotes: finds the words that a model says it has read in a text."""

import re

from memoria.bare.lazy_regex import lazy_regex
from memoria.text.invisible import drop_invisible, visible_places

_AROUND = " \t\n\r\"'“”‘’「」『』《》…"
_LEAST = 2
_SPACE = lazy_regex(r"\s+")
_LATIN = lazy_regex("[A-Za-z0-9]")


def find_quote(quote: str, text: str) -> str | None:
    """The part of `text` that `quote` repeats word for word, as it stands there.

    Line breaks, runs of spaces and quotation marks around the whole may differ, because models are
    careless about them, and invisible characters, because they are not shown any. Nothing else may
    differ, and the quote must not begin or end within a word.
    """
    seen = drop_invisible(text)
    found = _find_seen(drop_invisible(quote), seen)
    if found is None or seen == text:
        return None if found is None else found.group()
    places = visible_places(text)
    return text[places[found.start()] : places[found.end() - 1] + 1]


def _find_seen(quote: str, text: str) -> re.Match[str] | None:
    wanted = quote.strip(_AROUND)
    if len(wanted) < _LEAST:
        return None
    words = [re.escape(word) for word in _SPACE.split(wanted)]
    before = r"(?<![A-Za-z0-9])" if _LATIN.match(wanted[0]) else ""
    after = r"(?![A-Za-z0-9])" if _LATIN.match(wanted[-1]) else ""
    return re.search(before + r"\s+".join(words) + after, text)
