"""Watching core files: who has subscribed to one is told when a night or a hand has changed it.

Clients of either era subscribe: newer ones listen to the bus, older ones ask for a resource by name
and are sent to. Nothing is looked at while nobody has subscribed.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import anyio
from mcp.server.connection import Connection
from mcp.server.context import ServerRequestContext
from mcp.server.subscriptions import InMemorySubscriptionBus, ResourceUpdated, ServerEvent
from mcp.types import EmptyResult, SubscribeRequestParams, UnsubscribeRequestParams

_EVERY_S = 2.0
_State = tuple[int, int, int] | None
Context = ServerRequestContext[Any, Any]


class Subscribers(InMemorySubscriptionBus):
    """Who wants to be told of which resource."""

    def __init__(self) -> None:
        super().__init__()
        self._older: WeakKeyDictionary[Connection, set[str]] = WeakKeyDictionary()
        self._some = anyio.Event()

    def subscribe(self, listener: Callable[[ServerEvent], None]) -> Callable[[], None]:
        """Tell a listener of every event from now on; gives what ends that."""
        self._some.set()
        return super().subscribe(listener)

    async def add_legacy(self, context: Context, params: SubscribeRequestParams) -> EmptyResult:
        """Tell a client of the older era of a resource from now on."""
        self._older.setdefault(_connection(context), set()).add(str(params.uri))
        self._some.set()
        return EmptyResult()

    async def remove_legacy(
        self, context: Context, params: UnsubscribeRequestParams
    ) -> EmptyResult:
        """Tell it no more."""
        self._older.get(_connection(context), set()).discard(str(params.uri))
        return EmptyResult()

    async def publish(self, event: ServerEvent) -> None:
        """Tell everybody who wants to know."""
        await super().publish(event)
        if isinstance(event, ResourceUpdated):
            wanting = [one for one, uris in self._older.items() if event.uri in uris]
            for connection in wanting:
                await connection.send_resource_updated(event.uri)

    @property
    def has_any(self) -> bool:
        """Whether there is anybody."""
        return bool(self._listeners) or any(self._older.values())

    async def wait_for_any(self) -> None:
        """Wait until there is somebody."""
        while not self.has_any:
            self._some = anyio.Event()
            await self._some.wait()


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
        found = file.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def _connection(context: Context) -> Connection:
    """Who asks, the same for all that it asks; the SDK shows no more than each question."""
    return context.session._connection  # noqa: SLF001  (nothing public tells two clients apart)
