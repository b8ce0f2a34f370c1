"""Tombstones in SQLite."""

from collections.abc import Iterable
from typing import Any

from memoria.model import Vector
from memoria.store.sqlite.driver import Connection
from memoria.store.sqlite.rows import TenantRows, as_json
from memoria.store.values import SuppressedMeaning, Tombstone, TombstoneKind, TombstoneRecord


class SqliteTombstones:
    """A tenant's tombstones."""

    def __init__(self, connection: Connection, tenant: int) -> None:
        self._rows = TenantRows(connection, tenant, "tombstones")

    def any(self) -> bool:
        """Whether the tenant ever forgot anything."""
        return bool(self._rows.number("any"))

    def find(self, marks: Iterable[str], kind: TombstoneKind) -> Tombstone | None:
        """The newest tombstone of this kind that has one of the marks."""
        row = self._rows.first("find", digests=as_json(marks), kind=kind)
        return None if row is None else Tombstone(**row)

    def get(self, subject: str) -> Tombstone | None:
        """The tombstone of what had this id."""
        row = self._rows.first("of", subject=subject)
        return None if row is None else Tombstone(**row)

    def has_meanings(self) -> bool:
        """Whether any tombstone of the tenant can tell what means nearly the same."""
        return bool(self._rows.number("know_meanings"))

    def find_by_meaning(self, model: str, vector: Vector) -> Tombstone | None:
        """The newest tombstone of a memory that means nearly the same, of those that can tell."""
        for row in self._rows.all("vectors", model=model):
            likeness = _likeness({"model": model, "reach": row["reach"], "vector": row["vector"]})
            near = (
                len(likeness.vector) == len(vector) and likeness.vector @ vector >= likeness.reach
            )
            if near:
                return Tombstone(row["kind"], row["subject"], row["at"], row["reason"])
        return None

    def all(self) -> list[TombstoneRecord]:
        """Every tombstone with what it knows again, oldest first."""
        return [
            TombstoneRecord(
                Tombstone(row["kind"], row["subject"], row["at"], row["reason"]),
                tuple(digest["digest"] for digest in self._rows.all("digests", n=row["n"])),
                tuple(_likeness(dict(one)) for one in self._rows.all("vectors_of", n=row["n"])),
            )
            for row in self._rows.all("all")
        ]

    def add(self, grave: TombstoneRecord) -> None:
        """Set up a tombstone. One that stands already gains what it did not know."""
        stone = grave.tombstone
        kind, subject = stone.kind, stone.subject
        self._rows.insert("add", kind=kind, subject=subject, at=stone.at, reason=stone.reason)
        number = self._rows.number("number", subject=subject, kind=kind)
        for mark in grave.digests:
            self._rows.insert("add_digest", digest=mark, tombstone=number)
        for one in grave.meanings:
            self._rows.insert(
                "add_vector",
                tombstone=number,
                model=one.model,
                reach=one.reach,
                vector=one.vector.tobytes(),
            )

    def lift(self, marks: Iterable[str]) -> int:
        """Let memories say again what has these marks, in any words."""
        lifted = 0
        for mark in marks:
            self._rows.change("lift_vectors", digest=mark)
            lifted += self._rows.change("lift", digest=mark)
        return lifted


def _likeness(row: dict[str, Any]) -> SuppressedMeaning:
    import numpy as np  # noqa: PLC0415  (who keeps no vectors pays nothing)

    return SuppressedMeaning(row["model"], np.frombuffer(row["vector"], np.float32), row["reach"])
