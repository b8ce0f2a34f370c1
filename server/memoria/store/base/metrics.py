"""What is measured of a tenant's memory at night."""

from typing import NamedTuple, Protocol

from memoria.model.night import Metric, Run


class Links(NamedTuple):
    """How many links there are."""

    edges: int
    nodes: int
    """What has one."""
    likenesses: int
    """Edges between neighbours by meaning."""
    alike: int
    """Memories with such a neighbour."""

    @property
    def neighbours(self) -> float:
        """How many neighbours by meaning a memory has that has any."""
        return 2 * self.likenesses / self.alike if self.alike else 0.0


class Metrics(Protocol):
    """Figures of a tenant's memory, and where a night writes them down."""

    def links(self) -> Links:
        """How dense the graph is."""
        ...

    def archived(self) -> tuple[int, int]:
        """How many memories are archived, and how many there are."""
        ...

    def segments(self) -> int:
        """In how many parts the full text lies, which each search goes through."""
        ...

    def sample(self, many: int) -> list[int]:
        """The present wordings of some active memories, spread evenly over all."""
        ...

    def put(self, run: Run, metric: Metric) -> None:
        """Write a figure down."""
        ...
