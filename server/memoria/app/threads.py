"""Blocking work off the event loop."""

from collections.abc import Callable
from typing import TypeVar

import anyio.to_thread

_T = TypeVar("_T")


async def in_thread(work: Callable[[], _T]) -> _T:
    """Run blocking work in a worker thread. It is never abandoned half way."""
    return await anyio.to_thread.run_sync(work)
