"""Memories that wait for the user's word: to be confirmed, or chosen between."""

from collections.abc import Sequence

from memoria.errors import NotFoundError
from memoria.model import Memory
from memoria.store.connection import Connection
from memoria.store.rows.memory_rows import MemoryReader
from memoria.store.rows.workspaces import Workspaces
from memoria.store.sql.statements import TenantRows, as_json, list_numbers
from memoria.store.values import Filters

MOST_COUNTED = 1000
"""Largest count of what waits for the user: an exact larger number would help nobody."""
_NEWEST = 2**62
"""Number above that of any memory."""
_OF_NO_PROJECT = Filters()


class WaitingMemories:
    """A tenant's memories that wait for the user's word.

    Arguments `seen` are filters of which only `workspace` and `everywhere` apply.
    """

    def __init__(self, connection: Connection, tenant: int, workspaces: Workspaces) -> None:
        self._rows = TenantRows(connection, tenant, "memories")
        self._read = MemoryReader(self._rows)
        self._workspaces = workspaces

    def list_pending(
        self, limit: int, seen: Filters = _OF_NO_PROJECT, before: str | None = None
    ) -> list[Memory]:
        """List memories that await confirmation, newest first.

        Args:
            limit: number of memories at most.
            seen: filters that they must pass.
            before: id of the memory after which the list goes on; from the newest by default.

        Raises:
            NotFoundError: there is no memory after which it could go on.
        """
        n = _NEWEST if before is None else self._number(before)
        return self._read.load_in_order(self._find("held_back", seen, limit=limit, before=n))

    def count_pending(self, seen: Filters) -> int:
        """Count the memories that await confirmation, up to `MOST_COUNTED`."""
        return len(self._find("held_back", seen, limit=MOST_COUNTED, before=_NEWEST))

    def list_contradicted(self, limit: int, seen: Filters = _OF_NO_PROJECT) -> list[Memory]:
        """List one memory of each contradicting pair of active memories, newest finding first.

        Both memories of a pair pass the filters, and are seen together from a project.
        """
        return self._read.load_in_order(self._find("contradicted", seen, limit=limit))

    def count_contradicted(self, seen: Filters) -> int:
        """Count what `list_contradicted` lists, up to `MOST_COUNTED`."""
        return len(self._find("contradicted", seen, limit=MOST_COUNTED))

    def list_by_id(self, memory_ids: Sequence[str]) -> list[Memory]:
        """List the memories with these ids, whatever their validity; unknown ids are left out."""
        ids = as_json(memory_ids)
        return self._read.load_in_order(self._rows.column("numbers", ids=ids) if memory_ids else [])

    def _find(self, name: str, seen: Filters, **parameters: int) -> list[int]:
        """List the numbers of the memories that a statement finds and that pass filters."""
        return self._rows.column(
            name,
            workspace=self._workspaces.number(seen.workspace),
            everywhere=seen.everywhere,
            private=list_numbers(self._workspaces.private),
            **parameters,
        )

    def _number(self, memory_id: str) -> int:
        n = self._rows.find_number("number", id=memory_id)
        if n is None:
            raise NotFoundError.for_memory(memory_id)
        return n
