"""Diversity: what has been said already makes room for what has not.

Maximal marginal relevance: J. Carbonell and J. Goldstein, "The use of MMR, diversity-based
reranking for reordering documents and producing summaries", 1998. The next hit is the one with the
most relevance left after what another has said of it. That is the share of its discriminative words
which stand in one hit already chosen: a longer text that holds a short one has more to say, the
short one has not. Below six tenths it counts for nothing, for on one topic everybody uses the same
words; and a text of more than three times the words holds many of any short one by chance.
Decision 018 has what it gains and what it costs.
"""

from collections.abc import Sequence
from itertools import chain
from typing import Protocol, TypeVar

from memoria.language.words.stopwords import list_stop_words

_REPEAT_SHARE = 0.6
_FAR_LONGER = 3
_PENALTY = 0.4
"""Share that a hit loses that repeats another word for word."""


class HasWords(Protocol):
    """Something with a score and words."""

    @property
    def score(self) -> float: ...  # noqa: D102
    @property
    def words(self) -> frozenset[str]: ...  # noqa: D102


_W = TypeVar("_W", bound=HasWords)


def diversify(ranked: Sequence[_W], most: int) -> list[_W]:
    """Order hits, each after those that leave it more to say; `most` are chosen with care.

    Args:
        ranked: best first.
        most: how many are chosen so; the others follow in their order.
    """
    words = _as_bits([each.words - list_stop_words() or each.words for each in ranked])
    sizes = [each.bit_count() for each in words]
    scores = [each.score for each in ranked]
    order = list(range(len(ranked)))
    chosen: list[int] = []
    while order and len(chosen) < most:
        best = max(order, key=scores.__getitem__)  # of equals the first
        order.remove(best)
        chosen.append(best)
        said, size = words[best], sizes[best]
        for i in order:
            least = _REPEAT_SHARE * sizes[i]
            if not least <= size <= _FAR_LONGER * sizes[i]:
                continue
            common = (words[i] & said).bit_count()
            if common > least:
                rest = 1 - _PENALTY * _excess(common / sizes[i])
                scores[i] = min(scores[i], ranked[i].score * rest)
    return [ranked[i] for i in (*chosen, *order)]


def _as_bits(texts: Sequence[frozenset[str]]) -> list[int]:
    """Encode the words of each text as bits of a number, for those of two to be compared fast."""
    every = dict.fromkeys(chain.from_iterable(texts))
    bits = {word: 1 << n for n, word in enumerate(every)}
    return [sum(map(bits.__getitem__, words)) for words in texts]


def word_similarity(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the share of common words, 0 to 1.

    >>> word_similarity(frozenset({"gate", "opens"}), frozenset({"gate"}))
    0.5
    """
    if not one or not other:
        return 0.0
    common = len(one & other)
    return common / (len(one) + len(other) - common)


def _excess(share: float) -> float:
    """Return how far the share of repeated words goes beyond what counts, 0 to 1."""
    return max(0.0, (share - _REPEAT_SHARE) / (1 - _REPEAT_SHARE))
