"""Embed: the vector of what is asked, which takes no snapshot."""

from memoria.errors import EmbedderError
from memoria.inference import Calibration, LazyEmbedder, calibration_of
from memoria.retrieval.query.plan import SearchPlan
from memoria.retrieval.sources.report import OFF
from memoria.retrieval.sources.vectors import QueryVector


class QueryEmbedder:
    """Gives the vectors of what is asked, or why there is none."""

    def __init__(self, embedder: LazyEmbedder | None, wait_ms: int) -> None:
        """Nothing is embedded yet.

        Args:
            embedder: gives the vectors; None for none.
            wait_ms: how long to wait for one that is loading.
        """
        self._embedder = embedder
        self._wait_ms = wait_ms

    @property
    def calibration(self) -> Calibration:
        """What cosines mean."""
        return calibration_of(self._embedder)

    def embed(self, plan: SearchPlan) -> QueryVector | str:
        """The vector of what a plan searches for, or why there is none."""
        if self._embedder is None or "vectors" in plan.options.without:
            return OFF
        try:
            vector = self._embedder.embed_query(plan.query, self._wait_ms)
        except EmbedderError as error:
            return str(error)
        if not vector.any():
            return f"{self._embedder.name} sees no meaning in the question"
        return QueryVector(self._embedder.name, vector)

    def embed_all(self, plan: SearchPlan) -> list[QueryVector | str]:
        """The vector of each search of a plan."""
        return list(map(self.embed, plan.list_searches()))
