"""Reads beside: what is read of a whole file in threads of its own, while searches go on.

To read all that a large tenant has takes seconds. So the search that would need it does without,
and one that comes later finds it.
"""

import threading
from collections.abc import Callable, Hashable
from contextlib import closing
from typing import Generic, TypeVar

from memoria.store.sqlite.driver import Connection

Connect = Callable[[], Connection]
Proceed = Callable[[], bool]
"""Whether to go on: not once the file is being closed."""
_Key = TypeVar("_Key", bound=Hashable)


class ReadsBeside(Generic[_Key]):
    """Readings of one file, of each thing one at a time. Thread-safe."""

    def __init__(self, connect: Connect) -> None:
        """Nothing is being read.

        Args:
            connect: opens a connection to the file.
        """
        self._connect = connect
        self._lock = threading.Lock()
        self._running: dict[_Key, threading.Thread] = {}
        self._failed: dict[_Key, Exception] = {}
        self._closed = threading.Event()

    @property
    def is_busy(self) -> bool:
        """Whether anything is being read."""
        with self._lock:
            return bool(self._running)

    def is_reading(self, key: _Key) -> bool:
        """Whether this is being read.

        Raises:
            Exception: what kept the last reading from its end; once.
        """
        with self._lock:
            if error := self._failed.pop(key, None):
                raise error
            return key in self._running

    def start(self, key: _Key, read: Callable[[Connection, Proceed], None]) -> None:
        """Begin to read, unless it is being read already.

        Args:
            key: what is read.
            read: reads it on a snapshot of its own, and keeps what it has read.
        """
        with self._lock:
            if key not in self._running and not self._closed.is_set():
                thread = threading.Thread(target=self._run, args=(key, read), daemon=True)
                self._running[key] = thread
                thread.start()

    def wait(self, *keys: _Key) -> None:
        """Wait until these have been read, or all that is being read where none are named."""
        with self._lock:
            threads = [self._running[key] for key in keys or self._running if key in self._running]
        for thread in threads:
            thread.join()

    def close(self) -> None:
        """Read nothing more, and wait until nothing is being read."""
        self._closed.set()
        self.wait()

    def _run(self, key: _Key, read: Callable[[Connection, Proceed], None]) -> None:
        try:
            with closing(self._connect()) as connection:
                connection.execute("BEGIN")
                read(connection, lambda: not self._closed.is_set())
        except Exception as error:  # noqa: BLE001  (the next search raises it)
            self._failed[key] = error
        finally:
            with self._lock:
                del self._running[key]
