"""Commands that have the platform's scheduler run `nightly`: install, remove, show."""

import os
from typing import Annotated

import typer

from memoria.connectors.schedules.schedulers import SchedulerKind
from memoria.model.base import Value
from memoria.surface.cli.console import AsJson, Options, show

_HELP = "Have cron, systemd, launchd or Task Scheduler run nightly maintenance."


class WireScheduledText(Value):
    """Text of a job, and where it stands or is to stand."""

    scheduler: SchedulerKind
    where: str
    content: str


class WirePreview(Value):
    """Plan of an installation."""

    scheduler: SchedulerKind
    texts: tuple[WireScheduledText, ...]
    then: tuple[str, ...]


class WireSchedule(Value):
    """Outcome of an installation or removal, and what is installed."""

    label: str
    jobs: tuple[WireScheduledText, ...] = ()
    captured_variables: tuple[str, ...] = ()
    missing_variables: tuple[str, ...] = ()
    removed_from: tuple[SchedulerKind, ...] = ()
    notes: tuple[str, ...] = ()


def add_commands(app: typer.Typer) -> None:
    """Register the commands."""
    schedule = typer.Typer(help=_HELP, no_args_is_help=True)
    schedule.command()(install)
    schedule.command()(remove)
    schedule.command("show")(show_job)
    app.add_typer(schedule, name="schedule")


def install(
    context: typer.Context,
    at: Annotated[
        str, typer.Option(metavar="HH:MM", help="Time of day, by this machine's clock.")
    ] = "03:17",
    kind: Annotated[
        SchedulerKind | None,
        typer.Option("--with", help="Scheduler to use. Default: the one this system has."),
    ] = None,
    only_print: Annotated[
        bool, typer.Option("--dry-run", help="Print what would be written, and install nothing.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Install a daily `memoria nightly` for this home and tenant, or move it to another time."""
    from memoria.connectors.schedules import job, manage  # noqa: PLC0415

    options: Options = context.obj
    settings = options.settings
    chosen = manage.choose_scheduler(kind)
    seen = job.capture_environment(settings, os.environ)
    carries = chosen.carries_settings
    captured = seen.carried if carries else {}
    planned = job.nightly_job(settings, job.parse_time_of_day(at), captured)
    if only_print:
        texts = [_text(chosen.kind, one.where, one.content) for one in chosen.draft(planned)]
        preview = WirePreview(
            scheduler=chosen.kind, texts=texts, then=(*chosen.commands(planned.label),)
        )
        show(preview, manage.describe_by_hand(chosen, planned), as_json=as_json)
        return
    done = manage.install(settings, planned, chosen)
    missing = (*seen.keys, *(name for name in seen.carried if not carries and name != "PATH"))
    wire = WireSchedule(
        label=planned.label,
        jobs=_find_jobs(options).jobs,
        captured_variables=(*captured,),
        missing_variables=[*missing],
        removed_from=(*done.removed_from,),
        notes=(*done.unasked,),
    )
    names = ", ".join(missing)
    lines = [
        f"Installed with {chosen.kind}, every day at {planned.at:%H:%M}.",
        f"The job does not see {names}. Memoria writes no key into a job.\n"
        f"Whoever wants the job to have one sets it {chosen.own_keys}."
        if missing
        else "",
        *(f"The job of {one} was removed." for one in done.removed_from),
        *_note_lines(wire),
        "`memoria nightly schedule remove` removes it again.",
    ]
    show(wire, "\n".join(filter(None, lines)), as_json=as_json)


def remove(context: typer.Context, as_json: AsJson = False) -> None:
    """Remove the job of this home and tenant from every scheduler."""
    from memoria.connectors.schedules import job, manage  # noqa: PLC0415  (others need not pay)

    options: Options = context.obj
    done = manage.remove(options.settings)
    wire = WireSchedule(
        label=job.job_labels(options.settings)[0],
        removed_from=(*done.removed_from,),
        notes=(*done.unasked,),
    )
    lines = [f"Removed from {kind}." for kind in wire.removed_from]
    show(
        wire, "\n".join((*(lines or ["No job is installed."]), *_note_lines(wire))), as_json=as_json
    )


def show_job(context: typer.Context, as_json: AsJson = False) -> None:
    """Show the job of this home and tenant as its scheduler has it."""
    wire = _find_jobs(context.obj)
    lines = [f"{one.scheduler}, in {one.where}:\n{one.content.rstrip()}" for one in wire.jobs]
    none = "No job is installed. `memoria nightly schedule install` installs it."
    show(wire, "\n".join((*(lines or [none]), *_note_lines(wire))), as_json=as_json)


def _find_jobs(options: Options) -> WireSchedule:
    from memoria.connectors.schedules import job, manage  # noqa: PLC0415  (others need not pay)

    found = manage.find_installed(options.settings)
    return WireSchedule(
        label=job.job_labels(options.settings)[0],
        jobs=tuple(_text(kind, text.where, text.content) for kind, text in found.found),
        notes=(*found.unasked,),
    )


def _text(kind: SchedulerKind, where: str, content: str) -> WireScheduledText:
    return WireScheduledText(scheduler=kind, where=where, content=content)


def _note_lines(wire: WireSchedule) -> list[str]:
    return [f"note: {note}" for note in wire.notes]
