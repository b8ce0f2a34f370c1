"""Where a search runs: in a thread of this process, or in a helper while many ask at once."""

import logging
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread

from memoria.app.asking import AskedSearch
from memoria.config import Settings
from memoria.model import SearchResult

if TYPE_CHECKING:
    from memoria.app.helpers.helper import Helper

_LOG = logging.getLogger(__name__)
_CROWD = 8
"""So many searches at once are a crowd."""
_LASTING = 32
"""When so many have joined a crowd before it was over, it lasts, and helpers are started."""
_PLACES = 2
"""Searches at a helper at once: one that runs and one that waits, so that it never pauses."""
_MOST = 3
_THREADS = 40
"""Of searches, without helpers: most of them may wait for another machine."""

Searching = Callable[[AskedSearch], SearchResult]


def count_helpers(settings: Settings) -> int:
    """How many helpers there may be: by default one for each core but one, a few at most.

    There are none where a search waits for another machine, for that takes no processor, nor in a
    program that was packed into one file: it has no Python to start.
    """
    is_packed = getattr(sys, "frozen", False) or not sys.executable
    if is_packed or settings.embedder == "endpoint" or settings.rerank_base_url:
        return 0
    configured = settings.search_helpers
    return min(_MOST, _count_cores() - 1) if configured is None else configured


class SearchHelpers:
    """Runs searches, and starts helpers while a crowd lasts."""

    def __init__(self, settings: Settings, most: int) -> None:
        """No helper is started yet.

        Args:
            settings: of the home, and how it is searched.
            most: how many helpers there may be.
        """
        self._settings = settings
        self._most = most
        self._lock = threading.Lock()
        self._helpers: list[Helper] = []
        self._places: list[Helper] = []
        """A helper for each search that it can take now."""
        self._here = 0
        """Searches in this process."""
        self._starter: threading.Thread | None = None
        self._limiter = anyio.CapacityLimiter(_THREADS)
        """Threads for searches alone: what is recorded never waits behind them."""
        self._searching = self._joined = 0
        """Searches now, and how many have joined a crowd since there was none."""

    async def run(self, asked: AskedSearch, search: Searching) -> SearchResult:
        """Search, wherever there is room.

        Args:
            asked: what is searched for.
            search: how this process does it.
        """
        with self._count():
            helpers = len(self._helpers)
            # One more in this process would only take turns with the one that runs.
            self._limiter.total_tokens = 1 + helpers * _PLACES if helpers else _THREADS
            return await anyio.to_thread.run_sync(
                self._search, asked, search, limiter=self._limiter
            )

    def start(self) -> None:
        """Start as many helpers as there may be. Returns when they can be asked."""
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

    def _search(self, asked: AskedSearch, search: Searching) -> SearchResult:
        """Search here, or at a helper while somebody does; here, too, what a helper can't."""
        helper = self._take_place()
        if helper is not None:
            found = helper.search(asked)
            self._leave_place(helper)
            if found is not None:
                return found
        with self._lock:
            self._here += 1
        try:
            return search(asked)
        finally:
            with self._lock:
                self._here -= 1

    def _take_place(self) -> "Helper | None":
        with self._lock:
            return self._places.pop(0) if self._here and self._places else None

    def _leave_place(self, helper: "Helper") -> None:
        """Give a place back; of a helper that is gone, all of them."""
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


def _count_cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
