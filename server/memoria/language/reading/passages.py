"""Passages: the parts of a long text that are understood by themselves, a sentence or two each.

A text is cut where sentences and lines end, and a passage ends with its paragraph where it can. So
the items of a list and the lines of code stay together as far as a passage goes.
"""

from collections.abc import Iterator

from memoria.bare.lazy_regex import lazy_regex
from memoria.language.budget import estimate_tokens

Span = tuple[int, int]
"""[start, end) in characters of the text."""

_SHORT_TOKENS = 150
"""Length up to which a text (600 English letters, 150 Chinese characters) is about one thing."""
_PASSAGE_TOKENS = 16
"""Length of a sentence; beside two about something else the vector hardly tells its meaning."""
_SENTENCE_TOKENS = 60
"""Length beyond which a sentence without an end is cut."""
_LONGEST_TOKENS = 350
"""Length that an embedder reads of a text, roughly."""
_MOST = 32
_END = lazy_regex(
    r"""(?<![.!?…])(?<!\n\d)(?<!\n\d\d)[.!?…]++["'”’)\]*]*+(?=\s)\s?|[。！？；…]+[”’」』）]*|\n[^\S\n]*(?P<paragraph>\n\s*)?"""
)


def split_passages(text: str) -> list[Span]:
    """Split a text into passages, in order; none where it is short.

    There are 32 at most. A longer text has longer ones, and what even they don't reach is left to
    full-text search.
    """
    total = estimate_tokens(text)
    if total <= _SHORT_TOKENS:
        return []
    size = min(max(_PASSAGE_TOKENS, -(-total // _MOST)), _LONGEST_TOKENS)
    found = (span for span in _join_pieces(text, size) if text[slice(*span)].strip())
    return [span for span, _ in zip(found, range(_MOST), strict=False)]


def _join_pieces(text: str, size: int) -> Iterator[Span]:
    """Join neighbouring pieces until they have about `size` tokens, or a paragraph ends."""
    begin = held = 0
    for start, end, ends_paragraph in _pieces(text, size):
        tokens = estimate_tokens(text[start:end])
        if held and held + tokens > size + size // 4:
            yield begin, start
            begin, held = start, 0
        held += tokens
        if held >= (size // 2 if ends_paragraph else size):
            yield begin, end
            begin, held = end, 0
    if begin < len(text):
        yield begin, len(text)


def _pieces(text: str, size: int) -> Iterator[tuple[int, int, bool]]:
    """Yield sentences and lines, each with whether it ends a paragraph; longer ones are cut."""
    start = 0
    for match in _END.finditer(text):
        yield from _cut(text, start, match.end(), size, ends_paragraph=bool(match["paragraph"]))
        start = match.end()
    yield from _cut(text, start, len(text), size, ends_paragraph=True)


def _cut(
    text: str, start: int, end: int, size: int, *, ends_paragraph: bool
) -> Iterator[tuple[int, int, bool]]:
    most = max(size + size // 4, _SENTENCE_TOKENS)
    parts = -(-estimate_tokens(text[start:end]) // most)
    length = -(-(end - start) // max(parts, 1))
    for first in range(start, end, max(length, 1)):
        last = min(first + length, end)
        yield first, last, ends_paragraph and last == end
