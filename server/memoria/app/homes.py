"""Homes of many tenants: each opened when it is called for, and closed when others are.

A home is opened only where there is one: whoever guesses a tenant's name makes no file. A home that
was deleted or replaced is closed at the next call for it.
"""

import logging
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Self

import anyio

from memoria.app.compose import open_home, purge_hidden
from memoria.app.engine import choose_engine
from memoria.app.memory import Memoria
from memoria.app.open_home import OpenHome, SharedParts, in_thread
from memoria.app.refusals import RefusedCalls
from memoria.app.tokens import TokenChecker
from memoria.config import Settings
from memoria.errors import StoreError, StoreUnavailableError
from memoria.inference import LazyEmbedder
from memoria.model import Channel
from memoria.model.access import TEXT_BEGINS, Token, TokenText
from memoria.store.rows.outbox import DueWebhook

_LOG = logging.getLogger(__name__)
_Identity = tuple[int, int]


class TenantHome:
    """One tenant's home while it is open."""

    def __init__(self, home: OpenHome, channel: Channel, identity: _Identity) -> None:
        self.home = home
        self.memory = Memoria(home, channel)
        self.refusals = RefusedCalls(home.store)
        """Log of calls that were refused."""
        self.checker = TokenChecker(home.store, self.refusals)
        """Checker of the tokens that this home has."""
        self.identity = identity

    def is_idle(self) -> bool:
        """Check that nothing waits in the home that can be done now."""
        worker, reader = self.home.worker, self.home.reader
        return (worker is None or worker.is_idle()) and (reader is None or reader.is_idle())


@dataclass(slots=True)
class _HomePlace:
    """Place of a tenant among those that were called for."""

    turn: anyio.Lock = field(default_factory=anyio.Lock)
    """Turn to open the home or to close it."""
    opened: TenantHome | None = None
    closing: AsyncExitStack = field(default_factory=AsyncExitStack)
    calls: int = 0
    """Number of calls that are under way."""


class TenantHomes:
    """Homes of tenants below one folder. For one event loop."""

    def __init__(
        self,
        settings: Settings,
        load: Callable[[str], Settings],
        shared: SharedParts,
        channel: Channel,
    ) -> None:
        """Make an empty collection.

        Args:
            settings: those of the process, with the folder of homes.
            load: loads the settings of a tenant's home.
            shared: what the homes have in common.
            channel: what provenance is stamped with.
        """
        self.settings = settings
        """Settings of the process."""
        self._strangers = RefusedCalls(None)
        self._load = load
        self._shared = shared
        self._channel = channel
        self._places: OrderedDict[str, _HomePlace] = OrderedDict()
        self._surplus = anyio.Event()
        self._unproven = 0
        """Number of homes that are held for a token that is not checked yet."""

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        settings: Settings,
        load: Callable[[str], Settings],
        shared: SharedParts,
        channel: Channel,
    ) -> AsyncIterator[Self]:
        """Serve homes while the block runs, and close all that are open at its end."""
        homes = cls(settings, load, shared, channel)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(homes._close_surplus)
            try:
                yield homes
            finally:
                tasks.cancel_scope.cancel()
                with anyio.CancelScope(shield=True):
                    async with anyio.create_task_group() as closing:
                        for place in homes._places.values():
                            closing.start_soon(homes._close, place)
                    await in_thread(shared.rounds.stop)

    @property
    def embedder(self) -> LazyEmbedder | None:
        """Embedder of all homes; None for none."""
        return self._shared.choose_embedder(self.settings)

    @asynccontextmanager
    async def hold(self, tenant: str) -> AsyncIterator[TenantHome | None]:
        """Keep a tenant's home open while the block runs; None where the tenant has none.

        Raises:
            StoreError: it can't be opened.
        """
        identity = self._identify(tenant)
        if identity is None and tenant not in self._places:
            yield None
            return
        place = self._places.setdefault(tenant, _HomePlace())
        self._places.move_to_end(tenant)
        place.calls += 1
        try:
            async with place.turn:
                if place.opened is not None and place.opened.identity != identity:
                    await self._close(place)
                if place.opened is None and identity is not None:
                    await self._open(tenant, identity, place)
            yield place.opened
        finally:
            place.calls -= 1
            if place.opened is None and not place.calls:
                self._drop(tenant, place)
            else:
                self._tell_surplus()

    def list_open(self) -> list[str]:
        """List the tenants whose homes are open."""
        return [tenant for tenant, place in self._places.items() if place.opened is not None]

    def list_due_webhooks(self, now: int) -> list[DueWebhook]:
        """List the webhooks, in homes that are open, to which events may be sent now.

        Args:
            now: UTC epoch ms.
        """
        opened = [one.opened for one in list(self._places.values())]
        stores = [one.home.store for one in opened if one is not None]
        return [due for store in stores for due in store.list_due_webhooks(now)]

    async def check(self, shown: str, begins: str = TEXT_BEGINS) -> tuple[str, Token] | None:
        """Look a token up in the home of the tenant that it names; None if it opens nothing.

        A home that was opened for a token that opens nothing is closed before any that is used.
        """
        text = TokenText.parse(shown, begins)
        is_first = text is not None and text.tenant not in self._places
        self._unproven += is_first
        try:
            if text is not None:
                async with self.hold(text.tenant) as opened:
                    if opened is not None:
                        found = await opened.checker.check(shown, begins)
                        if found is None and is_first:
                            self._places.move_to_end(text.tenant, last=False)
                        return found
        finally:
            self._unproven -= is_first
            self._tell_surplus()
        await self.note("what was shown is no token of a tenant here")
        return None

    async def note(self, reason: str, tenant: str | None = None, caller: str | None = None) -> None:
        """Note a refused call, in the log of the tenant's home if there is one."""
        if tenant is not None:
            async with self.hold(tenant) as opened:
                if opened is not None:
                    await opened.refusals.note(reason, tenant, caller)
                    return
        await self._strangers.note(reason)

    def find(self, tenant: str) -> Memoria:
        """Return the memory of a tenant whose home is held.

        Raises:
            StoreUnavailableError: it is not open.
        """
        place = self._places.get(tenant)
        if place is None or place.opened is None:
            raise StoreUnavailableError("This memory was closed meanwhile. Call again.")
        return place.opened.memory

    def _identify(self, tenant: str) -> _Identity | None:
        """Return what tells the file of a tenant's home from another; None where there is none."""
        settings = self.settings.model_copy(update={"tenant": tenant})
        return choose_engine(settings).identify(settings)

    async def _open(self, tenant: str, identity: _Identity, place: _HomePlace) -> None:
        with anyio.CancelScope(shield=True):  # else a caller who leaves would leave it half open
            settings = await in_thread(lambda: self._load(tenant))
            async with AsyncExitStack() as stack:
                home = await stack.enter_async_context(open_home(settings, shared=self._shared))
                await in_thread(lambda: purge_hidden(home, tenant))
                opened = TenantHome(home, self._channel, identity)
                stack.push_async_callback(in_thread, opened.memory.spool.close)
                place.closing, place.opened = stack.pop_all(), opened

    async def _close(self, place: _HomePlace) -> None:
        """Close a home; what goes wrong with one is logged and stops no other."""
        with anyio.CancelScope(shield=True):
            place.opened = None
            try:
                await place.closing.aclose()
            except Exception:  # noqa: BLE001  (one home must not stop the others)
                _LOG.exception("A home could not be closed properly")

    async def _close_surplus(self) -> None:
        """Close the homes that were not called for longest, whenever too many are open."""
        while True:
            await self._surplus.wait()
            self._surplus = anyio.Event()
            for tenant, place in list(self._places.items()):
                if not self._has_surplus():
                    break
                if not place.calls:
                    async with place.turn:
                        if await self._may_close(place):
                            await self._close(place)
                            self._drop(tenant, place)
                            self._tell_surplus()  # others may be first by now
                            break

    def _has_surplus(self) -> bool:
        return len(self._places) - self._unproven > self.settings.open_homes

    def _tell_surplus(self) -> None:
        if self._has_surplus():
            self._surplus.set()

    async def _may_close(self, place: _HomePlace) -> bool:
        """Check that nobody calls, and that what waits in the home is done or can't be."""
        opened = place.opened
        if opened is None or place.calls:
            return False
        try:
            is_idle = await in_thread(opened.is_idle)
        except StoreError:
            is_idle = True  # its file is gone or damaged: no more can be done there
        return is_idle and not place.calls

    def _drop(self, tenant: str, place: _HomePlace) -> None:
        if not place.calls and self._places.get(tenant) is place:
            del self._places[tenant]
