"""A helper as the process sees it that has started it."""

import pickle
import subprocess
import sys
from collections import deque
from concurrent.futures import Future
from contextlib import suppress
from threading import Lock

from memoria.config import Settings
from memoria.model import SearchResult
from memoria.retrieval import SearchPlan

_RUN = "import sys; sys.path[:] = sys.argv[1:]; from memoria.app.helpers.serve import main; main()"
"""It imports from where this process does."""


class Helper:
    """A process that searches. Several threads may ask at once; it answers in their order."""

    def __init__(self, settings: Settings) -> None:
        """Start it, and wait until it can answer, or is gone.

        Raises:
            OSError: it can't be started.
        """
        self._process = subprocess.Popen(  # noqa: S603  (this Python, with our own code)
            [sys.executable, "-c", _RUN, *sys.path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self.pid = self._process.pid
        self.is_gone = False
        """Whether it was found to have ended."""
        self._asked: deque[Future[SearchResult | None]] = deque()
        self._asking, self._hearing = Lock(), Lock()
        self._ask(settings)

    def search(self, plan: SearchPlan) -> SearchResult | None:
        """What it finds; None where it can't search, or is gone."""
        return self._ask(plan)

    def close(self) -> None:
        """End it, once it has answered."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):  # it has ended before it was told all
                    pipe.close()
        self._process.wait()

    def _ask(self, question: Settings | SearchPlan) -> SearchResult | None:
        """Ask, and hear answers until one's own comes: whoever listens takes those before it."""
        own: Future[SearchResult | None] = Future()
        message = pickle.dumps(question, pickle.HIGHEST_PROTOCOL)
        questions, answers = self._process.stdin, self._process.stdout
        if questions is None or answers is None:
            raise RuntimeError("the process was started without pipes")
        try:
            with self._asking:
                self._asked.append(own)
                questions.write(message)
                questions.flush()
            while not own.done():
                with self._hearing:
                    if not own.done():
                        # Nobody but the helper can write to the pipe.
                        answer = pickle.load(answers)  # noqa: S301
                        self._asked.popleft().set_result(answer)
        except (OSError, EOFError, ValueError, pickle.UnpicklingError):
            self.is_gone = True
            return None
        return own.result()
