"""Serving MCP on standard input and output: the memory first, then what speaks the protocol.

Hooks ask at once, and an agent calls its first tool only when its model has answered. So whoever
asks over the home's socket is heard while the protocol is loaded, which takes as long as all else.
Nightly maintenance of an idle server is a process of its own, at low priority: a thread would take
turns with every request.
"""

import logging
import os
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import nullcontext

import anyio
import anyio.to_thread

from memoria.app.project_news import begin_home
from memoria.bare.collector import load_for_good
from memoria.config import Settings
from memoria.errors import MemoriaError
from memoria.model import DAY_MS, system_millis
from memoria.settings_file import list_problems
from memoria.surface.front.streams import Inbox, Outbox
from memoria.surface.mcp.asked import OpenQuestions, open_on_standby
from memoria.surface.mcp.instructions import instructions_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memoria.surface.mcp.server import MemoriaServer


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
        if started is None or started.poll() is not None:  # polled, so that no zombie stays
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
    """Start a nightly run as a process that outlives the server, with its settings and keys."""
    place = ("--home", str(settings.home_path), "--tenant", settings.tenant)
    return subprocess.Popen(  # noqa: S603  (our own program)
        [sys.executable, "-P", "-m", "memoria", *place, "nightly", "--quiet"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


_GONE = (ConnectionError, anyio.BrokenResourceError, anyio.ClosedResourceError)
"""Errors of a pipe whose other end is closed."""


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
    logging.basicConfig(level=logging.WARNING)  # logs go to standard error
    begin_home(home, tenant)
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
        questions = OpenQuestions()
        async with open_on_standby(settings, questions) as memory:
            await questions.wait_for_answers()
            build_server = await anyio.to_thread.run_sync(_load_builder)
            instructions = await anyio.to_thread.run_sync(instructions_for, settings)
            server = build_server(lambda: nullcontext(memory), instructions)
            tasks.start_soon(run_idle_maintenance, settings, lambda: server.tools.last_call)
            await server.serve_streams(inbox, outbox)
        tasks.cancel_scope.cancel()


def _load_builder() -> "Callable[..., MemoriaServer]":
    with load_for_good():
        from memoria.surface.mcp.server import build_server  # noqa: PLC0415  (hooks are heard meanwhile)

    return build_server


def _discard_output() -> None:
    """Redirect standard output to nowhere: Python would report unwritten output at its end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def _find_own_error(group: BaseExceptionGroup[BaseException]) -> MemoriaError | None:
    """Return the first error of our own in a group of exceptions; None if the group has none."""
    for error in group.exceptions:
        found = _find_own_error(error) if isinstance(error, BaseExceptionGroup) else error
        if isinstance(found, MemoriaError):
            return found
    return None
