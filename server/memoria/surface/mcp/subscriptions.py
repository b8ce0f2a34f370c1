"""Subscriptions to resources: each tenant's clients are told of that tenant's changes alone."""

import logging
from collections.abc import Awaitable, Callable, Collection, Hashable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial

import anyio
from mcp.server.session import ServerSession
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    ResourceUpdated,
    ServerEvent,
)
from mcp.shared.exceptions import MCPError
from mcp.types import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    EmptyResult,
    SubscribeRequestParams,
    SubscriptionsListenRequestParams,
    SubscriptionsListenResult,
    UnsubscribeRequestParams,
)
from starlette.requests import HTTPConnection

from memoria.app import Memoria
from memoria.errors import StoreError
from memoria.surface.mcp.calls import RequestContext, find_connection, find_memory
from memoria.surface.mcp.resources import CORE_URIS, look_at_core

_LOG = logging.getLogger(__name__)
_EVERY_S = 2.0
_PATIENCE_S = 1.0
"""Longest time for a client of the older era to take a notice."""
MOST_SUBSCRIBERS = 64
"""Largest number of a tenant's subscribers, in each era."""
_MOST_URIS = 100
"""Largest number of resources of one subscriber."""
_LONGEST_URI = 2_000
_MOST_TENANTS = 1_000
"""Number of tenants beyond which those without subscribers are dropped."""
Look = Callable[[], Awaitable[dict[str, Hashable]]]
Holds = Callable[[object], Awaitable[bool]]
"""Function that tells whether the token of a request holds still."""


async def always_holds(_request: object) -> bool:
    """Return that the caller may be told: a server on a stream asks for no token."""
    return True


@dataclass(slots=True, eq=False)
class Stream:
    """A client of the newer era that listens."""

    request: object
    uris: frozenset[str]
    scope: anyio.CancelScope


@dataclass(slots=True)
class LegacyClient:
    """A client of the older era, and the resources that it has subscribed to."""

    request: object
    session: ServerSession
    uris: set[str] = field(default_factory=set)


class Subscribers:
    """Subscribers to the resources of one tenant, each with those it wants to be told of."""

    def __init__(
        self,
        look: Look | None = None,
        holds: Holds = always_holds,
        note_arrival: Callable[[], None] = lambda: None,
    ) -> None:
        """Make a tenant's subscribers, of whom there are none yet.

        Args:
            look: returns values that change with the core files, by the URIs of their resources;
                without it none is watched.
            holds: asked of each subscriber's request before it is told anything.
            note_arrival: called when somebody has subscribed.
        """
        self._look = look
        self._holds = holds
        self._note_arrival = note_arrival
        self._bus = InMemorySubscriptionBus()
        self._handler = ListenHandler(self._bus, max_subscriptions=MOST_SUBSCRIBERS)
        self._streams = set[Stream]()
        self._legacy = dict[object, LegacyClient]()
        self._known = dict[str, Hashable]()

    @property
    def has_any(self) -> bool:
        """True if somebody has subscribed."""
        return bool(self._streams or self._legacy)

    @property
    def has_watched(self) -> bool:
        """True if somebody has subscribed to a file."""
        return self._look is not None and not CORE_URIS.isdisjoint(self._list_wanted())

    def subscribe(self, listener: Callable[[ServerEvent], None]) -> Callable[[], None]:
        """Tell a listener of every event from now on; return what ends that."""
        return self._bus.subscribe(listener)

    async def listen(
        self, context: RequestContext, params: SubscriptionsListenRequestParams
    ) -> SubscriptionsListenResult:
        """Tell a client of the newer era of changes until it goes, or its token ends.

        Raises:
            MCPError: these are too many resources, or the token holds no longer.
        """
        uris = frozenset(params.notifications.resource_subscriptions or ())
        _refuse_too_many(uris)
        with anyio.CancelScope() as scope:
            stream = Stream(_without_body(context.request), uris, scope)
            self._streams.add(stream)
            try:
                await self._begin(uris)
                return await self._handler(context, params)
            finally:
                self._streams.discard(stream)
        raise MCPError(INVALID_REQUEST, "The token of this stream holds no longer.")

    async def add_legacy(self, context: RequestContext, uri: str) -> None:
        """Tell a client of the older era of a resource from now on.

        Raises:
            MCPError: it has subscribed to too many.
        """
        key = find_connection(context)
        # Whoever has subscribed last stays: a client that went may have said nothing.
        request = _without_body(context.request)
        client = self._legacy.pop(key, None) or LegacyClient(request, context.session)
        _refuse_too_many(client.uris | {uri})
        client.uris.add(uri)
        self._legacy[key] = client
        if len(self._legacy) > MOST_SUBSCRIBERS:
            del self._legacy[next(iter(self._legacy))]
        await self._begin({uri})

    def remove_legacy(self, context: RequestContext, uri: str) -> None:
        """Stop telling a client of the older era of a resource."""
        client = self._legacy.get(find_connection(context))
        if client is not None:
            client.uris.discard(uri)
            if not client.uris:
                del self._legacy[find_connection(context)]

    async def publish(self, event: ServerEvent) -> None:
        """Tell an event to its subscribers, except those whose tokens hold no longer."""
        for stream in list(self._streams):
            if not await self._holds(stream.request):
                stream.scope.cancel()
        await self._bus.publish(event)
        if isinstance(event, ResourceUpdated):
            for key, client in list(self._legacy.items()):
                if event.uri in client.uris and not await self._tell(client, event.uri):
                    self._legacy.pop(key, None)

    async def look(self) -> None:
        """Tell subscribers of the files that have changed since the last look."""
        wanted = self._list_wanted()
        states = await self._read_states()
        if states is None:
            return  # the next look finds what has changed meanwhile
        before = self._known
        self._known = {uri: state for uri, state in states.items() if uri in wanted}
        changed = [uri for uri, state in self._known.items() if state != before.get(uri, state)]
        for uri in changed:
            await self.publish(ResourceUpdated(uri=uri))

    async def _tell(self, client: LegacyClient, uri: str) -> bool:
        """Tell a client of the older era; return False if it has gone or may not be told."""
        if not await self._holds(client.request):
            return False
        with (
            suppress(anyio.BrokenResourceError, anyio.ClosedResourceError),
            anyio.move_on_after(_PATIENCE_S),
        ):
            await client.session.send_resource_updated(uri)
            return True
        return False

    async def _begin(self, uris: Collection[str]) -> None:
        if not CORE_URIS.isdisjoint(uris):
            states = await self._read_states() or {}
            for uri in states.keys() & uris:
                self._known.setdefault(uri, states[uri])
        self._note_arrival()

    async def _read_states(self) -> dict[str, Hashable] | None:
        """Return the present states of the core files; None if they can't be read now."""
        try:
            return None if self._look is None else await self._look()
        except StoreError as error:
            _LOG.warning("Core files can't be looked at: %s", error)
            return None

    def _list_wanted(self) -> set[str]:
        wanted = set[str]()
        return wanted.union(
            *(one.uris for one in self._streams), *(one.uris for one in self._legacy.values())
        )


class Subscriptions:
    """The subscribers of every tenant that a server serves."""

    def __init__(self, holds: Holds = always_holds) -> None:
        """Make the subscribers of a server.

        Args:
            holds: tells whether the token of a subscriber's request holds still.
        """
        self._holds = holds
        self._of = dict[str, Subscribers]()
        self._arrival = anyio.Event()

    def find(self, context: RequestContext) -> Subscribers:
        """Return the subscribers of the tenant that a request reaches."""
        return self.of(find_memory(context))

    def of(self, memory: Memoria) -> Subscribers:
        """Return the subscribers of a memory's tenant."""
        found = self._of.get(memory.tenant)
        if found is None:
            if len(self._of) >= _MOST_TENANTS:
                self._of = {tenant: one for tenant, one in self._of.items() if one.has_any}
            look = partial(look_at_core, memory)
            found = Subscribers(look, self._holds, self._note_arrival)
            self._of[memory.tenant] = found
        return found

    async def listen(
        self, context: RequestContext, params: SubscriptionsListenRequestParams
    ) -> SubscriptionsListenResult:
        """Tell a client of the newer era of its tenant's changes."""
        return await self.find(context).listen(context, params)

    async def add_legacy(
        self, context: RequestContext, params: SubscribeRequestParams
    ) -> EmptyResult:
        """Tell a client of the older era of a resource from now on."""
        await self.find(context).add_legacy(context, str(params.uri))
        return EmptyResult()

    async def remove_legacy(
        self, context: RequestContext, params: UnsubscribeRequestParams
    ) -> EmptyResult:
        """Stop telling a client of the older era of a resource."""
        self.find(context).remove_legacy(context, str(params.uri))
        return EmptyResult()

    async def watch(self) -> None:
        """Tell subscribers of every change to their core files, until cancelled.

        Only the files of tenants with subscribers are looked at, and while there are none, nothing.
        """
        while True:
            if not any(one.has_watched for one in self._of.values()):
                self._arrival = anyio.Event()
                await self._arrival.wait()
                continue
            await anyio.sleep(_EVERY_S)
            for one in list(self._of.values()):
                await one.look()

    def _note_arrival(self) -> None:
        self._arrival.set()  # each time it is waited for, it is another


def _refuse_too_many(uris: Collection[str]) -> None:
    if len(uris) > _MOST_URIS:
        problem = f"A client may subscribe to {_MOST_URIS} resources at most; these are {len(uris)}"
        raise MCPError(INVALID_PARAMS, f"{problem}.")
    if any(len(uri) > _LONGEST_URI for uri in uris):
        raise MCPError(
            INVALID_PARAMS, f"No resource has a URI of more than {_LONGEST_URI} letters."
        )


def _without_body(request: object) -> HTTPConnection | None:
    """Return what came with a request but its body, which would be kept as long as a subscriber."""
    return HTTPConnection(request.scope) if isinstance(request, HTTPConnection) else None
