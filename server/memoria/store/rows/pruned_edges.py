"""Pruned edges."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from memoria.store.connection import Connection
from memoria.store.rows.graph import CAPS
from memoria.store.sql.tenant_rows import TenantRows, as_json

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


_UNIT = 10_000


class PrunedEdges:
    """A tenant's edges, with ways to prune and restore those that graph expansion follows."""

    def __init__(self, connection: Connection, tenant: int) -> None:
        self._rows = TenantRows(connection, tenant, "pruned_edges")

    def list_dense_nodes(self, most: int, limit: int) -> list[int]:
        """List the nodes with more than `most` neighbours by meaning, those with the most first."""
        return [row["n"] for row in self._rows.all("dense_nodes", most=most, limit=limit)]

    def list_similar_pairs(self, ns: Sequence[int]) -> list[SimilarPair]:
        """List the edges between these nodes and their neighbours by meaning, each edge once."""
        return [
            SimilarPair((row[0], row[1], row[2]), row["weight"] / _UNIT, bool(row["by_model"]))
            for row in self._rows.all("similar_pairs", ns=as_json(ns))
        ]

    def list_inactive_edges(self, after: int, limit: int) -> tuple[list[EdgeKey], int | None]:
        """List edges to neighbours by meaning, one end of which is not an active memory.

        Args:
            after: the number of the memory after which to look.
            limit: how many memories are looked at.

        Returns:
            The edges, and the number after which to go on; None at the end.
        """
        last = self._rows.all("next_page", after=after, limit=limit)[0]["last"]
        if last is None:
            return [], None
        rows = self._rows.all("inactive", after=after, last=last)
        return list(dict.fromkeys((row[0], row[1], row[2]) for row in rows)), last

    def list_evidence_to_transfer(self) -> list[tuple[EdgeKey, int]]:
        """List evidence of merged memories: each edge with the node of the memory that survived."""
        rows = self._rows.all("evidence_to_transfer")
        return [((row[0], row[1], row[2]), row["heir"]) for row in rows]

    def list_restorable(self, limit: int) -> list[RestorableEdge]:
        """List edges that were pruned for want of room, the strongest first."""
        return [
            RestorableEdge(
                (row["src_n"], row["code"], row["dst_n"]),
                row["reason"],
                row["src_degree"],
                row["dst_degree"],
                CAPS[row["code"]],
            )
            for row in self._rows.all("restorable", limit=limit)
        ]

    def prune(self, edge: EdgeKey, reason: PruneReason) -> bool:
        """Prune an edge; return False if it is gone, or the reason no longer holds."""
        src, code, dst = edge
        if reason == "inactive" and not self._rows.number("is_still_inactive", src=src, dst=dst):
            return False
        self._rows.change("prune", src=src, code=code, dst=dst, reason=reason)
        return bool(self._rows.change("drop", src=src, code=code, dst=dst))

    def restore(self, edge: EdgeKey) -> bool:
        """Let graph expansion follow an edge again; return False if it was not pruned."""
        src, code, dst = edge
        self._rows.change("restore", src=src, code=code, dst=dst)
        return bool(self._rows.change("drop_pruned", src=src, code=code, dst=dst))

    def transfer(self, edge: EdgeKey, heir: int) -> bool:
        """Copy an evidence edge to the surviving node; return False if that has it already."""
        src, code, dst = edge
        return bool(self._rows.change("transfer", src=src, code=code, dst=dst, heir=heir))
