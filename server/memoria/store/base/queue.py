"""The extraction queue, as one tenant sees it and as a worker does."""

from collections.abc import Iterable
from typing import Protocol

from memoria.model import (
    QueueEntry,
    QueueState,
    QueueStatus,
)
from memoria.store.values import (
    LeasedEntry,
    NewQueueEntry,
)


class Queue(Protocol):
    """A tenant's segments of conversation that wait for the extractor."""

    def add(self, entry: NewQueueEntry) -> bool:
        """Put a segment into the queue; return False if it was there already, or holds no turn.

        After a message was edited, it counts as another segment.
        """
        ...

    def list_entries(self, state: QueueState | None, limit: int) -> list[QueueEntry]:
        """List entries, those that wait first and in the order they will be taken."""
        ...

    def get_entry(self, entry_id: str) -> QueueEntry | None:
        """Return an entry by its id; None if there is none."""
        ...

    def status(self) -> QueueStatus:
        """Count the entries of the queue by their states."""
        ...

    def has_done(self) -> bool:
        """Check whether any entry is done."""
        ...

    def widen(
        self, session_n: int, turn_index: int, priority: int, not_before: int, longest_ms: int
    ) -> bool:
        """Extend the entry that waits for a pause of its session by a further turn.

        It then waits until `not_before`, but never longer than `longest_ms` from when it was made.
        Returns False if there is no such entry.
        """
        ...

    def list_resting(self, session_n: int, now: int) -> list[tuple[int, int, int]]:
        """List (session, first turn, last turn) of entries that wait for others of a workspace.

        Args:
            session_n: a session of the workspace.
            now: UTC epoch ms.
        """
        ...

    def absorb(self, session_n: int, first_index: int, last_index: int) -> int:
        """Take out the extractions within a segment that nobody has tried; return their number."""
        ...

    def find_summary(self, session_n: int, first_index: int, last_index: int) -> int | None:
        """Return the number of the entry that is to sum up a segment now; None if there is none."""
        ...

    def finish_summary(self, n: int, outcome: str) -> bool:
        """Finish a summary that nobody holds; return False if somebody does, or it is finished."""
        ...

    def retry(self, entry_id: str) -> bool:
        """Let a dead, dropped or postponed entry be tried now; return False if there is none."""
        ...

    def drop(self, entry_id: str) -> bool:
        """Take an entry out, unread; return False if it is finished already."""
        ...

    def finish(self, n: int, owner: str, outcome: str) -> bool:
        """Mark an entry as done with its outcome; return False if it is not `owner`'s any more."""
        ...


class WorkQueue(Protocol):
    """Segments to look at, for all tenants: an extraction worker's view of the store."""

    def lease_next(
        self, owner: str, now: int, lease_ms: int, tenant: str | None = None
    ) -> LeasedEntry | None:
        """Lease the next entry, of one tenant or of any, to `owner`; None if nothing is due.

        Entries of a session are leased one at a time: what was said first is understood first.
        """
        ...

    def rouse(self, tenant: str, now: int, beside: LeasedEntry | None = None) -> None:
        """Make entries due now that wait for a pause or for others to be read with.

        Args:
            tenant: whose entries.
            now: UTC epoch ms.
            beside: limits this to the workspace of this entry; None for all.
        """
        ...

    def lease_along(
        self, entry: LeasedEntry, owner: str, now: int, lease_ms: int, most_turns: int
    ) -> LeasedEntry | None:
        """Lease the next entry that may be read together with a leased one; None if there is none.

        It is of the same workspace, from another session, of at most `most_turns` turns, and nobody
        has tried it before.
        """
        ...

    def renew(self, owners: Iterable[str], now: int, lease_ms: int) -> int:
        """Lengthen the leases of these owners, and return their number."""
        ...

    def release(
        self, work: LeasedEntry, owner: str, until: int, error: str, *, blamed: bool
    ) -> bool:
        """Give an entry back until a moment; unless it is blamed, the attempt does not count."""
        ...

    def mark_dead(self, work: LeasedEntry, owner: str, error: str) -> bool:
        """Mark an entry as a dead letter; return False if it is not `owner`'s any more."""
        ...

    def has_work(self, now: int) -> bool:
        """Check whether an entry is due, or with a worker already."""
        ...

    def next_due_at(self, now: int) -> int | None:
        """Return when the next entry may be taken; None if none waits."""
        ...
