"""Short ids."""

from collections.abc import Iterable

from memoria.store.connection import Connection
from memoria.store.sql.tenant_rows import TenantRows, as_json

INDEXED_CHARS = 8
"""Number of characters at its end by which an id is found."""

_LAST_CHARACTER = chr(0x10FFFF)


class ShortIds:
    """The ids of memories, turns and entities by their ends, of sessions by their beginnings."""

    def __init__(self, connection: Connection, tenant: int) -> None:
        self._rows = TenantRows(connection, tenant, "short_ids")

    def list_alike(self, ids: Iterable[str]) -> list[str]:
        """List ids of memories and turns whose last `INDEXED_CHARS` are those of one of these."""
        ends = dict.fromkeys(one[-INDEXED_CHARS:].lower() for one in ids)
        rows = self._rows.all("list_alike", ends=as_json(ends)) if ends else []
        return sorted(row["id"] for row in rows)

    def list_forgotten(self, end: str) -> list[str]:
        """List ids of forgotten memories and turns with the last `INDEXED_CHARS` of this."""
        rows = self._rows.all("list_forgotten", end=end[-INDEXED_CHARS:].lower())
        return [row["subject"] for row in rows]

    def list_entities(self, end: str) -> list[str]:
        """List ids of entities with the last `INDEXED_CHARS` of this."""
        rows = self._rows.all("list_entities", end=end[-INDEXED_CHARS:].lower())
        return [row["id"] for row in rows]

    def list_sessions(self, beginning: str, limit: int) -> list[str]:
        """List the first few ids of sessions that begin so. Clients make them, mostly random."""
        beyond = beginning + _LAST_CHARACTER
        rows = self._rows.all("list_sessions", beginning=beginning, beyond=beyond, limit=limit)
        return [row["session_id"] for row in rows]
