"""Installation, removal and search of the nightly job with the platform's schedulers."""

import shutil
import sys
from dataclasses import dataclass

from memoria.config import Settings
from memoria.connectors.schedules.job import ScheduledJob, job_labels
from memoria.connectors.schedules.schedulers import (
    LAUNCHD,
    SYSTEMD,
    TASKS,
    Cron,
    ScheduledText,
    Scheduler,
    SchedulerKind,
    run_program,
)
from memoria.disk.folders import SCHEDULED_JOB
from memoria.disk.home_folder import TenantFolder
from memoria.errors import ScheduleError

_SCHEDULERS: dict[SchedulerKind, Scheduler] = {
    one.kind: one for one in (Cron(), SYSTEMD, LAUNCHD, TASKS)
}
_ANSWERS = (b"running", b"degraded", b"starting", b"initializing")
"""Answers of a running systemd of the user's."""


@dataclass(frozen=True, slots=True)
class ScheduleChange:
    """Outcome of an installation or removal."""

    removed_from: tuple[SchedulerKind, ...]
    unasked: tuple[str, ...]
    """Messages of schedulers that are on this machine but would not answer."""


@dataclass(frozen=True, slots=True)
class ScheduleStatus:
    """Texts of the job, wherever it is installed."""

    found: tuple[tuple[SchedulerKind, ScheduledText], ...]
    unasked: tuple[str, ...]


def choose_scheduler(kind: SchedulerKind | None = None) -> Scheduler:
    """Return the scheduler of a kind; by default the one that suits the platform.

    Without systemd or a crontab at hand it is cron, which then says that it is not there.
    """
    default = {"win32": SchedulerKind.TASKS, "darwin": SchedulerKind.LAUNCHD}
    if kind is None and sys.platform not in default and _has_systemd():
        return SYSTEMD
    return _SCHEDULERS[kind or default.get(sys.platform, SchedulerKind.CRON)]


def install(settings: Settings, job: ScheduledJob, chosen: Scheduler) -> ScheduleChange:
    """Make the job run every day, by the chosen scheduler and no other.

    Raises:
        ScheduleError: the job can't be installed; the message says what to do by hand.
    """
    by_hand = describe_by_hand(chosen, job)
    try:
        chosen.install(job)
    except ScheduleError as error:
        raise ScheduleError(f"{error}\n{by_hand}") from error
    return _remove_all(settings, but=chosen.kind)


def remove(settings: Settings) -> ScheduleChange:
    """Take the job out of every scheduler that has the job.

    Raises:
        ScheduleError: no scheduler on this machine answered.
    """
    done = _remove_all(settings)
    if done.unasked and len(done.unasked) == len(_list_present()):
        raise ScheduleError(" ".join(done.unasked))
    return done


def find_installed(settings: Settings) -> ScheduleStatus:
    """Return the texts of this home and tenant's job that the schedulers have."""
    found, unasked = list[tuple[SchedulerKind, ScheduledText]](), list[str]()
    for one in _list_present():
        try:
            texts = [text for label in job_labels(settings) for text in one.find(label)]
            found += [(one.kind, text) for text in texts]
        except ScheduleError as error:
            unasked.append(str(error))
    return ScheduleStatus(tuple(found), tuple(unasked))


def describe_by_hand(scheduler: Scheduler, job: ScheduledJob) -> str:
    """Describe what a person writes and runs to install the job."""
    texts = "\n".join(f"# {text.where}\n{text.content}" for text in scheduler.draft(job))
    commands = "".join(f"{one}\n" for one in scheduler.commands(job.label))
    return f"To install it by hand, write\n\n{texts}\nand run\n\n{commands}"


def _remove_all(settings: Settings, but: SchedulerKind | None = None) -> ScheduleChange:
    """Take the job out of every scheduler, but for the job that was just installed."""
    label, former = job_labels(settings)
    removed, unasked = list[SchedulerKind](), list[str]()
    for one in _list_present():
        try:
            # Both are asked: an older version's job may stand beside a newer one's.
            was_there = [one.remove(name) for name in (former, *[label] * (one.kind is not but))]
            removed += [one.kind] * (any(was_there) and one.kind is not but)
        except ScheduleError as error:
            unasked.append(str(error))
    TenantFolder(settings.home_path, settings.tenant).delete(SCHEDULED_JOB)  # an older version's
    return ScheduleChange(tuple(removed), tuple(unasked))


def _list_present() -> list[Scheduler]:
    return [one for one in _SCHEDULERS.values() if shutil.which(one.program)]


def _has_systemd() -> bool:
    if shutil.which(SYSTEMD.program) is None:
        return False
    return run_program("systemctl", "--user", "is-system-running").stdout.strip() in _ANSWERS
