"""Gate: silence over noise.

An index always finds something. A hit passes when it has the question's words or its meaning:
enough of the distinct terms, or a cosine that unrelated texts don't reach. The first level is
strict with every hit. The second level shows the record for what it is and only keeps silent
when its best hit has neither.

With the bundled model unrelated sentences mostly lie below 0.2, a question and its answer from
0.22 to 0.6, whichever languages they are in. A memory is one sentence, so that is its bar. A turn
says more than one thing and shares a name or a topic with much, so its bar is higher. These bars
are set by hand from a few dozen sentences; calibrating them belongs to the work on abstention.
"""

from collections.abc import Sequence, Set
from dataclasses import dataclass

from memoria.store.values import Kind

_ENOUGH_TERMS = 0.5
_ENOUGH_COSINE: dict[Kind, float] = {"memory": 0.22, "turn": 0.40}
_SOME_TERMS = 0.25
_SOME_COSINE = 0.25


@dataclass(frozen=True, slots=True)
class Support:
    """What speaks for a hit."""

    coverage: float
    """Share of the question's terms the text holds, 0 to 1."""
    cosine: float


def coverage(terms: Sequence[str], words: Set[str]) -> float:
    """The share of a question's terms among a text's tokens.

    A CJK run is searched as characters and pairs; here only the pairs count, because single
    characters are found everywhere.
    """
    telling = [term for term in terms if term.isascii() or len(term) > 1] or list(terms)
    return sum(term in words for term in telling) / len(telling) if telling else 0.0


def passes(kind: Kind, support: Support) -> bool:
    """Whether a hit may stand in a first-level answer."""
    return support.coverage >= _ENOUGH_TERMS or support.cosine >= _ENOUGH_COSINE[kind]


def worth_showing(best: Support) -> bool:
    """Whether the record holds anything on the question, judging by its best hit."""
    return best.coverage >= _SOME_TERMS or best.cosine >= _SOME_COSINE
