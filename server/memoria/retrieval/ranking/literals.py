"""Literals: codes, paths and addresses that a question names and hits have to hold.

Other words of the question are found in hundreds of turns, and none of them says anything of the
code. What stands beside a turn that holds it is shown as its neighbour.
"""

from collections.abc import Sequence

from memoria.language.asking.parse import ParsedQuery
from memoria.retrieval.ranking.score import ScoredCandidate
from memoria.retrieval.ranking.statistics import QueryStatistics


def keep_holding(
    parsed: ParsedQuery, statistics: QueryStatistics, scored: Sequence[ScoredCandidate]
) -> Sequence[ScoredCandidate]:
    """Keep the candidates that hold a code of the question; all, if none does or it has none."""
    if not parsed.literals:
        return scored
    codes = statistics.codes
    return [
        each for each in scored if parsed.occurs_in(each.text) or not codes.isdisjoint(each.words)
    ] or scored
