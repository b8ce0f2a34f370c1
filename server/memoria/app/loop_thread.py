"""The thread that runs the event loop of a memory for a program without one.

It is a daemon, and what was left open is closed as the interpreter exits: a script that forgets to
close neither hangs nor loses anything.
"""

import atexit
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from queue import SimpleQueue
from threading import Thread
from typing import Generic, TypeVar

import anyio
from anyio.from_thread import BlockingPortal

from memoria.errors import ClosedError

_T = TypeVar("_T")
_OpenedT = TypeVar("_OpenedT")


class LoopThread(Generic[_OpenedT]):
    """The thread that runs the event loop for as long as the memory is open."""

    def __init__(self, opening: AbstractAsyncContextManager[_OpenedT]) -> None:
        self._opening = opening
        self._answer: SimpleQueue[tuple[_OpenedT, BlockingPortal] | None] = SimpleQueue()
        self._error: BaseException | None = None
        # The threads that it starts are daemons like itself.
        self._thread = Thread(target=self._run, name="memoria", daemon=True)
        self._portal: BlockingPortal | None = None

    def start_loop(self) -> _OpenedT:
        """Start the thread, and wait until the memory is open.

        Raises:
            MemoriaError: it can't be opened; the thread has ended.
        """
        self._thread.start()
        answer = self._answer.get()
        if answer is None:
            self._wait_for_end()
            raise RuntimeError("The event loop ended before the memory was open.")
        memory, self._portal = answer
        atexit.register(self.stop_loop)
        return memory

    def wait_for(self, work: Callable[[], Awaitable[_T]]) -> _T:
        """Run the work on the loop, and wait for its result.

        Raises:
            ClosedError: the memory is closed.
        """
        return self.get_portal().call(work)

    def get_portal(self) -> BlockingPortal:
        """Return the way into the loop.

        Raises:
            ClosedError: the memory is closed.
        """
        portal = self._portal
        if portal is None:
            raise ClosedError("This memory is closed. Open it again with memoria.open_sync.")
        return portal

    def stop_loop(self) -> None:
        """Close the memory and end the thread, once. Calls that are under way end first."""
        portal, self._portal = self._portal, None
        if portal is not None:
            atexit.unregister(self.stop_loop)
            portal.call(portal.stop)
            self._wait_for_end()

    def _wait_for_end(self) -> None:
        self._thread.join()
        if self._error is not None:
            raise self._error

    def _run(self) -> None:
        try:
            anyio.run(self._serve)
        except BaseException as error:  # noqa: BLE001  (raised where the memory is opened or closed)
            self._error = error
        finally:
            self._answer.put(None)

    async def _serve(self) -> None:
        async with self._opening as memory, BlockingPortal() as portal:
            self._answer.put((memory, portal))
            await portal.sleep_until_stopped()
