"""A program that is given a text and gives one back, within a time and a size.

It gets a process group of its own, and the whole group ends with it: what it started must not live
on after a timeout. Three threads feed and drain its pipes, because a program may write before it
has read everything.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

_BLOCK_BYTES = 65_536
_LAST_WORDS_BYTES = 4096
_REAP_S = 2.0


@dataclass(frozen=True, slots=True)
class ProgramResult:
    """Result of a program."""

    code: int
    output: bytes
    stderr_tail: bytes
    """The end of what it wrote to standard error."""
    cut: bool
    """True if it was ended because it wrote more than it may."""


class Program:
    """A running program. `kill` may be called from any thread."""

    def __init__(
        self, words: Sequence[str], environment: Mapping[str, str], folder: Path, most_bytes: int
    ) -> None:
        """Start it.

        Raises:
            OSError: it can't be started.
        """
        self._most_bytes = most_bytes
        self._output = bytearray()
        self._last_words = bytearray()
        self._cut = False
        self._process = subprocess.Popen(  # noqa: S603  (the user's own command, without a shell)
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(environment),
            cwd=folder,
            start_new_session=True,
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )

    def run(self, text: str, timeout_s: float) -> ProgramResult:
        """Give it the text and wait for its end. Nothing of it is left afterwards.

        Raises:
            TimeoutError: it takes longer.
        """
        deadline = time.monotonic() + timeout_s
        pipes = (
            threading.Thread(target=self._feed, args=(text.encode("utf-8", "replace"),)),
            threading.Thread(target=self._read_output),
            threading.Thread(target=self._read_stderr_tail),
        )
        for pipe in pipes:
            pipe.daemon = True
            pipe.start()
        try:
            pipes[1].join(timeout_s)
            if pipes[1].is_alive():
                raise TimeoutError
            code = self._process.wait(max(deadline - time.monotonic(), 0.0))
        except subprocess.TimeoutExpired:
            raise TimeoutError from None
        finally:
            self.kill()
            for pipe in pipes:
                pipe.join(_REAP_S)
        return ProgramResult(code, bytes(self._output), bytes(self._last_words), self._cut)

    def kill(self) -> None:
        """End it and whatever it started, unless it has ended by itself."""
        if self._process.returncode is not None:
            return  # its number may be another's by now
        if sys.platform == "win32":
            number = str(self._process.pid)
            subprocess.run(  # noqa: S603  (a number)
                ["taskkill", "/T", "/F", "/PID", number],  # noqa: S607  (Windows' own)
                capture_output=True,
                check=False,
            )
        else:
            with suppress(ProcessLookupError, PermissionError):  # it is ending
                os.killpg(self._process.pid, signal.SIGKILL)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_REAP_S)

    def _feed(self, text: bytes) -> None:
        with suppress(OSError, ValueError), _pipe(self._process.stdin) as pipe:
            pipe.write(text)  # a program may end without reading all of it

    def _read_output(self) -> None:
        with _pipe(self._process.stdout) as pipe:
            while block := os.read(pipe.fileno(), _BLOCK_BYTES):
                self._output += block
                if len(self._output) > self._most_bytes:
                    self._cut = True
                    self.kill()
                    return

    def _read_stderr_tail(self) -> None:
        with _pipe(self._process.stderr) as pipe:
            while block := os.read(pipe.fileno(), _BLOCK_BYTES):
                self._last_words += block
                del self._last_words[:-_LAST_WORDS_BYTES]


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    if pipe is None:  # never so: all three were asked for
        raise ValueError("no pipe")
    return pipe
