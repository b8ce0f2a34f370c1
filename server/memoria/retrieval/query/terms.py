"""Terms: the words of a long question that tell most.

A full-text search takes as long as its words are many, and most words of a long text say little. So
of more than a bounded number the rarest on record are searched for, wherever they stand. Cut off at
its beginning, a text of Chinese characters and their pairs would end after some thirty of them.
"""

from collections.abc import Collection
from dataclasses import replace

from memoria.language.asking.parse import ParsedQuery
from memoria.retrieval.query.plan import SearchPlan
from memoria.store.rows.transaction import Transaction

MOST_TERMS = 64
"""Most terms searched for."""
_MOST_COUNTED = 256
"""Terms whose frequency is looked up, half of them from the end: people ask first or last."""


def choose_terms(tx: Transaction, plan: SearchPlan) -> SearchPlan:
    """Keep a plan's rarest terms alone, where they are too many; unknown ones come last."""
    terms = plan.terms
    if len(terms) <= MOST_TERMS:
        return plan
    if len(terms) > _MOST_COUNTED:
        half = _MOST_COUNTED // 2
        terms = (*terms[:half], *terms[-half:])
    if "text" in plan.options.without:
        return replace(plan, parsed=_keep(plan.parsed, terms[:MOST_TERMS]))
    counts = tx.documents.frequencies(plan.kinds, terms, plan.filters).by_term
    rarest = sorted(terms, key=lambda term: (counts[term] == 0, counts[term]))
    return replace(plan, parsed=_keep(plan.parsed, rarest[:MOST_TERMS]))


def _keep(parsed: ParsedQuery, chosen: Collection[str]) -> ParsedQuery:
    """Keep these terms of a query."""
    chosen = frozenset(chosen)
    return replace(
        parsed,
        terms=tuple(term for term in parsed.terms if term in chosen),
        discriminative=tuple(term for term in parsed.discriminative if term in chosen),
    )
