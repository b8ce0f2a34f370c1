"""The nightly job: what is run each day, whichever scheduler runs it."""

import hashlib
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import time
from pathlib import Path

from memoria.bare.lazy_regex import lazy_regex
from memoria.config import Settings
from memoria.errors import InvalidInputError, ScheduleError, quote_value

LABEL = "memoria-nightly-"
TITLE = "Memoria, nightly maintenance"
_DIGITS, _FORMER_DIGITS = 32, 8
_AT = lazy_regex(r"([01]?\d|2[0-3]):([0-5]\d)", re.ASCII)
_UNFIT = lazy_regex("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]")
"""Characters that not every scheduler's file can hold: controls and what is no text."""


@dataclass(frozen=True, slots=True)
class ScheduledJob:
    """A command that is run every day."""

    label: str
    command: tuple[str, ...]
    at: time
    environment: Mapping[str, str] = field(default_factory=dict[str, str])


def job_labels(settings: Settings) -> tuple[str, str]:
    """Return the name of the job of a home and tenant, and the one that an older version gave it.

    A job under the older name runs on until it is installed anew or removed.
    """
    whose = f"{settings.home_path}\0{settings.tenant}"
    digest = hashlib.sha256(whose.encode("utf-8", "surrogateescape")).hexdigest()
    return LABEL + digest[:_DIGITS], LABEL + digest[:_FORMER_DIGITS]


def nightly_job(
    settings: Settings,
    at: time = time(3, 17),
    environment: Mapping[str, str] | None = None,
    python: Path | None = None,
) -> ScheduledJob:
    """Plan the nightly maintenance of a home and tenant.

    Args:
        settings: whose memory it is.
        at: when, by the machine's clock.
        environment: what the command is to see beside what the scheduler gives it.
        python: the interpreter; by default this one. A virtual environment's is kept as it is
            called, for its link leads out of the environment.

    Raises:
        InvalidInputError: a name or value can't stand in a scheduler's file.
        ScheduleError: this process does not know which Python it is.
    """
    # -P: a job starts in the user's folder, where a random.py would stand in for Python's own.
    command = (
        *(_own_python() if python is None else str(python), "-P", "-m", "memoria"),
        *("--home", str(settings.home_path), "--tenant", settings.tenant, "nightly", "--quiet"),
    )
    environment = dict(environment or {})
    for text in (*command, *environment.values()):
        if _UNFIT.search(text):
            raise InvalidInputError(
                f"{quote_value(text)} holds a line break or another character that a scheduler's "
                "file can't hold. Rename it and install again."
            )
    return ScheduledJob(job_labels(settings)[0], command, at, environment)


def parse_time_of_day(text: str) -> time:
    """Parse HH:MM.

    Raises:
        InvalidInputError: it names none.
    """
    match = _AT.fullmatch(text.strip())
    if match is None:
        raise InvalidInputError(
            f"{quote_value(text)} is no time of day. Write HH:MM, such as 03:17."
        )
    return time(int(match[1]), int(match[2]))


def _own_python() -> str:
    if not sys.executable:
        raise ScheduleError("This Python can't say where it is, so no job can start it.")
    return str(Path(sys.executable).absolute())
