"""Pruned edges: edges that graph expansion skips until their reason is gone."""

from collections.abc import Sequence
from typing import Literal, NamedTuple, Protocol

EdgeKey = tuple[int, int, int]
"""An edge: the node it comes from, the number of its kind, the node it leads to."""
PruneReason = Literal["inactive", "over_cap", "redundant"]
"""Reason: one end is not an active memory; a node has all edges that its kind may have; or nearer
neighbours link the two as well."""


class SimilarPair(NamedTuple):
    """Two memories that are alike."""

    edge: EdgeKey
    cosine: float
    is_ruled_distinct: bool
    """True if a model has judged them to be two: such an edge is never pruned."""


class RestorableEdge(NamedTuple):
    """An edge that was pruned for want of room, and may come back when there is room."""

    edge: EdgeKey
    reason: PruneReason
    src_degree: int
    """Number of edges of its kind at the node it comes from."""
    dst_degree: int
    """Number of them at the node it leads to."""
    cap: int
    """Number that a node may have."""


class PrunedEdges(Protocol):
    """A tenant's edges, with ways to prune and restore those that graph expansion follows."""

    def list_dense_nodes(self, most: int, limit: int) -> list[int]:
        """List the nodes with more than `most` neighbours by meaning, those with the most first."""
        ...

    def list_similar_pairs(self, ns: Sequence[int]) -> list[SimilarPair]:
        """List the edges between these nodes and their neighbours by meaning, each edge once."""
        ...

    def list_inactive_edges(self, after: int, limit: int) -> tuple[list[EdgeKey], int | None]:
        """List edges to neighbours by meaning, one end of which is not an active memory.

        Args:
            after: the number of the memory after which to look.
            limit: how many memories are looked at.

        Returns:
            The edges, and the number after which to go on; None at the end.
        """
        ...

    def list_evidence_to_transfer(self) -> list[tuple[EdgeKey, int]]:
        """List evidence of merged memories: each edge with the node of the memory that survived."""
        ...

    def list_restorable(self, limit: int) -> list[RestorableEdge]:
        """List edges that were pruned for want of room, the strongest first."""
        ...

    def prune(self, edge: EdgeKey, reason: PruneReason) -> bool:
        """Prune an edge; return False if it is gone, or the reason no longer holds."""
        ...

    def restore(self, edge: EdgeKey) -> bool:
        """Let graph expansion follow an edge again; return False if it was not pruned."""
        ...

    def transfer(self, edge: EdgeKey, heir: int) -> bool:
        """Copy an evidence edge to the surviving node; return False if that has it already."""
        ...
