"""Progress of an intake of the spool, for whoever waits for it in another thread.

What hooks point to lies in folders that may be gone in a way that never ends a call, such as a
network's. No thread can be ended from outside. So whoever waits gives an intake up that stays too
long at one step, and the intake, should it ever come back, finds that out before it writes.
"""

import time
from collections.abc import Sequence


class GivenUpError(Exception):
    """The intake is no longer waited for, and another may be under way."""


class Progress:
    """Step that an intake is at, and when it began."""

    def __init__(self) -> None:
        """Start the clock."""
        self._is_given_up = False
        self.names: Sequence[str] = ()
        """Entries that can't be taken in if this step never ends."""
        self._since = time.monotonic()

    def begin(self, names: Sequence[str]) -> None:
        """Begin with some entries.

        Raises:
            GivenUpError: nobody waits for it.
        """
        self.names = names
        self.go_on()

    def go_on(self) -> None:
        """Begin the next step with the same entries.

        Raises:
            GivenUpError: nobody waits for it.
        """
        if self._is_given_up:
            raise GivenUpError
        self._since = time.monotonic()

    def seconds(self) -> float:
        """Count the seconds of this step."""
        return time.monotonic() - self._since

    def give_up(self) -> None:
        """Tell it to end at its next step, if it comes to one."""
        self._is_given_up = True
