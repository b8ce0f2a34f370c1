"""Runs the scheduler's own program: crontab, systemctl, launchctl, schtasks."""

import os
import shutil
import subprocess
from dataclasses import dataclass

from memoria.errors import ScheduleError

_TIMEOUT_S = 20
_SHOWN_CHARS = 300
_PLAIN = {"LC_ALL": "C", "TZ": "UTC"}
"""Variables that keep what it says readable, whatever the language and the zone."""


@dataclass(frozen=True, slots=True)
class SchedulerResult:
    """Result of a program that has ended."""

    program: str
    code: int
    out: bytes
    err: str

    def expect_success(self) -> None:
        """Raise ScheduleError, with what the program said, unless it succeeded."""
        if self.code != 0:
            said = (self.err or self.out.decode("utf-8", "replace")).strip()[:_SHOWN_CHARS]
            raise ScheduleError(f"{self.program} failed: {said or f'exit code {self.code}'}")


def is_on_path(program: str) -> bool:
    """Check whether a program is on the PATH."""
    return shutil.which(program) is not None


def run_program(program: str, *arguments: str, given: bytes = b"") -> SchedulerResult:
    """Run a program to its end. No shell is involved.

    Raises:
        ScheduleError: it is not there, can't be started or does not end.
    """
    found = shutil.which(program)
    if found is None:
        raise ScheduleError(f"There is no {program} on this machine's PATH.")
    try:
        done = subprocess.run(  # noqa: S603  (a scheduler's own program, arguments as a list)
            [found, *arguments],
            input=given,
            env={**os.environ, **_PLAIN},
            capture_output=True,
            timeout=_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise ScheduleError(f"{program} did not end within {_TIMEOUT_S} s.") from error
    except OSError as error:
        raise ScheduleError(f"{program} can't be started: {error.strerror}.") from error
    return SchedulerResult(
        program, done.returncode, done.stdout, done.stderr.decode("utf-8", "replace")
    )
