"""A night in a process of its own, to be watched and ended."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from bench.night.homes import Way

_ROOT = Path(__file__).resolve().parents[2]


class Child:
    """The process."""

    def __init__(self, process: "subprocess.Popen[str]", errors: IO[bytes]) -> None:
        self._errors = errors
        self.process = process

    def lines(self) -> Iterator[tuple[str, int, int]]:
        """(step, done, of) after every transaction, until it ends."""
        for line in self._stdout:
            step, done, of = line.split()
            yield step, int(done), int(of)

    def wait_until_ready(self) -> None:
        """Until it begins, or has ended."""
        self._stdout.readline()

    def end(self) -> None:
        """Wait until it has ended.

        Raises:
            RuntimeError: with what it said, where it was not told to end and did not do its work.
        """
        self.process.communicate()
        if self.process.returncode > 0:
            self._errors.seek(0)
            raise RuntimeError(self._errors.read().decode("utf-8", "replace").strip())

    @property
    def _stdout(self) -> IO[str]:
        if self.process.stdout is None:
            raise RuntimeError("the night has no pipe")
        return self.process.stdout


@contextmanager
def night(home: Path, at: int, lease_ms: int, way: Way) -> Iterator[Child]:
    """Start a night, and be rid of it in the end."""
    told = [str(home), str(at), str(lease_ms), json.dumps(asdict(way))]
    command = [sys.executable, "-m", "bench.night.child", *told]
    with TemporaryFile() as errors:
        process = subprocess.Popen(  # noqa: S603  (our own module)
            command, cwd=_ROOT, stdout=subprocess.PIPE, stderr=errors, text=True
        )
        with process:
            try:
                yield Child(process, errors)
            finally:
                process.kill()
