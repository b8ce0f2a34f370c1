"""Progress: a client that asks for it is told that a long call goes on, for as long as it does.

How far a call has come nobody can say: a forget reads files, a search may load a model, a record
may wait for another process. That it goes on is what keeps a client from giving it up.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
from mcp.server.mcpserver import Context

from memoria.app import Memoria


@asynccontextmanager
async def telling_progress(request: Context[Memoria, Any], pause_s: float) -> AsyncIterator[None]:
    """Tell a client again and again that its call goes on; the SDK tells none that did not ask."""
    error: Exception | None = None
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_tell, request, pause_s)
        try:
            yield
        except Exception as raised:  # noqa: BLE001  (a group would wrap it; it is raised below)
            error = raised
        tasks.cancel_scope.cancel()
    if error is not None:
        raise error


async def _tell(request: Context[Memoria, Any], pause_s: float) -> None:
    started = anyio.current_time()
    while True:
        await anyio.sleep(pause_s)
        seconds = anyio.current_time() - started
        await request.report_progress(seconds, message=f"at work for {seconds:.0f} s")
