"""Reports of the schedule commands: as JSON and in words."""

import shlex
from collections.abc import Iterator
from typing import Self

from memoria.connectors.schedules.interface import ScheduleDraft, SchedulerKind
from memoria.connectors.schedules.manage import ScheduleEntry
from memoria.model.base import Value


class WireJob(Value):
    """A job as the scheduler has it."""

    scheduler: SchedulerKind
    where: str
    at: str | None
    next_at: str | None
    command: list[str]
    environment: dict[str, str]
    trouble: str | None


class WireInstallation(Value):
    """Outcome of an installation."""

    label: str
    job: WireJob | None
    captured_variables: list[str]
    missing_variables: list[str]
    removed_from: list[SchedulerKind]
    notes: list[str]


class WireRemoval(Value):
    """Outcome of a removal."""

    label: str
    removed_from: list[SchedulerKind]
    notes: list[str]


class WireJobs(Value):
    """The jobs of a home and tenant: one, unless somebody wrote others."""

    label: str
    jobs: list[WireJob]
    notes: list[str]


class WireFile(Value):
    """Text to be written, and where."""

    where: str
    content: str


class WirePreview(Value):
    """Plan of an installation."""

    scheduler: SchedulerKind
    texts: list[WireFile]
    then: list[str]

    @classmethod
    def of(cls, kind: SchedulerKind, draft: ScheduleDraft) -> Self:
        """Convert the draft of a scheduler."""
        texts = [WireFile(where=text.where, content=text.content) for text in draft.texts]
        return cls(scheduler=kind, texts=texts, then=draft.then.splitlines())


def wire_job(entry: ScheduleEntry) -> WireJob:
    """Return the JSON of a job."""
    job = entry.job
    return WireJob(
        scheduler=entry.kind,
        where=entry.where,
        at=None if job is None else f"{job.at:%H:%M}",
        next_at=None if entry.next_at is None else entry.next_at.isoformat(timespec="minutes"),
        command=[] if job is None else [*job.command],
        environment={} if job is None else job.environment,
        trouble=entry.trouble,
    )


def installation_text(wire: WireInstallation, own_keys: str) -> str:
    """Render an installation in words.

    Args:
        wire: what it came to.
        own_keys: where the user may set what the job does not see.
    """
    lines = ["Installed.", *(_job_lines(wire.job) if wire.job else ())]
    if wire.missing_variables:
        names = ", ".join(wire.missing_variables)
        lines.append(f"The job does not see {names}. Memoria writes no key into a job.")
        lines.append(f"Whoever wants the job to have one sets it {own_keys}.")
    lines += [
        f"The job was installed with {kind}, too, and was removed there."
        for kind in wire.removed_from
    ]
    return "\n".join(
        [*lines, *_note_lines(wire.notes), "`memoria nightly schedule remove` removes it again."]
    )


def removal_text(wire: WireRemoval) -> str:
    """Render a removal in words."""
    lines = [f"Removed from {kind}." for kind in wire.removed_from]
    return "\n".join([*(lines or [f"No job {wire.label} is installed."]), *_note_lines(wire.notes)])


def jobs_text(wire: WireJobs) -> str:
    """Say in words what is installed."""
    lines = [line for job in wire.jobs for line in _job_lines(job)]
    none = f"No job {wire.label} is installed. `memoria nightly schedule install` installs it."
    return "\n".join([*(lines or [none]), *_note_lines(wire.notes)])


def _job_lines(job: WireJob) -> Iterator[str]:
    yield f"{job.scheduler}: {_time_phrase(job)}, in {job.where}"
    if not job.command:
        yield f"  {job.trouble}"
        return
    yield f"  runs {shlex.join(job.command)}"
    if job.environment:
        assigned = (f"{name}={value}" for name, value in sorted(job.environment.items()))
        yield f"  with {shlex.join(assigned)}"
    if job.trouble:
        yield f"  It will not run: {job.trouble}"


def _time_phrase(job: WireJob) -> str:
    daily = f"every day at {job.at}" if job.at else "not as it was installed"
    return f"{daily}, next {job.next_at.replace('T', ' ')}" if job.next_at else daily


def _note_lines(notes: list[str]) -> list[str]:
    return [f"note: {note}" for note in notes]
