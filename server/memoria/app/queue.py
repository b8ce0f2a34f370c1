"""The extraction queue, as its owner sees and changes it."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from memoria.app.arguments import Count, Text, check_arguments
from memoria.app.threads import in_snapshot, in_thread
from memoria.erasure.suppression import Digester
from memoria.errors import InvalidInputError
from memoria.model import QueueEntry, QueueState, QueueStatus, now_millis
from memoria.store.engine import Store
from memoria.store.rows.transaction import Transaction

if TYPE_CHECKING:
    from memoria.ingest.intake import IntakeLimits

_EVERY_ENTRY = 1_000_000
_AT_ONCE = 500
"""Segments queued in one transaction, so that nobody has to wait long to write."""
NO_CHAT_MODEL = (
    "No chat model is configured, so nobody can read. `memoria model` finds one that you have."
)


class ExtractionService(Protocol):
    """Background service that has a chat model read what was recorded."""

    @property
    def intake(self) -> "IntakeLimits":
        """Limits that say what it wants to read at once, and what later."""
        ...

    @property
    def is_reading(self) -> bool:
        """True if what waits is read in this process."""
        ...

    def wake(self) -> None:
        """Wake the service: something was queued."""
        ...

    def is_idle(self) -> bool:
        """Check whether there is nothing to read now."""
        ...


class ExtractionQueue:
    """Queue of one tenant's conversations for a chat model. See `Memoria.queue`."""

    def __init__(
        self, store: Store, tenant: str, digester: Digester, reader: ExtractionService | None
    ) -> None:
        self._store = store
        self._digester = digester
        self._tenant = tenant
        self._reader = reader

    @property
    def has_reader(self) -> bool:
        """True if a chat model is configured to read what is recorded."""
        return self._reader is not None

    @check_arguments
    async def status(self) -> QueueStatus:
        """Count what waits for a chat model, what it has read and what was given up."""
        return await in_snapshot(self._store, self._tenant, lambda tx: tx.queue.status())

    @check_arguments
    async def list_entries(
        self, state: QueueState | None = None, *, limit: Count = 50
    ) -> list[QueueEntry]:
        """List segments of conversation in the queue, those that wait first."""
        return await in_snapshot(
            self._store, self._tenant, lambda tx: tx.queue.list_entries(state, limit)
        )

    @check_arguments
    async def retry(self, ids: Sequence[Text] | None = None) -> list[str]:
        """Let segments be tried again that were given up, dropped or put off.

        Gives the ids of those for which there was something to do.

        Args:
            ids: which; all that were given up or put off by default.
        """
        changed = await self._change(ids, lambda tx, i: tx.queue.retry(i))
        if self._reader is not None:
            self._reader.wake()
        return changed

    @check_arguments
    async def rouse(self) -> None:
        """Let what waits for a pause, or for more to be read with, be read now."""

        def rousing() -> None:
            with self._store.work_queue(write=True) as queue:
                queue.rouse(self._tenant, now_millis())

        await in_thread(rousing)
        if self._reader is not None:
            self._reader.wake()

    @check_arguments
    async def drop(self, ids: Sequence[Text] | None = None) -> list[str]:
        """Take segments out of the queue unread. Return the ids of those that were in it.

        Args:
            ids: which; all that wait or were given up by default.
        """
        return await self._change(ids, lambda tx, i: tx.queue.drop(i))

    @check_arguments
    async def fill(self) -> int:
        """Queue what was recorded while there was no chat model. Return how many segments.

        Raises:
            InvalidInputError: there is none now.
        """
        reader = self._reader
        if reader is None:
            raise InvalidInputError(NO_CHAT_MODEL)

        def filling() -> int:
            with self._store.write(self._tenant) as tx:
                return self._queue_missing(tx, reader.intake)

        filled = 0
        while some := await in_thread(filling):
            filled += some
            reader.wake()
        return filled

    def _queue_missing(self, tx: Transaction, limits: "IntakeLimits") -> int:
        from memoria.ingest.intake import Intake  # noqa: PLC0415  (a start-up must not pay for it)

        unread = tx.conversations.list_unqueued_segments(_AT_ONCE)
        at_once = replace(limits, wait_ms=0)
        Intake(tx, self._digester, at_once, now_millis()).queue_segments(unread)
        return len(unread)

    @check_arguments
    async def is_idle(self) -> bool:
        """Check whether there is nothing to read now."""
        return self._reader is None or await in_thread(self._reader.is_idle)

    async def _change(
        self, ids: Sequence[str] | None, change: Callable[[Transaction, str], bool]
    ) -> list[str]:
        def changing() -> list[str]:
            with self._store.write(self._tenant) as tx:
                return [i for i in (_list_open(tx) if ids is None else ids) if change(tx, i)]

        return await in_thread(changing)


def _list_open(tx: Transaction) -> list[str]:
    """List ids of the queue's entries that wait or were given up."""
    states = (QueueState.DEAD, QueueState.WAITING)
    return [entry.id for state in states for entry in tx.queue.list_entries(state, _EVERY_ENTRY)]
