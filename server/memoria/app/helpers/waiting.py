"""Searches that wait for their turn. All of this is for the event loop's thread."""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

import anyio

from memoria.app.asking import AskedSearch
from memoria.model import SearchResult

Outcome = SearchResult | Exception
"""Result of a search, or the error that it ended with."""


class WaitingSearch:
    """Search that waits, runs or has ended."""

    def __init__(self, asked: AskedSearch) -> None:
        self._news = anyio.Event()
        self.asked = asked
        self.is_taken = False
        """True once it is searched for, in its own turn or in another's."""
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


class SearchLine:
    """Queue of searches that nobody has taken, in the order in which they came."""

    def __init__(self) -> None:
        self._waiting: deque[WaitingSearch] = deque()

    def __len__(self) -> int:
        return len(self._waiting)

    @contextmanager
    def join(self, asked: AskedSearch) -> Iterator[WaitingSearch]:
        """Wait while the block runs, or until it is taken."""
        waiting = WaitingSearch(asked)
        self._waiting.append(waiting)
        try:
            yield waiting
        finally:
            if not waiting.is_taken:  # nobody wants to know any more
                self._waiting.remove(waiting)

    def take_batch(self, first: WaitingSearch, most: int) -> list[WaitingSearch]:
        """Take the search whose turn it is, and others up to so many together."""
        self._waiting.remove(first)
        batch = [first]
        while self._waiting and len(batch) < most:
            batch.append(self._waiting.popleft())
        for each in batch:
            each.is_taken = True
        return batch

    def take_back(self, batch: Sequence[WaitingSearch]) -> None:
        """Let them wait again, before all others."""
        self._waiting.extendleft(reversed(batch))
        for each in batch:
            each.give_back()


def end_each(waiting: Iterable[WaitingSearch], outcomes: Iterable[Outcome]) -> None:
    """Say what has become of each."""
    for one, outcome in zip(waiting, outcomes, strict=True):
        one.end(outcome)
