"""Excerpts and passages: the part of a long text that speaks to a question, and its parts.

An excerpt is made of whole sentences: the one that tells most of what was asked, and what stands
around it as far as there is room. A word counts by its weight, so a rare one is worth several that
stand everywhere. Lines are sentences, too, for code, logs and lists have no others.

Passages are understood by themselves, a sentence or two each. A text is cut where sentences and
lines end, and a passage ends with its paragraph where it can. So the items of a list and the lines
of code stay together as far as a passage goes.
"""

import math
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence, Set

from memoria.bare.lazy_regex import lazy_regex
from memoria.language.budget import estimate_tokens
from memoria.language.lazy import remember_results
from memoria.language.reading.fences import join_lines

Span = tuple[int, int]
"""Span [start, end) in characters."""
_Occurrence = tuple[int, str]
_LEAST_GAIN = 1e-9
"""Least gain that counts, so that a sum of the same weights in another order is none."""
_EIGHTH = 8
_NOTHING: Set[str] = frozenset()
_MEANING = 0.3
"""Weight of being nearest by meaning, as a share of the rarest asked word's: it decides where words
hardly do."""
_END = lazy_regex(
    r"[.!?;。！？；\n]"
    r"(?:(?<=[.!?;])(?<![.!?;]{2})[.!?;]*+[\"”’)\]]*+\s+"
    r"|(?<=[。！？；])[。！？；]*[”’」』）)]*"
    r"|(?<=\n)\n*)"
)
"""Matches the end of a sentence, with the space behind it. A row of dots is read once, however
long. The characters it may begin with stand first: all others are passed over fast."""

_TITLE_CHARS = 120
_TITLE = lazy_regex(r".{12,}?(?:[。！？]|[.!?](?=\s|$)|$)")


def cut_title(text: str) -> str:
    """Return the first sentence of a text, with the next if it is short, cut where it is long."""
    line = join_lines(text.lstrip()[: 4 * _TITLE_CHARS]).strip()
    sentence = _TITLE.match(line)
    title = sentence[0] if sentence else line
    return title if len(title) <= _TITLE_CHARS else f"{title[:_TITLE_CHARS].rstrip()}…"


def weigh_evenly(terms: Sequence[str]) -> dict[str, float]:
    """Give every term the same weight."""
    return dict.fromkeys(terms, 1.0)


def find_excerpt(text: str, weights: Mapping[str, float], chars: int) -> Span:
    """Find the span [start, end) of at most `chars` characters that tells most of what is asked.

    Args:
        text: of which the excerpt is.
        weights: the terms that are looked for, and what each counts. Stems match as beginnings.
        chars: at most so many.
    """
    return (0, len(text)) if len(text) <= chars else ExcerptFinder(text, weights).find(chars)


class ExcerptFinder:
    """Finds excerpts of one text, which is read once for excerpts of any length."""

    def __init__(self, text: str, weights: Mapping[str, float], focus: Span | None = None) -> None:
        """Read the text.

        Args:
            text: of which the excerpts are.
            weights: the terms that are looked for, and what each counts. Stems match as beginnings.
            focus: a span that is known to speak of it whatever its words, such as the one whose
                meaning is nearest.
        """
        self._text = text
        self._weights = weights
        self._bonus = _MEANING * max(weights.values(), default=1.0)
        self._found = list(_occurrences(text, weights))
        starts = self._starts = _list_starts(text)
        self._ends = [*starts[1:], len(text)]
        self._terms: dict[int, set[str]] = {}
        for position, term in self._found:
            self._terms.setdefault(bisect_right(starts, position) - 1, set()).add(term)
        self._focused = range(0)
        if focus is not None and focus[0] < focus[1]:
            self._focused = range(self._place(focus[0]), self._place(focus[1] - 1) + 1)
        self._telling = {*self._terms, *self._focused}
        self._best = max(sorted(self._telling), key=self._gain, default=0)  # of equals the first

    @property
    def best_sentence(self) -> Span:
        """The sentence that tells most of what is asked; the first of equally good ones."""
        return trim_span(self._text, self._starts[self._best], self._ends[self._best])

    def find(self, chars: int) -> Span:
        """Find the span of at most `chars` characters that tells most of what is asked.

        A sentence that is longer is cut to the part in which most of the terms stand together.
        """
        if len(self._text) <= chars:
            return 0, len(self._text)
        start, end = self.best_sentence
        return self._cut(start, end, chars) if end - start > chars else self._widen(chars)

    def _place(self, position: int) -> int:
        """Return the number of the sentence in which a character stands."""
        return bisect_right(self._starts, position) - 1

    def _gain(self, place: int, held: Set[str] = _NOTHING) -> float:
        """Return what a sentence adds to the terms that are held already."""
        bonus = self._bonus if place in self._focused else 0.0
        terms = self._terms.get(place)
        if not terms:
            return bonus
        return bonus + math.fsum([self._weights[term] for term in terms - held])

    def _widen(self, chars: int) -> Span:
        """Return the best sentence with its neighbours, first the side that adds more."""
        starts, ends = self._starts, self._ends
        first = last = self._best
        held = {*self._terms.get(first, ())}
        while True:
            start, end = starts[first], ends[last]
            goes_on = last + 1 < len(ends) and ends[last + 1] - start <= chars
            goes_back = first > 0 and end - starts[first - 1] <= chars
            if goes_on and goes_back and first - 1 in self._telling:  # else it adds no more
                goes_on = self._gain(last + 1, held) >= self._gain(first - 1, held)
            elif not goes_on and not goes_back:
                return self._fill(start, end, chars)
            taken = last + 1 if goes_on else first - 1
            held |= self._terms.get(taken, _NOTHING)
            first, last = min(first, taken), max(last, taken)

    def _fill(self, start: int, end: int, chars: int) -> Span:
        """Return the span of chosen sentences; a short span gets a part of the next sentence."""
        if 2 * (end - start) >= chars or end == len(self._text):
            return trim_span(self._text, start, end)
        return trim_span(self._text, *_narrow_to_words(self._text, start, start + chars))

    def _cut(self, start: int, end: int, chars: int) -> Span:
        """Return the part of a too long sentence in which most asked terms stand close together.

        The sentence's beginning, where its subject stands, is kept if the terms fit in behind it.
        """
        inside = sorted(each for each in self._found if start <= each[0] < end)
        first, last = _densest_run(inside, self._weights, chars, start)
        centred = min(max((first + last - chars) // 2, start), end - chars)
        begin = start if last <= start + chars else centred
        return _narrow_to_words(self._text, begin, begin + chars)


@remember_results(256)
def _list_starts(text: str) -> tuple[int, ...]:
    """List where the sentences of a text begin."""
    starts = (0, *[match.end() for match in _END.finditer(text)])
    return starts[:-1] if starts[-1] == len(text) and len(starts) > 1 else starts


def _occurrences(text: str, weights: Mapping[str, float]) -> Iterator[_Occurrence]:
    """Yield (position, term) for each place in a text where a word begins with a term."""
    lower = text.lower()
    if len(lower) != len(text):  # a few capitals have small letters of two characters
        lower = "".join(char.lower() if len(char.lower()) == 1 else char for char in text)
    for term in weights:
        is_stem = term.endswith("i")  # Porter2 writes a final y as i
        stem = term[:-1] if is_stem else term
        at = lower.find(stem) if stem else -1
        while at >= 0:
            end = at + len(stem)
            before = lower[at - 1] if at and term.isascii() else " "
            begins = not (before.isascii() and before.isalnum())
            if begins and (not is_stem or lower[end : end + 1] in {"i", "y"}):
                yield at, term
            at = lower.find(stem, end)


def _densest_run(
    found: Sequence[_Occurrence], weights: Mapping[str, float], chars: int, start: int
) -> Span:
    """Return first and last position of the run within `chars` whose distinct terms weigh most."""
    best = (start, start)
    most = weight = 0.0
    begin = 0
    counts: dict[str, int] = {}
    for position, term in found:
        counts[term] = counts.get(term, 0) + 1
        weight += weights[term] if counts[term] == 1 else 0
        while position - found[begin][0] >= chars:
            gone = found[begin][1]
            counts[gone] -= 1
            weight -= 0 if counts[gone] else weights[gone]
            begin += 1
        if weight > most + _LEAST_GAIN:
            most = weight
            best = (found[begin][0], position + len(term))
    return best


def trim_span(text: str, start: int, end: int) -> Span:
    """Return the span without the white space at its ends."""
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _narrow_to_words(text: str, start: int, end: int) -> Span:
    """Narrow a span to spaces, by an eighth at most on either side."""
    slack = (end - start) // _EIGHTH
    if start and not text[start - 1].isspace():
        space = text.find(" ", start, start + slack)
        start = space + 1 if space >= 0 else start
    if end < len(text) and not text[end].isspace():
        space = text.rfind(" ", end - slack, end)
        end = space if space > start else end
    return start, end


Passage = tuple[int, int]
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
_PIECE_END = lazy_regex(
    r"""(?<![.!?…])(?<!\n\d)(?<!\n\d\d)[.!?…]++["'”’)\]*]*+(?=\s)\s?|[。！？；…]+[”’」』）]*|\n[^\S\n]*(?P<paragraph>\n\s*)?"""
)


def split_passages(text: str) -> list[Passage]:
    """Split a text into passages, in order; a short text has none.

    There are 32 passages at most. A longer text has longer passages, and what they don't reach is
    left to full-text search.
    """
    total = estimate_tokens(text)
    if total <= _SHORT_TOKENS:
        return []
    size = min(max(_PASSAGE_TOKENS, -(-total // _MOST)), _LONGEST_TOKENS)
    found = (span for span in _join_pieces(text, size) if text[slice(*span)].strip())
    return [span for span, _ in zip(found, range(_MOST), strict=False)]


def _join_pieces(text: str, size: int) -> Iterator[Passage]:
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
    """Yield sentences and lines, each with whether it ends a paragraph; long sentences are cut."""
    start = 0
    for match in _PIECE_END.finditer(text):
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
