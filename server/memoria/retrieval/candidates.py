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


@dataclass(frozen=True, slots=True)
class QueryVector:
    """The question's vector and the model it is of."""

    model: str
    vector: Vector


def gather(tx: Transaction, plan: Plan, query: QueryVector | None) -> Candidates:
    """What BM25 and nearest neighbours find, each on its own."""
    lexical = tx.documents.match(plan.kinds, plan.terms, plan.filters, _DEPTH)
    nearest = (
        ()
        if query is None
        else (
            match
            for kind in plan.kinds
            for match in tx.documents.nearest(kind, query.model, query.vector, plan.filters, _DEPTH)
        )
    )
    return Candidates(
        bm25={match.n: match.score for match in lexical},
        cosine={match.n: match.score for match in nearest},
    )
