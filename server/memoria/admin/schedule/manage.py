"""Installs, removes and looks up the nightly job, with whatever the platform has."""

import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from memoria.admin.schedule.cron import Cron
from memoria.admin.schedule.interface import ScheduleDraft, ScheduleEntry, Scheduler, SchedulerKind
from memoria.admin.schedule.launchd import Launchd
from memoria.admin.schedule.plan import ScheduledJob
from memoria.admin.schedule.systemd import Systemd
from memoria.admin.schedule.windows import WindowsTasks
from memoria.errors import ScheduleError


@dataclass(frozen=True, slots=True)
class ScheduleChange:
    """What became of an installation or removal."""

    removed_from: tuple[SchedulerKind, ...]
    unasked: tuple[str, ...]
    """What schedulers that are there, but would not answer, said."""


@dataclass(frozen=True, slots=True)
class ScheduleStatus:
    """The job wherever it is installed."""

    entries: tuple[ScheduleEntry, ...]
    unasked: tuple[str, ...]


def choose_scheduler(kind: SchedulerKind | None = None) -> Scheduler:
    """The scheduler of that kind; by default the one that suits the platform.

    Without systemd or a crontab at hand it is cron, which then says that it is not there.
    """
    if kind is not None:
        return _SCHEDULERS[kind]
    match sys.platform:
        case "win32":
            return WindowsTasks()
        case "darwin":
            return Launchd()
        case _:
            systemd = Systemd()
            return systemd if systemd.answers() else Cron()


def install(job: ScheduledJob, chosen: Scheduler) -> ScheduleChange:
    """Have the job run every day, by the chosen scheduler and no other.

    Raises:
        ScheduleError: it can't be installed; the message says what to do by hand.
    """
    draft = chosen.draft(job)
    try:
        chosen.install(job)
    except ScheduleError as error:
        raise ScheduleError(f"{error}\n{describe_by_hand(draft)}") from error
    return _remove_from(
        job.label, [one for one in _present_schedulers() if one.kind is not chosen.kind]
    )


def remove(label: str) -> ScheduleChange:
    """Take the job out wherever it is.

    Raises:
        ScheduleError: none of the schedulers that are there would answer.
    """
    present = [*_present_schedulers()]
    done = _remove_from(label, present)
    if done.unasked and len(done.unasked) == len(present):
        raise ScheduleError(" ".join(done.unasked))
    return done


def find_installed(label: str) -> ScheduleStatus:
    """Where the job is installed, and when it runs next."""
    entries, unasked = list[ScheduleEntry](), list[str]()
    for one in _present_schedulers():
        try:
            entry = one.show(label)
        except ScheduleError as error:
            unasked.append(str(error))
        else:
            entries += [] if entry is None else [entry]
    return ScheduleStatus(tuple(entries), tuple(unasked))


def find_trouble(entry: ScheduleEntry) -> str | None:
    """What keeps the job from running, and what to do: a sentence."""
    if not entry.command:
        return "What is written there is no command any more. Install it again."
    if shutil.which(entry.command[0]) is None:
        return f"{entry.command[0]} is not there any more, or may not be run. Install it again."
    return "It is written down, but not started. Install it again." if entry.asleep else None


def describe_by_hand(draft: ScheduleDraft) -> str:
    """What a person writes and runs to install the job."""
    texts = "\n".join(f"# {text.where}\n{text.content}" for text in draft.texts)
    return f"To install it by hand, write\n\n{texts}\nand run\n\n{draft.then}"


def _remove_from(label: str, schedulers: list[Scheduler]) -> ScheduleChange:
    removed, unasked = list[SchedulerKind](), list[str]()
    for one in schedulers:
        try:
            if one.remove(label):
                removed.append(one.kind)
        except ScheduleError as error:
            unasked.append(str(error))
    return ScheduleChange(tuple(removed), tuple(unasked))


def _present_schedulers() -> Iterator[Scheduler]:
    return (one for one in _SCHEDULERS.values() if one.is_present())


_SCHEDULERS: dict[SchedulerKind, Scheduler] = {
    one.kind: one for one in (Cron(), Systemd(), Launchd(), WindowsTasks())
}
