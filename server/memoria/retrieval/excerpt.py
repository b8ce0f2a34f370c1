"""Excerpt: the part of a long text that speaks to the question, as it stands there."""

from collections.abc import Sequence

from memoria.text.analyser import tokens

_MOST_WINDOWS = 400


def excerpt(text: str, terms: Sequence[str], chars: int) -> tuple[int, int]:
    """The span [start, end) of at most `chars` characters that holds most of the terms.

    Begins and ends between words where it can. Of equally good spans the first is taken; a very
    long text is looked through from its beginning only.
    """
    if len(text) <= chars:
        return 0, len(text)
    wanted = set(terms)
    step = max(chars // 2, 1)
    starts = range(0, min(len(text), step * _MOST_WINDOWS), step)
    best = max(starts, key=lambda start: _held(text[start : start + chars], wanted))
    return _at_words(text, best, min(best + chars, len(text)))


def _held(window: str, wanted: set[str]) -> int:
    return len(wanted.intersection(tokens(window)))


def _at_words(text: str, start: int, end: int) -> tuple[int, int]:
    """The span narrowed to spaces, by an eighth at most on either side."""
    slack = (end - start) // 8
    if start:
        space = text.find(" ", start, start + slack)
        start = space + 1 if space >= 0 else start
    if end < len(text):
        space = text.rfind(" ", end - slack, end)
        end = space if space > start else end
    return start, end
