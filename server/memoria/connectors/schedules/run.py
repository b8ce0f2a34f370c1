"""Runs the scheduler's own program: crontab, systemctl, launchctl, schtasks."""

import os
import shutil
import subprocess

from memoria.errors import ScheduleError

_TIMEOUT_S = 20
_SHOWN_CHARS = 300
_PLAIN = {"LC_ALL": "C", "TZ": "UTC"}
"""Variables that keep what it says readable, whatever the language and the zone."""

Done = subprocess.CompletedProcess[bytes]


def run_program(program: str, *arguments: str, given: bytes = b"") -> Done:
    """Run a program to its end and return what it said. No shell is involved.

    Raises:
        ScheduleError: it is not there, can't be started or does not end.
    """
    found = shutil.which(program)
    if found is None:
        raise ScheduleError(f"There is no {program} on this machine's PATH.")
    try:
        return subprocess.run(  # noqa: S603  (a scheduler's own program, arguments as a list)
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


def expect_success(program: str, done: Done) -> None:
    """Do nothing for a program that succeeded.

    Raises:
        ScheduleError: it failed; the message has what it said.
    """
    if done.returncode != 0:
        said = (done.stderr or done.stdout).decode("utf-8", "replace").strip()[:_SHOWN_CHARS]
        raise ScheduleError(f"{program} failed: {said or f'exit code {done.returncode}'}")
