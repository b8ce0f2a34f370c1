"""Short ids: the end of an id, which is random, where its beginning is a clock."""

from collections.abc import Iterable
from typing import Protocol

INDEXED_CHARS = 8
"""How much of its end an id is found by."""


class ShortIds(Protocol):
    """The ids of memories, turns and entities by their ends, of sessions by their beginnings."""

    def list_alike(self, ids: Iterable[str]) -> list[str]:
        """The ids of memories and turns whose last `INDEXED_CHARS` are those of one of these."""
        ...

    def list_forgotten(self, end: str) -> list[str]:
        """The ids of forgotten memories and turns with the last `INDEXED_CHARS` of this."""
        ...

    def list_entities(self, end: str) -> list[str]:
        """The ids of entities with the last `INDEXED_CHARS` of this."""
        ...

    def list_sessions(self, beginning: str, limit: int) -> list[str]:
        """The first few ids of sessions that begin so: clients make them, and most are random."""
        ...
