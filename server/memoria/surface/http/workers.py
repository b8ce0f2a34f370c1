"""Workers: processes that share one socket, started again when they die and one by one on SIGHUP.

On SIGHUP each worker is replaced when its successor answers, so that somebody always does.
"""

import asyncio
import logging
import multiprocessing
import signal
import sys
import threading
from collections.abc import Callable
from multiprocessing.process import BaseProcess
from socket import socket

from uvicorn import Config
from uvicorn.supervisors import Multiprocess

SERVING = logging.getLogger("memoria.serving")
"""Log of what becomes of the server's processes."""
READY_WITHIN_S = 30
"""Seconds in which a worker must answer its supervisor; starting takes some of them."""


class Workers(Multiprocess):
    """Supervisor of the workers."""

    def __init__(self, config: Config, sockets: list[socket], tell: Callable[[], None]) -> None:
        """Prepare to start workers.

        Args:
            config: what they serve, and how many they are.
            sockets: where they listen.
            tell: says that all of them answer.
        """
        super().__init__(config, sockets)
        self._tell = tell

    def init_processes(self) -> None:
        """Start the workers, and say so when all of them answer."""
        super().init_processes()
        if all(one.wait_until_ready(READY_WITHIN_S) for one in self.processes):
            self._tell()

    def keep_subprocess_alive(self) -> None:
        """Start a worker in place of each that has died, and say so."""
        before = list(self.processes)
        super().keep_subprocess_alive()
        for old, new in zip(before, self.processes, strict=True):
            if old is not new:
                SERVING.warning(
                    "worker %s died (exit code %s), and worker %s is started in its place",
                    old.pid,
                    old.exitcode,
                    new.pid,
                )

    def handle_hup(self) -> None:
        """Replace the workers one by one, and say how many were."""
        before = list(self.processes)
        super().handle_hup()
        replaced = sum(old is not new for old, new in zip(before, self.processes, strict=True))
        SERVING.info("SIGHUP: %s of %s workers were replaced", replaced, len(before))


def end_with_parent() -> None:
    """End this process when its supervisor is gone, as SIGTERM would, and leave SIGHUP to it."""
    if sys.platform != "win32":  # whoever signals all processes of a service means the supervisor
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
    supervisor = multiprocessing.parent_process()
    if supervisor is not None:
        threading.Thread(target=_wait_for_end, args=[supervisor], daemon=True).start()


def keep_on_hangup() -> None:
    """Have SIGHUP leave a line and no more: a server of one process has no other to hand over to.

    By default it would end the process at once. The running event loop writes the line: a handler
    of the signal could break into one that is being written.
    """
    if sys.platform != "win32":
        asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, _tell_of_hangup)


def _tell_of_hangup() -> None:
    SERVING.warning(
        "SIGHUP: nothing was done. One process can't be replaced while it serves: with --workers 2 "
        "or more they are, one by one; otherwise stop the server and start it again."
    )


def _wait_for_end(supervisor: BaseProcess) -> None:
    supervisor.join()
    signal.raise_signal(signal.SIGTERM)
