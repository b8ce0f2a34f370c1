"""Familiar: how well the record knows the words of a question.

A word that stands nowhere, or in few places, tells more than one that stands everywhere; and a name
tells most of all. A question about somebody who is nowhere named is a question about another world,
however many of its other words are on record. One about somebody well known is nearly always met by
something: so much is said of them that it takes more to be an answer.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import log10

from memoria.retrieval.candidates import Candidates
from memoria.retrieval.plan import Plan
from memoria.store.base import Transaction
from memoria.store.values import Frequencies
from memoria.text.analyser import tokens
from memoria.text.script import is_cjk

_COUNTED = 100
"""Documents of a term; a term that stands in more tells no less."""


@dataclass(frozen=True, slots=True)
class Familiarity:
    """What the record knows of a question, before any one document is looked at."""

    weights: Mapping[str, float] = field(default_factory=dict)
    """What each telling term counts for in coverage. Beside others a name that stands everywhere
    counts for nothing, and on the first level no name does: to be of the same person is no answer.
    """
    named: bool = False
    """It names somebody or something that much of the record is about."""
    strange: bool = False
    """It names somebody or something, and nothing it names is on record."""
    cjk: bool = False
    """It is written in Chinese, Japanese or Korean."""
    vectors: bool = True
    """Meaning could be compared."""


def common(tx: Transaction, plan: Plan) -> Frequencies:
    """How common the words and names of the question are: counted once for all who ask."""
    terms = list(dict.fromkeys((*plan.terms, *_names(plan))))
    if "text" in plan.way.without:
        return Frequencies(0, dict.fromkeys(terms, 1))  # nobody can tell
    return tx.documents.frequencies(plan.kinds, terms, plan.filters)


def familiar_with(plan: Plan, candidates: Candidates, frequencies: Frequencies) -> Familiarity:
    """What the record knows of the question.

    Args:
        plan: the search.
        candidates: what the sources have found.
        frequencies: how common its words and names are.
    """
    terms = telling_terms(plan)
    names = _names(plan)
    counts = frequencies.holding
    met = any(counts.get(name) for name in names) or not names.isdisjoint(_linked(candidates))
    dropped = names if plan.first_level else {n for n in names if _everywhere(counts, n)}
    others = [term for term in terms if term not in dropped] or terms
    return Familiarity(
        weights={term: _weight(counts.get(term, 0)) for term in others},
        named=any(_everywhere(counts, name) for name in names),
        strange=bool(names) and not met,
        cjk=is_cjk(plan.query),
        vectors=bool(candidates.cosine),
    )


def _everywhere(counts: Mapping[str, int], name: str) -> bool:
    return counts.get(name, 0) >= _COUNTED


def _linked(candidates: Candidates) -> frozenset[str]:
    """The tokens of names in the question by which the graph knows something."""
    known = frozenset[str]().union(*candidates.walked.named.values())
    return frozenset(tokens(" ".join(known)))


def _weight(holding: int) -> float:
    return 1 / (1 + log10(1 + min(holding, _COUNTED)))


def telling_terms(plan: Plan) -> list[str]:
    """The terms an answer is about; of a CJK run the pairs: single characters are everywhere."""
    terms = plan.question.telling or plan.terms
    return [term for term in terms if term.isascii() or len(term) > 1] or list(terms)


def _names(plan: Plan) -> frozenset[str]:
    return frozenset(token for name in plan.question.proper for token in tokens(name))
