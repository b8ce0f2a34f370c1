"""Program of a helper process: it opens the home and answers one search after another.

It ends when its questions do, however the process ended that asks them, and by itself when it was
asked nothing for a while: its memory is given back.
"""

import os
import signal
import sys
import threading
from contextlib import suppress
from typing import IO

from memoria.app.asking import ASKED, RESULTS
from memoria.app.engine import open_store
from memoria.config import Settings
from memoria.errors import MemoriaError
from memoria.inference import choose_embedder
from memoria.retrieval import Search

_IDLE_S = 60.0
_NOTHING = b""
"""Answer of a helper that can't answer."""


def main() -> None:
    """Answer what comes on standard input, in order."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends it to all; our input ends then
    questions, answers = sys.stdin.buffer, _take_output()
    first = questions.readline()
    if not first:
        return
    settings = Settings.model_validate_json(first)
    with suppress(BrokenPipeError, MemoriaError):
        search, idle = _open_search(settings), _IdleWatch()
        _send(answers, _NOTHING)
        while line := questions.readline():
            idle.note_work()
            _send(answers, _answer(search, settings, line))


def _open_search(settings: Settings) -> Search:
    embedder = choose_embedder(settings)
    if embedder is not None:
        embedder.wait_for_embedder(None)
    return Search(
        open_store(settings),
        settings.tenant,
        embedder,
        0,  # it is loaded, or never will be
        names_projects=settings.name_other_projects,
    )


def _answer(search: Search, settings: Settings, line: bytes) -> bytes:
    try:
        plans = [asked.plan(settings) for asked in ASKED.validate_json(line)]
        return RESULTS.dump_json(search.run_all(plans))
    except Exception:  # noqa: BLE001  (who asks then searches by itself, and says what is wrong)
        return _NOTHING


def _take_output() -> IO[bytes]:
    """Take standard output for the answers alone: whatever is printed goes where errors go."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return answers


def _send(answers: IO[bytes], answer: bytes) -> None:
    answers.write(answer + b"\n")
    answers.flush()


class _IdleWatch:
    """Ends this process after a while without work. Who asks just then searches by itself."""

    def __init__(self) -> None:
        self._worked = False
        self._look_again()

    def note_work(self) -> None:
        """Say that something was asked."""
        self._worked = True

    def _look_again(self) -> None:
        timer = threading.Timer(_IDLE_S, self._look)
        timer.daemon = True
        timer.start()

    def _look(self) -> None:
        if not self._worked:
            os._exit(0)
        self._worked = False
        self._look_again()
