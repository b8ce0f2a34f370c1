"""Work of a server beside serving its client: answers kept for the next one, hooks answered."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
import anyio.to_thread

import memoria.app
from memoria.app import Memoria
from memoria.config import Settings
from memoria.surface.mcp.asked import OpenQuestions, answer_hooks
from memoria.surface.mcp.kept import keep_answers, keep_once_closed


@asynccontextmanager
async def open_on_standby(
    settings: Settings, questions: OpenQuestions | None = None
) -> AsyncIterator[Memoria]:
    """Open a home, and be there for hooks and for the next server until the end of the block.

    Args:
        settings: whose home and tenant.
        questions: counts what hooks ask, for who lets them go first.

    Raises:
        StoreError: the home can't be opened.
    """
    async with (
        memoria.app.open_memoria(settings=settings) as memory,
        anyio.create_task_group() as tasks,
    ):
        tasks.start_soon(keep_answers, memory)
        tasks.start_soon(answer_hooks, memory, questions or OpenQuestions())
        yield memory
        tasks.cancel_scope.cancel()
    await anyio.to_thread.run_sync(keep_once_closed, settings)
