"""Vectors: the documents whose meaning is nearest to the query's, by cosine."""

from collections.abc import Callable
from contextlib import AbstractContextManager
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

ReadVectors = Callable[[], FoundScores]
"""Gives the nearest documents, as soon as they are known."""


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


def search_vectors_beside(
    tx: Transaction, plan: SearchPlan, query: QueryVector | str
) -> AbstractContextManager[ReadVectors]:
    """The same in another thread while the block runs, which is given what waits for them.

    In a home too small for a second thread they are searched before the block, right after the
    question's vector was made: either goes through more memory than a processor keeps at hand, and
    whatever is done between the two has to be fetched once more.

    Args:
        tx: where to look.
        plan: the search.
        query: the query's vector, or why there is none.
    """
    return tx.read_concurrently(lambda other: _search_helping(tx, other, plan, query))


def _search_helping(
    tx: Transaction, other: Transaction, plan: SearchPlan, query: QueryVector | str
) -> FoundScores:
    """The nearest documents; in another thread, after helping to count the query's words.

    Counts are remembered, and who counts them all begins with the first word: whichever thread
    comes to a word second finds it counted.
    """
    if other is not tx and "text" not in plan.options.without:
        other.documents.frequencies(plan.kinds, plan.terms[::-1], plan.filters)
    return search_vectors(other, plan, query)
