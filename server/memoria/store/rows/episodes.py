"""Episodes."""

import json
from collections.abc import Mapping, Sequence

from memoria.errors import NotFoundError
from memoria.model import TurnRange
from memoria.store.connection import Connection
from memoria.store.sql.tenant_rows import TenantRows, as_json


class Episodes:
    """The memories that sum up segments of sessions."""

    def __init__(self, connection: Connection, tenant: int) -> None:
        self._rows = TenantRows(connection, tenant, "episodes")

    def add(self, memory_id: str, session_n: int, first_index: int, last_index: int) -> None:
        """Record the turns that a memory sums up.

        Raises:
            NotFoundError: there is no such memory.
        """
        span = {"session_n": session_n, "first_index": first_index, "last_index": last_index}
        if not self._rows.change("put", memory_id=memory_id, **span):
            raise NotFoundError.for_memory(memory_id)

    def find(self, session_n: int, first_index: int, last_index: int) -> str | None:
        """Return the id of the memory that sums up exactly this segment; None if none does."""
        row = self._rows.first(
            "of", session_n=session_n, first_index=first_index, last_index=last_index
        )
        return None if row is None else row["id"]

    def get_span(self, memory_id: str) -> TurnRange | None:
        """Return the segment that a memory sums up; None if it sums up none."""
        row = self._rows.first("span", memory_id=memory_id)
        return None if row is None else TurnRange(**row)

    def list_over_turns(self, turn_ns: Sequence[int]) -> list[str]:
        """List ids of the memories that sum up a segment with one of these turns."""
        return [row["id"] for row in self._rows.all("over", ns=as_json(turn_ns))]

    def stop_summarising(self, memory_id: str, now: int) -> None:
        """Take an episode's segment out of the queue, so that it is not summed up again."""
        self._rows.change("leave", memory_id=memory_id, now=now)

    def list_active(self, after: int, limit: int) -> list[tuple[int, str]]:
        """List (number, id) of active episodes beyond a number, in order."""
        rows = self._rows.all("active", after=after, limit=limit)
        return [(row["n"], row["id"]) for row in rows]

    def list_recent(self, at: int, project: str | None, limit: int) -> list[str]:
        """List ids of the last episodes of a project that are active at a moment, newest first.

        Those of other projects are left out; None stands for no project.
        """
        rows = self._rows.all("recent", at=at, project=project, limit=limit)
        return [row["id"] for row in rows]

    def list_read_before(self, moments: Mapping[str, int]) -> list[str]:
        """List the episodes whose segment was last read before the moment given for each.

        A segment that waits to be read is none of them.

        Args:
            moments: UTC epoch ms, by the episode's id.
        """
        rows = self._rows.all("read_before", moments=json.dumps(dict(moments)))
        return [row["id"] for row in rows]

    def requeue_summary(self, memory_id: str, moment: int) -> bool:
        """Requeue an episode's segment if it was last read before a moment; True if it was."""
        return bool(self._rows.change("read_anew", memory_id=memory_id, moment=moment))

    def requeue_summaries(self, turn_ns: Sequence[int], not_before: int = 0) -> int:
        """Put finished segments with one of these turns back into the queue.

        They may be taken from `not_before` on. Returns their number.
        """
        return self._rows.change("write_anew", ns=as_json(turn_ns), not_before=not_before)
