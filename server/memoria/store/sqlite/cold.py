"""Edges that have been set aside, in SQLite."""

from collections.abc import Sequence

from memoria.store.base.cold import Likeness, Place, Waiting, Why
from memoria.store.sqlite.driver import Connection
from memoria.store.sqlite.graph import CAPS
from memoria.store.sqlite.rows import TenantRows, as_json

_UNIT = 10_000


class SqliteColdEdges:
    """A tenant's edges by whether they are worth walking."""

    def __init__(self, connection: Connection, tenant: int) -> None:
        self._rows = TenantRows(connection, tenant, "cold")

    def crowded(self, most: int, limit: int) -> list[int]:
        """The nodes with more neighbours by meaning than so many, the most crowded first."""
        return [row["n"] for row in self._rows.all("crowded", most=most, limit=limit)]

    def alike(self, ns: Sequence[int]) -> list[Likeness]:
        """What binds these nodes to neighbours by meaning, each edge once."""
        return [
            Likeness((row[0], row[1], row[2]), row["weight"] / _UNIT, bool(row["by_model"]))
            for row in self._rows.all("alike", ns=as_json(ns))
        ]

    def idle(self, after: int, limit: int) -> tuple[list[Place], int | None]:
        """Neighbours by meaning of memories that are not active, from so many memories."""
        last = self._rows.all("next_page", after=after, limit=limit)[0]["last"]
        if last is None:
            return [], None
        rows = self._rows.all("idle", after=after, last=last)
        return list(dict.fromkeys((row[0], row[1], row[2]) for row in rows)), last

    def unfolded(self) -> list[tuple[Place, int]]:
        """What bears out a memory that was merged, each with the node it was merged into."""
        return [((row[0], row[1], row[2]), row["heir"]) for row in self._rows.all("unfolded")]

    def waiting(self, limit: int) -> list[Waiting]:
        """What was set aside for want of room, the strongest first."""
        return [
            Waiting(
                (row["src_n"], row["code"], row["dst_n"]),
                row["reason"],
                row["at_src"],
                row["at_dst"],
                CAPS[row["code"]],
            )
            for row in self._rows.all("waiting", limit=limit)
        ]

    def set_aside(self, place: Place, why: Why) -> bool:
        """Set an edge aside. Gives whether it was there, and whether the reason still holds."""
        src, code, dst = place
        if why == "idle" and not self._rows.number("still_idle", src=src, dst=dst):
            return False
        self._rows.change("cool", src=src, code=code, dst=dst, reason=why)
        return bool(self._rows.change("drop", src=src, code=code, dst=dst))

    def bring_back(self, place: Place) -> bool:
        """Let an edge be walked again. Gives whether it was set aside."""
        src, code, dst = place
        self._rows.change("warm", src=src, code=code, dst=dst)
        return bool(self._rows.change("drop_cold", src=src, code=code, dst=dst))

    def fold(self, place: Place, heir: int) -> bool:
        """Let a node rest on what another rests on. Gives whether that was new."""
        src, code, dst = place
        return bool(self._rows.change("fold", src=src, code=code, dst=dst, heir=heir))
