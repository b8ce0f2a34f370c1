"""Schedulers: cron, and those that read a job from files: systemd, launchd, Windows' tasks."""

import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from memoria.bare.lazy_regex import lazy_regex
from memoria.connectors.schedules.job import ScheduledJob, agent_of, line_of, task_of, units_of
from memoria.disk.home_files import replace_file
from memoria.errors import ScheduleError

_TIMEOUT_S = 20
_SHOWN_CHARS = 300
_PLAIN = {"LC_ALL": "C", "TZ": "UTC"}
"""Variables that keep a program's messages readable, whatever the language and the zone."""
Done = subprocess.CompletedProcess[bytes]


def run_program(program: str, *arguments: str, given: bytes = b"") -> Done:
    """Run a program to its end and return what it said. No shell is involved.

    Raises:
        ScheduleError: the program is missing, can't be started or does not end.
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
    """Check that a program succeeded.

    Raises:
        ScheduleError: the program failed; the message has the program's own words.
    """
    if done.returncode != 0:
        said = (done.stderr or done.stdout).decode("utf-8", "replace").strip()[:_SHOWN_CHARS]
        raise ScheduleError(f"{program} failed: {said or f'exit code {done.returncode}'}")


Arguments = tuple[str, ...]
"""Arguments of the scheduler's own program."""


class SchedulerKind(StrEnum):
    """Names of the schedulers that Memoria knows."""

    CRON = "cron"
    SYSTEMD = "systemd"
    LAUNCHD = "launchd"
    TASKS = "tasks"


@dataclass(frozen=True, slots=True)
class ScheduledText:
    """Text of a job, and where the text stands: a path, or a place in words."""

    where: str
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FileScheduler:
    """Scheduler that reads a job from files and is told of the job by a command."""

    kind: SchedulerKind
    program: str
    """The command that speaks to it. Where the command is not on the PATH, no such scheduler is."""
    own_keys: str
    """Way in which the user sets a variable for the job, as the end of a sentence."""
    carries_settings: bool = True
    """True if a job can hold settings of its own."""
    places: Callable[[str], tuple[Path, ...]]
    """The files of a label that Memoria writes."""
    contents: Callable[[ScheduledJob], tuple[str, ...]]
    """Content of those files."""
    encoding: str = "utf-8"
    traces: Callable[[str], tuple[Path, ...]] = lambda _label: ()
    """Files that the scheduler itself writes for a label."""
    load: Callable[[str], tuple[Arguments, ...]]
    """Commands that load a job. Each of the commands must succeed."""
    unload: Callable[[str], Arguments]
    """Command that stops a job."""
    query: Callable[[str], Arguments] | None = None
    """Command that succeeds where a job is loaded; None where the scheduler reads our file."""

    def draft(self, job: ScheduledJob) -> tuple[ScheduledText, ...]:
        """Return the files that `install` would write; touch nothing."""
        saved = "" if self.encoding == "utf-8" else f", saved as {self.encoding.upper()}"
        placed = zip(self.places(job.label), self.contents(job), strict=True)
        return tuple(ScheduledText(f"{file}{saved}", content) for file, content in placed)

    def commands(self, label: str, /) -> tuple[str, ...]:
        """Return the commands that load the written files."""
        join = subprocess.list2cmdline if self.kind is SchedulerKind.TASKS else shlex.join
        return tuple(join((self.program, *one)) for one in self.load(label))

    def install(self, job: ScheduledJob) -> None:
        """Write and load the files, in place of a loaded job; where that fails, leave no file."""
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
        """Unload the job and delete its files. Return whether the job was there."""
        if not self.find(label):
            return False
        done = self._run(self.unload(label))
        if self.query is not None:
            expect_success(self.program, done)
        self._delete(label)
        return True

    def find(self, label: str) -> tuple[ScheduledText, ...]:
        """Return the job's files, or what the scheduler says of a job whose file it copied."""
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
_CRONTAB = "the crontab"
_LINES = lazy_regex(rb"[^\n]*\n|[^\n]+")
_NO_TABLE = lazy_regex(rb"no crontab|can't open '[^']*': No such file")
"""Messages of cron, cronie, macOS and BusyBox for a user without a table."""


def with_line(table: bytes, job: ScheduledJob) -> bytes:
    """Put the job's line into the table, and no second one.

    A new line goes to the top, where no `SHELL=` of the user's is in force and where taking it out
    leaves what was there, whether that ended in a line break or not. Where one stands, it stays.
    """
    new, done = os.fsencode(line_of(job)) + b"\n", False
    lines = list[bytes]()
    for line in _LINES.findall(table):
        if not _is_line_of(line, job.label):
            lines.append(line)
        elif not done:
            lines.append(new)
            done = True
    return b"".join(lines if done else (new, *lines))


def without_line(table: bytes, label: str) -> bytes:
    """Take the job's line out of the table."""
    return b"".join(line for line in _LINES.findall(table) if not _is_line_of(line, label))


class Cron:
    """The user's crontab."""

    kind = SchedulerKind.CRON
    program = "crontab"
    own_keys = "by a line of your own above the job's, NAME=key, in `crontab -e`"
    carries_settings = True

    def draft(self, job: ScheduledJob) -> tuple[ScheduledText, ...]:
        """Return the line that `install` would write; touch nothing."""
        return (ScheduledText(_CRONTAB, line_of(job) + "\n"),)

    def commands(self, _label: str, /) -> tuple[str, ...]:
        """Return the command by which a person edits the table."""
        return ("crontab -e",)

    def install(self, job: ScheduledJob) -> None:
        """Write the table with the job's line."""
        _write_table(with_line(_read_table(), job))

    def remove(self, label: str) -> bool:
        """Take the job's line out of the table. Return whether a line was there."""
        table = _read_table()
        rest = without_line(table, label)
        if rest != table:
            _write_table(rest)
        return rest != table

    def find(self, label: str) -> tuple[ScheduledText, ...]:
        """Return the job's line as it stands in the table; nothing where no line does."""
        lines = (line for line in _LINES.findall(_read_table()) if _is_line_of(line, label))
        return tuple(ScheduledText(_CRONTAB, line.decode("utf-8", "replace")) for line in lines)


Scheduler = Cron | FileScheduler
"""A scheduler of the platform. Each method raises a ScheduleError where the scheduler fails."""


def _read_table() -> bytes:
    """Read the table. A table that may not be read must not be taken for an empty one."""
    listed = run_program("crontab", "-l")
    if listed.returncode != 0 and _NO_TABLE.search(listed.stderr):
        return b""
    expect_success("crontab", listed)
    return listed.stdout


def _write_table(table: bytes) -> None:
    done = run_program("crontab", "-", given=table) if table else run_program("crontab", "-r")
    expect_success("crontab", done)


def _is_line_of(line: bytes, label: str) -> bool:
    return line.rstrip().endswith(b"# " + label.encode())
