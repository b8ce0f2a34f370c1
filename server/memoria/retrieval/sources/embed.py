"""Embedding of queries, made where and when nobody waits for it in vain."""

from functools import partial

from memoria.errors import EmbedderError
from memoria.inference import Calibration, LazyEmbedder, calibration_of
from memoria.retrieval.query.plan import SearchPlan
from memoria.retrieval.sources.report import OFF
from memoria.retrieval.sources.vectors import AskedVector, QueryVector


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
