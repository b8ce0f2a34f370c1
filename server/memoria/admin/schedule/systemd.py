"""A timer of the user's systemd, and the service it starts."""

import configparser
import os
import re
from datetime import UTC, datetime, time
from pathlib import Path

from memoria.admin.schedule.files import delete, of_user, read, write
from memoria.admin.schedule.interface import (
    ScheduleDraft,
    ScheduleEntry,
    SchedulerKind,
    ScheduleText,
)
from memoria.admin.schedule.plan import TITLE, ScheduledJob
from memoria.admin.schedule.run import SchedulerResult, is_on_path, run_program
from memoria.errors import ScheduleError

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
_NOT_IN_A_PROGRAM = re.compile(r"[\"'\\$]")
_WORD = re.compile(r'"((?:[^"\\]|\\.)*)"')
_AT = re.compile(r"\*-\*-\* (\d\d):(\d\d):00", re.ASCII)
_NEXT = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", re.ASCII)
_ANSWERS = ("running", "degraded", "starting", "initializing")


def service_of(job: ScheduledJob) -> str:
    """The service's file.

    Raises:
        ScheduleError: systemd takes no program of such a name.
    """
    program, *arguments = job.command
    if _NOT_IN_A_PROGRAM.search(program):
        raise ScheduleError(
            f"systemd starts no program whose path holds a quote, a backslash or a dollar sign: "
            f"{program}. Use --with cron."
        )
    words = (_quote(program), *(_quote(word).replace("$", "$$") for word in arguments))
    assigned = (_quote(f"{name}={value}") for name, value in job.environment.items())
    environment = f"Environment={' '.join(assigned)}\n" if job.environment else ""
    return _SERVICE.format(title=TITLE, environment=environment, command=" ".join(words))


def timer_of(job: ScheduledJob) -> str:
    """The timer's file."""
    return _TIMER.format(title=TITLE, at=job.at)


class Systemd:
    """The systemd of the user who is logged in."""

    kind = SchedulerKind.SYSTEMD
    carries = True
    own_keys = "with `systemctl --user edit` of the service, by an Environment=NAME=key line"

    def is_present(self) -> bool:
        """Whether there is a systemctl command."""
        return is_on_path("systemctl")

    def answers(self) -> bool:
        """Whether this user's systemd runs."""
        if not self.is_present():
            return False
        return (
            run_program("systemctl", "--user", "is-system-running").out.decode().strip() in _ANSWERS
        )

    def draft(self, job: ScheduledJob) -> ScheduleDraft:
        """Two files, and two commands that make them count."""
        service, timer = _units(job.label)
        texts = (
            ScheduleText(str(service), service_of(job)),
            ScheduleText(str(timer), timer_of(job)),
        )
        enable = f"systemctl --user enable --now {timer.name}"
        return ScheduleDraft(texts, f"systemctl --user daemon-reload\n{enable}\n")

    def install(self, job: ScheduledJob) -> None:
        """Write both files and start the timer."""
        try:
            for text in self.draft(job).texts:
                write(Path(text.where), text.content.encode())
            _systemctl("daemon-reload").expect_success()
            _systemctl("enable", f"{job.label}.timer").expect_success()
            # A timer that runs goes by its former times until it is started anew.
            _systemctl("restart", f"{job.label}.timer").expect_success()
        except ScheduleError:
            delete(*_all_files(job.label))
            raise

    def remove(self, label: str) -> bool:
        """Stop the timer and delete all there is of it."""
        if not any(file.exists() or file.is_symlink() for file in _all_files(label)):
            return False
        # Where no systemd of the user's runs, this fails and there is nothing to stop.
        _systemctl("disable", "--now", f"{label}.timer")
        delete(*_all_files(label))
        _systemctl("daemon-reload")
        return True

    def show(self, label: str) -> ScheduleEntry | None:
        """The job as its files have it, and when systemd means to start it."""
        service, timer = (read(file) for file in _units(label))
        if service is None or timer is None:
            return None
        next_at = _next_run(label)
        return ScheduleEntry(
            kind=SchedulerKind.SYSTEMD,
            where=str(_units(label)[1]),
            command=tuple(word.replace("$$", "$") for word in _words(service, "ExecStart")),
            environment=dict(word.split("=", 1) for word in _words(service, "Environment")),
            at=_parse_daily(_read_value(timer, "Timer", "OnCalendar")),
            next_at=next_at,
            asleep=next_at is None,
        )


def _systemctl(*arguments: str) -> SchedulerResult:
    return run_program("systemctl", "--user", *arguments)


def _units(label: str) -> tuple[Path, Path]:
    folder = _folder("XDG_CONFIG_HOME", "~/.config") / "user"
    return folder / f"{label}.service", folder / f"{label}.timer"


def _all_files(label: str) -> tuple[Path, ...]:
    """All files there may be: ours, the link that enables the timer, its note of the last run."""
    service, timer = _units(label)
    note = _folder("XDG_DATA_HOME", "~/.local/share") / "timers" / f"stamp-{timer.name}"
    return service, timer, timer.parent / "timers.target.wants" / timer.name, note


def _folder(variable: str, default: str) -> Path:
    named = Path(os.environ.get(variable, ""))
    return (named if named.is_absolute() else of_user(default)) / "systemd"


def _quote(word: str) -> str:
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{escaped}"'


def _words(unit: bytes, key: str) -> list[str]:
    quoted = _WORD.findall(_read_value(unit, "Service", key))
    return [re.sub(r"\\(.)", r"\1", word).replace("%%", "%") for word in quoted]


def _read_value(unit: bytes, section: str, key: str) -> str:
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(unit.decode())
    except (configparser.Error, ValueError) as error:
        raise ScheduleError(f"The job's files can't be read: {error}") from error
    return parser.get(section, key, fallback="")


def _parse_daily(calendar: str) -> time | None:
    match = _AT.fullmatch(calendar)
    return None if match is None else time(int(match[1]), int(match[2]))


def _next_run(label: str) -> datetime | None:
    """What systemd says: it alone knows the delay it has drawn. None where no timer runs."""
    asked = _systemctl("show", "--property=NextElapseUSecRealtime", "--value", f"{label}.timer")
    match = _NEXT.search(asked.out.decode("utf-8", "replace"))
    return datetime.fromisoformat(match[0]).replace(tzinfo=UTC).astimezone() if match else None
