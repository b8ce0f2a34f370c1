"""A helper process, as the process that has started the helper sees it.

What is asked and answered is JSON, a line each: pydantic reads and writes it faster than pickle,
and the other side plans the search, so that a question is a few words.
"""

import subprocess
import sys
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future
from contextlib import suppress
from threading import Lock
from typing import IO

from memoria.app.asking import ASKED, RESULTS, AskedSearch
from memoria.config import Settings
from memoria.model import SearchResult

_RUN = "import sys; sys.path[:] = sys.argv[1:]; from memoria.app.helpers.serve import main; main()"
"""Program of a helper; it imports from where this process does."""


class Helper:
    """A process that searches. Several threads may ask at once, and are answered in their order."""

    def __init__(self, settings: Settings) -> None:
        """Start the process, and wait until it can answer or has ended.

        Raises:
            OSError: the process can't be started.
            ValueError: the settings can't be written as JSON: a path is no text.
        """
        told = settings.model_dump_json().encode()
        self._process = subprocess.Popen(  # noqa: S603  (this Python, with our own code)
            [sys.executable, "-c", _RUN, *sys.path], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.pid = self._process.pid
        self.is_gone = False
        """True once the process was found to have ended."""
        self._asked: deque[Future[bytes]] = deque()
        self._asking, self._hearing = Lock(), Lock()
        self._ask(told)

    def search(self, asked: Sequence[AskedSearch]) -> list[SearchResult] | None:
        """Return the result of each search; None if the process can't search, or has ended."""
        answer = self._ask(ASKED.dump_json(asked))
        return RESULTS.validate_json(answer) if answer.strip() else None

    def close(self) -> None:
        """End the process, once it has answered."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):  # it has ended before it was told all
                    pipe.close()
        self._process.wait()

    def _ask(self, question: bytes) -> bytes:
        """Ask a question, and pass answers to their askers until the own answer comes."""
        own: Future[bytes] = Future()
        questions, answers = self._process.stdin, self._process.stdout
        if questions is None or answers is None:
            raise RuntimeError("the process was started without pipes")
        try:
            with self._asking:
                self._asked.append(own)
                questions.write(question + b"\n")
                questions.flush()
            while not own.done():
                with self._hearing:
                    if not own.done():
                        answer = _hear(answers)
                        self._asked.popleft().set_result(answer)
        except (OSError, EOFError, ValueError):
            self.is_gone = True
            return b""
        return own.result()


def _hear(answers: IO[bytes]) -> bytes:
    """Return the next line, once there is one.

    Raises:
        EOFError: the process writes no more.
    """
    line = answers.readline()
    if not line.endswith(b"\n"):
        raise EOFError
    return line
