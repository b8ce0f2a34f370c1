"""What every scheduler can do, and what it tells."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, time
from enum import StrEnum
from typing import Protocol

from memoria.admin.schedule.plan import ScheduledJob


class SchedulerKind(StrEnum):
    """The schedulers Memoria knows."""

    CRON = "cron"
    SYSTEMD = "systemd"
    LAUNCHD = "launchd"
    TASKS = "tasks"


@dataclass(frozen=True, slots=True)
class ScheduleText:
    """What is written, and where: a path, or a place in words."""

    where: str
    content: str


@dataclass(frozen=True, slots=True)
class ScheduleDraft:
    """All that an installation amounts to, for a person to do by hand."""

    texts: tuple[ScheduleText, ...]
    then: str
    """Commands to run, a line each."""


@dataclass(frozen=True, slots=True)
class ScheduleEntry:
    """A job as the scheduler has it, read back from its own file."""

    kind: SchedulerKind
    where: str
    command: tuple[str, ...]
    environment: Mapping[str, str]
    at: time | None
    """None where somebody made it run at other times than once a day."""
    next_at: datetime | None
    """None where that is not known."""
    asleep: bool = False
    """It is written, but the scheduler does not run it."""


class Scheduler(Protocol):
    """A scheduler of the platform. Each may be absent."""

    kind: SchedulerKind
    carries: bool
    """Whether a job can hold settings of its own."""
    own_keys: str
    """Where the user may set a variable for the job: the end of a sentence."""

    def is_present(self) -> bool:
        """Whether it is worth asking."""
        ...

    def draft(self, job: ScheduledJob) -> ScheduleDraft:
        """What `install` would write and run. Touches nothing.

        Raises:
            ScheduleError: this scheduler can't hold the job.
        """
        ...

    def install(self, job: ScheduledJob) -> None:
        """Have the job run every day, in place of one of the same label.

        Raises:
            ScheduleError: it can't be; nothing of it is left.
        """
        ...

    def remove(self, label: str) -> bool:
        """Take the job out with all that was written for it. Gives whether it was there.

        Raises:
            ScheduleError: it could not be taken out, or nobody may ask.
        """
        ...

    def show(self, label: str) -> ScheduleEntry | None:
        """The job as it is installed, if it is.

        Raises:
            ScheduleError: nobody may ask, or what is there can't be read.
        """
        ...
