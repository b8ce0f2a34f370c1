"""Building the MCP server."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from importlib.metadata import version
from typing import IO, cast

import anyio
from mcp.server import Server
from mcp.server.caching import CacheHint
from mcp.server.mcpserver import RequestStateBoundary, RequestStateSecurity
from mcp.server.stdio import stdio_server
from mcp.server.subscriptions import ListenHandler

from memoria.app import Memoria
from memoria.surface.front.streams import Inbox, Outbox
from memoria.surface.mcp import prompts, resources
from memoria.surface.mcp.completions import complete
from memoria.surface.mcp.incoming import OpenRequests, relay
from memoria.surface.mcp.instructions import static_instructions
from memoria.surface.mcp.line_repair import repair_lines
from memoria.surface.mcp.spool import follow_spool
from memoria.surface.mcp.toolbox import Toolbox
from memoria.surface.mcp.tools import add_tools
from memoria.surface.mcp.unread_word import UnreadWord
from memoria.surface.mcp.watch import Subscribers, watch_files

_NAME = "memoria"
_STATIC = CacheHint(ttl_ms=3_600_000, scope="public")


class MemoriaServer(Server[Memoria]):
    """The MCP server: all tools, resources and prompts over one opened memory."""

    def __init__(
        self,
        lifespan: Callable[[Server[Memoria]], AbstractAsyncContextManager[Memoria]],
        subscribers: Subscribers,
        instructions: str,
    ) -> None:
        self.tools = Toolbox(subscribers, {"search_memory": UnreadWord().add_to})
        super().__init__(
            _NAME,
            title="Memoria",
            description="Long-term memory for LLM agents.",  # newer clients get it in every answer
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
            RequestStateBoundary(RequestStateSecurity.ephemeral(), default_audience=_NAME)
        )

    async def serve_streams(self, inbox: Inbox, outbox: Outbox) -> None:
        """Serve a client that writes into one and reads from the other, until it closes."""
        stdin, stdout = (anyio.wrap_file(cast("IO[str]", one)) for one in (inbox, outbox))
        async with stdio_server(stdin, stdout) as (messages, answers):
            open_requests = OpenRequests(answers)
            repaired = repair_lines(messages, answers.send)
            async with relay(open_requests.watch(repaired)) as incoming:
                options = self.create_initialization_options()
                await self.run(incoming, open_requests, options)


def build_server(
    open_memory: Callable[[], AbstractAsyncContextManager[Memoria]],
    instructions: str | None = None,
) -> MemoriaServer:
    """Build a server with all tools, resources and prompts.

    Args:
        open_memory: opens the memory when the server starts.
        instructions: what clients tell their models of it; what holds for everybody by default.
    """
    subscribers = Subscribers()

    @asynccontextmanager
    async def lifespan(_: Server[Memoria]) -> AsyncIterator[Memoria]:
        async with open_memory() as memory, anyio.create_task_group() as tasks:
            tasks.start_soon(follow_spool, memory)
            tasks.start_soon(watch_files, subscribers, resources.core_resources(memory))
            yield memory
            tasks.cancel_scope.cancel()

    server = MemoriaServer(lifespan, subscribers, instructions or static_instructions())
    add_tools(server.tools)
    return server
