"""Figures of a tenant's memory."""

from typing import NamedTuple

from memoria.model.nightly import Metric, NightlyRun
from memoria.store.connection import Connection
from memoria.store.sql.tenant_rows import TenantRows


class LinkCounts(NamedTuple):
    """Numbers of edges, and of the nodes and memories that they link."""

    edges: int
    nodes: int
    """Number of nodes with an edge."""
    similar_edges: int
    """Edges between neighbours by meaning."""
    similar_memories: int
    """Memories with such a neighbour."""

    @property
    def neighbours(self) -> float:
        """Mean number of neighbours by meaning, of memories that have any."""
        return 2 * self.similar_edges / self.similar_memories if self.similar_memories else 0.0


class MetricRows:
    """A tenant's figures, and the table that a nightly run writes them to."""

    def __init__(self, connection: Connection, tenant: int) -> None:
        self._rows = TenantRows(connection, tenant, "metrics")

    def count_links(self) -> LinkCounts:
        """Count the edges of the graph and the nodes that they link."""
        return LinkCounts(*(self._rows.number(name) for name in ("edges", "nodes", *_ALIKE)))

    def count_archived(self) -> tuple[int, int]:
        """Return the number of archived memories, and of all."""
        row = self._rows.all("memories")[0]
        return row["archived"], row["total"]

    def count_index_segments(self) -> int:
        """Return the number of segments of the full-text index; each search reads all of them."""
        return self._rows.number("index_segments")

    def sample_wordings(self, many: int) -> list[int]:
        """List the present wordings of some active memories, spread evenly over all."""
        return [row["n"] for row in self._rows.all("sample", many=many)]

    def add(self, run: NightlyRun, metric: Metric) -> None:
        """Write a figure of a run."""
        told = metric.model_dump() | {"exceeded": metric.exceeded}
        self._rows.change("put", run_n=run.n, **told)


_ALIKE = ("likenesses", "alike")
