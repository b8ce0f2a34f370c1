"""Whether an answer tells the two sides of an update, or of a contradiction, apart.

A side is the turns that only it has: where the set names one turn for both, nothing can stand above
itself, and the question is left out.
"""

from collections.abc import Iterable

from bench.ask import Outcome
from bench.data import Key

DEPTH = 10


def has_two_sides(outcome: Outcome) -> bool:
    """Whether each side has a turn of its own."""
    older, newer = _sides(outcome)
    return bool(older and newer)


def is_newer_above(outcome: Outcome) -> bool:
    """Whether the best turn of the newer side stands above the best of the older one.

    A side that is not in the answer stands below all that is; where both are missing, neither
    stands above.
    """
    older, newer = (_best_rank(side, outcome.ranking) for side in _sides(outcome))
    return newer < older


def is_newer_first(outcome: Outcome) -> bool:
    """Whether the answer begins with the newer side, and not merely with something later."""
    _, newer = _sides(outcome)
    return not newer.isdisjoint(outcome.ranking[:1])


def are_both_shown(outcome: Outcome) -> bool:
    """Whether each side has a turn among the first ten."""
    shown = set(outcome.ranking[:DEPTH])
    return all(side & shown for side in _sides(outcome))


def are_both_marked(outcome: Outcome) -> bool:
    """Whether two turns among the first ten, one of each side, are marked as belonging together."""
    older, newer = (side.intersection(outcome.ranking[:DEPTH]) for side in _sides(outcome))
    return any(frozenset((a, b)) in outcome.answer.pairs for a in older for b in newer)


def _sides(outcome: Outcome) -> tuple[frozenset[Key], frozenset[Key]]:
    older, newer = outcome.question.older, outcome.question.newer
    return older - newer, newer - older


def _best_rank(side: Iterable[Key], ranking: tuple[Key, ...]) -> int:
    return min((ranking.index(key) for key in side if key in ranking), default=len(ranking))
