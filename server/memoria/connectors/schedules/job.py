"""The nightly job: its command, the settings it takes along, and its text for each scheduler."""

import hashlib
import os
import plistlib
import re
import shlex
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import time
from pathlib import Path
from xml.sax.saxutils import escape

from pydantic import SecretStr

from memoria.bare.lazy_regex import lazy_regex
from memoria.bare.sealing import VARIABLE as ENCRYPTION_KEY
from memoria.config import Settings
from memoria.config_database import hide_password
from memoria.errors import InvalidInputError, ScheduleError, quote_value
from memoria.language.secrets.redact import holds_a_key
from memoria.settings_file import list_key_variables

LABEL = "memoria-nightly-"
TITLE = "Memoria, nightly maintenance"
_DIGITS, _FORMER_DIGITS = 32, 8
_AT = lazy_regex(r"([01]?\d|2[0-3]):([0-5]\d)", re.ASCII)
_UNFIT = lazy_regex("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]")
"""Characters that some schedulers' files can't hold: controls and what is no text."""


@dataclass(frozen=True, slots=True)
class ScheduledJob:
    """A command that is run every day."""

    label: str
    command: tuple[str, ...]
    at: time
    environment: Mapping[str, str] = field(default_factory=dict[str, str])


def job_labels(settings: Settings) -> tuple[str, str]:
    """Return the name of a home and tenant's job, and the name that an older version gave the job.

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
    """Parse a time of day, HH:MM.

    Raises:
        InvalidInputError: the text is no time of day.
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


_PREFIX = "MEMORIA_"
_IN_THE_COMMAND = ("home", "tenant", "workspace")
"""Settings that the command has as options; maintenance is of all workspaces."""


@dataclass(frozen=True, slots=True)
class CapturedEnvironment:
    """Variables that a job takes along, and the names of keys, which no job takes along."""

    carried: Mapping[str, str]
    keys: tuple[str, ...]


def capture_environment(settings: Settings, environment: Mapping[str, str]) -> CapturedEnvironment:
    """Split the settings of an environment into what a job may hold and what it may not.

    Raises:
        InvalidInputError: a value that would have to go along holds a key.
    """
    names = [name for name in Settings.model_fields if name not in _IN_THE_COMMAND]
    named = {name: value for name in names if (value := environment.get(_variable(name)))}
    if settings.database_url is not None:
        _require_no_password(settings.database_url.get_secret_value())
    secrets = [name for name in named if isinstance(getattr(settings, name), SecretStr)]
    keys = [name for name in secrets if name != "database_url"]  # without it: another memory
    carried = {_variable(name): value for name, value in named.items() if name not in keys}
    encryption_key = environment.get(ENCRYPTION_KEY, "")
    if Path(encryption_key).is_absolute():
        carried[ENCRYPTION_KEY] = encryption_key  # the place of its file
    elif encryption_key:
        keys.append(ENCRYPTION_KEY.removeprefix(_PREFIX))
    for name, value in carried.items():
        is_looked_at = name == _variable("database_url")  # its options are no keys
        if not is_looked_at and holds_a_key(value):
            raise InvalidInputError(_KEY_FOUND.format(name=name))
    if settings.llm_command:
        carried["PATH"] = _folders(environment.get("PATH", os.defpath))
    of_file = list_key_variables(str(settings.home_path), Settings)
    return CapturedEnvironment(carried, (*map(_variable, keys), *of_file))


def _require_no_password(url: str) -> None:
    if hide_password(url) != url:
        raise InvalidInputError(
            "MEMORIA_DATABASE_URL holds a password, and a job is a file that others may read. "
            "Nothing was installed. Write the password into ~/.pgpass, and the URL without it."
        )


_KEY_FOUND = (
    "{name} seems to hold a key or password, and a job is a file that others may read. Nothing was "
    "installed. Let the program read its key itself, from a file or a keyring, or install with "
    "{name} unset."
)


def _variable(name: str) -> str:
    return _PREFIX + name.upper()


def _folders(path: str) -> str:
    """List the folders of a PATH, each once."""
    folders = dict.fromkeys(folder for folder in path.split(os.pathsep) if Path(folder).is_dir())
    return os.pathsep.join(folder for folder in folders if Path(folder).is_absolute())


_MAX_BYTES = 990
"""Longest line of a crontab: several crons cut a longer command off without a word."""
_SERVICE = """\
[Unit]
Description={title}

[Service]
Type=oneshot
Nice=10
{environment}ExecStart={command}
"""
_TIMER = """\
[Unit]
Description={title}

[Timer]
OnCalendar=*-*-* {at:%H:%M}:00
Persistent=true
RandomizedDelaySec=900

[Install]
WantedBy=timers.target
"""
_TASK = """\
<?xml version="1.0" encoding="UTF-16"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo><Description>{title}</Description></RegistrationInfo>
  <Triggers>
    <CalendarTrigger>
      <StartBoundary>2026-01-01T{at:%H:%M}:00</StartBoundary>
      <ScheduleByDay><DaysInterval>1</DaysInterval></ScheduleByDay>
    </CalendarTrigger>
  </Triggers>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <StartWhenAvailable>true</StartWhenAvailable>
    <ExecutionTimeLimit>PT30M</ExecutionTimeLimit>
    <Priority>7</Priority>
  </Settings>
  <Actions><Exec><Command>{program}</Command><Arguments>{arguments}</Arguments></Exec></Actions>
</Task>
"""
_NOT_IN_A_UNIT = lazy_regex(r"[\"'\\$]")
_NOT_IN_A_TASK = lazy_regex(r"%[^%]+%|\$\(")


def line_of(job: ScheduledJob) -> str:
    """Write the job's line of a crontab, without its end.

    Raises:
        ScheduleError: the line would be longer than every cron takes.
    """
    assigned = (f"{name}={shlex.quote(value)}" for name, value in job.environment.items())
    command = _escape_for_cron(" ".join((*assigned, *map(shlex.quote, job.command))))
    task = f"{command} # {job.label}"
    if (size := len(os.fsencode(task))) > _MAX_BYTES:
        raise ScheduleError(
            f"The line for cron would have {size:,} bytes, and some take {_MAX_BYTES} only. Use "
            "another scheduler (--with), a shorter PATH, or unset settings that the job can do "
            "without."
        )
    return f"{job.at.minute} {job.at.hour} * * * {task}"


def units_of(job: ScheduledJob) -> tuple[str, str]:
    """Write the service of systemd and its timer.

    Raises:
        ScheduleError: systemd takes no program of such a name.
    """
    program, *arguments = job.command
    if _NOT_IN_A_UNIT.search(program):
        raise ScheduleError(
            f"systemd starts no program whose path holds a quote, a backslash or a dollar sign: "
            f"{program}. Use --with cron."
        )
    words = (_quote(program), *(_quote(word).replace("$", "$$") for word in arguments))
    assigned = (_quote(f"{name}={value}") for name, value in job.environment.items())
    environment = f"Environment={' '.join(assigned)}\n" if job.environment else ""
    service = _SERVICE.format(title=TITLE, environment=environment, command=" ".join(words))
    return service, _TIMER.format(title=TITLE, at=job.at)


def agent_of(job: ScheduledJob, log: str) -> str:
    """Write the launch agent; what the job says on standard error goes to the log."""
    agent = {
        "Label": job.label,
        "ProgramArguments": [*job.command],
        "StartCalendarInterval": {"Hour": job.at.hour, "Minute": job.at.minute},
        "ProcessType": "Background",
        "LowPriorityIO": True,
        "Nice": 10,
        "StandardErrorPath": log,
        "EnvironmentVariables": dict(job.environment),
    }
    return plistlib.dumps(agent, sort_keys=False).decode()


def task_of(job: ScheduledJob) -> str:
    """Write the task of Windows.

    Raises:
        ScheduleError: Task Scheduler would take a part of it for a variable.
    """
    for word in job.command:
        if _NOT_IN_A_TASK.search(word):
            raise ScheduleError(
                f"Task Scheduler would put a variable's value into {word}. Rename the folder or "
                "the tenant, and install again."
            )
    program, *arguments = job.command
    texts = {"program": program, "arguments": subprocess.list2cmdline(arguments), "title": TITLE}
    return _TASK.format(at=job.at, **{name: escape(text) for name, text in texts.items()})


def _escape_for_cron(command: str) -> str:
    r"""Escape a command for cron: `%` ends it, `\%` does not, and in `\\%` it does."""
    return command.replace("\\%", "\\''%").replace("%", "\\%")


def _quote(word: str) -> str:
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{escaped}"'
