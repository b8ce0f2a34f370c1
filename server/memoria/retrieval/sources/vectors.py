"""Vectors: the documents whose meaning is nearest to the query's, by cosine."""

from dataclasses import dataclass

from memoria.errors import EmbedderError
from memoria.model import Vector
from memoria.retrieval.query.plan import SearchPlan
from memoria.retrieval.sources.report import (
    DEPTH,
    FoundScores,
    report_missing,
    report_off,
    report_used,
)
from memoria.store.base import Transaction


@dataclass(frozen=True, slots=True)
class QueryVector:
    """The query's vector and the model it is of."""

    model: str
    vector: Vector


def search_vectors(tx: Transaction, plan: SearchPlan, query: QueryVector | str) -> FoundScores:
    """The nearest documents of each kind.

    Args:
        tx: where to look.
        plan: the search.
        query: the query's vector, or why there is none.
    """
    if "vectors" in plan.options.without:
        return {}, report_off("vectors")
    if isinstance(query, str):
        return {}, report_missing("vectors", query)
    found: dict[int, float] = {}
    try:
        for kind in plan.kinds:
            model, vector = query.model, query.vector
            found.update(tx.documents.nearest(kind, model, vector, plan.filters, DEPTH))
    except EmbedderError as error:
        return {}, report_missing("vectors", str(error))
    return found, report_used("vectors", len(found))


def search_vectors_concurrently(
    tx: Transaction, other: Transaction, plan: SearchPlan, query: QueryVector | str
) -> FoundScores:
    """The same in another thread, after helping to count how common the query's words are.

    Counts are remembered, and the text search begins with the first word: whichever thread comes
    to a word second finds it counted.

    Args:
        tx: the transaction of the text search.
        other: the one to look in; the same where the home is too small for a second thread.
        plan: the search.
        query: the query's vector, or why there is none.
    """
    if other is not tx and "text" not in plan.options.without:
        other.documents.frequencies(plan.kinds, plan.terms[::-1], plan.filters)
    return search_vectors(other, plan, query)
