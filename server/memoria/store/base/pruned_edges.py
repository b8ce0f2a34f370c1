"""Pruned edges: those that graph expansion does without until they matter again."""

from collections.abc import Sequence
from typing import Literal, NamedTuple, Protocol

EdgeKey = tuple[int, int, int]
"""An edge: the node it comes from, the number of its kind, the node it leads to."""
PruneReason = Literal["inactive", "over_cap", "redundant"]
"""An end is not active; a node has all edges that its kind may have; nearer neighbours connect the
two as well."""


class SimilarPair(NamedTuple):
    """Two memories that are alike."""

    edge: EdgeKey
    cosine: float
    is_ruled_distinct: bool
    """Whether a model has said that they are two: such an edge is never pruned."""


class RestorableEdge(NamedTuple):
    """An edge that was pruned for want of room, and may come back when there is room."""

    edge: EdgeKey
    reason: PruneReason
    src_degree: int
    """How many edges of its kind one end has."""
    dst_degree: int
    """How many the other end has."""
    cap: int
    """How many they may have."""


class PrunedEdges(Protocol):
    """Which of a tenant's edges are worth following, and which are pruned."""

    def list_dense_nodes(self, most: int, limit: int) -> list[int]:
        """The nodes with more than `most` neighbours by meaning, those with the most first."""
        ...

    def list_similar_pairs(self, ns: Sequence[int]) -> list[SimilarPair]:
        """The edges between these nodes and their neighbours by meaning, each edge once."""
        ...

    def list_inactive_edges(self, after: int, limit: int) -> tuple[list[EdgeKey], int | None]:
        """Edges to neighbours by meaning, one end of which is not an active memory.

        Args:
            after: the number of the memory after which to look.
            limit: how many memories are looked at.

        Returns:
            The edges, and the number after which to go on; None at the end.
        """
        ...

    def list_evidence_to_transfer(self) -> list[tuple[EdgeKey, int]]:
        """Evidence of merged memories, each edge with the node of the memory that survived."""
        ...

    def list_restorable(self, limit: int) -> list[RestorableEdge]:
        """Edges that were pruned for want of room, the strongest first."""
        ...

    def prune(self, edge: EdgeKey, reason: PruneReason) -> bool:
        """Prune an edge. False where it is gone, or the reason no longer holds."""
        ...

    def restore(self, edge: EdgeKey) -> bool:
        """Let graph expansion follow an edge again. False where it was not pruned."""
        ...

    def transfer(self, edge: EdgeKey, heir: int) -> bool:
        """Let a node rest on what another node rests on. False where it did already."""
        ...
