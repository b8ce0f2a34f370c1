"""Quotes: the very words of a text that a model says it read there."""

import re

_AROUND = " \t\n\r\"'“”‘’「」『』《》…"
_LEAST = 2
_SPACE = re.compile(r"\s+")
_LATIN = re.compile("[A-Za-z0-9]")


def find_quote(quote: str, text: str) -> str | None:
    """The part of `text` that `quote` repeats word for word, as it stands there.

    Line breaks and runs of spaces may differ, and quotation marks around the whole: models are
    careless there. Nothing else may, and no word may be a part of another: two letters stand
    anywhere.
    """
    wanted = quote.strip(_AROUND)
    if len(wanted) < _LEAST:
        return None
    words = [re.escape(word) for word in _SPACE.split(wanted)]
    before = r"(?<![A-Za-z0-9])" if _LATIN.match(wanted[0]) else ""
    after = r"(?![A-Za-z0-9])" if _LATIN.match(wanted[-1]) else ""
    found = re.search(before + r"\s+".join(words) + after, text)
    return None if found is None else found.group()
