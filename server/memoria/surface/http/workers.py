"""Workers: processes that share one socket, started again when they die and one by one on SIGHUP.

On SIGHUP each worker is replaced when its successor answers, so that somebody always does.
"""

import multiprocessing
import signal
import threading
from collections.abc import Callable
from multiprocessing.process import BaseProcess
from socket import socket

from uvicorn import Config
from uvicorn.supervisors import Multiprocess

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


def end_with_parent() -> None:
    """End this process as SIGTERM would when its supervisor is gone: nobody else would end it."""
    supervisor = multiprocessing.parent_process()
    if supervisor is not None:
        threading.Thread(target=_wait_for_end, args=[supervisor], daemon=True).start()


def _wait_for_end(supervisor: BaseProcess) -> None:
    supervisor.join()
    signal.raise_signal(signal.SIGTERM)
