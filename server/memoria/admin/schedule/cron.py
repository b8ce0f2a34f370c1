"""A line in the user's crontab. Other lines are kept byte for byte."""

import os
import re
import shlex
from datetime import datetime, time

from memoria.admin.schedule.interface import (
    ScheduleDraft,
    ScheduleEntry,
    SchedulerKind,
    ScheduleText,
)
from memoria.admin.schedule.plan import ScheduledJob, next_run
from memoria.admin.schedule.run import is_on_path, run_program
from memoria.errors import ScheduleError

_LOCATION = "the crontab"
_MOST_BYTES = 990
"""Several crons cut a longer command off without a word."""
_LINES = re.compile(rb"[^\n]*\n|[^\n]+")
_DAILY = re.compile(r"(\d{1,2}) (\d{1,2}) \* \* \*", re.ASCII)
_ENTRY = re.compile(r"\s*((?:@\w+|(?:\S+\s+){4}\S+))\s+(.+)")
_ASSIGNMENT = re.compile(r"[A-Z_]+=", re.ASCII)
_ESCAPE = re.compile(r"\\(?:%|(.))|(%.*)")
_NO_TABLE = re.compile(r"no crontab|can't open '[^']*': No such file")
"""How cron, cronie, macOS and BusyBox say that a user has none."""


def line_of(job: ScheduledJob) -> str:
    """The job's line, without its end.

    Raises:
        ScheduleError: it would be longer than every cron takes.
    """
    assigned = (f"{name}={shlex.quote(value)}" for name, value in job.environment.items())
    command = _for_cron(" ".join((*assigned, *map(shlex.quote, job.command))))
    task = f"{command} # {job.label}"
    if (size := len(os.fsencode(task))) > _MOST_BYTES:
        raise ScheduleError(
            f"The line for cron would have {size:,} bytes, and some take {_MOST_BYTES} only. Use "
            "another scheduler (--with), a shorter PATH, or unset settings that the job can do "
            "without."
        )
    return f"{job.at.minute} {job.at.hour} * * * {task}"


def with_line(table: bytes, job: ScheduledJob) -> bytes:
    """The table with the job's line, once.

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
    """The table without the job's line."""
    return b"".join(line for line in _LINES.findall(table) if not _is_line_of(line, label))


def read_line(table: bytes, label: str, now: datetime) -> ScheduleEntry | None:
    """The job's line, read as cron and a shell would."""
    found = next((line for line in _LINES.findall(table) if _is_line_of(line, label)), None)
    match = None if found is None else _ENTRY.fullmatch(os.fsdecode(found).rstrip("\r\n"))
    if match is None or match[1].startswith("#"):
        return None
    words = _split_words(match[2])
    first = next((i for i, word in enumerate(words) if not _ASSIGNMENT.match(word)), len(words))
    at = _parse_daily(match[1])
    return ScheduleEntry(
        kind=SchedulerKind.CRON,
        where=_LOCATION,
        command=tuple(words[first:]),
        environment=dict(word.split("=", 1) for word in words[:first]),
        at=at,
        next_at=None if at is None else next_run(at, now),
    )


class Cron:
    """The user's crontab."""

    kind = SchedulerKind.CRON
    carries = True
    own_keys = "by a line of your own above the job's, NAME=key, in `crontab -e`"

    def is_present(self) -> bool:
        """Whether there is a crontab command."""
        return is_on_path("crontab")

    def draft(self, job: ScheduledJob) -> ScheduleDraft:
        """The line."""
        return ScheduleDraft((ScheduleText(_LOCATION, line_of(job) + "\n"),), "crontab -e\n")

    def install(self, job: ScheduledJob) -> None:
        """Write the table with the line, and see whether it is there."""
        wanted = with_line(_read_table(), job)
        run_program("crontab", "-", given=wanted).expect_success()
        if os.fsencode(line_of(job)) not in _read_table():
            raise ScheduleError("crontab took the line but does not have it.")

    def remove(self, label: str) -> bool:
        """Write the table without the line; where nothing else was in it, take it away."""
        table = _read_table()
        rest = without_line(table, label)
        if rest == table:
            return False
        (
            run_program("crontab", "-", given=rest) if rest else run_program("crontab", "-r")
        ).expect_success()
        return True

    def show(self, label: str) -> ScheduleEntry | None:
        """The line in the table."""
        return read_line(_read_table(), label, datetime.now().astimezone())


def _read_table() -> bytes:
    """The table as it stands. One that may not be read must not be taken for an empty one."""
    listed = run_program("crontab", "-l")
    if listed.code != 0 and _NO_TABLE.search(listed.err):
        return b""
    listed.expect_success()
    return listed.out


def _for_cron(command: str) -> str:
    r"""A shell's command as cron wants it: `%` ends it, `\%` does not, and in `\\%` it does."""
    return command.replace("\\%", "\\''%").replace("%", "\\%")


def _split_words(command: str) -> list[str]:
    """The words cron's shell sees; none where somebody made the line unreadable."""
    try:
        return shlex.split(_ESCAPE.sub(_unescape, command), comments=True)
    except ValueError:
        return []


def _unescape(match: re.Match[str]) -> str:
    if match[2]:  # what follows is the command's input
        return ""
    return match[0] if match[1] else "%"


def _is_line_of(line: bytes, label: str) -> bool:
    return line.rstrip().endswith(b"# " + label.encode())


def _parse_daily(fields: str) -> time | None:
    match = _DAILY.fullmatch(" ".join(fields.split()))
    return None if match is None else time(int(match[2]), int(match[1]))
