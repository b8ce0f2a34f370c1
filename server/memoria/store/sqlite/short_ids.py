"""Short ids, in SQLite."""

from collections.abc import Iterable

from memoria.store.base.short_ids import INDEXED_CHARS
from memoria.store.sqlite.driver import Connection
from memoria.store.sqlite.rows import TenantRows, as_json

_LAST_CHARACTER = chr(0x10FFFF)


class SqliteShortIds:
    """The ids of a tenant's memories, turns, entities and sessions, by parts of them."""

    def __init__(self, connection: Connection, tenant: int) -> None:
        self._rows = TenantRows(connection, tenant, "short_ids")

    def list_alike(self, ids: Iterable[str]) -> list[str]:
        """List ids of memories and turns that end like one of these, in order."""
        ends = dict.fromkeys(one[-INDEXED_CHARS:].lower() for one in ids)
        rows = self._rows.all("list_alike", ends=as_json(ends)) if ends else []
        return sorted(row["id"] for row in rows)

    def list_forgotten(self, end: str) -> list[str]:
        """List ids of forgotten memories and turns that end like this, in order."""
        rows = self._rows.all("list_forgotten", end=end[-INDEXED_CHARS:].lower())
        return [row["subject"] for row in rows]

    def list_entities(self, end: str) -> list[str]:
        """List ids of entities that end like this, in order."""
        rows = self._rows.all("list_entities", end=end[-INDEXED_CHARS:].lower())
        return [row["id"] for row in rows]

    def list_sessions(self, beginning: str, limit: int) -> list[str]:
        """List the first few ids of sessions that begin so, in order."""
        beyond = beginning + _LAST_CHARACTER
        rows = self._rows.all("list_sessions", beginning=beginning, beyond=beyond, limit=limit)
        return [row["session_id"] for row in rows]
