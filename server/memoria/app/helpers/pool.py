"""Threads and helper processes that search: helpers are added while many ask at once.

Whoever's turn it is takes along some of those that wait behind: searches that share a snapshot take
less than each by itself.
"""

import logging
import math
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import anyio
import anyio.from_thread
import anyio.to_thread

from memoria.app.asking import AskedSearch
from memoria.config import Settings
from memoria.model import SearchResult

if TYPE_CHECKING:
    from memoria.app.helpers.helper import Helper


Outcome = SearchResult | Exception
"""Result of a search, or the error that it ended with."""


class WaitingSearch:
    """Search that waits, runs or has ended."""

    def __init__(self, asked: AskedSearch) -> None:
        self._news = anyio.Event()
        self.asked = asked
        self.is_taken = False
        """True once the search runs, in its own turn or in another search's."""
        self.outcome: Outcome | None = None
        """Outcome of the search; None until it has ended."""

    def end(self, outcome: Outcome) -> None:
        """Set the outcome of the search, and wake who waits for it."""
        self.outcome = outcome
        self._news.set()

    def give_back(self) -> None:
        """Let the search wait again, as the turn that took it does not run it."""
        self.is_taken = False
        self._news.set()
        self._news = anyio.Event()

    async def wait(self) -> None:
        """Wait until the search has ended, or is given back."""
        await self._news.wait()


class SearchLine:
    """Queue of searches that nobody has taken, in the order in which they came."""

    def __init__(self) -> None:
        self._waiting: deque[WaitingSearch] = deque()

    def __len__(self) -> int:
        return len(self._waiting)

    @contextmanager
    def join(self, asked: AskedSearch) -> Iterator[WaitingSearch]:
        """Put the search into the queue while the block runs, or until it is taken."""
        waiting = WaitingSearch(asked)
        self._waiting.append(waiting)
        try:
            yield waiting
        finally:
            if not waiting.is_taken:  # nobody wants to know any more
                self._waiting.remove(waiting)

    def take_batch(self, first: WaitingSearch, most: int) -> list[WaitingSearch]:
        """Take the search whose turn it is, and others of the queue, up to a number."""
        self._waiting.remove(first)
        batch = [first]
        while self._waiting and len(batch) < most:
            batch.append(self._waiting.popleft())
        for each in batch:
            each.is_taken = True
        return batch

    def take_back(self, batch: Sequence[WaitingSearch]) -> None:
        """Put searches back into the queue, before all others."""
        self._waiting.extendleft(reversed(batch))
        for each in batch:
            each.give_back()


def end_each(waiting: Iterable[WaitingSearch], outcomes: Iterable[Outcome]) -> None:
    """Set the outcome of each search."""
    for one, outcome in zip(waiting, outcomes, strict=True):
        one.end(outcome)


_LOG = logging.getLogger(__name__)
_CROWD = 8
"""Number of searches at once that are a crowd."""
_LASTING = 32
"""Number of searches that must join a crowd before helpers are started."""
_PLACES = 2
"""Batches at a helper at once: one that runs and one that waits, so that it never pauses."""
_MOST_TOGETHER = 8
"""Searches in a batch. All of it is answered when the last one is; twice as many gain nothing."""
_ROUNDS = 2
"""Batches made of those that wait, for each process: few that wait share none."""
_THREADS = 40
"""Number of search threads without helpers; most of them may wait for another machine."""
Searching = Callable[[Sequence[AskedSearch]], Sequence[SearchResult]]
"""Function that answers several searches, in their order."""


def count_helpers(settings: Settings) -> int:
    """Return how many helpers the settings allow; none beside an endpoint's models.

    There are none where a search waits for another machine, for that takes no processor, nor in a
    program that was packed into one file: it has no Python to start.
    """
    is_packed = getattr(sys, "frozen", False) or not sys.executable
    if is_packed or settings.embedder == "endpoint" or settings.rerank_base_url:
        return 0
    return settings.search_helpers


class SearchHelpers:
    """Runs searches, and starts helpers while a crowd lasts."""

    def __init__(self, settings: Settings, most: int) -> None:
        """Prepare to start helpers when they are needed.

        Args:
            settings: of the home, and how it is searched.
            most: how many helpers there may be.
        """
        self._settings = settings
        self._most = most
        self._lock = threading.Lock()
        self._helpers: list[Helper] = []
        self._places: list[Helper] = []
        """Helpers, each as often as it can take another batch now."""
        self._here = 0
        """Batches that are searched for in this process."""
        self._starter: threading.Thread | None = None
        self._limiter = anyio.CapacityLimiter(_THREADS)
        """Turns of searches alone: what is recorded never waits behind them."""
        self._threads = anyio.CapacityLimiter(math.inf)
        """Unlimited: there are as many threads as turns of searches."""
        self._line = SearchLine()
        self._searching = self._joined = 0
        """Number of searches now, and of those that have joined the present crowd."""

    async def run(self, asked: AskedSearch, search: Searching) -> SearchResult:
        """Run a search in this process or a helper, wherever there is room.

        Args:
            asked: what is searched for.
            search: how this process does it, the same for all who wait.
        """
        with self._count(), self._line.join(asked) as waiting:
            helpers = len(self._helpers)
            # One more in this process would only take turns with the one that runs.
            self._limiter.total_tokens = 1 + helpers * _PLACES if helpers else _THREADS
            while waiting.outcome is None:
                async with self._limiter:
                    if not waiting.is_taken:
                        batch = self._line.take_batch(waiting, self._choose_size())
                        await self._search_batch(batch, search)
                await waiting.wait()
            if isinstance(waiting.outcome, Exception):
                raise waiting.outcome
            return waiting.outcome

    def start(self) -> None:
        """Start as many helpers as are allowed, and return when they can be asked."""
        from memoria.app.helpers.helper import Helper  # noqa: PLC0415  (hardly anybody needs one)

        while len(self._helpers) < self._most:
            try:
                helper = Helper(self._settings)
            except (OSError, ValueError) as error:
                _LOG.info("No process can be started to search beside this one: %s", error)
                return
            if helper.is_gone:
                helper.close()
                _LOG.info("The process that was to search beside this one has ended")
                return
            with self._lock:
                self._helpers.append(helper)
                self._places += [helper] * _PLACES

    def close(self) -> None:
        """End all helpers."""
        self._most = 0
        if self._starter is not None:
            self._starter.join()
        for helper in self._helpers:
            helper.close()

    @property
    def pids(self) -> list[int]:
        """The processes that help."""
        return [helper.pid for helper in self._helpers]

    @contextmanager
    def _count(self) -> Iterator[None]:
        """Count a search, and have helpers started where the crowd lasts."""
        self._searching += 1
        self._joined += self._searching >= _CROWD
        if self._joined >= _LASTING and self._most and self._starter is None:
            self._starter = threading.Thread(
                target=self.start, name="memoria-start-helpers", daemon=True
            )
            self._starter.start()
        try:
            yield
        finally:
            self._searching -= 1
            if not self._searching:
                self._joined = 0

    def _choose_size(self) -> int:
        """Return how many waiting searches to run together."""
        if not self._helpers:
            return 1
        processes = 1 + len(self._helpers)
        return max(min(len(self._line) // (_ROUNDS * processes), _MOST_TOGETHER), 1)

    async def _search_batch(self, batch: Sequence[WaitingSearch], search: Searching) -> None:
        """Run searches in a thread, which sets their outcomes: the caller may be cancelled."""
        first, *others = batch
        has_begun = False

        def work() -> Outcome:
            nonlocal has_begun
            has_begun = True
            asked = [each.asked for each in batch]
            own, *rest = _search_each(asked, lambda some: self._search(some, search))
            if others:
                anyio.from_thread.run_sync(end_each, others, rest)
            return own

        try:
            first.end(await anyio.to_thread.run_sync(work, limiter=self._threads))
        finally:
            if not has_begun:  # it was cancelled before
                self._line.take_back(batch)

    def _search(self, asked: Sequence[AskedSearch], search: Searching) -> Sequence[SearchResult]:
        """Search in a helper if this process is busy and a helper can; else in this process."""
        found = self._ask_helper(asked)
        if found is not None:
            return found
        with self._lock:
            self._here += 1
        try:
            return search(asked)
        finally:
            with self._lock:
                self._here -= 1

    def _ask_helper(self, asked: Sequence[AskedSearch]) -> Sequence[SearchResult] | None:
        helper = self._take_place()
        if helper is None:
            return None
        found = helper.search(asked)
        self._leave_place(helper)
        return found

    def _take_place(self) -> "Helper | None":
        with self._lock:
            return self._places.pop(0) if self._here and self._places else None

    def _leave_place(self, helper: "Helper") -> None:
        """Give a helper's place back; a helper that has ended is removed with all its places."""
        with self._lock:
            if not helper.is_gone:
                self._places.append(helper)
                return
            if helper not in self._helpers:
                return
            self._helpers.remove(helper)
            self._places = [place for place in self._places if place is not helper]
            self._starter = self._starter if self._helpers else None
        helper.close()


def _search_each(asked: Sequence[AskedSearch], search: Searching) -> Sequence[Outcome]:
    """Return the outcome of each search; searches that fail together are run again one by one."""
    try:
        return search(asked)
    except Exception as error:  # noqa: BLE001  (it is raised where it was asked for)
        if len(asked) == 1:
            return [error]
    return [outcome for one in asked for outcome in _search_each([one], search)]
