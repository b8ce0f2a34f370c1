"""The schedulers that read a job from files and are told of it by a command: all but cron."""

import os
import shlex
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from memoria.connectors.schedules.job import ScheduledJob
from memoria.connectors.schedules.run import Done, expect_success, run_program
from memoria.connectors.schedules.templates import agent_of, task_of, units_of
from memoria.disk.home_files import replace_file
from memoria.errors import ScheduleError

Arguments = tuple[str, ...]
"""Arguments of the scheduler's own program."""


class SchedulerKind(StrEnum):
    """The schedulers Memoria knows."""

    CRON = "cron"
    SYSTEMD = "systemd"
    LAUNCHD = "launchd"
    TASKS = "tasks"


@dataclass(frozen=True, slots=True)
class ScheduledText:
    """Text of a job, and where it stands: a path, or a place in words."""

    where: str
    content: str


class Scheduler(Protocol):
    """A scheduler of the platform. Whatever it is asked raises ScheduleError where that fails."""

    @property
    def kind(self) -> SchedulerKind:
        """Name of the scheduler."""
        ...

    @property
    def program(self) -> str:
        """The command that speaks to it; where it is not on the PATH there is no such scheduler."""
        ...

    @property
    def own_keys(self) -> str:
        """Place where the user may set a variable for the job: the end of a sentence."""
        ...

    @property
    def carries_settings(self) -> bool:
        """True if a job can hold settings of its own."""
        ...

    def draft(self, job: ScheduledJob) -> tuple[ScheduledText, ...]:
        """Return what `install` would write; touch nothing."""
        ...

    def commands(self, label: str, /) -> tuple[str, ...]:
        """Return what a person runs once the texts are written."""
        ...

    def install(self, job: ScheduledJob) -> None:
        """Make the job run every day, in place of one of its label; or leave nothing of it."""
        ...

    def remove(self, label: str) -> bool:
        """Take the job out with all that was written for it. Return whether it was there."""
        ...

    def find(self, label: str) -> tuple[ScheduledText, ...]:
        """Return what the scheduler has under a label, as it stands there."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class FileScheduler:
    """Description of such a scheduler: its files and its commands."""

    kind: SchedulerKind
    program: str
    own_keys: str
    carries_settings: bool = True
    places: Callable[[str], tuple[Path, ...]]
    """The files of a label that Memoria writes."""
    contents: Callable[[ScheduledJob], tuple[str, ...]]
    """Content of those files."""
    encoding: str = "utf-8"
    traces: Callable[[str], tuple[Path, ...]] = lambda _label: ()
    """Files that the scheduler itself writes for a label."""
    load: Callable[[str], tuple[Arguments, ...]]
    """Commands that load a job; each must succeed."""
    unload: Callable[[str], Arguments]
    """Command that stops a job."""
    query: Callable[[str], Arguments] | None = None
    """Command that succeeds where there is a job, of a scheduler that copies the file."""

    def draft(self, job: ScheduledJob) -> tuple[ScheduledText, ...]:
        """Write the files' content."""
        saved = "" if self.encoding == "utf-8" else f", saved as {self.encoding.upper()}"
        placed = zip(self.places(job.label), self.contents(job), strict=True)
        return tuple(ScheduledText(f"{file}{saved}", content) for file, content in placed)

    def commands(self, label: str, /) -> tuple[str, ...]:
        """Return the commands that load the files."""
        join = subprocess.list2cmdline if self.kind is SchedulerKind.TASKS else shlex.join
        return tuple(join((self.program, *one)) for one in self.load(label))

    def install(self, job: ScheduledJob) -> None:
        """Write the files and load them, in place of what was loaded."""
        try:
            contents = self.contents(job)
            self._run(self.unload(job.label))
            for file, content in zip(self.places(job.label), contents, strict=True):
                _write(file, content.encode(self.encoding))
            for arguments in self.load(job.label):
                expect_success(self.program, self._run(arguments))
        except ScheduleError:
            self._delete(job.label)
            raise
        if self.query is not None:
            self._delete(job.label)

    def remove(self, label: str) -> bool:
        """Unload the job and delete all there is of it."""
        if not self.find(label):
            return False
        done = self._run(self.unload(label))
        if self.query is not None:
            expect_success(self.program, done)
        self._delete(label)
        return True

    def find(self, label: str) -> tuple[ScheduledText, ...]:
        """Return the files, or what the scheduler says of a job whose file it copied."""
        if self.query is None:
            found = ((file, _read(file)) for file in self.places(label))
            return tuple(ScheduledText(str(file), text) for file, text in found if text is not None)
        # A failure means that there is none; if it meant more, only the user's language would say.
        asked = self._run(self.query(label))
        said = asked.stdout.decode("utf-8", "replace")
        return () if asked.returncode else (ScheduledText(f"{self.program}, {label}", said),)

    def _run(self, arguments: Arguments) -> Done:
        return run_program(self.program, *arguments)

    def _delete(self, label: str) -> None:
        for file in (*self.places(label), *self.traces(label)):
            try:
                file.unlink(missing_ok=True)
            except OSError as error:
                raise ScheduleError(f"{file} can't be deleted: {error.strerror}.") from error


def _write(file: Path, content: bytes) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        replace_file(file, content)
    except OSError as error:
        raise ScheduleError(f"{file} can't be written: {error.strerror}.") from error


def _read(file: Path) -> str | None:
    try:
        return file.read_text("utf-8", "replace")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ScheduleError(f"{file} can't be read: {error.strerror}.") from error


def _user_path(path: str) -> Path:
    """Expand a path that begins with `~`.

    Raises:
        ScheduleError: nobody knows which folder is the user's.
    """
    try:
        return Path(path).expanduser()
    except RuntimeError as error:
        raise ScheduleError("This user has no home folder: HOME is not set.") from error


def _systemd_folder(variable: str, default: str) -> Path:
    named = Path(os.environ.get(variable, ""))
    return (named if named.is_absolute() else _user_path(default)) / "systemd"


def _units(label: str) -> tuple[Path, ...]:
    folder = _systemd_folder("XDG_CONFIG_HOME", "~/.config") / "user"
    return folder / f"{label}.service", folder / f"{label}.timer"


def _systemd_traces(label: str) -> tuple[Path, ...]:
    """Return the link that enables the timer, and systemd's note of its last run."""
    _, timer = _units(label)
    note = _systemd_folder("XDG_DATA_HOME", "~/.local/share") / "timers" / f"stamp-{timer.name}"
    return timer.parent / "timers.target.wants" / timer.name, note


def _agent(label: str) -> Path:
    return _user_path("~/Library/LaunchAgents") / f"{label}.plist"


def _agent_log(label: str) -> Path:
    return _user_path("~/Library/Logs") / f"{label}.log"


def _domain() -> str:
    return f"gui/{os.getuid()}"


def _task_file(label: str) -> Path:
    return Path(tempfile.gettempdir()) / f"{label}.xml"


SYSTEMD = FileScheduler(
    kind=SchedulerKind.SYSTEMD,
    program="systemctl",
    own_keys="with `systemctl --user edit` of the service, by an Environment=NAME=key line",
    places=_units,
    contents=units_of,
    traces=_systemd_traces,
    load=lambda label: (
        ("--user", "daemon-reload"),
        ("--user", "enable", "--now", f"{label}.timer"),
    ),
    unload=lambda label: ("--user", "disable", "--now", f"{label}.timer"),
)
LAUNCHD = FileScheduler(
    kind=SchedulerKind.LAUNCHD,
    program="launchctl",
    own_keys="with `launchctl setenv NAME key`, after each start of the machine",
    places=lambda label: (_agent(label),),
    contents=lambda job: (agent_of(job, str(_agent_log(job.label))),),
    traces=lambda label: (_agent_log(label),),
    load=lambda label: (("bootstrap", _domain(), str(_agent(label))),),
    unload=lambda label: ("bootout", f"{_domain()}/{label}"),
)
TASKS = FileScheduler(
    kind=SchedulerKind.TASKS,
    program="schtasks",
    own_keys="with `setx NAME key`, which all programs of this user then see",
    carries_settings=False,
    places=lambda label: (_task_file(label),),
    contents=lambda job: (task_of(job),),
    encoding="utf-16",
    load=lambda label: (("/Create", "/TN", label, "/XML", str(_task_file(label)), "/F"),),
    unload=lambda label: ("/Delete", "/TN", label, "/F"),
    query=lambda label: ("/Query", "/TN", label),
)
