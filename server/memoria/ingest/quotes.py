"""Quotes: the very words of a text that a model says it read there."""

import re

_AROUND = " \t\n\r\"'“”‘’「」『』《》…"
_LEAST = 2
_SPACE = re.compile(r"\s+")


def find_quote(quote: str, text: str) -> str | None:
    """The part of `text` that `quote` repeats word for word, as it stands there.

    Line breaks and runs of spaces may differ, and quotation marks around the whole: models are
    careless there. Nothing else may.
    """
    wanted = quote.strip(_AROUND)
    if len(wanted) < _LEAST:
        return None
    if wanted in text:
        return wanted
    words = [re.escape(word) for word in _SPACE.split(wanted)]
    found = re.search(r"\s+".join(words), text)
    return None if found is None else found.group()
