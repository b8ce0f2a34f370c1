"""Edges that a walk does without, and those that have been set aside."""

from collections.abc import Sequence
from typing import Literal, NamedTuple, Protocol

EdgeKey = tuple[int, int, int]
"""An edge: the node it comes from, the number of its kind, the node it leads to."""
PruneReason = Literal["idle", "full", "dense"]
"""An end is not active; a node has all that its kind may have; nearer neighbours bind them too."""


class SimilarPair(NamedTuple):
    """Two memories that are alike."""

    edge: EdgeKey
    cosine: float
    is_ruled_distinct: bool
    """Whether a model has said that they are two: that is kept."""


class OverCapEdge(NamedTuple):
    """An edge that was set aside for want of room."""

    edge: EdgeKey
    reason: PruneReason
    src_degree: int
    """How many of its kind one end has."""
    dst_degree: int
    """How many the other has."""
    cap: int
    """How many they may have."""


class PrunedEdges(Protocol):
    """A tenant's edges by whether they are worth walking."""

    def list_dense_nodes(self, most: int, limit: int) -> list[int]:
        """The nodes with more neighbours by meaning than so many, the most crowded first."""
        ...

    def list_similar_pairs(self, ns: Sequence[int]) -> list[SimilarPair]:
        """What binds these nodes to neighbours by meaning, each edge once."""
        ...

    def list_inactive_edges(self, after: int, limit: int) -> tuple[list[EdgeKey], int | None]:
        """Neighbours by meaning of memories that are not active, from so many memories.

        Args:
            after: the number of the memory after which to look.
            limit: how many memories are looked at.

        Returns:
            The edges, and the number after which to go on; None where that was the end.
        """
        ...

    def list_evidence_to_transfer(self) -> list[tuple[EdgeKey, int]]:
        """What bears out a memory that was merged, each with the node it was merged into."""
        ...

    def list_over_cap(self, limit: int) -> list[OverCapEdge]:
        """What was set aside for want of room, the strongest first."""
        ...

    def prune(self, place: EdgeKey, why: PruneReason) -> bool:
        """Set an edge aside. Gives whether it was there, and whether the reason still holds."""
        ...

    def restore(self, place: EdgeKey) -> bool:
        """Let an edge be walked again. Gives whether it was set aside."""
        ...

    def transfer(self, place: EdgeKey, heir: int) -> bool:
        """Let a node rest on what another rests on. Gives whether that was new."""
        ...
