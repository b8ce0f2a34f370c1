"""A search that waits for its turn. All of it is for the event loop's thread."""

from collections.abc import Iterable

import anyio

from memoria.app.asking import AskedSearch
from memoria.model import SearchResult

Outcome = SearchResult | Exception
"""What was found, or what went wrong."""


class WaitingSearch:
    """What is searched for, whether it still waits, and what has become of it."""

    def __init__(self, asked: AskedSearch) -> None:
        """It waits.

        Args:
            asked: what is searched for.
        """
        self._news = anyio.Event()
        self.asked = asked
        self.is_taken = False
        """Whether it is searched for, in its own turn or in another's, or has been."""
        self.outcome: Outcome | None = None
        """None until it has ended."""

    def end(self, outcome: Outcome) -> None:
        """Say what has become of it."""
        self.outcome = outcome
        self._news.set()

    def give_back(self) -> None:
        """Let it wait again: in whose turn it was, it is not searched for."""
        self.is_taken = False
        self._news.set()
        self._news = anyio.Event()

    async def wait(self) -> None:
        """Wait until it has ended, or is given back."""
        await self._news.wait()


def end_each(waiting: Iterable[WaitingSearch], outcomes: Iterable[Outcome]) -> None:
    """Say what has become of each."""
    for one, outcome in zip(waiting, outcomes, strict=True):
        one.end(outcome)
