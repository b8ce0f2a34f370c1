"""Words of many tokenised texts side by side, and counts of a query's terms in them.

The texts lie in one run of bytes, word after word, each with a space behind it. Of every word the
first eight bytes are read as one number, and what begins with one of the words that are sought is
told by comparing numbers, for all texts and all words in a few steps. What is longer than eight
bytes is compared in further steps, in the few places that are left.

A word that only begins like a term (`volunteer`, `voluntary`) counts for a part of the term where
the term itself is missing. To cut words at four or five letters finds in most European languages
what a stemmer misses (P. McNamee and J. Mayfield, "Character n-gram tokenization for European
language text retrieval", 2004); terms of other scripts and numbers are left alone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from memoria.store.features import IndexTokens

Bits = NDArray[np.bool_]
Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
_Eights = NDArray[np.uint64]
_STEP = 8
"""Number of bytes read as one number."""
_SPACE, _LINE_FEED = b" \n"
_TWO_BYTES = 1 << 16


@dataclass(frozen=True, slots=True)
class WordTable:
    """The words of many texts; a word's number is its place among all of them."""

    run: NDArray[np.uint8]
    """Bytes of all texts, a space behind each."""
    eights: _Eights
    """Eight bytes that follow any place, as a number."""
    starts: Integers
    """Place at which each word begins."""
    firsts: Integers
    """Number of the first word of each text."""

    @classmethod
    def of_pairs(cls, pairs: Sequence[bytes]) -> Self:
        """Build the table of texts, two by two with a line feed between and single spaces."""
        packed = b" ".join([*pairs, bytes(_STEP)])
        texts_at = np.zeros((len(pairs), 2), np.int64)
        texts_at[:, 1] = np.flatnonzero(np.frombuffer(packed, np.uint8) == _LINE_FEED) + 1
        texts_at[1:, 0] = np.cumsum([*map(len, pairs[:-1])]) + np.arange(1, len(pairs))
        run = packed.replace(b"\n", b" ")
        letters = np.frombuffer(run, np.uint8)
        spaces = np.flatnonzero(letters == _SPACE)
        starts = np.zeros_like(spaces)
        starts[1:] = spaces[:-1] + 1
        return cls(letters, _read_eights(run), starts, starts.searchsorted(texts_at.ravel()))

    @property
    def lengths(self) -> Integers:
        """Number of words of each text; an empty one has an empty word."""
        ends = np.append(self.firsts[1:], len(self.starts))
        return ends - self.firsts

    def find(self, beginnings: Sequence[str]) -> tuple[Integers, Integers]:
        """Find beginnings: which of them, and in which word, in order of both.

        Args:
            beginnings: two letters of a word at least; with a space at its end, a whole word.
        """
        sought = [text.encode() for text in beginnings]
        words, eights = self._select_likely(sought)
        masks, numbers = _read_pieces(sought, 0)
        same = (eights & masks[:, None]) == numbers[:, None]
        at, among = np.divmod(np.flatnonzero(same), len(words) or 1)
        words = words[among]
        for start in range(_STEP, max(map(len, sought), default=0), _STEP):
            masks, numbers = _read_pieces(sought, start)
            places = np.minimum(self.starts[words] + start, len(self.eights) - 1)
            eights = self.eights[places]  # by `take` all would be copied, for they are not aligned
            same = (eights & masks[at]) == numbers[at]
            at, words = at[same], words[same]
        return at, words

    def texts_of(self, words: Integers) -> Integers:
        """Return the text that each of the words is in."""
        return self.firsts.searchsorted(words, "right") - 1

    def _select_likely(self, sought: Sequence[bytes]) -> tuple[Integers, _Eights]:
        """Select the words that begin with two bytes of any sought, and their first bytes."""
        begins = np.zeros(_TWO_BYTES, np.bool_)
        begins[[int.from_bytes(text[:2], "little") for text in sought]] = True
        heads = self.run[self.starts + 1].astype(np.uint16) << 8
        heads |= self.run[self.starts]
        words = np.flatnonzero(begins.take(heads))
        return words, self.eights[self.starts[words]]


def _read_eights(run: bytes) -> _Eights:
    """View the eight bytes from each place on, which overlap: nothing is copied."""
    return np.ndarray((len(run) - _STEP + 1,), "<u8", run, 0, (1,))


def _read_pieces(texts: Sequence[bytes], start: int) -> tuple[_Eights, _Eights]:
    """Read eight bytes of each from a place on, as numbers, and masks for those with fewer."""
    pieces = [text[start : start + _STEP] for text in texts]
    masks = [(1 << 8 * len(piece)) - 1 for piece in pieces]
    numbers = [int.from_bytes(piece, "little") for piece in pieces]
    return np.array(masks, np.uint64), np.array(numbers, np.uint64)


_PREFIX = 4
_PREFIX_WEIGHT = 0.3


class TermCounts(NamedTuple):
    """Counts of a query's terms in documents: a row for each document, in order."""

    ns: Integers
    """Numbers of the documents."""
    body: Floats
    """Occurrences in what was said: a column for each term."""
    frame: Floats
    """1 if it stands in who said it and when, else 0: a column for each term."""
    lengths: Integers
    """Number of tokens of all there is."""


def count_terms(
    documents: Mapping[int, IndexTokens], terms: Sequence[str], *, alike: bool
) -> TermCounts:
    """Count the terms in each of the documents.

    Args:
        documents: by number, in order.
        terms: a query's.
        alike: whether words that begin like a term count for a part of it.
    """
    table = WordTable.of_pairs([*documents.values()])
    varying = [at for at, term in enumerate(terms) if alike and _may_vary(term)]
    beginnings = [*(f"{term} " for term in terms), *(terms[at][:_PREFIX] for at in varying)]
    times = _count(table, beginnings).reshape(len(documents), 2, len(beginnings))
    body, frame = times[:, 0, : len(terms)], times[:, 1, : len(terms)]
    like = np.zeros_like(body)
    like[:, varying] = np.where(times[:, 0, len(terms) :] > 0, _PREFIX_WEIGHT, 0.0)
    return TermCounts(
        np.fromiter(documents, np.int64, len(documents)),
        np.where(body > 0, body, like),
        np.minimum(frame, 1.0),
        table.lengths.reshape(-1, 2).sum(axis=1),
    )


def _count(table: WordTable, beginnings: Sequence[str]) -> Floats:
    """Count the words that begin so in each text: a row for each, one after the other."""
    at, words = table.find(beginnings)
    cells = table.texts_of(words) * len(beginnings) + at
    follows = (words[1:] == words[:-1] + 1) & (cells[1:] == cells[:-1])
    if follows.any():
        cells = cells[_select_apart(follows)]
    return np.bincount(cells, minlength=len(table.firsts) * len(beginnings)).astype(np.float64)


def _select_apart(follows: Bits) -> Bits:
    """Drop every second of adjacent repeats of a word: they share the space between them."""
    at = np.arange(len(follows) + 1)
    begins = at.copy()
    begins[1:][follows] = 0
    apart: Bits = (at - np.maximum.accumulate(begins)) % 2 == 0
    return apart


def _may_vary(term: str) -> bool:
    return len(term) >= _PREFIX and term.isascii() and term.isalpha()
