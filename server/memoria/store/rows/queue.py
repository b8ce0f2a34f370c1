"""The extraction queue: a tenant's entries, and the workers' view across tenants."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict

from memoria.config import LONGEST_LEASE_MS, LONGEST_WAIT_MS
from memoria.model import QueueEntry, QueueKind, QueueState, QueueStatus, now_millis
from memoria.store.connection import Connection, Row
from memoria.store.sql.statements import TenantRows, as_json, build_value, list_numbers
from memoria.store.values import LEFT_OVER, LeasedEntry, NewQueueEntry, QueuedTurn

_NO_TENANT = 0


class Queue:
    """A tenant's segments of conversation that wait for the extractor."""

    def __init__(self, connection: Connection, tenant: int, private: str) -> None:
        """Bind to a tenant's queue.

        Args:
            connection: to the file.
            tenant: its number.
            private: names of workspaces whose segments are never queued, as a JSON list.
        """
        self._rows = TenantRows(connection, tenant, "queue")
        self._private = private

    def add(self, entry: NewQueueEntry) -> bool:
        """Queue a segment; return False if the segment is queued already, empty, or private.

        A segment with an edited message counts as another segment.
        """
        return bool(self._rows.change("add", private=self._private, **asdict(entry)))

    def widen(
        self, session_n: int, turn_index: int, priority: int, not_before: int, longest_ms: int
    ) -> bool:
        """Extend the entry that waits for a pause of its session by a further turn.

        The entry then waits until `not_before`, but at most `longest_ms` from when it was made.
        Returns False if no entry waits so.
        """
        return bool(
            self._rows.change(
                "widen",
                session_n=session_n,
                turn_index=turn_index,
                priority=priority,
                not_before=not_before,
                longest=longest_ms,
                left_over=LEFT_OVER,
            )
        )

    def list_resting(self, session_n: int, now: int) -> list[tuple[int, int, int]]:
        """List (session, first turn, last turn) of entries that wait for more of their workspace.

        Args:
            session_n: a session of the workspace.
            now: UTC epoch ms.
        """
        rows = self._rows.all("resting", session_n=session_n, now=now, left_over=LEFT_OVER)
        return [(row["session_n"], row["first_index"], row["last_index"]) for row in rows]

    def absorb(self, session_n: int, first_index: int, last_index: int) -> int:
        """Remove untried extraction entries within a segment; return the number of entries."""
        return self._rows.change(
            "absorb", session_n=session_n, first_index=first_index, last_index=last_index
        )

    def find_summary(self, session_n: int, first_index: int, last_index: int) -> int | None:
        """Return the number of the entry that is due to sum up a segment; None if none is due."""
        return self._rows.find_number(
            "find_summary",
            session_n=session_n,
            first_index=first_index,
            last_index=last_index,
            now=now_millis(),
        )

    def finish_summary(self, n: int, outcome: str) -> bool:
        """Finish the entry of a summary; return False if the entry is leased or finished."""
        return bool(self._rows.change("finish_summary", n=n, outcome=outcome, now=now_millis()))

    def list_entries(
        self, state: QueueState | None, limit: int, after: str | None = None
    ) -> list[QueueEntry]:
        """List entries: first those that wait, in the order in which workers take them.

        Args:
            state: only entries in this state.
            limit: the largest number of entries.
            after: id of the entry with which a list ended: only entries behind it.
        """
        wanted = None if state is None else state.value
        rows = self._rows.all("entries", state=wanted, limit=limit, after=after)
        return [build_value(QueueEntry, dict(row)) for row in rows]

    def get_entry(self, entry_id: str) -> QueueEntry | None:
        """Return an entry by its id; None if no entry has the id."""
        row = self._rows.first("entry", id=entry_id)
        return None if row is None else build_value(QueueEntry, dict(row))

    def list_over_turns(self, turn_ns: Sequence[int]) -> list[QueuedTurn]:
        """List turns that were queued to be read, each with the state of its newest entry."""
        rows = self._rows.tuples("over_turns", ns=list_numbers(turn_ns))
        return [QueuedTurn(n, QueueState(state), error) for n, state, error in rows]

    def status(self) -> QueueStatus:
        """Count the entries of the queue by their states."""
        rows = {row["state"]: row for row in self._rows.all("counts")}
        error = self._rows.first("last_error")
        waiting = rows.get(QueueState.WAITING.value)
        return QueueStatus(
            **{state: row["total"] for state, row in rows.items()},
            oldest_waiting_at=None if waiting is None else waiting["oldest"],
            last_error=None if error is None else error["last_error"],
        )

    def has_done(self) -> bool:
        """Check whether any entry is done."""
        return bool(self._rows.number("has_done"))

    def retry(self, entry_id: str) -> bool:
        """Make a dead, dropped or postponed entry due now; return False for any other entry."""
        return bool(self._rows.change("retry", id=entry_id))

    def drop(self, entry_id: str) -> bool:
        """Drop an entry unread; return False if the entry is finished already."""
        return bool(self._rows.change("drop", id=entry_id, now=now_millis()))

    def finish(self, n: int, owner: str, outcome: str) -> bool:
        """Mark an entry as done, with its outcome; return False if `owner` has lost its lease."""
        return bool(
            self._rows.change("finish", n=n, owner=owner, outcome=outcome, now=now_millis())
        )


class WorkQueue:
    """Extraction queue of all tenants, as workers see it."""

    def __init__(self, connection: Connection) -> None:
        self._rows = TenantRows(connection, _NO_TENANT, "queue")

    def lease_next(
        self, owner: str, now: int, lease_ms: int, tenant: str | None = None
    ) -> LeasedEntry | None:
        """Lease the next entry, of one tenant or of any, to `owner`; None if no entry is due.

        Entries of a session are leased one at a time, in order.
        """
        row = self._rows.first(
            "lease",
            of=tenant,
            owner=owner,
            now=now,
            lease=lease_ms,
            longest_lease=LONGEST_LEASE_MS,
            longest_pause=LONGEST_WAIT_MS,
        )
        return None if row is None else _to_leased(row)

    def rouse(self, tenant: str, now: int, beside: LeasedEntry | None = None) -> None:
        """Make entries due that wait for a pause, or for other entries to be read with.

        Args:
            tenant: the name of the tenant.
            now: UTC epoch ms.
            beside: an entry to whose workspace this is limited; None for all workspaces.
        """
        self._rows.send("rouse", of=tenant, now=now, n=None if beside is None else beside.n)

    def lease_along(
        self, entry: LeasedEntry, owner: str, now: int, lease_ms: int, most_turns: int
    ) -> LeasedEntry | None:
        """Lease the next entry that may be read together with a leased entry; None without one.

        Such an entry is untried, of the same workspace, and of at most `most_turns` turns.
        """
        row = self._rows.first(
            "lease_along",
            n=entry.n,
            owner=owner,
            now=now,
            lease=lease_ms,
            most=most_turns,
            longest_lease=LONGEST_LEASE_MS,
            longest_pause=LONGEST_WAIT_MS,
        )
        return None if row is None else _to_leased(row)

    def renew(self, owners: Iterable[str], now: int, lease_ms: int) -> int:
        """Lengthen all leases of some owners, and return the number of leases."""
        return self._rows.change("renew", owners=as_json(owners), now=now, lease=lease_ms)

    def release(
        self, work: LeasedEntry, owner: str, until: int, error: str, *, blamed: bool
    ) -> bool:
        """Give an entry back until a moment; the attempt counts only if the entry is blamed."""
        return bool(
            self._rows.change(
                "release",
                n=work.n,
                owner=owner,
                until=until,
                error=error,
                forgiven=0 if blamed else 1,
            )
        )

    def mark_dead(self, work: LeasedEntry, owner: str, error: str) -> bool:
        """Mark an entry as dead; return False if `owner` has lost its lease."""
        return bool(
            self._rows.change("mark_dead", n=work.n, owner=owner, error=error, now=now_millis())
        )

    def has_work(self, now: int) -> bool:
        """Check whether an entry is due, or leased by a worker."""
        return bool(self._rows.number("in_hand", now=now, longest_pause=LONGEST_WAIT_MS))

    def next_due_at(self, now: int) -> int | None:
        """Return when the next entry may be leased; None if no entry waits."""
        return self._rows.find_number(
            "next_due", now=now, longest_lease=LONGEST_LEASE_MS, longest_pause=LONGEST_WAIT_MS
        )


def _to_leased(row: Row) -> LeasedEntry:
    return LeasedEntry(**{**dict(row), "kind": QueueKind(row["kind"])})
