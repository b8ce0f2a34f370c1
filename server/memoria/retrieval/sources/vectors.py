"""Vectors: the documents whose meaning is nearest to the query's, by cosine."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock

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
