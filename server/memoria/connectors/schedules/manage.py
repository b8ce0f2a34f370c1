"""Installs, removes and looks up the nightly job, with whatever the platform has."""

import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from memoria.config import Settings
from memoria.connectors.schedules.cron import Cron
from memoria.connectors.schedules.interface import (
    InstalledJob,
    ScheduleDraft,
    Scheduler,
    SchedulerKind,
)
from memoria.connectors.schedules.launchd import LAUNCHD
from memoria.connectors.schedules.plan import (
    ScheduledJob,
    forget_job,
    job_label,
    next_run,
    note_job,
    read_job,
)
from memoria.connectors.schedules.program import is_on_path
from memoria.connectors.schedules.systemd import SYSTEMD, is_running
from memoria.connectors.schedules.windows import WindowsTasks
from memoria.errors import ScheduleError


@dataclass(frozen=True, slots=True)
class ScheduleChange:
    """Outcome of an installation or removal."""

    removed_from: tuple[SchedulerKind, ...]
    unasked: tuple[str, ...]
    """Messages of schedulers that are there, but would not answer."""


@dataclass(frozen=True, slots=True)
class ScheduleEntry:
    """A job that is installed."""

    kind: SchedulerKind
    where: str
    job: ScheduledJob | None
    """Job that it runs; None where the scheduler has something else than was installed."""
    next_at: datetime | None
    """None where that is not known."""
    trouble: str | None
    """Sentence on what keeps it from running as it was installed, and what to do."""


@dataclass(frozen=True, slots=True)
class ScheduleStatus:
    """The job wherever it is installed."""

    entries: tuple[ScheduleEntry, ...]
    unasked: tuple[str, ...]


def choose_scheduler(kind: SchedulerKind | None = None) -> Scheduler:
    """Return the scheduler of that kind; by default the one that suits the platform.

    Without systemd or a crontab at hand it is cron, which then says that it is not there.
    """
    if kind is not None:
        return _SCHEDULERS[kind]
    match sys.platform:
        case "win32":
            return WindowsTasks()
        case "darwin":
            return LAUNCHD
        case _:
            return SYSTEMD if is_running() else Cron()


def install(settings: Settings, job: ScheduledJob, chosen: Scheduler) -> ScheduleChange:
    """Make the job run every day, by the chosen scheduler and no other.

    Raises:
        ScheduleError: it can't be installed; the message says what to do by hand.
    """
    draft = chosen.draft(job)
    try:
        note_job(settings, job)
        chosen.install(job)
    except ScheduleError as error:
        raise ScheduleError(f"{error}\n{describe_by_hand(draft)}") from error
    return _remove_from(
        [one for one in _present() if one.traits.kind is not chosen.traits.kind], job.label
    )


def remove(settings: Settings) -> ScheduleChange:
    """Take the job out wherever it is.

    Raises:
        ScheduleError: none of the schedulers that are there would answer.
    """
    present = [*_present()]
    done = _remove_from(present, job_label(settings))
    if done.unasked and len(done.unasked) == len(present):
        raise ScheduleError(" ".join(done.unasked))
    forget_job(settings)
    return done


def find_installed(settings: Settings) -> ScheduleStatus:
    """Return where the job is installed, what it runs, and when next."""
    label, job = job_label(settings), read_job(settings)
    entries, unasked = list[ScheduleEntry](), list[str]()
    for one in _present():
        try:
            found = one.find(label, job)
        except ScheduleError as error:
            unasked.append(str(error))
        else:
            entries += [] if found is None else [_entry(one, found, job)]
    return ScheduleStatus(tuple(entries), tuple(unasked))


def describe_by_hand(draft: ScheduleDraft) -> str:
    """Describe what a person writes and runs to install the job."""
    texts = "\n".join(f"# {text.where}\n{text.content}" for text in draft.texts)
    return f"To install it by hand, write\n\n{texts}\nand run\n\n{draft.then}"


def _entry(scheduler: Scheduler, found: InstalledJob, job: ScheduledJob | None) -> ScheduleEntry:
    if job is None or not found.is_as_planned:
        return ScheduleEntry(scheduler.traits.kind, found.where, None, None, _CHANGED)
    trouble = None if found.is_active else _NOT_STARTED
    if shutil.which(job.command[0]) is None:
        trouble = f"{job.command[0]} is not there any more, or may not be run. Install it again."
    next_at = next_run(job.at, datetime.now().astimezone()) if found.is_active else None
    return ScheduleEntry(scheduler.traits.kind, found.where, job, next_at, trouble)


_CHANGED = (
    "What stands there is not what this version installed: somebody changed it, or an earlier "
    "version wrote it. Install it again."
)
_NOT_STARTED = "It is written down, but not started. Install it again."


def _remove_from(schedulers: list[Scheduler], label: str) -> ScheduleChange:
    removed, unasked = list[SchedulerKind](), list[str]()
    for one in schedulers:
        try:
            if one.remove(label):
                removed.append(one.traits.kind)
        except ScheduleError as error:
            unasked.append(str(error))
    return ScheduleChange(tuple(removed), tuple(unasked))


def _present() -> Iterator[Scheduler]:
    return (one for one in _SCHEDULERS.values() if is_on_path(one.traits.program))


_SCHEDULERS: dict[SchedulerKind, Scheduler] = {
    one.traits.kind: one for one in (Cron(), SYSTEMD, LAUNCHD, WindowsTasks())
}
