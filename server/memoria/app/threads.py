"""Blocking work off the event loop."""

from collections.abc import Callable
from typing import TypeVar

import anyio.to_thread

from memoria.store.base import Store, Transaction

_T = TypeVar("_T")


async def in_thread(work: Callable[[], _T]) -> _T:
    """Run blocking work in a worker thread. It is never abandoned half way."""
    return await anyio.to_thread.run_sync(work)


async def in_snapshot(store: Store, tenant: str, look: Callable[[Transaction], _T]) -> _T:
    """Look at one snapshot of a tenant's rows, in a worker thread."""

    def looking() -> _T:
        with store.read(tenant) as tx:
            return look(tx)

    return await in_thread(looking)
