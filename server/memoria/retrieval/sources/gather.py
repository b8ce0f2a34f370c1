"""Gathering: every source is asked by itself, and the results are put side by side.

Every source may be absent: there is no embedder, no vector yet, nobody in the query whom the graph
knows. A search goes on with the others and says so.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from memoria.errors import EmbedderError
from memoria.language.reading.passages import Span
from memoria.model import PartReport
from memoria.retrieval.query.plan import SearchPlan
from memoria.retrieval.sources.graph import START_DOCUMENTS, GraphExpansion, search_graph
from memoria.retrieval.sources.passages import read_passages
from memoria.retrieval.sources.recent import search_recent
from memoria.retrieval.sources.report import report_missing
from memoria.retrieval.sources.text import search_phrases, search_text
from memoria.retrieval.sources.vectors import AskedVector, ReadVectors
from memoria.store.rows.transaction import Transaction

_WORD_SHARE = 0.5
"""Weight of sharing the best words, for a document from which the graph is expanded."""


@dataclass(frozen=True, slots=True)
class SourceScores:
    """Scores of each source, by document number."""

    bm25: Mapping[int, float]
    cosine: Mapping[int, float]
    """-1 to 1; only the nearest documents."""
    awaiting_vector: frozenset[int] = frozenset()
    """Documents found by BM25, but too new to have a vector."""
    expansion: GraphExpansion = field(default_factory=GraphExpansion)
    recent: tuple[int, ...] = ()
    """Newest first; only where the query asks for nothing but a time."""
    reports: tuple[PartReport, ...] = ()
    passages: Mapping[int, Span] = field(default_factory=dict)
    """Part of each long turn's text that is nearest by meaning."""
    holding_phrase: frozenset[int] = frozenset()
    """Documents that hold word for word something that the query has in quotation marks."""


def gather(
    tx: Transaction, plan: SearchPlan, asked: AskedVector, read_vectors: ReadVectors
) -> SourceScores:
    """Ask all sources.

    Args:
        tx: where to look.
        plan: the search.
        asked: the query's vector.
        read_vectors: gives what is nearest to it (`search_vectors_beside`).
    """
    words, text = search_text(tx, plan)
    phrases = search_phrases(tx, plan)
    nearest, vectors = read_vectors()
    bm25 = {**phrases, **words}
    try:
        cosine, spans = read_passages(tx, plan, asked.read(), bm25, nearest)
    except EmbedderError as error:
        cosine, spans, vectors = nearest, {}, report_missing("vectors", str(error))
    expansion, graph = search_graph(tx, plan, _combine_best(bm25, cosine))
    recent, newest = search_recent(tx, plan)
    unseen = [n for n in bm25 if n not in cosine] if cosine else []
    awaiting = frozenset(tx.documents.awaiting_vectors(unseen)) if unseen else frozenset[int]()
    reports = (text, vectors, graph, newest)
    return SourceScores(
        bm25, cosine, awaiting, expansion, recent, reports, spans, frozenset(phrases)
    )


def _combine_best(bm25: Mapping[int, float], cosine: Mapping[int, float]) -> dict[int, float]:
    """Score the best documents found, 0 to 1: by words, by meaning, and higher by both."""
    top = max(bm25.values(), default=0.0)
    missed = {n: 1 - _WORD_SHARE * score / top for n, score in bm25.items()} if top > 0 else {}
    for n, score in cosine.items():
        missed[n] = missed.get(n, 1.0) * (1 - score if score > 0 else 1.0)
    least = 1 - max(sorted(missed.values())[:START_DOCUMENTS], default=0.0)
    return {n: 1 - share for n, share in missed.items() if 1 - share >= least}
