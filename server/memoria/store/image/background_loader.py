"""Background loader: reading all of a tenant in a thread, while searches go on.

To read everything of a large tenant takes seconds. So a search that would need all of it goes on
without, and a later search finds the result.
"""

import threading
from collections.abc import Callable, Hashable
from contextlib import closing
from typing import Generic, TypeVar

from memoria.store.connection import Connection

Connect = Callable[[], Connection]
Proceed = Callable[[], bool]
"""Returns True if reading is to go on, False once the file is being closed."""
_Key = TypeVar("_Key", bound=Hashable)


class BackgroundLoader(Generic[_Key]):
    """Background reads of one file, one at a time for each key. Thread-safe."""

    def __init__(self, connect: Connect) -> None:
        """Bind to a file.

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
        """True while anything is being read."""
        with self._lock:
            return bool(self._running)

    def is_reading(self, key: _Key) -> bool:
        """Check whether a key is being read.

        Raises:
            Exception: the error that ended the last read of the key; raised once.
        """
        with self._lock:
            if error := self._failed.pop(key, None):
                raise error
            return key in self._running

    def start(self, key: _Key, read: Callable[[Connection, Proceed], None]) -> None:
        """Start a read in a thread, unless the key is being read or the loader was closed.

        Args:
            key: names what is read.
            read: reads it on a snapshot of its own, and keeps the result.
        """
        with self._lock:
            if key not in self._running and not self._closed.is_set():
                thread = threading.Thread(target=self._run, args=(key, read), daemon=True)
                self._running[key] = thread
                thread.start()

    def wait(self, *keys: _Key) -> None:
        """Wait until these keys, or all keys if none are named, have been read."""
        with self._lock:
            threads = [self._running[key] for key in keys or self._running if key in self._running]
        for thread in threads:
            thread.join()

    def close(self) -> None:
        """Start no further reads, and wait until all are over."""
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
