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
from memoria.model import Vector
from memoria.retrieval.query.plan import SearchPlan
from memoria.retrieval.sources.report import (
    DEPTH,
    OFF,
    FoundScores,
    report_missing,
    report_off,
    report_used,
)
from memoria.store.rows.transaction import Transaction
from memoria.store.values import DocumentKind, Match

ReadVectors = Callable[[], FoundScores]
"""Return the nearest documents, as soon as they are known."""


@dataclass(frozen=True, slots=True)
class QueryVector:
    """Vector of the query and name of its model."""

    model: str
    vector: Vector


class AskedVector:
    """Vector of what is asked, made once, by whoever needs it first. Thread-safe."""

    def __init__(self, make: Callable[[], QueryVector | str]) -> None:
        """Create a vector to be made later.

        Args:
            make: gives the vector, or why there is none.
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
    """List the wordings' vectors that there are; makes those that nobody has made yet."""
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
        """Kinds that nobody searches yet; turns, by far the most, come last and are taken first."""
        self._found: dict[DocumentKind, Sequence[Match]] = {}
        self._error: str | None = None

    def run(self, tx: Transaction) -> None:
        """Search one kind after the other, as long as there is one that nobody searches."""
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
        """Take a kind that nobody searches yet; None where there is none."""
        with self._lock:
            return self._left.pop() if self._left else None

    def list_found(self) -> FoundScores:
        """Return what has been found, once every kind was searched."""
        if "vectors" in self._plan.options.without:
            return {}, report_off("vectors")
        query = self._asked.read()
        missing = query if isinstance(query, str) else self._error
        if missing is not None:
            return {}, report_missing("vectors", missing)
        found = dict(match for kind in self._plan.kinds for match in self._found[kind])
        return found, report_used("vectors", len(found))


@contextmanager
def search_vectors_beside(
    tx: Transaction, plan: SearchPlan, asked: AskedVector
) -> Iterator[ReadVectors]:
    """Search the vectors in another thread while the block runs.

    The block is given what waits for them.
    Whoever asks for them searches, too, what the other thread has not begun with. In a home too
    small for a second thread they are searched before the block, right after the question's vector
    was made: either goes through more memory than a processor keeps at hand, and whatever is done
    between the two has to be fetched once more.

    Args:
        tx: where to look.
        plan: the search.
        asked: the query's vector, which is made in the other thread if nobody has made it yet.
    """
    search = _VectorSearch(plan, asked)
    with tx.read_concurrently(search.run) as wait:

        def read() -> FoundScores:
            search.run(tx)
            wait()
            return search.list_found()

        yield read


class QueryEmbedder:
    """Embeds what is asked, or tells why it can't."""

    def __init__(self, embedder: LazyEmbedder | None, wait_ms: int) -> None:
        """Create an embedder of queries.

        Args:
            embedder: gives the vectors; None for none.
            wait_ms: how long to wait for one that is loading.
        """
        self._embedder = embedder
        self._wait_ms = wait_ms

    @property
    def calibration(self) -> Calibration:
        """Meaning of cosines."""
        return calibration_of(self._embedder)

    def embed(self, plan: SearchPlan) -> QueryVector | str:
        """Return the vector of what a plan searches for, or the reason why there is none."""
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

    def ask(self, plan: SearchPlan) -> AskedVector:
        """Return the vector of what a plan searches for, not made yet."""
        return AskedVector(partial(self.embed, plan))

    def ask_all(self, plan: SearchPlan) -> list[AskedVector]:
        """Return the vector of each search of a plan.

        No snapshot waits for another machine, or for a model that is loading. What is made soon is
        made when it is needed: in a large home while words are counted.
        """
        asked = list(map(self.ask, plan.list_searches()))
        if self._embedder is not None and not self._embedder.is_quick:
            for each in asked:
                each.read()
        return asked


CosinesAndSpans = tuple[Mapping[int, float], Mapping[int, Span]]
"""Cosines with the passages taken into account, and the span of each turn's nearest passage."""


def read_passages(
    tx: Transaction,
    plan: SearchPlan,
    query: QueryVector | str,
    bm25: Mapping[int, float],
    cosine: Mapping[int, float],
) -> CosinesAndSpans:
    """Return the cosines of what was found, of long turns that of the passage that is nearest.

    Args:
        tx: where to look.
        plan: the search.
        query: the query's vector, or why there is none.
        bm25: what the text search has found.
        cosine: what the vector search has found; where that is nothing, so are passages.
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
    """Return the gain of each turn's passage by chance: mean of the others' and their spread."""
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
