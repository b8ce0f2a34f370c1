"""Serving MCP on standard input and output: the memory first, then what speaks the protocol.

Hooks ask at once, and an agent calls its first tool only when its model has answered. So whoever
asks over the home's socket is heard while the protocol is loaded, which takes as long as all else.
"""

import logging
import os
import sys
from collections.abc import Callable
from contextlib import nullcontext

import anyio
import anyio.to_thread

from memoria.app.project_news import begin_home
from memoria.bare.collector import load_for_good
from memoria.config import Settings
from memoria.errors import MemoriaError
from memoria.settings_file import list_problems
from memoria.surface.front.streams import Inbox, Outbox
from memoria.surface.mcp.asked import OpenQuestions, open_on_standby
from memoria.surface.mcp.idle import run_idle_maintenance
from memoria.surface.mcp.instructions import instructions_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memoria.surface.mcp.server import MemoriaServer


_LOG = logging.getLogger(__name__)
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
