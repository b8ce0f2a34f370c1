"""Excerpt: the part of a long text that speaks to the question, as it stands there."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

_EIGHTH = 8


def find_excerpt(text: str, terms: Sequence[str], chars: int) -> tuple[int, int]:
    """The span [start, end) of at most `chars` characters that holds most of the terms.

    Of equally good spans the first is taken, and the terms stand in its middle. It begins and
    ends between words where it can. One pass over the text, whatever its length.
    """
    if len(text) <= chars:
        return 0, len(text)
    first, last = _densest_run(list(_occurrences(text, terms)), chars)
    start = min(max((first + last - chars) // 2, 0), len(text) - chars)
    return _narrow_to_words(text, start, start + chars)


def _occurrences(text: str, terms: Sequence[str]) -> Iterator[tuple[int, str]]:
    """(position, term) of every term that stands in the text. Stems match as beginnings."""
    if not terms:
        return
    longest_first = sorted(terms, key=len, reverse=True)
    pattern = re.compile("|".join(map(_term_pattern, longest_first)), re.IGNORECASE)
    for match in pattern.finditer(text):
        yield match.start(), match[0].lower()


def _term_pattern(term: str) -> str:
    """A stem's pattern: Porter2 writes a final y as i."""
    return re.escape(term[:-1]) + "[iy]" if term.endswith("i") else re.escape(term)


def _densest_run(found: Sequence[tuple[int, str]], chars: int) -> tuple[int, int]:
    """First and last position of the run within `chars` that has most distinct terms."""
    best = (0, 0)
    most = begin = 0
    counts: Counter[str] = Counter()
    for position, term in found:
        counts[term] += 1
        while position - found[begin][0] >= chars:
            counts[found[begin][1]] -= 1
            counts += Counter()  # forget terms that are no longer in the run
            begin += 1
        if len(counts) > most:
            most = len(counts)
            best = (found[begin][0], position + len(term))
    return best


def _narrow_to_words(text: str, start: int, end: int) -> tuple[int, int]:
    """The span narrowed to spaces, by an eighth at most on either side."""
    slack = (end - start) // _EIGHTH
    if start:
        space = text.find(" ", start, start + slack)
        start = space + 1 if space >= 0 else start
    if end < len(text):
        space = text.rfind(" ", end - slack, end)
        end = space if space > start else end
    return start, end
