"""Delivery of events to webhooks: each at least once and in order, by one process at a time.

Each webhook has its own task, so that an endpoint that never answers holds up no other. How far a
webhook has come is written after its endpoint has answered: a process that ends in between sends
the same again.
"""

import logging
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

import anyio
from anyio.abc import TaskGroup

from memoria.app.homes import TenantHomes
from memoria.app.open_home import OpenHome, in_snapshot, in_thread
from memoria.app.outward import open_client
from memoria.app.refusals import is_told
from memoria.app.webhooks import send_message, write_message
from memoria.errors import MemoriaError
from memoria.model import system_millis
from memoria.model.base import new_id
from memoria.model.events import EventPage
from memoria.store.engine import Store
from memoria.store.rows.outbox import LONGEST_PAUSE_MS, DueWebhook, KeptWebhook
from memoria.store.rows.transaction import Transaction

if TYPE_CHECKING:
    import httpx2

_LOG = logging.getLogger(__name__)
_EVERY_S = 1.0
_LEASE = "webhooks"
_LEASE_MS = 15_000
_RENEWED_AFTER_S = 4.0
"""Age of a lease at which it is renewed: so it outlives an attempt that begins before, which has
ten seconds."""
_MOST_EVENTS = 100
"""Largest number of events in a message."""
_FIRST_PAUSE_MS = 5_000
_MOST_DOUBLINGS = 10


class DeliveryPlaces(NamedTuple):
    """Stores with events to deliver."""

    list_due: Callable[[int], Sequence[DueWebhook]]
    """Lists the webhooks to which events may be sent at a moment, in UTC epoch ms."""
    hold: Callable[[str], AbstractAsyncContextManager[Store | None]]
    """Keeps the store of a tenant open; None where the tenant has none any more."""


def find_places(home: OpenHome | TenantHomes) -> DeliveryPlaces:
    """Return the stores of a home, or of those homes of tenants that are open."""

    @asynccontextmanager
    async def hold(tenant: str) -> AsyncIterator[Store | None]:
        if isinstance(home, OpenHome):
            yield home.store
            return
        async with home.hold(tenant) as opened:
            yield None if opened is None else opened.home.store

    list_due = home.store if isinstance(home, OpenHome) else home
    return DeliveryPlaces(list_due.list_due_webhooks, hold)


def find_pause(attempts: int) -> int:
    """Return the pause after failed attempts, in ms: doubled each time, an hour at most.

    >>> [find_pause(attempts) // 1000 for attempts in (1, 2, 3, 50)]
    [5, 10, 20, 3600]
    """
    return min(LONGEST_PAUSE_MS, _FIRST_PAUSE_MS << min(attempts - 1, _MOST_DOUBLINGS))


class Delivery:
    """Sends the events of tenants to their webhooks."""

    def __init__(
        self,
        places: DeliveryPlaces,
        client: "httpx2.AsyncClient",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Prepare to deliver.

        Args:
            places: where events and webhooks are.
            client: sends messages.
            clock: seconds that only grow.
        """
        self._places = places
        self._client = client
        self._clock = clock
        self._owner = new_id()
        self._leased_at = dict[str, float]()
        self._under_way = set[DueWebhook]()

    async def run(self) -> None:
        """Deliver events as they come, until cancelled; look for them once a second."""
        try:
            async with anyio.create_task_group() as tasks:
                while True:
                    await self.begin_due(tasks)
                    await anyio.sleep(_EVERY_S)
        finally:
            with anyio.CancelScope(shield=True):
                await self._release()

    async def begin_due(self, tasks: TaskGroup) -> None:
        """Start a task for each webhook to which events may be sent now and which has none."""
        try:
            due = await in_thread(lambda: self._places.list_due(system_millis()))
        except MemoriaError as error:
            _LOG.warning("Events wait for their webhooks: %s", error)
            return
        for one in due:
            if one not in self._under_way:
                self._under_way.add(one)
                tasks.start_soon(self._serve, one)

    async def _serve(self, due: DueWebhook) -> None:
        try:
            async with self._places.hold(due.tenant) as store:
                if store is not None:
                    await self.deliver(store, due)
        except MemoriaError as error:  # it is another's turn
            _LOG.warning("Events for a webhook wait: %s", error)
        except Exception:  # noqa: BLE001  (it is logged, and no other webhook waits for it)
            _LOG.exception("A delivery raised an unexpected exception")
        finally:
            self._under_way.discard(due)

    async def deliver(self, store: Store, due: DueWebhook) -> None:
        """Send events to a webhook until all have arrived or an attempt fails."""
        while await self._send_next(store, due):
            pass

    async def _send_next(self, store: Store, due: DueWebhook) -> bool:
        """Send the next events to a webhook; return False if no more are to be sent now."""
        found = await in_snapshot(store, due.tenant, lambda tx: _read(tx, due.id))
        if found is None or not await self._has_lease(store, due.tenant):
            return False
        kept, page = found
        fault = None
        if page.events:
            message = write_message(kept.webhook, page, system_millis())
            fault = await send_message(self._client, kept, message)
        is_noted = await in_thread(lambda: self._note(store, due, kept, page, fault))
        return is_noted and fault is None

    async def _has_lease(self, store: Store, tenant: str) -> bool:
        """Take or keep the lease on a tenant's webhooks; return False while another has it."""
        if self._clock() - self._leased_at.get(tenant, float("-inf")) < _RENEWED_AFTER_S:
            return True

        def take() -> bool:
            with store.read(tenant) as tx:  # nobody waits for a look
                if tx.leases.owner(_LEASE, system_millis()) not in (None, self._owner):
                    return False
            with store.write(tenant, is_brief=True, only_adds=True) as tx:
                return tx.leases.take(_LEASE, self._owner, system_millis(), _LEASE_MS)

        leased_at = self._clock()
        is_taken = await in_thread(take)
        if is_taken:
            self._leased_at[tenant] = leased_at
        else:
            self._leased_at.pop(tenant, None)
        return is_taken

    async def _release(self) -> None:
        """Give the leases back, so that another process need not wait for their end."""

        def release(store: Store, tenant: str) -> None:
            with store.write(tenant, is_brief=True, only_adds=True) as tx:
                tx.leases.release(_LEASE, self._owner)

        for tenant in self._leased_at:
            try:
                async with self._places.hold(tenant) as store:
                    if store is not None:
                        await in_thread(partial(release, store, tenant))
            except MemoriaError as error:
                _LOG.warning(
                    "Another process delivers events only when a lease has ended: %s", error
                )

    def _note(
        self, store: Store, due: DueWebhook, kept: KeptWebhook, page: EventPage, fault: str | None
    ) -> bool:
        """Write what came of an attempt; return False if another process delivers meanwhile."""
        now = system_millis()
        with store.write(due.tenant, is_brief=True, only_adds=True) as tx:
            if tx.leases.owner(_LEASE, now) != self._owner:
                return False
            if fault is None:
                tx.webhooks.note_sent(due.id, page.reached, now if page.events else None)
                return True
            attempts = kept.webhook.attempts + 1
            tx.webhooks.note_failed(due.id, now + find_pause(attempts), fault)
        if is_told(attempts):
            host = urlsplit(kept.webhook.url).hostname
            _LOG.warning("A webhook at %s gets no events, attempt %s: %s", host, attempts, fault)
        return True


def _read(tx: Transaction, webhook_id: str) -> tuple[KeptWebhook, EventPage] | None:
    """Return a webhook with the events to send to it next; None if there is nothing to do."""
    kept = tx.webhooks.find(webhook_id)
    if kept is None or kept.webhook.sent == tx.outbox.newest():
        return None
    return kept, tx.outbox.read(kept.webhook.sent, _MOST_EVENTS)


async def deliver_events(home: OpenHome | TenantHomes) -> None:
    """Deliver the events of a home, or of the tenants' homes that are open, until cancelled."""
    async with await open_client(home.settings.private_networks or ()) as client:
        await Delivery(find_places(home), client).run()
