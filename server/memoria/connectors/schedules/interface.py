"""Operations that every scheduler has, and their results."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from memoria.connectors.schedules.plan import ScheduledJob


class SchedulerKind(StrEnum):
    """The schedulers Memoria knows."""

    CRON = "cron"
    SYSTEMD = "systemd"
    LAUNCHD = "launchd"
    TASKS = "tasks"


@dataclass(frozen=True, slots=True)
class ScheduleText:
    """Text to be written, and where: a path, or a place in words."""

    where: str
    content: str


@dataclass(frozen=True, slots=True)
class ScheduleDraft:
    """All that an installation writes and runs, for a person to do by hand."""

    texts: tuple[ScheduleText, ...]
    then: str
    """Commands to run, a line each."""


@dataclass(frozen=True, slots=True)
class InstalledJob:
    """A job that a scheduler has under a label."""

    where: str
    is_as_planned: bool
    """True if the scheduler has what `install` writes for the job that was asked about."""
    is_active: bool = True
    """True if the scheduler runs it; a file alone does nothing."""


@dataclass(frozen=True, slots=True)
class SchedulerTraits:
    """Traits of a scheduler that are known before it is asked."""

    kind: SchedulerKind
    program: str
    """The command that speaks to it; where it is not on the PATH there is no such scheduler."""
    own_keys: str
    """Place where the user may set a variable for the job: the end of a sentence."""
    carries_settings: bool = True
    """True if a job can hold settings of its own."""


class Scheduler(Protocol):
    """A scheduler of the platform. Whatever it is asked raises ScheduleError where that fails."""

    @property
    def traits(self) -> SchedulerTraits:
        """Traits of this scheduler."""
        ...

    def draft(self, job: ScheduledJob) -> ScheduleDraft:
        """Draft what `install` would write and run; touch nothing."""
        ...

    def install(self, job: ScheduledJob) -> None:
        """Make the job run every day, in place of one of its label; or leave nothing of it."""
        ...

    def remove(self, label: str) -> bool:
        """Take the job out with all that was written for it. Return whether it was there."""
        ...

    def find(self, label: str, job: ScheduledJob | None) -> InstalledJob | None:
        """Compare what the scheduler has under a label with a job; None where it has nothing."""
        ...
