"""Rounds: a few threads that work for many homes in turns, instead of threads for each home."""

import heapq
import logging
import threading
import time
from collections.abc import Callable
from contextvars import copy_context
from itertools import count

_LOG = logging.getLogger(__name__)
_AFTER_FAULT_S = 5.0
_LONGEST_STOP_S = 5.0
Step = Callable[[], float | None]
"""Does some of what waits in a home; returns the pause before the next step, in seconds, or None
when no more is to be done."""


class WorkTurn:
    """Place of one home's work in the rounds."""

    def __init__(self, rounds: "WorkRounds", step: Step) -> None:
        self._rounds = rounds
        self.step = step
        self.is_over = False
        """True once no further step is to be made."""
        self.is_woken = False
        """True if something was written since the step that is under way began."""
        self.runs = False
        """True while a step is under way."""
        self.due_at = 0.0
        """When the next step is due, on the monotonic clock."""

    def wake(self) -> None:
        """Have the next step made as soon as a thread is free."""
        self._rounds.put_first(self)

    def leave(self, timeout_s: float) -> None:
        """Make no further step, and wait for the one under way, or abandon it after a time."""
        self._rounds.remove(self, timeout_s)


class WorkRounds:
    """Threads that make one step after another, each for the home whose step is due first."""

    def __init__(self, name: str, threads: int) -> None:
        self._news = threading.Condition()
        self._due: list[tuple[float, int, WorkTurn]] = []
        self._numbers = count()
        self._stops = False
        self._threads = [
            threading.Thread(
                target=copy_context().run, args=[self._run], name=f"{name}-{i}", daemon=True
            )
            for i in range(threads)
        ]
        for thread in self._threads:
            thread.start()

    def join(self, step: Step) -> WorkTurn:
        """Take a home's work into the rounds; its first step is due at once."""
        turn = WorkTurn(self, step)
        with self._news:
            self._plan(turn, time.monotonic())
        return turn

    def put_first(self, turn: WorkTurn) -> None:
        """Make a home's next step due at once."""
        with self._news:
            if turn.runs:
                turn.is_woken = True
            elif not turn.is_over:
                self._plan(turn, time.monotonic())

    def remove(self, turn: WorkTurn, timeout_s: float) -> None:
        """Make no further step for a home, and wait for the one under way."""
        with self._news:
            turn.is_over = True
            self._news.wait_for(lambda: not turn.runs, timeout_s)

    def stop(self, timeout_s: float) -> None:
        """Stop after the steps that are under way, or abandon them after a time."""
        with self._news:
            self._stops = True
            self._news.notify_all()
        for thread in self._threads:
            thread.join(timeout_s)

    def _plan(self, turn: WorkTurn, due_at: float) -> None:
        turn.due_at = due_at
        heapq.heappush(self._due, (due_at, next(self._numbers), turn))
        self._news.notify_all()

    def _run(self) -> None:
        while (turn := self._take()) is not None:
            pause_s: float | None = _AFTER_FAULT_S
            try:
                pause_s = turn.step()
            except Exception:  # noqa: BLE001  (one home must not stop the others)
                _LOG.exception("Work that waits in a home raised an unexpected exception")
            self._finish(turn, pause_s)

    def _take(self) -> WorkTurn | None:
        """Wait for the step that is due first, and return its turn; None when all is to stop."""
        with self._news:
            while not self._stops:
                now = time.monotonic()
                while self._due and self._due[0][0] <= now:
                    due_at, _, turn = heapq.heappop(self._due)
                    if not (turn.is_over or turn.runs) and due_at == turn.due_at:
                        turn.runs, turn.is_woken = True, False
                        return turn
                self._news.wait(self._due[0][0] - now if self._due else None)
        return None

    def _finish(self, turn: WorkTurn, pause_s: float | None) -> None:
        with self._news:
            turn.runs = False
            turn.is_over = turn.is_over or pause_s is None
            if not turn.is_over:
                pause = 0.0 if turn.is_woken or pause_s is None else pause_s
                self._plan(turn, time.monotonic() + pause)
            self._news.notify_all()


class BackgroundWorker:
    """Work of a home in a thread of its own, or in rounds that several homes share."""

    def __init__(self, name: str) -> None:
        """Create the worker.

        Args:
            name: of its thread.
        """
        self._wake = threading.Event()
        self._stopping = threading.Event()
        self._thread = threading.Thread(
            target=copy_context().run,  # with the clock of the caller
            args=[self._run],
            name=name,
            daemon=True,
        )
        self._turn: WorkTurn | None = None

    def start(self, rounds: WorkRounds | None = None) -> None:
        """Start the thread, which sleeps until something waits; or join rounds in its place."""
        if rounds is None:
            self._thread.start()
        else:
            self._turn = rounds.join(self._step)

    def wake(self) -> None:
        """Tell the worker that there is something to do."""
        self._wake.set()
        if self._turn is not None:
            self._turn.wake()

    def stop(self) -> None:
        """Stop after the present step, or abandon it if it takes too long."""
        self._stopping.set()
        self._wake.set()
        if self._turn is not None:
            self._turn.leave(_LONGEST_STOP_S)
        if self._thread.is_alive():
            self._thread.join(_LONGEST_STOP_S)

    @property
    def _is_running(self) -> bool:
        return self._turn is not None or self._thread.is_alive()

    def _run(self) -> None:
        while not self._stopping.is_set():
            self._wake.clear()
            pause_s = self._step()
            if pause_s is None:
                return
            self._wake.wait(pause_s)

    def _step(self) -> float | None:
        """Do some of what waits; return the pause before the next step, or None at the end."""
        raise NotImplementedError


class SharedRounds:
    """Rounds of all homes of a process, by what holds a step up.

    A step waits for the processor, for a chat model, or for neither.
    """

    def __init__(self, embedding: int, reading: int) -> None:
        """Start the threads.

        Args:
            embedding: how many embed.
            reading: how many ask a chat model.
        """
        self.embedding = WorkRounds("memoria-embed", embedding)
        self.reading = WorkRounds("memoria-extract", reading)
        self.upkeep = WorkRounds("memoria-upkeep", 1)

    def stop(self) -> None:
        """Stop all threads."""
        for each in (self.embedding, self.reading, self.upkeep):
            each.stop(_LONGEST_STOP_S)
