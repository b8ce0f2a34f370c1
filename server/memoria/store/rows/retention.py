"""Retention: memories that may leave the active ones."""

from memoria.model.retention import MemoryTier, RetentionAttributes, SupportCounts
from memoria.store.connection import Connection, Row
from memoria.store.sql.tenant_rows import TenantRows

_THEME = 10
"""Largest number of memories of one subject that are counted."""


class RetentionRows:
    """A tenant's memories with the attributes that decide how long they last."""

    def __init__(self, connection: Connection, tenant: int) -> None:
        self._rows = TenantRows(connection, tenant, "retention")

    def list_expired(self, at: int, after: int, limit: int) -> list[tuple[int, str]]:
        """List (number, id) of active memories that have expired at a moment, beyond a number.

        Pinned ones stay.
        """
        rows = self._rows.all("expired", at=at, after=after, limit=limit)
        return [(row["n"], row["id"]) for row in rows]

    def list_rule_made(self, after: int, limit: int) -> list[tuple[int, str, str]]:
        """List (number, id, quote) of active memories beyond a number that rules once concluded.

        Left out are those that anybody confirmed, pinned, edited or voted for, those that end
        another memory, and those that an undone night has given back.
        """
        rows = self._rows.all("rule_made", after=after, limit=limit)
        return [(row["n"], row["id"], row["quote"]) for row in rows]

    def list_attributes(self, after: int, limit: int) -> list[tuple[int, RetentionAttributes]]:
        """List (number, attributes) of active memories beyond a number, in order."""
        rows = self._rows.all("vitals", after=after, limit=limit)
        return [(row["n"], _to_attributes(row)) for row in rows]

    def get_attributes(self, memory_id: str) -> RetentionAttributes | None:
        """Return a memory's attributes; None if there is no such memory or it is not active."""
        row = self._rows.first("number", id=memory_id)
        found = [] if row is None else self.list_attributes(row["n"] - 1, 1)
        return next((one for _, one in found if one.id == memory_id), None)

    def get_support(self, memory_id: str) -> SupportCounts:
        """Count a memory's evidence; zeros if there is no such memory."""
        row = self._rows.first("number", id=memory_id)
        if row is None:
            return SupportCounts(0, 0, 0)
        said = self._rows.all("support", memory_n=row["n"])[0]
        theme = self._rows.number("theme", memory_n=row["n"], most=_THEME)
        return SupportCounts(max(1, said["sessions"]), max(1, said["sources"]), max(1, theme))

    def set_tier(self, memory_id: str, tier: MemoryTier) -> None:
        """Set a memory's tier. Nothing else of it is touched, least of all its dates."""
        self._rows.change("set_tier", id=memory_id, tier=tier)

    def note_review(self, memory_id: str, at: int, tier: MemoryTier, importance: float) -> None:
        """Record that a reviewer has kept a memory, with its new tier and importance."""
        self._rows.change("note_review", id=memory_id, at=at, tier=tier, importance=importance)


def _to_attributes(row: Row) -> RetentionAttributes:
    fields = {name: row[name] for name in row.keys() if name != "n"}  # noqa: SIM118  (no mapping)
    flags = {name: bool(row[name]) for name in ("task", "pinned", "verified")}
    return RetentionAttributes(**{**fields, **flags, "tier": MemoryTier(row["tier"])})
