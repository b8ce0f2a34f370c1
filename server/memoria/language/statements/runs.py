"""Runs of words: the features of a text for the models of statements.

A run is up to four words side by side (of Chinese, characters), or two with any one between them.
"""

import unicodedata
from zlib import crc32

from memoria.language.pattern import LazyPattern

BITS = 16
"""Bits of a run's number."""
ZERO = 128
"""The byte of a weight of nothing."""
_LONGEST = 4
_WORD = LazyPattern(r"[^\W\d_\u3400-\u9fff]+(?:['’][^\W\d_]+)?|\d+|[^\s\d]")


def list_runs(text: str, salt: str = "") -> list[int]:
    """List a number for each run of words of a text; another one for each salt."""
    plain = unicodedata.normalize("NFKC", text).replace("’", "'").lower()
    words = ["^", *(_name(word) for word in _WORD.regex.findall(plain)), "$"]
    found = {
        crc32((salt + " ".join(words[start : start + length])).encode("utf-8", "replace"))
        for length in range(1, _LONGEST + 1)
        for start in range(len(words) - length + 1)
    }
    around = zip(words, words[2:], strict=False)
    found.update(crc32(f"{salt}{one} * {two}".encode("utf-8", "replace")) for one, two in around)
    return sorted({one & (1 << BITS) - 1 for one in found})


def _name(word: str) -> str:
    return "0" if word.isdigit() else word
