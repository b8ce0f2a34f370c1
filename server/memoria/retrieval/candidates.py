"""Candidates: the documents either index finds, with each index's own score."""

from dataclasses import dataclass

from memoria.model import Vector
from memoria.retrieval.plan import Plan
from memoria.store.base import Transaction

_DEPTH = 400


@dataclass(frozen=True, slots=True)
class Candidates:
    """Scores by document number."""

    bm25: dict[int, float]
    cosine: dict[int, float]
    """-1 to 1; only the nearest documents."""
    awaiting: frozenset[int] = frozenset()
    """Found by BM25, but too new to have a vector."""


@dataclass(frozen=True, slots=True)
class QueryVector:
    """The question's vector and the model it is of."""

    model: str
    vector: Vector


def gather(tx: Transaction, plan: Plan, query: QueryVector | None) -> Candidates:
    """What BM25 and nearest neighbours find, each on its own."""
    bm25 = dict(tx.documents.match(plan.kinds, plan.terms, plan.filters, _DEPTH))
    cosine: dict[int, float] = {}
    if query is not None:
        for kind in plan.kinds:
            nearest = tx.documents.nearest(kind, query.model, query.vector, plan.filters, _DEPTH)
            cosine.update(nearest)
    unseen = [n for n in bm25 if n not in cosine] if cosine else []
    return Candidates(bm25, cosine, frozenset(tx.documents.awaiting_vectors(unseen)))
