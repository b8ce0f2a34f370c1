"""Figures of a tenant's memory that nightly maintenance measures."""

from typing import NamedTuple, Protocol

from memoria.model.nightly import Metric, NightlyRun


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


class MetricRows(Protocol):
    """A tenant's figures, and the table that a nightly run writes them to."""

    def count_links(self) -> LinkCounts:
        """Count the edges of the graph and the nodes that they link."""
        ...

    def count_archived(self) -> tuple[int, int]:
        """Return the number of archived memories, and of all."""
        ...

    def count_index_segments(self) -> int:
        """Return the number of segments of the full-text index; each search reads all of them."""
        ...

    def sample_wordings(self, many: int) -> list[int]:
        """List the present wordings of some active memories, spread evenly over all."""
        ...

    def add(self, run: NightlyRun, metric: Metric) -> None:
        """Write a figure of a run."""
        ...
