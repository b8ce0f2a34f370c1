"""Deadline for work that can't be interrupted: past it, the work is abandoned."""

import threading
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from typing import TypeVar

from memoria.errors import AskingStoppedError

_T = TypeVar("_T")


def asking_stopped_error() -> AskingStoppedError:
    """Return the error that a waiting caller gets when Memoria closes."""
    return AskingStoppedError("Memoria was closed while a chat model was asked.", uncounted=True)


class DeadlineRunner:
    """Runs work in threads of its own, so that waiting for it can end at any moment."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._under_way: set[Future[object]] = set()
        self._stopped = False

    def run(self, work: Callable[[], _T], timeout_s: float) -> _T:
        """Return the result of the work, or raise its error.

        Raises:
            TimeoutError: it takes longer. It goes on, and what it gives is lost.
            AskingStoppedError: `stop` was called before its end.
        """
        future: Future[_T] = Future()
        with self._lock:
            if self._stopped:
                raise asking_stopped_error()
            self._under_way.add(future)  # type: ignore[arg-type]  # only ever given an error
        threading.Thread(
            target=_fulfil_future, args=(future, work), name="memoria-ask", daemon=True
        ).start()
        try:
            return future.result(timeout_s)
        finally:
            with self._lock:
                self._under_way.discard(future)

    def stop(self) -> None:
        """End all waiting, now and from now on."""
        with self._lock:
            self._stopped = True
            for future in self._under_way:
                with suppress(InvalidStateError):
                    future.set_exception(asking_stopped_error())


def _fulfil_future(future: Future[_T], work: Callable[[], _T]) -> None:
    with suppress(InvalidStateError):
        try:
            result = work()
        except BaseException as error:  # noqa: BLE001  (raised again where it is waited for)
            future.set_exception(error)
        else:
            future.set_result(result)
