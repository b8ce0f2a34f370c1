"""Lexical scores: BM25 in which a turn's neighbours lend the turn their words.

A turn rarely says everything in its own words: the answer stands next to the question. So a turn
holds the words of its neighbours as well, as fields of less weight (S. Robertson, H. Zaragoza, M.
Taylor, "Simple BM25 extension to multiple weighted fields", 2004). Words are lent and not scores,
because a word that both turns hold says little twice, while two words of the question in two turns
say much.

k1 is the usual choice for short texts (Anserini; A. Trotman, A. Puurula, B. Burgess, "Improvements
to BM25 and language models examined", 2014): the 1.2 of the index prefers "thanks, sounds great" to
whoever explains. Lengths are measured against a statement's, for in the record of an assistant the
mean is that of its answers, beside which no statement is short.

A word that only begins like a term (`volunteer`, `voluntary`) counts for a part of the term where
the term itself is missing. To cut words at four or five letters finds in most European languages
what a stemmer misses (P. McNamee and J. Mayfield, "Character n-gram tokenization for European
language text retrieval", 2004); terms of other scripts and numbers are left alone.

Texts are counted side by side: they lie in one run of bytes, word after word, each with a space
behind it. Of every word the first eight bytes are read as one number, and what begins with one of
the words that are sought is told by comparing numbers, for all texts and all words in a few steps.
A longer word is compared in further steps, in the few places that are left.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from memoria.retrieval.ranking.evidence.columns import (
    Bits,
    Floats,
    Integers,
    Places,
    Scores,
    find_rows,
    join_numbers,
)
from memoria.store.features import IndexTokens
from memoria.store.values import Frequencies

_Eights = NDArray[np.uint64]
_STEP = 8
"""Number of bytes read as one number."""
_SPACE, _LINE_FEED = b" \n"
_TWO_BYTES = 1 << 16


@dataclass(frozen=True, slots=True)
class WordTable:
    """Table of the words of many texts; a word's number is its place among all words."""

    run: NDArray[np.uint8]
    """Bytes of all texts, a space behind each text."""
    eights: _Eights
    """Eight bytes from each place on, as a number."""
    starts: Integers
    """Place at which each word begins."""
    firsts: Integers
    """Number of the first word of each text."""

    @classmethod
    def of_pairs(cls, pairs: Sequence[bytes]) -> Self:
        """Build the table of pairs of texts: a line feed between the two, a space between words."""
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
        """Number of words of each text; an empty text has one, empty, word."""
        ends = np.append(self.firsts[1:], len(self.starts))
        return ends - self.firsts

    def find(self, beginnings: Sequence[str]) -> tuple[Integers, Integers]:
        """Find words by their beginnings; return the numbers of beginnings and of words, in order.

        Args:
            beginnings: beginnings of two letters or more; one that ends with a space is a word.
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
        """Return the number of the text in which each word stands."""
        return self.firsts.searchsorted(words, "right") - 1

    def _select_likely(self, sought: Sequence[bytes]) -> tuple[Integers, _Eights]:
        """Return the words that begin with the first two bytes of any sought, and their eights."""
        begins = np.zeros(_TWO_BYTES, np.bool_)
        begins[[int.from_bytes(text[:2], "little") for text in sought]] = True
        heads = self.run[self.starts + 1].astype(np.uint16) << 8
        heads |= self.run[self.starts]
        words = np.flatnonzero(begins.take(heads))
        return words, self.eights[self.starts[words]]


def _read_eights(run: bytes) -> _Eights:
    """Return the eight bytes from each place on, which overlap, as a view of the run."""
    return np.ndarray((len(run) - _STEP + 1,), "<u8", run, 0, (1,))


def _read_pieces(texts: Sequence[bytes], start: int) -> tuple[_Eights, _Eights]:
    """Return masks and numbers of up to eight bytes of each text from a place on."""
    pieces = [text[start : start + _STEP] for text in texts]
    masks = [(1 << 8 * len(piece)) - 1 for piece in pieces]
    numbers = [int.from_bytes(piece, "little") for piece in pieces]
    return np.array(masks, np.uint64), np.array(numbers, np.uint64)


_PREFIX = 4
_PREFIX_WEIGHT = 0.3


class TermCounts(NamedTuple):
    """Counts of a query's terms in documents: a row for each document."""

    ns: Integers
    """Numbers of the documents."""
    body: Floats
    """Occurrences in what was said: a column for each term."""
    frame: Floats
    """1 if the term stands in the speaker or the date, else 0: a column for each term."""
    lengths: Integers
    """Number of tokens of each document."""


def count_terms(
    documents: Mapping[int, IndexTokens], terms: Sequence[str], *, alike: bool
) -> TermCounts:
    """Count the terms in each of the documents.

    Args:
        documents: tokens by document number, in order.
        terms: the query's terms.
        alike: whether a word that begins like a term counts for a part of the term.
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
    """Count the words with each beginning in each text: a flat array, text after text."""
    at, words = table.find(beginnings)
    cells = table.texts_of(words) * len(beginnings) + at
    follows = (words[1:] == words[:-1] + 1) & (cells[1:] == cells[:-1])
    if follows.any():
        cells = cells[_select_apart(follows)]
    return np.bincount(cells, minlength=len(table.firsts) * len(beginnings)).astype(np.float64)


def _select_apart(follows: Bits) -> Bits:
    """Mark every second of adjacent repeats of a word: two neighbours share a space."""
    at = np.arange(len(follows) + 1)
    begins = at.copy()
    begins[1:][follows] = 0
    apart: Bits = (at - np.maximum.accumulate(begins)) % 2 == 0
    return apart


def _may_vary(term: str) -> bool:
    return len(term) >= _PREFIX and term.isascii() and term.isalpha()


_NEIGHBOUR_WEIGHTS = {-2: 0.1, -1: 0.2, 1: 0.2, 2: 0.1}
"""Weights of lent words by distance in turns; the store reads surroundings as far."""
_FRAME_WEIGHT = 0.6
"""Weight of a word of the speaker or the date, beside a word of what was said."""
_STATEMENT = 100
"""Number of tokens of a statement. A longer turn is scored as beside turns of this length, and the
words it lends count less in proportion."""
_SHORTEST = 0.1
"""Share of the found documents, the shortest, that are taken for statements."""
_K1 = 0.9
_B = 0.6
_EXACT = 2
"""Most numbers whose sum does not depend on their order."""


def idf(terms: Sequence[str], frequencies: Frequencies) -> list[float]:
    """Return each term's inverse document frequency, as Lucene's never negative."""
    total = frequencies.total
    found = [min(frequencies.by_term[term], total) for term in terms]
    return [math.log(1 + (total - df + 0.5) / (df + 0.5)) for df in found]


def bm25(counted: TermCounts, places: Places, tells: Sequence[float], *, lend: bool) -> Scores:
    """Score every document counted and every place with a neighbour that lends.

    Args:
        counted: counts of terms in the documents found.
        places: places of the turns found and of the turns around them.
        tells: the idf of each term.
        lend: whether neighbours lend their words.
    """
    if lend:
        lent, is_lent = _lend_words(counted, places)
        lent, receivers = lent[places.at][is_lent[places.at]], places.ns[is_lent[places.at]]
    else:
        lent, receivers = counted.body[:0], counted.ns[:0]
    ns = join_numbers(counted.ns, receivers)
    weights, lengths = np.zeros((len(ns), len(tells))), np.ones(len(ns))
    weights[ns.searchsorted(receivers)] = lent
    own = ns.searchsorted(counted.ns)
    weights[own] = weights[own] + counted.body + _FRAME_WEIGHT * counted.frame
    lengths[own] = counted.lengths / _find_usual_length(counted.lengths.tolist())
    return Scores(ns, _score_documents(weights, lengths, np.array(tells)))


def _find_usual_length(lengths: Sequence[int]) -> float:
    """Return the length that counts as usual: the mean, but no more than a statement's.

    Where even the shortest documents are longer than a statement, their length is used instead.
    """
    if not lengths:
        return 1.0
    shortest = sorted(lengths)[int(_SHORTEST * len(lengths))]
    return min(sum(lengths) / len(lengths), max(_STATEMENT, shortest))


def _score_documents(weights: Floats, lengths: Floats, tells: Floats) -> Floats:
    norms = _K1 * (1 - _B + _B * lengths)
    gains = (_K1 + 1) * tells * weights / (weights + norms[:, None])
    totals: Floats = gains.sum(axis=1)
    (rows,) = (np.count_nonzero(gains, axis=1) > _EXACT).nonzero()
    totals[rows] = [*map(math.fsum, gains[rows].tolist())]
    return totals


def _lend_words(counted: TermCounts, places: Places) -> tuple[Floats, Bits]:
    """Return the words lent to each place by its neighbours, and marks of places with any lender.

    The oldest version of a message stands for the others. Words of the oldest neighbour are added
    first: sums of fractions depend on their order.
    """
    nobody = len(counted.ns)
    givers = np.full(len(places.places), nobody)
    rows, is_placed = find_rows(places.ns, counted.ns)
    givers[places.at[rows[is_placed]][::-1]] = is_placed.nonzero()[0][::-1]
    beside = np.full((len(_NEIGHBOUR_WEIGHTS), len(givers)), nobody)
    for row, step in zip(beside, _NEIGHBOUR_WEIGHTS, strict=True):
        neighbours, is_there = places.find_beside(step)
        row[is_there] = givers[neighbours[is_there]]
    order = beside.argsort(axis=0, kind="stable")
    shares = np.array(list(_NEIGHBOUR_WEIGHTS.values()))[order]
    body = np.append(counted.body, np.zeros_like(counted.body, shape=(1, counted.body.shape[1])), 0)
    parts = np.append(np.minimum(1.0, _STATEMENT / np.maximum(counted.lengths, 1)), 0.0)
    lent = np.zeros((len(givers), counted.body.shape[1]))
    for lenders, share in zip(np.take_along_axis(beside, order, 0), shares, strict=True):
        lent += (parts[lenders] * share)[:, None] * body[lenders]
    is_lent: Bits = beside.min(axis=0) < nobody
    return lent, is_lent
