"""Waits for another process to give up its lock on a byte; the system wakes it at that moment."""

import sys
import threading
import time
from contextlib import suppress

from memoria.bare.file_locks import try_lock, unlock

if sys.platform == "win32":
    _GLANCE_S = 0.001

    def _await(descriptor: int, byte: int) -> None:
        while not try_lock(descriptor, byte, 1):
            time.sleep(_GLANCE_S)
        unlock(descriptor, byte, 1)

else:
    import fcntl

    def _await(descriptor: int, byte: int) -> None:
        fcntl.lockf(descriptor, fcntl.LOCK_EX, 1, byte)
        unlock(descriptor, byte, 1)


class LockWatch:
    """A thread that waits for a byte to be free, since nobody can end such a wait.

    It is over, too, where the system refuses to let it wait: its owner looks again anyway.
    """

    def __init__(self, descriptor: int, byte: int) -> None:
        """It begins at once. The descriptor stays open until it is over.

        Args:
            descriptor: of the file.
            byte: that another process has locked.
        """
        self._over = threading.Event()
        threading.Thread(target=self._run, args=(descriptor, byte), daemon=True).start()

    @property
    def is_over(self) -> bool:
        """Whether the byte was free since."""
        return self._over.is_set()

    def wait(self, seconds: float) -> None:
        """Until it is over, at most for so long."""
        self._over.wait(seconds)

    def _run(self, descriptor: int, byte: int) -> None:
        try:
            with suppress(OSError):
                _await(descriptor, byte)
        finally:
            self._over.set()
