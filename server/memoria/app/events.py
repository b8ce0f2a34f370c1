"""Events as programs follow them: read from the outbox, with one look for all who listen."""

from collections.abc import Iterator
from contextlib import contextmanager

import anyio

from memoria.app.open_home import in_snapshot
from memoria.errors import MemoriaError
from memoria.model.events import EventPage, EventPosition
from memoria.store.engine import Store

_EVERY_S = 0.5
MOST_LISTENERS = 64
"""Largest number of a tenant's listeners in a process."""


class EventQueries:
    """The events of one tenant."""

    def __init__(self, store: Store, tenant: str) -> None:
        self._store = store
        self._tenant = tenant

    async def newest(self) -> EventPosition:
        """Return the place of the newest event."""
        return await in_snapshot(self._store, self._tenant, lambda tx: tx.outbox.newest())

    async def read(self, after: EventPosition, limit: int) -> EventPage:
        """Return the first events after a place; where some are gone, one that says so."""
        return await in_snapshot(self._store, self._tenant, lambda tx: tx.outbox.read(after, limit))


class EventFeed:
    """Knowledge of a tenant's newest event, for those who listen."""

    def __init__(self, queries: EventQueries) -> None:
        self._queries = queries
        self._newest: EventPosition | None = None
        self._fault: MemoriaError | None = None
        self._changed = anyio.Event()
        self.listeners = 0
        """Number of those who listen."""
        self.has_ended = False
        """True once nobody is told anything more, because the process stops."""

    async def wait_beyond(self, reached: EventPosition, within_s: float) -> bool:
        """Wait for an event beyond a place; return False if there is none within some seconds.

        Raises:
            MemoriaError: events can't be read.
        """
        with anyio.move_on_after(within_s):
            while self._fault is None and self._newest in (None, reached) and not self.has_ended:
                await self._changed.wait()
        if self._fault is not None:
            raise self._fault
        return self._newest not in (None, reached)

    def end(self) -> None:
        """Have those who listen leave."""
        self.has_ended = True
        self._changed.set()

    async def look(self) -> None:
        """Look for a new event, and wake those who listen if there is one, or if that fails."""
        try:
            newest = await self._queries.newest()
        except MemoriaError as error:
            newest, self._fault = None, error
        if self._fault is not None or newest != self._newest:
            self._newest = newest
            self._changed.set()
            self._changed = anyio.Event()


class EventFeeds:
    """The feeds of all tenants to whom a process listens: one look each, however many listen."""

    def __init__(self) -> None:
        self._feeds = dict[str, EventFeed]()
        self._arrival = anyio.Event()
        self.stopping = anyio.Event()
        """Event that is set when the process stops."""

    def is_full(self, tenant: str) -> bool:
        """Check whether as many listen to a tenant as may."""
        feed = self._feeds.get(tenant)
        return feed is not None and feed.listeners >= MOST_LISTENERS

    @contextmanager
    def follow(self, tenant: str, queries: EventQueries) -> Iterator[EventFeed]:
        """Listen to a tenant while the block runs."""
        feed = self._feeds.get(tenant)
        if feed is None:
            feed = self._feeds[tenant] = EventFeed(queries)
        feed.listeners += 1
        self._arrival.set()
        try:
            yield feed
        finally:
            feed.listeners -= 1
            if not feed.listeners and self._feeds.get(tenant) is feed:
                del self._feeds[tenant]

    async def watch(self) -> None:
        """Look for new events of those tenants, twice a second, until cancelled."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._end_when_stopping)
            while True:
                if not self._feeds:
                    self._arrival = anyio.Event()
                    await self._arrival.wait()
                for feed in list(self._feeds.values()):
                    await feed.look()
                await anyio.sleep(_EVERY_S)

    async def _end_when_stopping(self) -> None:
        await self.stopping.wait()
        for feed in self._feeds.values():
            feed.end()
