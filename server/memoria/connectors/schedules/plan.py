"""The nightly job: what is run each day, whichever scheduler runs it.

What was installed is also noted in a file of the tenant's folder. So no scheduler's own file has to
be read back to say what it runs: it says what the note says, or somebody has changed it.
"""

import hashlib
import re
import sys
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime, time, timedelta
from pathlib import Path

from pydantic import Field, ValidationError

from memoria.bare.lazy_regex import lazy_regex
from memoria.config import Settings
from memoria.disk.folders import SCHEDULED_JOB
from memoria.disk.former_folders import former_folder
from memoria.disk.home_folder import open_home_files
from memoria.disk.interface import TenantFiles
from memoria.disk.regular_files import check_place, read_file
from memoria.errors import InvalidInputError, ScheduleError, UnusableFileError, quote_value
from memoria.model.base import Value

LABEL = "memoria-nightly-"
TITLE = "Memoria, nightly maintenance"
DEFAULT_AT = time(3, 17)
_FORMER_DIGITS, _DIGITS = 8, 32
_AT = lazy_regex(r"([01]?\d|2[0-3]):([0-5]\d)", re.ASCII)
_UNFIT = lazy_regex("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]")
"""Characters that not every scheduler's file can hold: controls and what is no text."""


class ScheduledJob(Value):
    """A command that is run every day."""

    label: str
    command: tuple[str, ...]
    at: time
    environment: dict[str, str] = Field(default_factory=dict)


def job_label(settings: Settings) -> str:
    """Return the job's name: one for each home and tenant, which an installed job keeps."""
    whose = f"{settings.home_path}\0{settings.tenant}"
    digest = hashlib.sha256(whose.encode("utf-8", "surrogateescape")).hexdigest()
    labels = [LABEL + digest[:digits] for digits in (_FORMER_DIGITS, _DIGITS)]
    noted = _read_note(settings)
    return noted.label if noted is not None and noted.label in labels else labels[-1]


def nightly_job(
    settings: Settings,
    at: time = DEFAULT_AT,
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
    return ScheduledJob(label=job_label(settings), command=command, at=at, environment=environment)


def note_job(settings: Settings, job: ScheduledJob) -> None:
    """Note what was installed.

    Raises:
        ScheduleError: the note can't be written.
    """
    try:
        _files(settings).write(SCHEDULED_JOB, job.model_dump_json(indent=2).encode())
    except UnusableFileError as error:
        raise ScheduleError(str(error)) from error


def read_job(settings: Settings) -> ScheduledJob | None:
    """Read which job was installed from here last; None where nothing says."""
    job = _read_note(settings)
    return job if job is not None and job.label == job_label(settings) else None


def forget_job(settings: Settings) -> None:
    """Delete the note, once the job is out."""
    _files(settings).delete(SCHEDULED_JOB)
    with suppress(OSError, UnusableFileError):  # what stays there is moved when the home is opened
        former = _former_place(settings)
        check_place(settings.home_path, former)
        (settings.home_path / former).unlink(missing_ok=True)


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


def next_run(at: time, now: datetime) -> datetime:
    """Return the next moment of that time, by the machine's clock."""
    local = now.astimezone().replace(tzinfo=None)
    today = datetime.combine(local, at)
    return (today if today > local else today + timedelta(days=1)).astimezone()


def _read_note(settings: Settings) -> ScheduledJob | None:
    """Read the note, also where an earlier version left it and nobody has opened the home since."""
    try:
        note = _files(settings).read(SCHEDULED_JOB) or read_file(
            settings.home_path, _former_place(settings)
        )
        return ScheduledJob.model_validate_json(note or b"")
    except (UnusableFileError, ValidationError):
        return None  # a note that can't be read says no more than one that is missing


def _former_place(settings: Settings) -> Path:
    home = settings.home_path
    return former_folder(home, settings.tenant).relative_to(home) / SCHEDULED_JOB


def _files(settings: Settings) -> TenantFiles:
    return open_home_files(settings).of(settings.tenant)


def _own_python() -> str:
    if not sys.executable:
        raise ScheduleError("This Python can't say where it is, so no job can start it.")
    return str(Path(sys.executable).absolute())
