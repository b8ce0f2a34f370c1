"""Building and running the MCP server."""

import logging
import os
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from importlib.metadata import version
from typing import IO, cast

import anyio
import anyio.to_thread
from mcp.server import Server
from mcp.server.caching import CacheHint
from mcp.server.mcpserver import RequestStateBoundary, RequestStateSecurity
from mcp.server.stdio import stdio_server
from mcp.server.subscriptions import ListenHandler

from memoria.app import Memoria
from memoria.app.project_news import begin_home
from memoria.config import Settings
from memoria.errors import MemoriaError
from memoria.settings_file import list_problems
from memoria.surface.front.streams import Inbox, Outbox
from memoria.surface.mcp import prompts, resources
from memoria.surface.mcp.completions import complete
from memoria.surface.mcp.idle import run_idle_maintenance
from memoria.surface.mcp.incoming import OpenRequests, relay
from memoria.surface.mcp.instructions import instructions_for, static_instructions
from memoria.surface.mcp.line_repair import repair_lines
from memoria.surface.mcp.spool import follow_spool
from memoria.surface.mcp.standby import open_on_standby
from memoria.surface.mcp.toolbox import Toolbox
from memoria.surface.mcp.tools import add_tools
from memoria.surface.mcp.unread_word import UnreadWord
from memoria.surface.mcp.watch import Subscribers, watch_files

_NAME = "memoria"
_LOG = logging.getLogger(__name__)
_GONE = (ConnectionError, anyio.BrokenResourceError, anyio.ClosedResourceError)
"""Errors of a pipe whose other end is gone."""
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


def serve_stdio(
    home: str | None, tenant: str | None, workspace: str | None, inbox: Inbox, outbox: Outbox
) -> None:
    """Serve a client until it closes its end or the process is told to stop.

    A client that is gone without having read its answers is the end of a service, and no error.

    Args:
        home: the data folder, where one was given.
        tenant: whose memory, where that was said.
        workspace: the project to work in, where one was named.
        inbox: what the client writes.
        outbox: what it reads.

    Raises:
        MemoriaError: a setting can't be used, or the memory can't be opened. Nothing was read.
    """
    logging.basicConfig(level=logging.WARNING)  # to standard error
    begin_home(home)
    settings = Settings.load_here(home, tenant, workspace)
    for problem in list_problems(str(settings.home_path), Settings):
        _LOG.warning(problem)
    try:
        anyio.run(_serve, settings, inbox, outbox)
    except BaseExceptionGroup as group:
        if group.split(_GONE)[1] is None:
            _discard_output()
            return
        ours = _find_own_error(group)
        if ours is None:
            raise
        raise ours from None


async def _serve(settings: Settings, inbox: Inbox, outbox: Outbox) -> None:
    async with anyio.create_task_group() as tasks:
        instructions = await anyio.to_thread.run_sync(instructions_for, settings)
        async with open_on_standby(settings) as memory:
            server = build_server(lambda: nullcontext(memory), instructions)
            tasks.start_soon(run_idle_maintenance, settings, lambda: server.tools.last_call)
            await server.serve_streams(inbox, outbox)
        tasks.cancel_scope.cancel()


def _discard_output() -> None:
    """Let what nobody will read go nowhere: Python would complain of it when it ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def _find_own_error(group: BaseExceptionGroup[BaseException]) -> MemoriaError | None:
    """Find our own error in a group that task groups wrapped around it."""
    for error in group.exceptions:
        found = _find_own_error(error) if isinstance(error, BaseExceptionGroup) else error
        if isinstance(found, MemoriaError):
            return found
    return None
