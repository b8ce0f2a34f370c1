"""A timer of the user's systemd, and the service it starts."""

import os
from pathlib import Path

from memoria.bare.lazy_regex import lazy_regex
from memoria.connectors.schedules.files import FileScheduler, user_path
from memoria.connectors.schedules.interface import SchedulerKind, SchedulerTraits
from memoria.connectors.schedules.plan import TITLE, ScheduledJob
from memoria.connectors.schedules.program import is_on_path, run_program
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
_NOT_IN_A_PROGRAM = lazy_regex(r"[\"'\\$]")
_ANSWERS = ("running", "degraded", "starting", "initializing")


def units_of(job: ScheduledJob) -> tuple[str, str]:
    """Write the service's file and the timer's.

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
    service = _SERVICE.format(title=TITLE, environment=environment, command=" ".join(words))
    return service, _TIMER.format(title=TITLE, at=job.at)


def is_running() -> bool:
    """Check whether a systemd of this user runs."""
    if not is_on_path("systemctl"):
        return False
    state = run_program("systemctl", "--user", "is-system-running").out.decode().strip()
    return state in _ANSWERS


def _places(label: str) -> tuple[Path, ...]:
    folder = _folder("XDG_CONFIG_HOME", "~/.config") / "user"
    return folder / f"{label}.service", folder / f"{label}.timer"


def _traces(label: str) -> tuple[Path, ...]:
    """Return the link that enables the timer, and systemd's note of its last run."""
    _, timer = _places(label)
    note = _folder("XDG_DATA_HOME", "~/.local/share") / "timers" / f"stamp-{timer.name}"
    return timer.parent / "timers.target.wants" / timer.name, note


def _folder(variable: str, default: str) -> Path:
    named = Path(os.environ.get(variable, ""))
    return (named if named.is_absolute() else user_path(default)) / "systemd"


def _quote(word: str) -> str:
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{escaped}"'


SYSTEMD = FileScheduler(
    traits=SchedulerTraits(
        kind=SchedulerKind.SYSTEMD,
        program="systemctl",
        own_keys="with `systemctl --user edit` of the service, by an Environment=NAME=key line",
    ),
    places=_places,
    contents=units_of,
    traces=_traces,
    unload=lambda label: ("--user", "disable", "--now", f"{label}.timer"),
    load=lambda label: (
        ("--user", "daemon-reload"),
        ("--user", "enable", "--now", f"{label}.timer"),
    ),
    is_active=lambda label: ("--user", "is-active", f"{label}.timer"),
    after_removal=(("--user", "daemon-reload"),),
)
