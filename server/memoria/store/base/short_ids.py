"""Short ids: the ends of ids, which are random; their beginnings are a clock."""

from collections.abc import Iterable
from typing import Protocol

INDEXED_CHARS = 8
"""Number of characters at its end by which an id is found."""


class ShortIds(Protocol):
    """The ids of memories, turns and entities by their ends, of sessions by their beginnings."""

    def list_alike(self, ids: Iterable[str]) -> list[str]:
        """List ids of memories and turns whose last `INDEXED_CHARS` are those of one of these."""
        ...

    def list_forgotten(self, end: str) -> list[str]:
        """List ids of forgotten memories and turns with the last `INDEXED_CHARS` of this."""
        ...

    def list_entities(self, end: str) -> list[str]:
        """List ids of entities with the last `INDEXED_CHARS` of this."""
        ...

    def list_sessions(self, beginning: str, limit: int) -> list[str]:
        """List the first few ids of sessions that begin so. Clients make them, mostly random."""
        ...
