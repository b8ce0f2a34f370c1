"""Diversify: what has been said already makes room for what has not.

Maximal marginal relevance: J. Carbonell and J. Goldstein, "The use of MMR, diversity-based
reranking for reordering documents and producing summaries", 1998. The next hit is the one with the
most relevance left after what it shares with those already chosen. Likeness is the share of common
tokens (Jaccard); below a half it counts for nothing, for on one topic everybody uses the same
words.
"""

from collections.abc import Sequence
from typing import Protocol, TypeVar

_LIKE = 0.5
_PENALTY = 0.5
"""What a hit loses that repeats another word for word."""


class Worded(Protocol):
    """Something with a score and words."""

    @property
    def score(self) -> float: ...  # noqa: D102
    @property
    def words(self) -> frozenset[str]: ...  # noqa: D102


_W = TypeVar("_W", bound=Worded)


def diversified(ranked: Sequence[_W], most: int) -> list[_W]:
    """The hits, each after those that leave it more to say; `most` are chosen with care.

    Args:
        ranked: best first.
        most: how many are chosen so; the others follow in their order.
    """
    left = list(ranked)
    chosen: list[_W] = []
    worth = [each.score for each in left]
    order = list(range(len(left)))
    while order and len(chosen) < most:
        best = max(order, key=worth.__getitem__)  # of equals the first
        order.remove(best)
        chosen.append(left[best])
        said = left[best].words
        for i in order:
            if shares(left[i].words, said, _LIKE):
                excess = _excess(likeness(left[i].words, said))
                worth[i] = min(worth[i], left[i].score * (1 - _PENALTY * excess))
    return [*chosen, *(left[i] for i in order)]


def shares(one: frozenset[str], other: frozenset[str], least: float) -> bool:
    """Whether their likeness is so much; mostly their lengths alone tell that it is not."""
    fewer, more = min(len(one), len(other)), max(len(one), len(other))
    return fewer > 0 and fewer / more >= least and likeness(one, other) >= least


def likeness(one: frozenset[str], other: frozenset[str]) -> float:
    """The share of common words, 0 to 1."""
    if not one or not other:
        return 0.0
    common = len(one & other)
    return common / (len(one) + len(other) - common)


def _excess(alike: float) -> float:
    return max(0.0, (alike - _LIKE) / (1 - _LIKE))
