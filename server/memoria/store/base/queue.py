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
        """Put a segment into the queue. False if it has been there already, or holds no turn.

        Where a message was edited since, it is another segment.
        """
        ...

    def list_entries(self, state: QueueState | None, limit: int) -> list[QueueEntry]:
        """Entries, those that wait first and in the order they will be taken."""
        ...

    def get_entry(self, entry_id: str) -> QueueEntry | None:
        """An entry by its id."""
        ...

    def status(self) -> QueueStatus:
        """How much is in the queue."""
        ...

    def has_done(self) -> bool:
        """Whether anything was read yet."""
        ...

    def widen(
        self, session_n: int, turn_index: int, priority: int, not_before: int, longest_ms: int
    ) -> bool:
        """Let the entry that waits for a pause of its session end with a further turn.

        It waits until `not_before` then, but never longer than `longest_ms` from when it was made.
        False if there is no such entry.
        """
        ...

    def list_resting(self, session_n: int, now: int) -> list[tuple[int, int, int]]:
        """(session, first turn, last turn) of what waits to be read with more of a workspace.

        Args:
            session_n: a session of it.
            now: UTC epoch ms.
        """
        ...

    def absorb(self, session_n: int, first_index: int, last_index: int) -> int:
        """Take out the extractions within a segment that nobody has tried; gives their number."""
        ...

    def find_summary(self, session_n: int, first_index: int, last_index: int) -> int | None:
        """The number of the entry by which a segment is to be summed up now."""
        ...

    def finish_summary(self, n: int, outcome: str) -> bool:
        """Finish a summary that nobody holds. False if somebody does, or it is finished."""
        ...

    def retry(self, entry_id: str) -> bool:
        """Let a dead, dropped or postponed entry be tried now. False if there is nothing to do."""
        ...

    def drop(self, entry_id: str) -> bool:
        """Take an entry out, unread. False if it is finished already."""
        ...

    def finish(self, n: int, owner: str, outcome: str) -> bool:
        """Mark an entry as done, with what came of it. False if it is not `owner`'s any more."""
        ...


class WorkQueue(Protocol):
    """Segments to look at, for all tenants: an extraction worker's view of the store."""

    def lease_next(
        self, owner: str, now: int, lease_ms: int, tenant: str | None = None
    ) -> LeasedEntry | None:
        """The next entry, of one tenant or of any, now `owner`'s; None if nothing is due.

        Of a session, one entry at a time: what was said first is understood first.
        """
        ...

    def rouse(self, tenant: str, now: int, beside: LeasedEntry | None = None) -> None:
        """Let be read now what waits for a pause or for company.

        Args:
            tenant: whose.
            now: UTC epoch ms.
            beside: only what is of the workspace of this one; without it, all.
        """
        ...

    def lease_along(
        self, entry: LeasedEntry, owner: str, now: int, lease_ms: int, most_turns: int
    ) -> LeasedEntry | None:
        """The next entry that may be read together with a leased one, now `owner`'s as well.

        It is of the same workspace, from another session, of at most so many turns, and nobody has
        tried it before.
        """
        ...

    def renew(self, owners: Iterable[str], now: int, lease_ms: int) -> int:
        """Lengthen the leases of these owners. Gives how many there are."""
        ...

    def release(
        self, work: LeasedEntry, owner: str, until: int, error: str, *, blamed: bool
    ) -> bool:
        """Give an entry back until a moment. Unless it is blamed, the attempt does not count."""
        ...

    def mark_dead(self, work: LeasedEntry, owner: str, error: str) -> bool:
        """Mark an entry as a dead letter: nobody tries it until somebody asks for it."""
        ...

    def has_work(self, now: int) -> bool:
        """Whether an entry is due, or with a worker already."""
        ...

    def next_due_at(self, now: int) -> int | None:
        """When the next entry may be taken; None if none waits."""
        ...
