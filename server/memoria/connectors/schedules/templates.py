"""The nightly job in the words of each scheduler: pure functions of the job."""

import os
import plistlib
import shlex
import subprocess
from xml.sax.saxutils import escape

from memoria.bare.lazy_regex import lazy_regex
from memoria.connectors.schedules.job import TITLE, ScheduledJob
from memoria.errors import ScheduleError

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
        ScheduleError: it would be longer than every cron takes.
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
