"""Building the MCP server, and its background tasks: the spool and watched core files."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import IO, cast

import anyio
import anyio.lowlevel
from mcp.server import Server
from mcp.server.caching import CacheHint
from mcp.server.mcpserver import RequestStateBoundary, RequestStateSecurity
from mcp.server.session import ServerSession
from mcp.server.stdio import stdio_server
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    ResourceUpdated,
    ServerEvent,
)
from mcp.types import EmptyResult, SubscribeRequestParams, UnsubscribeRequestParams

from memoria.app import Memoria
from memoria.app.spool import WAITING_BYTES
from memoria.surface.front.streams import Inbox, Outbox
from memoria.surface.mcp import prompts, resources
from memoria.surface.mcp.calls import OneMemory, RequestContext, ServedMemories
from memoria.surface.mcp.incoming import OpenRequests, relay, repair_lines
from memoria.surface.mcp.instructions import static_instructions
from memoria.surface.mcp.prompts import complete
from memoria.surface.mcp.toolbox import Finish, Toolbox, UnreadWord
from memoria.surface.mcp.tools import add_tools

_SPOOL_EVERY_S = 1.0


async def follow_spool(memory: Memoria) -> None:
    """Take in the spool whenever it has changed, until cancelled: one look a second."""
    while True:
        while memory.spool.has_changed() and await memory.take_in_spool(WAITING_BYTES):
            await anyio.lowlevel.checkpoint()
        await anyio.sleep(_SPOOL_EVERY_S)


_EVERY_S = 2.0
_State = tuple[int, int, int] | None


@dataclass(slots=True)
class LegacyClient:
    """A client of the older era, and the resources it has subscribed to."""

    session: ServerSession
    uris: set[str] = field(default_factory=set)


class Subscribers(InMemorySubscriptionBus):
    """Subscribers to resources, each with the resources it wants to be told of."""

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

    async def add_legacy(
        self, context: RequestContext, params: SubscribeRequestParams
    ) -> EmptyResult:
        """Tell a client of the older era of a resource from now on."""
        self._legacy_client(context.session).uris.add(str(params.uri))
        self._arrival.set()
        return EmptyResult()

    async def remove_legacy(
        self, context: RequestContext, params: UnsubscribeRequestParams
    ) -> EmptyResult:
        """Stop telling a client of the older era of a resource."""
        self._legacy_client(context.session).uris.discard(str(params.uri))
        return EmptyResult()

    async def publish(self, event: ServerEvent) -> None:
        """Tell an event to its subscribers."""
        await super().publish(event)
        if isinstance(event, ResourceUpdated):
            for client in [one for one in self._legacy if event.uri in one.uris]:
                try:
                    await client.session.send_resource_updated(event.uri)
                except (anyio.BrokenResourceError, anyio.ClosedResourceError):
                    self._legacy.remove(client)  # the client has gone without unsubscribing

    @property
    def has_any(self) -> bool:
        """True if somebody has subscribed."""
        return bool(self._listening) or any(client.uris for client in self._legacy)

    async def wait_for_any(self) -> None:
        """Wait until somebody has subscribed."""
        while not self.has_any:
            self._arrival = anyio.Event()
            await self._arrival.wait()

    def _legacy_client(self, session: ServerSession) -> LegacyClient:
        """Return the older client of a session, added if it is new.

        Every request has a session of its own, but the parameters of the handshake are one object
        for the whole connection, and so tell two clients apart.
        """
        for client in self._legacy:
            if client.session.client_params is session.client_params:
                return client
        self._legacy.append(LegacyClient(session))
        return self._legacy[-1]


async def watch_files(subscribers: Subscribers, files: Mapping[str, Path]) -> None:
    """Tell subscribers of every change to some files, until cancelled.

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


_NAME = "memoria"
_STATIC = CacheHint(ttl_ms=3_600_000, scope="public")


class MemoriaServer(Server[ServedMemories]):
    """The MCP server: all tools, resources and prompts over one opened memory."""

    def __init__(
        self,
        lifespan: Callable[[Server[ServedMemories]], AbstractAsyncContextManager[ServedMemories]],
        subscribers: Subscribers,
        instructions: str,
        finish: Mapping[str, Finish],
        seal: bytes = b"",
    ) -> None:
        """Build the server.

        Args:
            lifespan: opens what it serves.
            subscribers: who is told of changes.
            instructions: what clients tell their models of it.
            finish: what is added to the answers of some tools.
            seal: see `HttpOptions`.
        """
        self.tools = Toolbox(subscribers, finish)
        super().__init__(
            _NAME,
            title="Memoria",
            description="Long-term memory for LLM agents.",  # newer clients read it
            instructions=instructions,
            version=version("memoria-server"),
            cache_hints={"tools/list": _STATIC, "prompts/list": _STATIC},
            lifespan=lifespan,
            get_tool_input_schema=self.tools.input_schema,
            on_list_tools=self.tools.list,
            on_call_tool=self.tools.call,
            on_list_resources=resources.list_resources,
            on_list_resource_templates=resources.list_templates,
            on_read_resource=resources.read_resource,
            on_subscribe_resource=subscribers.add_legacy,
            on_unsubscribe_resource=subscribers.remove_legacy,
            on_subscriptions_listen=ListenHandler(subscribers),
            on_list_prompts=prompts.list_prompts,
            on_get_prompt=prompts.get_prompt,
            on_completion=complete,
        )
        # What a client echoes between the rounds of a question to its user is sealed.
        self.middleware.append(
            RequestStateBoundary(
                RequestStateSecurity(keys=[seal]) if seal else RequestStateSecurity.ephemeral(),
                default_audience=_NAME,
            )
        )

    async def serve_streams(self, inbox: Inbox, outbox: Outbox) -> None:
        """Serve a client that writes into the inbox and reads the outbox, until it closes."""
        stdin, stdout = (anyio.wrap_file(cast("IO[str]", one)) for one in (inbox, outbox))
        async with stdio_server(stdin, stdout) as (messages, answers):
            open_requests = OpenRequests(answers)
            repaired = repair_lines(messages, answers.send)
            async with relay(open_requests.watch(repaired)) as incoming:
                options = self.create_initialization_options()
                await self.run(incoming, open_requests, options)


def build_server(
    open_memory: Callable[[], AbstractAsyncContextManager[Memoria]], instructions: str | None = None
) -> MemoriaServer:
    """Build a server with all tools, resources and prompts.

    Args:
        open_memory: opens the memory when the server starts.
        instructions: what clients tell their models of the server; the general text by default.
    """
    subscribers = Subscribers()

    @asynccontextmanager
    async def lifespan(_: Server[ServedMemories]) -> AsyncIterator[ServedMemories]:
        async with open_memory() as memory, anyio.create_task_group() as tasks:
            tasks.start_soon(follow_spool, memory)
            tasks.start_soon(watch_files, subscribers, resources.core_resources(memory))
            yield OneMemory(memory)
            tasks.cancel_scope.cancel()

    finish = {"search_memory": UnreadWord().add_to}
    server = MemoriaServer(lifespan, subscribers, instructions or static_instructions(), finish)
    add_tools(server.tools)
    return server
