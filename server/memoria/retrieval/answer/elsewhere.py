"""Matches in other projects, counted where a search found less than was asked for.

Nothing of another project is shown, only that it has something: whoever wants it asks all projects.
A match holds the words that tell the question apart: whom it names, and enough of the rest, the
rare ones counting more. There is one bounded query of the full text; nothing of it is read but its
words.
"""

from collections.abc import Iterator
from itertools import combinations

from memoria.language.words.analyser import tokens
from memoria.model.search import OtherProjects
from memoria.retrieval.answer.notes import MOST_COUNTED
from memoria.retrieval.query.plan import SearchPlan
from memoria.retrieval.ranking.statistics import QueryStatistics
from memoria.retrieval.ranking.threshold import TermWeights
from memoria.store.rows.transaction import Transaction

_LOOKED_AT = 3 * MOST_COUNTED
_MOST_TERMS = 8
_LEAST_COVERAGE = 0.5
"""Least coverage of a match. On LoCoMo, of 120 questions that another project answers 47 % are
told of a match, always in the right project; of 180 that none answers 9 %. With 0.4 that is 52 and
12 %, with 0.6 it is 23 and 4 %."""
_LEAST_COVERAGE_CJK = 0.33
"""Least coverage for Chinese: some pairs of a question's characters are no words."""
_NAMES_SHOWN = 3


def find_elsewhere(
    tx: Transaction, plan: SearchPlan, statistics: QueryStatistics, *, name_projects: bool
) -> OtherProjects | None:
    """Find the matches that only other projects see; None where there are none.

    Args:
        tx: where to look.
        plan: the search that found less than was asked for.
        statistics: what the record knows of the query.
        name_projects: whether the user allows projects to be named.
    """
    if plan.filters.everywhere or plan.as_of is not None or "text" in plan.options.without:
        return None
    names = frozenset(token for name in plan.parsed.proper_names for token in tokens(name))
    groups = list(_term_groups(statistics, sorted(names)))
    found = tx.documents.list_elsewhere(plan.kinds, groups, plan.filters, _LOOKED_AT)
    words = tx.documents.distinct_words(list(found)) if found else {}
    least = _LEAST_COVERAGE_CJK if statistics.is_cjk else _LEAST_COVERAGE
    weights = TermWeights(statistics.weights)
    fitting = [n for n in found if weights.coverage(words[n]) >= least]
    if not fitting:
        return None
    holders = tuple(dict.fromkeys(found[n] for n in fitting))
    return OtherProjects(
        matches=min(len(fitting), MOST_COUNTED + 1),
        projects=holders[:_NAMES_SHOWN] if name_projects else (),
        holders=holders,
    )


def _term_groups(statistics: QueryStatistics, names: list[str]) -> Iterator[tuple[str, ...]]:
    """Yield groups of terms, one of which a match holds: a name with a term, or two terms."""
    weights = statistics.weights
    terms = sorted(weights, key=lambda term: (-weights[term], term))[:_MOST_TERMS]
    if names:
        others = [term for term in terms if term not in names]
        yield from ((name, term) for name in names for term in others)
        if not others:
            yield from ((name,) for name in names)
    elif len(terms) == 1:
        yield (terms[0],)
    else:
        yield from combinations(terms, 2)
