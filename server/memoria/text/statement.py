"""Statements: when two texts say the same in the same words.

Deliberately narrow. Letter case, spacing and punctuation don't tell statements apart; a paraphrase
does. What is forgotten must be known again surely, and nothing else with it.
"""

import re
import unicodedata
from collections.abc import Iterator

_SENTENCE = re.compile(r"[.!?…]+(?=\s|$)|[。！？；;\n\r]+")
_CLAUSE = re.compile(r"[,:](?=\s)|[，：、]|\s[-–—]\s")
_MOST_CLAUSES = 8
_TELLING = 12
_IDEOGRAM_WEIGHT = 3
_FIRST_IDEOGRAM = "\u2e80"


def canonical(text: str) -> str:
    """The text's letters and digits alone, case-folded; the bare text if it has none."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(filter(str.isalnum, folded)) or folded.strip()


def telling(text: str) -> bool:
    """Whether a text says enough to be known again wherever it stands; "yes" does not.

    Twelve letters do; a Chinese, Japanese or Korean character counts three.
    """
    weights = (_IDEOGRAM_WEIGHT if char >= _FIRST_IDEOGRAM else 1 for char in canonical(text))
    return sum(weights) >= _TELLING


def stands_in(statement: str, text: str) -> bool:
    """Whether the statement stands word for word in a text, or is all of it if it is short."""
    said, whole = canonical(statement), canonical(text)
    return said in whole if telling(statement) else said == whole


def statements_in(text: str) -> Iterator[str]:
    """What a text says, piece by piece: all of it, its sentences, and runs of their clauses.

    "Remember: my PIN is 4711." says "my PIN is 4711" as well. Pieces too short to tell are left
    out, but for the whole.
    """
    yield text
    for sentence in _SENTENCE.split(text):
        clauses = _CLAUSE.split(sentence)
        if len(clauses) > _MOST_CLAUSES:
            runs = [sentence, *clauses]
        else:
            ends = range(1, len(clauses) + 1)
            runs = ["".join(clauses[start:end]) for end in ends for start in range(end)]
        yield from filter(telling, runs)
