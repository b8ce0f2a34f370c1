"""Tombstones in SQLite."""

from collections.abc import Iterable

from memoria.store.sqlite.driver import Connection
from memoria.store.sqlite.rows import TenantRows, as_json
from memoria.store.values import Tombstone, TombstoneKind


class SqliteTombstones:
    """A tenant's tombstones."""

    def __init__(self, connection: Connection, tenant: int) -> None:
        self._rows = TenantRows(connection, tenant, "tombstones")

    def any(self) -> bool:
        """Whether the tenant ever forgot anything."""
        return bool(self._rows.number("any"))

    def find(self, marks: Iterable[str], kind: TombstoneKind) -> Tombstone | None:
        """The newest tombstone of this kind that has one of the marks."""
        row = self._rows.first("find", marks=as_json(marks), kind=kind)
        return None if row is None else Tombstone(**row)

    def of(self, subject: str) -> Tombstone | None:
        """The tombstone of what had this id."""
        row = self._rows.first("of", subject=subject)
        return None if row is None else Tombstone(**row)

    def all(self) -> list[tuple[Tombstone, tuple[str, ...]]]:
        """Every tombstone with its marks, oldest first."""
        return [
            (
                Tombstone(row["kind"], row["subject"], row["at"], row["reason"]),
                tuple(mark["mark"] for mark in self._rows.all("marks", n=row["n"])),
            )
            for row in self._rows.all("all")
        ]

    def add(self, tombstone: Tombstone, marks: Iterable[str]) -> None:
        """Set up a tombstone. One that stands already gains the marks."""
        subject, kind = tombstone.subject, tombstone.kind
        self._rows.insert(
            "add", kind=kind, subject=subject, at=tombstone.at, reason=tombstone.reason
        )
        number = self._rows.number("number", subject=subject, kind=kind)
        for mark in marks:
            self._rows.insert("add_mark", mark=mark, tombstone=number)

    def lift(self, marks: Iterable[str]) -> int:
        """Let memories say again what has these marks."""
        return sum(self._rows.change("lift", mark=mark) for mark in marks)
