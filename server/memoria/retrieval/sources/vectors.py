"""Vectors: documents whose meaning is nearest to the query's, by cosine, and their passages.

The vector of a long turn says what the turn is about, and a fact among ten sentences hardly changes
that vector. So a turn found by words or meaning is as near as the nearest of its passages. But the
nearest of many is near by chance as well: about as much nearer than its turn as the passages of the
other turns are than theirs. Only what is more than that counts, with any embedder and any record.
Nothing is looked for by passages alone.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from threading import Lock

from memoria.errors import EmbedderError
from memoria.inference import Calibration, LazyEmbedder, calibration_of
from memoria.language.reading.excerpt import Span
from memoria.model import PartReport, Vector
from memoria.retrieval.query.plan import SearchPlan
from memoria.store.rows.transaction import Transaction
from memoria.store.values import DocumentKind, Match

DEPTH = 200
"""Number of documents asked of the text, and of the vectors."""
OFF = "switched off"
FoundScores = tuple[dict[int, float], PartReport]
"""Scores by document number, and the report of a source."""
ReadVectors = Callable[[], FoundScores]
"""Function that waits for the nearest documents and returns their scores."""


@dataclass(frozen=True, slots=True)
class QueryVector:
    """Vector of a query, and the name of its model."""

    model: str
    vector: Vector


class AskedVector:
    """Vector of a query, made once, by the thread that needs it first."""

    def __init__(self, make: Callable[[], QueryVector | str]) -> None:
        """Create a vector to be made later.

        Args:
            make: returns the vector, or the reason why there is none.
        """
        self._lock = Lock()
        self._make = make
        self._made: QueryVector | str | None = None

    def read(self) -> QueryVector | str:
        """Return the vector, or the reason why there is none."""
        with self._lock:
            if self._made is None:
                self._made = self._make()
            return self._made


def list_query_vectors(asked: Iterable[AskedVector]) -> list[QueryVector]:
    """List the vectors that can be made of the wordings."""
    return [one for one in (each.read() for each in asked) if isinstance(one, QueryVector)]


class _VectorSearch:
    """Search of the nearest documents of each kind, shared by two threads."""

    def __init__(self, plan: SearchPlan, asked: AskedVector) -> None:
        """Create a search of every kind.

        Args:
            plan: the search.
            asked: the query's vector.
        """
        self._plan = plan
        self._asked = asked
        self._lock = Lock()
        self._left = [] if "vectors" in plan.options.without else list(plan.kinds)
        """Kinds that no thread searches yet; the last, turns, is taken first."""
        self._found: dict[DocumentKind, Sequence[Match]] = {}
        self._error: str | None = None

    def run(self, tx: Transaction) -> None:
        """Search one kind after the other, until no kind is left."""
        while (kind := self._take_kind()) is not None:
            query, filters = self._asked.read(), self._plan.filters
            if isinstance(query, str):
                return
            try:
                found = tx.documents.nearest(kind, query.model, query.vector, filters, DEPTH)
            except EmbedderError as error:
                self._error = str(error)
                return
            self._found[kind] = found

    def _take_kind(self) -> DocumentKind | None:
        """Return a kind that no thread searches yet; None for none."""
        with self._lock:
            return self._left.pop() if self._left else None

    def list_found(self) -> FoundScores:
        """Return the nearest documents, once every kind was searched."""
        if "vectors" in self._plan.options.without:
            return {}, PartReport(part="vectors", state="off", why=OFF)
        query = self._asked.read()
        missing = query if isinstance(query, str) else self._error
        if missing is not None:
            return {}, PartReport(part="vectors", state="missing", why=missing)
        found = dict(match for kind in self._plan.kinds for match in self._found[kind])
        return found, PartReport(part="vectors", state="used", found=len(found))


@contextmanager
def search_vectors_beside(
    tx: Transaction, plan: SearchPlan, asked: AskedVector
) -> Iterator[ReadVectors]:
    """Search the vectors in another thread while the block runs.

    The block is given a function that waits for the result, and meanwhile searches what the other
    thread has not begun with. In a home too small for a second thread the vectors are searched
    before the block, right after the question's vector was made: both need more memory than a
    processor keeps at hand, and whatever is done between the two has to be fetched once more.

    Args:
        tx: where to look.
        plan: the search.
        asked: the query's vector, made in the other thread if it is not made yet.
    """
    search = _VectorSearch(plan, asked)
    with tx.read_concurrently(search.run) as wait:

        def read() -> FoundScores:
            search.run(tx)
            wait()
            return search.list_found()

        yield read


class QueryEmbedder:
    """Embedder of queries, which returns a reason where it can't embed."""

    def __init__(self, embedder: LazyEmbedder | None, wait_ms: int) -> None:
        """Create an embedder of queries.

        Args:
            embedder: gives the vectors; None for none.
            wait_ms: how long to wait for an embedder that is loading.
        """
        self._embedder = embedder
        self._wait_ms = wait_ms

    @property
    def calibration(self) -> Calibration:
        """Meaning of the embedder's cosines."""
        return calibration_of(self._embedder)

    def _embed(self, plan: SearchPlan) -> QueryVector | str:
        """Return the vector of a plan's query, or the reason why there is none."""
        if self._embedder is None or "vectors" in plan.options.without:
            return OFF
        unmeant = f"{self._embedder.name} sees no meaning in the question"
        if not any(map(str.isalnum, plan.query)):
            return unmeant  # signs alone are near to anything
        try:
            vector = self._embedder.embed_query(plan.query, self._wait_ms)
        except EmbedderError as error:
            return str(error)
        if not vector.any():
            return unmeant
        return QueryVector(self._embedder.name, vector)

    def ask_all(self, plan: SearchPlan) -> list[AskedVector]:
        """Return the vector of each search of a plan.

        Vectors of a slow embedder are made at once, so that no snapshot waits for another machine
        or a model that is loading. Others are made when needed: in a large home while words are
        counted.
        """
        asked = [AskedVector(partial(self._embed, each)) for each in plan.list_searches()]
        if self._embedder is not None and not self._embedder.is_quick:
            for each in asked:
                each.read()
        return asked


CosinesAndSpans = tuple[Mapping[int, float], Mapping[int, Span]]
"""Cosines by document, passages included, and the span of each turn's nearest passage."""


def read_passages(
    tx: Transaction,
    plan: SearchPlan,
    query: QueryVector | str,
    bm25: Mapping[int, float],
    cosine: Mapping[int, float],
) -> CosinesAndSpans:
    """Return the cosines of found documents; a long turn has the cosine of its nearest passage.

    Args:
        tx: where to look.
        plan: the search.
        query: the query's vector, or why there is none.
        bm25: scores of the text search.
        cosine: cosines of the vector search; without any, no passage is read.
    """
    if isinstance(query, str) or not cosine or not plan.options.stages.passages:
        return cosine, {}
    found = sorted(cosine.keys() | bm25.keys())
    nearest = tx.documents.nearest_passages(found, query.model, query.vector)
    if not nearest:
        return cosine, {}
    last = min(cosine.values())
    gains = {n: match.score - cosine.get(n, last) for n, match in nearest.items()}
    chances = _gains_by_chance(gains)
    nearer = {n: match.score - chances[n] for n, match in nearest.items() if gains[n] > chances[n]}
    spans = {n: (match.start, match.end) for n, match in nearest.items()}
    return {**cosine, **nearer}, spans


def _gains_by_chance(gains: Mapping[int, float]) -> dict[int, float]:
    """Return the gain by chance of each turn's passage: mean and spread of the others' gains."""
    others = len(gains) - 1
    if others < 1:
        return dict.fromkeys(gains, 0.0)
    total, squares = sum(gains.values()), sum(gain * gain for gain in gains.values())
    chances = {}
    for n, gain in gains.items():
        mean = (total - gain) / others
        spread = math.sqrt(max((squares - gain * gain) / others - mean * mean, 0.0))
        chances[n] = max(mean + spread, 0.0)
    return chances
