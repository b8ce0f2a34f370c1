"""Intake of the spool in a thread of its own, whose end nobody needs to wait for."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import copy_context
from typing import TYPE_CHECKING

from memoria.admin.spool_entries import GivenUpError

if TYPE_CHECKING:
    from memoria.admin.spool import SpoolIntake
    from memoria.admin.spool_entries import SpoolReport

_LOOK_S = 0.1


class IntakeThread:
    """Takes in the waiting entries in a thread, which ends with the process."""

    def __init__(self, intake: "SpoolIntake", most_bytes: int) -> None:
        """Start the thread.

        Args:
            intake: what takes in.
            most_bytes: of transcripts.
        """
        self._intake = intake
        self._outcome: Future[SpoolReport | None] = Future()
        self._thread = threading.Thread(
            target=copy_context().run,
            args=(self._work, most_bytes),
            name="memoria-intake",
            daemon=True,
        )
        self._thread.start()

    @property
    def is_alive(self) -> bool:
        """True while the thread works, whether it was given up or not."""
        return self._thread.is_alive()

    @property
    def outcome(self) -> "SpoolReport | None":
        """Report of what was taken in; None where it was given up. Waits for the end.

        Raises:
            Exception: what it has failed with.
        """
        return self._outcome.result()

    def wait(self, most_s: float, is_enough: Callable[[], bool]) -> bool:
        """Wait until the intake ends, or `is_enough`; return True if the intake has ended.

        Args:
            most_s: seconds to wait at most.
            is_enough: called some times a second; True ends the wait.
        """
        ends = time.monotonic() + most_s
        while not self._outcome.done() and time.monotonic() < ends and not is_enough():
            self._thread.join(_LOOK_S)
        return self._outcome.done()

    def has_stalled(self, after_s: float) -> bool:
        """Check whether the intake has been at one step for longer than so many seconds."""
        return not self._outcome.done() and self._intake.progress.seconds() > after_s

    def give_up(self, reason: str) -> "SpoolReport | None":
        """Set aside the entry that is being taken in, and stop; None if nothing was set aside.

        Raises:
            OSError: the spool can't be changed.
        """
        return self._intake.give_up(reason)

    def stop(self, most_s: float) -> None:
        """End the intake at its next step, and wait for that so many seconds at most."""
        self._intake.progress.give_up()
        self._thread.join(most_s)

    def _work(self, most_bytes: int) -> None:
        try:
            self._outcome.set_result(self._intake.take_in(most_bytes))
        except GivenUpError:
            self._outcome.set_result(None)
        except BaseException as error:  # noqa: BLE001  (it is raised where it was waited for)
            self._outcome.set_exception(error)
