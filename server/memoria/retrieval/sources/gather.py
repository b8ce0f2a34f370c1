"""Candidates: what each source finds, each on its own, and what became of sources that could not.

Every source may be absent: there is no embedder, no vector yet, nobody in the question whom the
graph knows. A search goes on with the others and says so.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from memoria.errors import EmbedderError
from memoria.model import PartReport, Vector
from memoria.retrieval.query.plan import SearchPlan
from memoria.retrieval.sources.graph import GraphExpansion, expand_graph
from memoria.store.base import Transaction
from memoria.store.values import Filters
from memoria.text.dates import Interval

DEPTH = 200
"""Documents asked of the text, and of the vectors. With 400, LoCoMo's figures over categories 1 to
4 are within half a point."""
_DEPTH_IN_TIME = 100
"""How many more are looked for in the stretch of time that the question names."""
_RECENT_DEPTH = 100
_WORD_SHARE = 0.5
"""What sharing the best words makes of a document from which the graph is walked."""
OFF = "switched off"


@dataclass(frozen=True, slots=True)
class SourceScores:
    """Scores by document number."""

    bm25: Mapping[int, float]
    cosine: Mapping[int, float]
    """-1 to 1; only the nearest documents."""
    awaiting_vector: frozenset[int] = frozenset()
    """Found by BM25, but too new to have a vector."""
    expansion: GraphExpansion = field(default_factory=GraphExpansion)
    recent: tuple[int, ...] = ()
    """Newest first; only where the question asks for nothing but a time."""
    reports: tuple[PartReport, ...] = ()


@dataclass(frozen=True, slots=True)
class QueryVector:
    """The question's vector and the model it is of."""

    model: str
    vector: Vector


def gather(tx: Transaction, plan: SearchPlan, query: QueryVector | str) -> SourceScores:
    """What the sources find.

    Args:
        tx: where to look.
        plan: the search.
        query: the question's vector, or why there is none.
    """
    with tx.read_concurrently(
        lambda other: _search_vectors_concurrently(tx, other, plan, query)
    ) as by_meaning:
        bm25, text = _search_text(tx, plan)
        cosine, vectors = by_meaning()
    walked, graph = _search_graph(tx, plan, _combine_scores(bm25, cosine))
    recent, newest = _search_recent(tx, plan)
    unseen = [n for n in bm25 if n not in cosine] if cosine else []
    awaiting = frozenset(tx.documents.awaiting_vectors(unseen)) if unseen else frozenset[int]()
    return SourceScores(bm25, cosine, awaiting, walked, recent, (text, vectors, graph, newest))


def fall_back_to_words(tx: Transaction, plan: SearchPlan) -> SearchPlan:
    """The plan, as one for its words where it asks for nothing but a time that holds nothing."""
    if not plan.parsed.is_time_only or _recent_documents(tx, plan, 1):
        return plan
    return replace(plan, parsed=plan.parsed.without_time())


def _search_text(tx: Transaction, plan: SearchPlan) -> tuple[dict[int, float], PartReport]:
    if "text" in plan.options.without:
        return {}, PartReport(part="text", state="off", why=OFF)
    if not plan.terms:
        return {}, PartReport(part="text", state="idle", why="the question holds no word")
    found = dict(tx.documents.match(plan.kinds, plan.terms, plan.filters, DEPTH))
    within = _narrow_to_time(plan)
    if within is not None and len(found) >= DEPTH:
        found.update(tx.documents.match(plan.kinds, plan.terms, within, _DEPTH_IN_TIME))
    return found, PartReport(part="text", state="used", found=len(found))


def _search_vectors_concurrently(
    tx: Transaction, other: Transaction, plan: SearchPlan, query: QueryVector | str
) -> tuple[dict[int, float], PartReport]:
    """What meaning finds; in another thread, after helping to count how common the words are.

    Counts are remembered, and the one who searches the text begins with the first word: whoever
    comes to a word second finds it counted.
    """
    if other is not tx and "text" not in plan.options.without:
        other.documents.frequencies(plan.kinds, plan.terms[::-1], plan.filters)
    return _search_vectors(other, plan, query)


def _search_vectors(
    tx: Transaction, plan: SearchPlan, query: QueryVector | str
) -> tuple[dict[int, float], PartReport]:
    if "vectors" in plan.options.without:
        return {}, PartReport(part="vectors", state="off", why=OFF)
    if isinstance(query, str):
        return {}, PartReport(part="vectors", state="missing", why=query)
    found: dict[int, float] = {}
    try:
        for kind in plan.kinds:
            model, vector = query.model, query.vector
            found.update(tx.documents.nearest(kind, model, vector, plan.filters, DEPTH))
    except EmbedderError as error:
        return {}, PartReport(part="vectors", state="missing", why=str(error))
    return found, PartReport(part="vectors", state="used", found=len(found))


def _search_graph(
    tx: Transaction, plan: SearchPlan, found: Mapping[int, float]
) -> tuple[GraphExpansion, PartReport]:
    if "graph" in plan.options.without:
        return GraphExpansion(), PartReport(part="graph", state="off", why=OFF)
    walked = expand_graph(tx, plan.parsed.names, found, plan.filters)
    if not walked.scores:
        why = "the question names nobody and nothing that memories are linked with"
        return walked, PartReport(part="graph", state="idle", why=why)
    return walked, PartReport(part="graph", state="used", found=len(walked.scores))


def _search_recent(tx: Transaction, plan: SearchPlan) -> tuple[tuple[int, ...], PartReport]:
    if not plan.parsed.is_time_only:
        why = "the question asks for more than a time"
        return (), PartReport(part="recent", state="idle", why=why)
    found = _recent_documents(tx, plan, _RECENT_DEPTH)
    return found, PartReport(part="recent", state="used", found=len(found))


def _recent_documents(tx: Transaction, plan: SearchPlan, most: int) -> tuple[int, ...]:
    return tuple(tx.documents.recent(plan.kinds, _narrow_to_time(plan) or plan.filters, most))


def _narrow_to_time(plan: SearchPlan) -> Filters | None:
    """The filters narrowed to the time the question names, or to the moment it is asked of.

    None where it names none of its own.
    """
    when, filters = plan.parsed.time or Interval(None, None), plan.filters
    then = None if plan.as_of is None else plan.as_of + 1
    since = max((t for t in (when.from_ms, filters.since) if t is not None), default=None)
    until = min((t for t in (when.until_ms, filters.until, then) if t is not None), default=None)
    narrowed = replace(filters, since=since, until=until)
    return None if narrowed == filters else narrowed


def _combine_scores(bm25: Mapping[int, float], cosine: Mapping[int, float]) -> dict[int, float]:
    """How well each document was found, 0 to 1: by words, by meaning, and better by both."""
    top = max(bm25.values(), default=0.0)
    words = {n: _WORD_SHARE * score / top for n, score in bm25.items()} if top > 0 else {}
    return {
        n: 1 - (1 - words.get(n, 0.0)) * (1 - max(cosine.get(n, 0.0), 0.0))
        for n in words.keys() | cosine.keys()
    }
