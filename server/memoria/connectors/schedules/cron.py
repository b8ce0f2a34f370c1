"""A line in the user's crontab. Other lines are kept byte for byte."""

import os
import shlex

from memoria.bare.lazy_regex import lazy_regex
from memoria.connectors.schedules.interface import (
    InstalledJob,
    ScheduleDraft,
    SchedulerKind,
    SchedulerTraits,
    ScheduleText,
)
from memoria.connectors.schedules.plan import ScheduledJob
from memoria.connectors.schedules.program import run_program
from memoria.errors import ScheduleError

_LOCATION = "the crontab"
_MAX_BYTES = 990
"""Longest line: several crons cut a longer command off without a word."""
_LINES = lazy_regex(rb"[^\n]*\n|[^\n]+")
_NO_TABLE = lazy_regex(r"no crontab|can't open '[^']*': No such file")
"""Messages of cron, cronie, macOS and BusyBox for a user without a table."""


def line_of(job: ScheduledJob) -> str:
    """Write the job's line, without its end.

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


def with_line(table: bytes, job: ScheduledJob) -> bytes:
    """Put the job's line into the table, once.

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

    traits = SchedulerTraits(
        kind=SchedulerKind.CRON,
        program="crontab",
        own_keys="by a line of your own above the job's, NAME=key, in `crontab -e`",
    )

    def draft(self, job: ScheduledJob) -> ScheduleDraft:
        """Draft the line."""
        return ScheduleDraft((ScheduleText(_LOCATION, line_of(job) + "\n"),), "crontab -e\n")

    def install(self, job: ScheduledJob) -> None:
        """Write the table with the line, and see whether it is there."""
        run_program("crontab", "-", given=with_line(_read_table(), job)).expect_success()
        if os.fsencode(line_of(job)) not in _read_table():
            raise ScheduleError("crontab took the line but does not have it.")

    def remove(self, label: str) -> bool:
        """Write the table without the line; where nothing else was in it, take it away."""
        table = _read_table()
        rest = without_line(table, label)
        if rest == table:
            return False
        emptied = run_program("crontab", "-", given=rest) if rest else run_program("crontab", "-r")
        emptied.expect_success()
        return True

    def find(self, label: str, job: ScheduledJob | None) -> InstalledJob | None:
        """Find the line in the table; one that was commented out counts as none."""
        lines = (line for line in _LINES.findall(_read_table()) if _is_line_of(line, label))
        line = next((line for line in lines if not line.lstrip().startswith(b"#")), None)
        if line is None:
            return None
        planned = None if job is None else os.fsencode(line_of(job))
        return InstalledJob(_LOCATION, is_as_planned=line.strip() == planned)


def _read_table() -> bytes:
    """Read the table. One that may not be read must not be taken for an empty one."""
    listed = run_program("crontab", "-l")
    if listed.code != 0 and _NO_TABLE.search(listed.err):
        return b""
    listed.expect_success()
    return listed.out


def _escape_for_cron(command: str) -> str:
    r"""Escape a command for cron: `%` ends it, `\%` does not, and in `\\%` it does."""
    return command.replace("\\%", "\\''%").replace("%", "\\%")


def _is_line_of(line: bytes, label: str) -> bool:
    return line.rstrip().endswith(b"# " + label.encode())
