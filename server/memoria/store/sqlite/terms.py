"""Which of a question's terms are worth reading.

BM25 is computed for every document that holds any of the terms, at about a microsecond each, so
the commonest terms cost the most and tell the least. The rarest are taken first, as long as the
documents they stand in are within a budget. Nothing is dropped where no more documents than that
can be meant: in a home, a tenant or a filtered search of that size.
"""

from collections.abc import Callable, Sequence

BUDGET = 20_000
"""Documents. A search in 100,000 turns takes 25 ms for its text at the most, where it took up to
60; in a million, nineteen questions of twenty still find the turn their words were taken from."""


def affordable(
    terms: Sequence[str], count: Callable[[str], int], budget: int = BUDGET
) -> tuple[str, ...]:
    """The rarest terms that stand in no more than `budget` documents, all taken together.

    Args:
        terms: what is asked for.
        count: in how many documents a term stands; more than `budget` need not be counted.
        budget: how many documents may be read.

    Returns:
        The terms in their order. At least one that stands anywhere.
    """
    counts = {term: count(term) for term in terms}
    kept: set[str] = set()
    left = budget
    for term in sorted(counts, key=counts.__getitem__):
        if counts[term] <= left or left == budget:
            kept.add(term)
            left -= counts[term]
    return tuple(term for term in terms if term in kept)
