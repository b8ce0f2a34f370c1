"""Pruned edges in SQLite."""

from collections.abc import Sequence

from memoria.store.base.pruned_edges import EdgeKey, PruneReason, RestorableEdge, SimilarPair
from memoria.store.rows.graph import CAPS
from memoria.store.sql.tenant_rows import TenantRows, as_json
from memoria.store.sqlite.driver import Connection

_UNIT = 10_000


class SqlitePrunedEdges:
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
        """List edges to neighbours by meaning, one end of which is not an active memory."""
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
