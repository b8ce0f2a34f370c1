"""A line in the user's crontab. Other lines are kept byte for byte."""

import os

from memoria.bare.lazy_regex import lazy_regex
from memoria.connectors.schedules.job import ScheduledJob
from memoria.connectors.schedules.run import expect_success, run_program
from memoria.connectors.schedules.schedulers import ScheduledText, SchedulerKind
from memoria.connectors.schedules.templates import line_of

_LOCATION = "the crontab"
_LINES = lazy_regex(rb"[^\n]*\n|[^\n]+")
_NO_TABLE = lazy_regex(rb"no crontab|can't open '[^']*': No such file")
"""Messages of cron, cronie, macOS and BusyBox for a user without a table."""


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

    kind = SchedulerKind.CRON
    program = "crontab"
    own_keys = "by a line of your own above the job's, NAME=key, in `crontab -e`"
    carries_settings = True

    def draft(self, job: ScheduledJob) -> tuple[ScheduledText, ...]:
        """Write the line."""
        return (ScheduledText(_LOCATION, line_of(job) + "\n"),)

    def commands(self, _label: str, /) -> tuple[str, ...]:
        """Return how a person edits the table."""
        return ("crontab -e",)

    def install(self, job: ScheduledJob) -> None:
        """Write the table with the line."""
        _write_table(with_line(_read_table(), job))

    def remove(self, label: str) -> bool:
        """Write the table without the line; where nothing else was in it, take it away."""
        table = _read_table()
        rest = without_line(table, label)
        if rest != table:
            _write_table(rest)
        return rest != table

    def find(self, label: str) -> tuple[ScheduledText, ...]:
        """Return the line as it stands in the table, if one does."""
        lines = (line for line in _LINES.findall(_read_table()) if _is_line_of(line, label))
        return tuple(ScheduledText(_LOCATION, line.decode("utf-8", "replace")) for line in lines)


def _read_table() -> bytes:
    """Read the table. One that may not be read must not be taken for an empty one."""
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
