"""Building and running the MCP server."""

import logging
import os
import signal
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from importlib.metadata import version

import anyio
import anyio.to_thread
from mcp.server import MCPServer
from mcp.server.caching import CacheHint

import memoria.app
from memoria.app import Memoria
from memoria.config import Settings
from memoria.errors import MemoriaError
from memoria.surface.mcp.idle import run_idle_maintenance
from memoria.surface.mcp.instructions import instructions_for, static_instructions
from memoria.surface.mcp.lean import LeanServer
from memoria.surface.mcp.prompts import add_prompts
from memoria.surface.mcp.resources import add_resources, core_resources
from memoria.surface.mcp.tools import add_tools
from memoria.surface.mcp.watch import Subscribers, watch_files

_STATIC = CacheHint(ttl_ms=3_600_000, scope="public")


def build_server(
    open_memory: Callable[[], AbstractAsyncContextManager[Memoria]],
    instructions_text: str | None = None,
) -> LeanServer:
    """A server with all tools, resources and prompts.

    Args:
        open_memory: opens the memory when the server starts.
        instructions_text: what clients tell their models; what holds for everybody by default.
    """
    subscribers = Subscribers()

    @asynccontextmanager
    async def lifespan(_: MCPServer[Memoria]) -> AsyncIterator[Memoria]:
        async with open_memory() as server.memory, anyio.create_task_group() as tasks:
            tasks.start_soon(watch_files, subscribers, core_resources(server.memory))
            yield server.memory
            tasks.cancel_scope.cancel()

    server = LeanServer(
        "memoria",
        title="Memoria",
        description="Long-term memory: search what is known, and the record it came from.",
        instructions=instructions_text or static_instructions(),
        version=version("memoria-server"),
        lifespan=lifespan,
        subscriptions=subscribers,
        log_level="WARNING",
        cache_hints={"tools/list": _STATIC, "prompts/list": _STATIC},
    )
    server.last_call = time.monotonic()
    server.add_legacy_subscriptions(subscribers)
    add_tools(server)
    add_resources(server)
    add_prompts(server)
    return server


def serve_stdio(settings: Settings) -> None:
    """Serve on standard input and output until they close or the process is told to stop."""
    logging.basicConfig(level=logging.WARNING)  # to standard error; before the SDK looks
    try:
        anyio.run(_serve, settings)
    except BaseExceptionGroup as group:
        ours = _find_own_error(group)
        if ours is None:
            raise
        raise ours from None


async def _serve(settings: Settings) -> None:
    told = await anyio.to_thread.run_sync(instructions_for, settings)
    server = build_server(lambda: memoria.app.open_memoria(settings=settings), told)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_stop_on_signal)
        tasks.start_soon(run_idle_maintenance, settings, lambda: server.last_call)
        await server.run_stdio_async()
        tasks.cancel_scope.cancel()


async def _stop_on_signal() -> None:
    """End at once on SIGTERM or SIGINT.

    The SDK would wait for standard input to close. Nothing is lost by not waiting: what was
    acknowledged is on disk, and what was not is rolled back.
    """
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
        async for _ in signals:
            os._exit(0)


def _find_own_error(group: BaseExceptionGroup[BaseException]) -> MemoriaError | None:
    """Our own error in a group that task groups wrapped around it."""
    for error in group.exceptions:
        found = _find_own_error(error) if isinstance(error, BaseExceptionGroup) else error
        if isinstance(found, MemoriaError):
            return found
    return None
