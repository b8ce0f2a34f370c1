"""Write queue: writers of all processes write in the order in which they came.

SQLite lets those who wait for its write lock sleep and look again, ever more rarely. A process that
has just written finds it free, and of many writers some wait until they give up. So a writer first
takes a ticket: the next number of a counter in a file beside the database, and a lock on the byte
of that number, which ends with its process. It is a writer's turn when nobody has a lock on the
byte of an earlier number.

The queue keeps order and nothing else: SQLite's lock sees to it that no two write at once. So
nothing is at risk where there can be no queue (a file system without locks), and a writer that has
waited for a while without the queue moving overtakes if nobody writes: somebody in it is asleep.
"""

import os
import struct
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import ClassVar, NamedTuple

from memoria.bare.home import read_at, try_lock, unlock, write_at

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
    """Thread that waits until another process unlocks a byte; such a wait can't be interrupted.

    The watch is over as well if the system refuses to wait: its owner looks again anyway.
    """

    def __init__(self, descriptor: int, byte: int) -> None:
        """Begin to wait. The descriptor must stay open until the wait is over.

        Args:
            descriptor: of the file.
            byte: that another process has locked.
        """
        self._over = threading.Event()
        threading.Thread(target=self._run, args=(descriptor, byte), daemon=True).start()

    @property
    def is_over(self) -> bool:
        """True if the byte was free at some moment, or the system refused to wait."""
        return self._over.is_set()

    def wait(self, seconds: float) -> None:
        """Wait until the watch is over, or the time has passed."""
        self._over.wait(seconds)

    def _run(self, descriptor: int, byte: int) -> None:
        try:
            with suppress(OSError):
                _await(descriptor, byte)
        finally:
            self._over.set()


_NEXT, _PRESENT, _HEAD = struct.Struct("<Q"), struct.Struct("<QQ"), struct.Struct("<QQQ")
_COUNTER = 1 << 20
"""Byte whose lock guards the counter."""
_TICKETS = _COUNTER + 1
_MOST_TICKETS = 1 << 30
_OWNER_ONLY = 0o600
_FLAGS = os.O_CREAT | os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
_SHORTEST_S, _LONGEST_S = 0.0003, 0.02
"""Seconds between two looks at something of which the system sends no signal."""
_STILL_S = 0.5
"""Seconds without a move after which waiting writers look whether anybody writes at all."""


class WaitedTooLongError(Exception):
    """Error of a writer that has waited too long for its turn."""

    def __init__(self, process: int) -> None:
        """Keep the id of the process whose turn it was last."""
        super().__init__(process)
        self.process = process


class FifoLock:
    """Lock that threads of one process get in the order in which they asked."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._line: deque[threading.Lock] = deque()
        """Gates of the threads in line; an open gate is a thread's turn."""

    def __len__(self) -> int:
        """Return the number of threads that have the lock or wait for the lock."""
        return len(self._line)

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait for a turn, which lasts as long as the block."""
        gate = threading.Lock()
        with self._guard:
            if self._line:
                gate.acquire()
            self._line.append(gate)
        try:
            with gate:
                yield
        finally:
            with self._guard:
                was_first = self._line[0] is gate
                self._line.remove(gate)
                if was_first and self._line:
                    self._line[0].release()


class _Head(NamedTuple):
    """Content of the queue's file."""

    next_ticket: int
    present: int
    """Ticket whose turn it was last."""
    process: int
    """Process of that ticket."""


class _Ticket(NamedTuple):
    """A writer's place in the queue."""

    number: int
    is_first: bool
    """True if no earlier writer was left when the ticket was taken."""


class WriteQueue:
    """Queue of all writers to one database file. Thread-safe.

    A process has one queue for a file, however many connections: file locks belong to the process,
    and closing the file anywhere in the process would end all locks.
    """

    _guard = threading.Lock()
    _all: ClassVar[dict[Path, "WriteQueue"]] = {}

    def __init__(self, database: Path) -> None:
        """Make a queue whose file is opened by the first writer; `of` shares queues by file.

        Args:
            database: the file that is written to.
        """
        self._database = database
        self._file = database.with_name(f"{database.name}-queue")
        self._name = str(self._file)  # a `Path` is slower, and it is looked at before each write
        self._users = 0
        self._threads = FifoLock()
        self._descriptor: int | None = None
        self._overtaken = 0
        """Lowest ticket that is still waited for."""
        self._watches: list[LockWatch] = []
        """Watches that are not over, those of former waits included."""

    @classmethod
    def of(cls, database: Path) -> "WriteQueue":
        """Return the queue of a file; each caller must close the queue once."""
        place = Path(os.path.realpath(database))
        with cls._guard:
            queue = cls._all.setdefault(place, cls(place))
            queue._users += 1  # noqa: SLF001  (a queue's own)
        return queue

    def close(self) -> None:
        """Close the queue for one caller; the last one removes its file unless a writer waits."""
        with self._guard:
            self._users -= 1
            if self._users == 0:
                del self._all[self._database]
                self._remove_file()

    @contextmanager
    def turn(self, patience_s: float, is_free: Callable[[], bool]) -> Iterator[None]:
        """Wait for a turn, which lasts as long as the block.

        Args:
            patience_s: how long to wait without the queue moving.
            is_free: returns True while nobody writes.

        Raises:
            WaitedTooLongError: the queue has not moved for so long, and somebody writes.
        """
        with self._threads.turn():
            taken = self._take_ticket()
            try:
                if taken is not None and not taken.is_first:
                    with suppress(OSError):  # a queue that fails keeps nobody from writing
                        self._wait(taken.number, patience_s, is_free)
                yield
            finally:
                if taken is not None:
                    self._unlock(_TICKETS + taken.number)

    def _take_ticket(self) -> _Ticket | None:
        """Return the next ticket; None if no file can be locked, or the counter stays locked."""
        until = time.monotonic() + _STILL_S
        with suppress(OSError):
            while time.monotonic() < until:
                descriptor = self._open_file()
                if not try_lock(descriptor, _COUNTER, 1):
                    time.sleep(_SHORTEST_S)
                    continue
                try:
                    if self._is_in_place(descriptor):
                        return self._issue_ticket(descriptor)
                finally:
                    unlock(descriptor, _COUNTER, 1)
                self._close_file()
        return None

    def _issue_ticket(self, descriptor: int) -> _Ticket:
        ticket = _read_head(descriptor).next_ticket % _MOST_TICKETS
        is_first = self._is_first(descriptor, ticket)
        if is_first:  # as nearly always: it is said at once whose turn it is
            write_at(descriptor, 0, _HEAD.pack(ticket + 1, ticket, os.getpid()))
        else:
            write_at(descriptor, 0, _NEXT.pack(ticket + 1))
        try_lock(descriptor, _TICKETS + ticket, 1)
        return _Ticket(ticket, is_first)

    def _wait(self, ticket: int, patience_s: float, is_free: Callable[[], bool]) -> None:
        """Wait until no earlier writer is left, or the earlier ones may be overtaken."""
        descriptor = self._open_file()
        seen, moved_at = _read_head(descriptor).present, time.monotonic()
        watch = LockWatch(descriptor, _TICKETS + ticket - 1)
        self._watches = [*(one for one in self._watches if not one.is_over), watch]
        while not self._is_first(descriptor, ticket):
            head, now = _read_head(descriptor), time.monotonic()
            if head.present != seen:
                seen, moved_at = head.present, now
            if now - moved_at < _STILL_S:
                if watch.is_over:
                    time.sleep(_SHORTEST_S)  # somebody before that one is still there
                else:
                    watch.wait(moved_at + _STILL_S - now)
            elif is_free():
                self._overtaken = ticket
                return
            elif now - moved_at > patience_s:
                raise WaitedTooLongError(head.process)
            else:
                time.sleep(_LONGEST_S)
        write_at(descriptor, _NEXT.size, _PRESENT.pack(ticket, os.getpid()))

    def _is_first(self, descriptor: int, ticket: int) -> bool:
        """Check whether no writer has an earlier ticket, overtaken writers aside."""
        first = self._overtaken if self._overtaken <= ticket else 0
        if first == ticket:
            return True
        if not try_lock(descriptor, _TICKETS + first, ticket - first):
            return False
        unlock(descriptor, _TICKETS + first, ticket - first)
        return True

    def _unlock(self, byte: int) -> None:
        if self._descriptor is not None:
            unlock(self._descriptor, byte, 1)

    def _open_file(self) -> int:
        if self._descriptor is None:
            self._descriptor = os.open(self._file, _FLAGS, _OWNER_ONLY)
            self._overtaken = 0
        return self._descriptor

    def _is_in_place(self, descriptor: int) -> bool:
        """Check whether the path leads to the opened file: another process may remove the file."""
        try:
            return os.path.samestat(os.fstat(descriptor), os.stat(self._name))  # noqa: PTH116
        except FileNotFoundError:
            return False

    def _close_file(self) -> None:
        if self._descriptor is not None:
            if all(watch.is_over for watch in self._watches):
                os.close(self._descriptor)
            # A number that a watch will use again must not come to mean another file.
            self._descriptor = None

    def _remove_file(self) -> None:
        """Remove the file if no writer waits; the locked counter keeps new ones out."""
        if self._descriptor is None:
            return
        with suppress(OSError):
            if try_lock(self._descriptor, _COUNTER, 1 + _MOST_TICKETS) and self._is_in_place(
                self._descriptor
            ):
                if os.name == "nt":
                    self._close_file()  # Windows removes nothing that is open, here or elsewhere
                self._file.unlink()
        self._close_file()


def _read_head(descriptor: int) -> _Head:
    """Read the file's content; zeros if there is none yet."""
    return _Head(*_HEAD.unpack(read_at(descriptor, 0, _HEAD.size).ljust(_HEAD.size, b"\0")))
