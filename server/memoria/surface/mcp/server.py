"""Building the MCP server, and its background tasks: the spool and watched core files."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from importlib.metadata import version
from typing import IO, Any, cast

import anyio
import anyio.lowlevel
from mcp.server import NotificationOptions, Server
from mcp.server.caching import CacheableMethod, CacheHint
from mcp.server.mcpserver import RequestStateBoundary, RequestStateSecurity
from mcp.server.stdio import stdio_server
from mcp.types import ServerCapabilities

from memoria.app import Memoria
from memoria.app.spool import WAITING_BYTES
from memoria.surface.front.streams import Inbox, Outbox
from memoria.surface.mcp import prompts, resources
from memoria.surface.mcp.calls import OneMemory, ServedMemories
from memoria.surface.mcp.incoming import OpenRequests, relay, repair_lines
from memoria.surface.mcp.instructions import static_instructions
from memoria.surface.mcp.prompts import complete
from memoria.surface.mcp.subscriptions import Subscriptions
from memoria.surface.mcp.toolbox import Finish, Toolbox, UnreadWord
from memoria.surface.mcp.tools import add_tools

_SPOOL_EVERY_S = 1.0


async def follow_spool(memory: Memoria) -> None:
    """Take in the spool whenever it has changed, until cancelled: one look a second."""
    while True:
        while memory.spool.has_changed() and await memory.take_in_spool(WAITING_BYTES):
            await anyio.lowlevel.checkpoint()
        await anyio.sleep(_SPOOL_EVERY_S)


_NAME = "memoria"
_HOUR_MS = 3_600_000
_HINTS: Mapping[CacheableMethod, CacheHint] = {
    "tools/list": CacheHint(_HOUR_MS),  # which tools there are depends on the caller's access
    "prompts/list": CacheHint(_HOUR_MS, "public"),
}


class MemoriaServer(Server[ServedMemories]):
    """The MCP server: all tools, resources and prompts over one opened memory."""

    def __init__(
        self,
        lifespan: Callable[[Server[ServedMemories]], AbstractAsyncContextManager[ServedMemories]],
        subscriptions: Subscriptions,
        instructions: str,
        finish: Mapping[str, Finish],
        seal: bytes = b"",
    ) -> None:
        """Build the server.

        Args:
            lifespan: opens what it serves.
            subscriptions: who is told of changes.
            instructions: what clients tell their models of it.
            finish: what is added to the answers of some tools.
            seal: see `HttpOptions`.
        """
        self.tools = Toolbox(subscriptions.find, finish)
        super().__init__(
            _NAME,
            title="Memoria",
            description="Long-term memory for LLM agents.",  # newer clients read it
            instructions=instructions,
            version=version("memoria-server"),
            cache_hints=_HINTS,
            lifespan=lifespan,
            get_tool_input_schema=self.tools.input_schema,
            on_list_tools=self.tools.list,
            on_call_tool=self.tools.call,
            on_list_resources=resources.list_resources,
            on_list_resource_templates=resources.list_templates,
            on_read_resource=resources.read_resource,
            on_subscribe_resource=subscriptions.add_legacy,
            on_unsubscribe_resource=subscriptions.remove_legacy,
            on_subscriptions_listen=subscriptions.listen,
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

    def get_capabilities(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
        *,
        protocol_version: str | None = None,
    ) -> ServerCapabilities:
        """Return what the server offers: lists that never change, so that nobody waits for news."""
        offered = super().get_capabilities(
            notification_options,
            experimental_capabilities,
            extensions,
            protocol_version=protocol_version,
        )
        for lists in (offered.prompts, offered.resources, offered.tools):
            if lists is not None:
                lists.list_changed = False
        return offered

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
    subscriptions = Subscriptions()

    @asynccontextmanager
    async def lifespan(_: Server[ServedMemories]) -> AsyncIterator[ServedMemories]:
        async with open_memory() as memory, anyio.create_task_group() as tasks:
            tasks.start_soon(follow_spool, memory)
            tasks.start_soon(subscriptions.watch)
            yield OneMemory(memory)
            tasks.cancel_scope.cancel()

    finish = {"search_memory": UnreadWord().add_to}
    server = MemoriaServer(lifespan, subscriptions, instructions or static_instructions(), finish)
    add_tools(server.tools)
    return server
