"""Blocking work off the event loop."""

from collections.abc import Callable
from threading import Event
from typing import TypeVar

import anyio.to_thread

from memoria.store.engine import Store
from memoria.store.rows.transaction import Transaction

_T = TypeVar("_T")


async def in_thread(work: Callable[[], _T], turns: anyio.CapacityLimiter | None = None) -> _T:
    """Run blocking work in a worker thread. It is never abandoned half way.

    Args:
        work: what to do.
        turns: how many may do so at once; by default as many as of all other work.
    """
    return await anyio.to_thread.run_sync(work, limiter=turns)


async def in_own_thread(work: Callable[[Callable[[], bool]], _T]) -> _T:
    """Run work that goes on by itself, and wait for it no longer when this is cancelled.

    It is given what tells it so.
    """
    left = Event()
    try:
        return await anyio.to_thread.run_sync(work, left.is_set, abandon_on_cancel=True)
    finally:
        left.set()


async def in_snapshot(store: Store, tenant: str, look: Callable[[Transaction], _T]) -> _T:
    """Look at one snapshot of a tenant's rows, in a worker thread."""

    def looking() -> _T:
        with store.read(tenant) as tx:
            return look(tx)

    return await in_thread(looking)
