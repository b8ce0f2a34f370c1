"""What nightly maintenance measures of a tenant's memory."""

from typing import NamedTuple, Protocol

from memoria.model.nightly import Metric, NightlyRun


class LinkCounts(NamedTuple):
    """How many links there are."""

    edges: int
    nodes: int
    """What has one."""
    similar_edges: int
    """Edges between neighbours by meaning."""
    similar_memories: int
    """Memories with such a neighbour."""

    @property
    def neighbours(self) -> float:
        """How many neighbours by meaning a memory has that has any."""
        return 2 * self.similar_edges / self.similar_memories if self.similar_memories else 0.0


class MetricRows(Protocol):
    """Figures of a tenant's memory, and where a nightly run writes them down."""

    def count_links(self) -> LinkCounts:
        """How dense the graph is."""
        ...

    def count_archived(self) -> tuple[int, int]:
        """How many memories are archived, and how many there are."""
        ...

    def count_index_segments(self) -> int:
        """In how many parts the full text lies, which each search goes through."""
        ...

    def sample_wordings(self, many: int) -> list[int]:
        """The present wordings of some active memories, spread evenly over all."""
        ...

    def add(self, run: NightlyRun, metric: Metric) -> None:
        """Write a figure down."""
        ...
