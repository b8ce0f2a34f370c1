"""Edges that have been set aside, in SQLite."""

from collections.abc import Sequence

from memoria.store.base.pruned_edges import EdgeKey, OverCapEdge, PruneReason, SimilarPair
from memoria.store.sqlite.driver import Connection
from memoria.store.sqlite.graph import CAPS
from memoria.store.sqlite.rows import TenantRows, as_json

_UNIT = 10_000


class SqlitePrunedEdges:
    """A tenant's edges by whether they are worth walking."""

    def __init__(self, connection: Connection, tenant: int) -> None:
        self._rows = TenantRows(connection, tenant, "cold")

    def list_dense_nodes(self, most: int, limit: int) -> list[int]:
        """The nodes with more neighbours by meaning than so many, the most crowded first."""
        return [row["n"] for row in self._rows.all("crowded", most=most, limit=limit)]

    def list_similar_pairs(self, ns: Sequence[int]) -> list[SimilarPair]:
        """What binds these nodes to neighbours by meaning, each edge once."""
        return [
            SimilarPair((row[0], row[1], row[2]), row["weight"] / _UNIT, bool(row["by_model"]))
            for row in self._rows.all("alike", ns=as_json(ns))
        ]

    def list_inactive_edges(self, after: int, limit: int) -> tuple[list[EdgeKey], int | None]:
        """Neighbours by meaning of memories that are not active, from so many memories."""
        last = self._rows.all("next_page", after=after, limit=limit)[0]["last"]
        if last is None:
            return [], None
        rows = self._rows.all("idle", after=after, last=last)
        return list(dict.fromkeys((row[0], row[1], row[2]) for row in rows)), last

    def list_evidence_to_transfer(self) -> list[tuple[EdgeKey, int]]:
        """What bears out a memory that was merged, each with the node it was merged into."""
        return [((row[0], row[1], row[2]), row["heir"]) for row in self._rows.all("unfolded")]

    def list_over_cap(self, limit: int) -> list[OverCapEdge]:
        """What was set aside for want of room, the strongest first."""
        return [
            OverCapEdge(
                (row["src_n"], row["code"], row["dst_n"]),
                row["reason"],
                row["at_src"],
                row["at_dst"],
                CAPS[row["code"]],
            )
            for row in self._rows.all("waiting", limit=limit)
        ]

    def prune(self, place: EdgeKey, why: PruneReason) -> bool:
        """Set an edge aside. Gives whether it was there, and whether the reason still holds."""
        src, code, dst = place
        if why == "idle" and not self._rows.number("still_idle", src=src, dst=dst):
            return False
        self._rows.change("cool", src=src, code=code, dst=dst, reason=why)
        return bool(self._rows.change("drop", src=src, code=code, dst=dst))

    def restore(self, place: EdgeKey) -> bool:
        """Let an edge be walked again. Gives whether it was set aside."""
        src, code, dst = place
        self._rows.change("warm", src=src, code=code, dst=dst)
        return bool(self._rows.change("drop_cold", src=src, code=code, dst=dst))

    def transfer(self, place: EdgeKey, heir: int) -> bool:
        """Let a node rest on what another rests on. Gives whether that was new."""
        src, code, dst = place
        return bool(self._rows.change("fold", src=src, code=code, dst=dst, heir=heir))
