"""Watching core files: a subscribed client is told when maintenance or a user's edit changed one.

Clients of either era subscribe: newer ones listen to the bus, older ones ask for a resource by name
and are sent to. No file is looked at while nobody has subscribed.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import anyio
from mcp.server import ServerRequestContext
from mcp.server.session import ServerSession
from mcp.server.subscriptions import InMemorySubscriptionBus, ResourceUpdated, ServerEvent
from mcp.types import EmptyResult, SubscribeRequestParams, UnsubscribeRequestParams

from memoria.app import Memoria

_EVERY_S = 2.0
_State = tuple[int, int, int] | None
Context = ServerRequestContext[Memoria]


@dataclass(slots=True)
class LegacyClient:
    """A client of the older era, and the resources it has subscribed to."""

    session: ServerSession
    uris: set[str] = field(default_factory=set)


class Subscribers(InMemorySubscriptionBus):
    """Subscribers to resources, each with what they want to be told of."""

    def __init__(self) -> None:
        super().__init__()
        self._listening: set[object] = set()
        self._legacy: list[LegacyClient] = []
        self._arrival = anyio.Event()

    def subscribe(self, listener: Callable[[ServerEvent], None]) -> Callable[[], None]:
        """Tell a listener of every event from now on; return what ends that."""
        token, unsubscribe = object(), super().subscribe(listener)
        self._listening.add(token)
        self._arrival.set()

        def end() -> None:
            self._listening.discard(token)
            unsubscribe()

        return end

    async def add_legacy(self, context: Context, params: SubscribeRequestParams) -> EmptyResult:
        """Tell a client of the older era of a resource from now on."""
        self._legacy_client(context.session).uris.add(str(params.uri))
        self._arrival.set()
        return EmptyResult()

    async def remove_legacy(
        self, context: Context, params: UnsubscribeRequestParams
    ) -> EmptyResult:
        """Stop telling a client of the older era of a resource."""
        self._legacy_client(context.session).uris.discard(str(params.uri))
        return EmptyResult()

    async def publish(self, event: ServerEvent) -> None:
        """Tell everybody who wants to know."""
        await super().publish(event)
        if isinstance(event, ResourceUpdated):
            for client in [one for one in self._legacy if event.uri in one.uris]:
                try:
                    await client.session.send_resource_updated(event.uri)
                except (anyio.BrokenResourceError, anyio.ClosedResourceError):
                    self._legacy.remove(client)  # it has gone without a word

    @property
    def has_any(self) -> bool:
        """True if there is anybody."""
        return bool(self._listening) or any(client.uris for client in self._legacy)

    async def wait_for_any(self) -> None:
        """Wait until there is somebody."""
        while not self.has_any:
            self._arrival = anyio.Event()
            await self._arrival.wait()

    def _legacy_client(self, session: ServerSession) -> LegacyClient:
        """Return the client that asks.

        Every request has a session of its own, but the parameters of the handshake are one object
        for the whole connection, and so tell two clients apart.
        """
        for client in self._legacy:
            if client.session.client_params is session.client_params:
                return client
        self._legacy.append(LegacyClient(session))
        return self._legacy[-1]


async def watch_files(subscribers: Subscribers, files: Mapping[str, Path]) -> None:
    """Tell of every change to some files; until cancelled.

    Args:
        subscribers: whom.
        files: by the URI of the resource that shows it.
    """
    while True:
        await subscribers.wait_for_any()
        known = _file_states(files)
        while subscribers.has_any:
            await anyio.sleep(_EVERY_S)
            before, known = known, _file_states(files)
            for uri in (uri for uri in files if known[uri] != before[uri]):
                await subscribers.publish(ResourceUpdated(uri=uri))


def _file_states(files: Mapping[str, Path]) -> dict[str, _State]:
    return {uri: _file_state(file) for uri, file in files.items()}


def _file_state(file: Path) -> _State:
    try:
        found = file.lstat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns
