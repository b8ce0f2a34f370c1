"""Lock watch: waiting for another process to unlock a byte, woken by the system at that moment."""

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
    """A thread that waits for a byte to be free, since such a wait can't be interrupted.

    It is over, too, if the system refuses to let it wait: its owner looks again anyway.
    """

    def __init__(self, descriptor: int, byte: int) -> None:
        """Begin to wait at once. The descriptor must stay open until it is over.

        Args:
            descriptor: of the file.
            byte: that another process has locked.
        """
        self._over = threading.Event()
        threading.Thread(target=self._run, args=(descriptor, byte), daemon=True).start()

    @property
    def is_over(self) -> bool:
        """True if the byte has been free since, or the system refused to wait."""
        return self._over.is_set()

    def wait(self, seconds: float) -> None:
        """Wait until it is over, at most for so long."""
        self._over.wait(seconds)

    def _run(self, descriptor: int, byte: int) -> None:
        try:
            with suppress(OSError):
                _await(descriptor, byte)
        finally:
            self._over.set()
