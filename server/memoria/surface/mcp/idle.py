"""Nightly maintenance in the background, when a server is idle and the last run is over a day old.

It is a process of its own, at low priority, which the home's lease keeps from being run by two
servers at once: a thread of this one would take turns with every request.
"""

import logging
import subprocess
import sys
import time
from collections.abc import Callable

import anyio
import anyio.to_thread

from memoria.config import Settings
from memoria.errors import MemoriaError
from memoria.model import DAY_MS, system_millis

_S_PER_MINUTE = 60
_RECHECK_S = 3600
"""Seconds until the next look after a nightly run was started, or was not due."""
_LOG = logging.getLogger(__name__)


async def run_idle_maintenance(settings: Settings, last_call: Callable[[], float]) -> None:
    """Start a nightly run whenever one is due and nobody asks; until cancelled.

    Args:
        settings: whose home and tenant, and how long nobody must have asked.
        last_call: when somebody last asked, by the monotonic clock.
    """
    idle_s = settings.nightly_idle_minutes * _S_PER_MINUTE
    started: subprocess.Popen[bytes] | None = None
    while idle_s:
        still = last_call() + idle_s - time.monotonic()
        if still > 0:
            await anyio.sleep(still)
            continue
        if started is None or started.poll() is not None:  # asked, lest a zombie stay
            started = await anyio.to_thread.run_sync(_start_nightly_if_due, settings)
        await anyio.sleep(_RECHECK_S)


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
    """Start a process that outlives this one and inherits its settings, keys included."""
    place = ("--home", str(settings.home_path), "--tenant", settings.tenant)
    return subprocess.Popen(  # noqa: S603  (our own program)
        [sys.executable, "-P", "-m", "memoria", *place, "nightly", "--quiet"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
