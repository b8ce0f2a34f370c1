"""Nightly maintenance that a server starts by itself while nobody asks.

A run is a process of its own, at low priority: a thread would take turns with every request.
"""

import logging
import subprocess
import sys
import time
from collections.abc import Callable, Iterable

import anyio
import anyio.to_thread

from memoria.config import Settings
from memoria.errors import MemoriaError
from memoria.model import DAY_MS, system_millis

_S_PER_MINUTE = 60
_RECHECK_S = 3600
"""Seconds until the next look after all tenants' runs are done, or none was due."""
_POLL_S = 1.0
_LOG = logging.getLogger(__name__)


async def run_idle_maintenance(
    settings: Settings,
    last_call: Callable[[], float],
    list_tenants: Callable[[], Iterable[str]] | None = None,
) -> None:
    """Start a nightly run whenever one is due and nobody asks, one at a time; until cancelled.

    Args:
        settings: of the home and tenant, and how long nobody must have asked.
        last_call: when somebody last asked, by the monotonic clock.
        list_tenants: whose runs; by default that of the settings alone. It may block.
    """
    idle_s = settings.nightly_idle_minutes * _S_PER_MINUTE
    while idle_s:
        still = last_call() + idle_s - time.monotonic()
        if still > 0:
            await anyio.sleep(still)
            continue
        listed = list_tenants or (lambda: [settings.tenant])
        for tenant in await anyio.to_thread.run_sync(_list_if_possible, listed):
            if last_call() + idle_s > time.monotonic():
                break  # somebody asks: the others wait until nobody does
            await _run_if_due(settings.model_copy(update={"tenant": tenant}))
        else:
            await anyio.sleep(_RECHECK_S)


def _list_if_possible(list_tenants: Callable[[], Iterable[str]]) -> Iterable[str]:
    try:
        return list_tenants()
    except MemoriaError as error:
        _LOG.warning("No nightly run was started: %s", error)
        return []


async def _run_if_due(settings: Settings) -> None:
    started = await anyio.to_thread.run_sync(_start_nightly_if_due, settings)
    while started is not None and started.poll() is None:
        await anyio.sleep(_POLL_S)


def _start_nightly_if_due(settings: Settings) -> subprocess.Popen[bytes] | None:
    try:
        return _start_nightly(settings) if _is_due(settings) else None
    except (MemoriaError, OSError) as error:
        _LOG.warning("No nightly run was started: %s", error)
        return None


def _is_due(settings: Settings) -> bool:
    from memoria.app.nightly import last_run_at  # noqa: PLC0415  (a server must not pay for it)

    last = last_run_at(settings)
    return last is None or last < system_millis() - DAY_MS


def _start_nightly(settings: Settings) -> subprocess.Popen[bytes]:
    """Start a nightly run as a process that outlives the server, with its settings and keys."""
    place = ("--home", str(settings.home_path), "--tenant", settings.tenant)
    return subprocess.Popen(  # noqa: S603  (our own program)
        [sys.executable, "-P", "-m", "memoria", *place, "nightly", "--quiet"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
