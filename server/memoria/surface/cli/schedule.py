"""Commands that have the platform's scheduler run `nightly`: install, remove, show."""

import os
from typing import Annotated

import typer

from memoria.connectors.schedules.interface import SchedulerKind
from memoria.connectors.schedules.plan import job_label
from memoria.surface.cli.console import AsJson, Options, show
from memoria.surface.cli.schedule_text import (
    WireInstallation,
    WireJobs,
    WirePreview,
    WireRemoval,
    installation_text,
    jobs_text,
    removal_text,
    wire_job,
)

_HELP = "Have cron, systemd, launchd or Task Scheduler run nightly maintenance."


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
    from memoria.connectors.schedules import environment, manage, plan  # noqa: PLC0415  (others need not pay)

    options: Options = context.obj
    settings = options.settings
    chosen = manage.choose_scheduler(kind)
    seen = environment.capture_environment(settings, os.environ)
    carries = chosen.traits.carries_settings
    captured = seen.carried if carries else {}
    job = plan.nightly_job(settings, plan.parse_time_of_day(at), captured)
    missing = (*seen.keys, *(name for name in seen.carried if not carries and name != "PATH"))
    if only_print:
        draft = chosen.draft(job)
        show(
            WirePreview.of(chosen.traits.kind, draft),
            manage.describe_by_hand(draft),
            as_json=as_json,
        )
        return
    done = manage.install(settings, job, chosen)
    entries = manage.find_installed(settings).entries
    wire = WireInstallation(
        job=next((wire_job(one) for one in entries if one.kind is chosen.traits.kind), None),
        label=job.label,
        captured_variables=[*captured],
        missing_variables=[*missing],
        removed_from=[*done.removed_from],
        notes=[*done.unasked],
    )
    show(wire, installation_text(wire, chosen.traits.own_keys), as_json=as_json)


def remove(context: typer.Context, as_json: AsJson = False) -> None:
    """Remove the job of this home and tenant from every scheduler."""
    from memoria.connectors.schedules import manage  # noqa: PLC0415  (others need not pay)

    options: Options = context.obj
    label = job_label(options.settings)
    done = manage.remove(options.settings)
    wire = WireRemoval(label=label, removed_from=[*done.removed_from], notes=[*done.unasked])
    show(wire, removal_text(wire), as_json=as_json)


def show_job(context: typer.Context, as_json: AsJson = False) -> None:
    """Show the job of this home and tenant, and when it runs next."""
    from memoria.connectors.schedules import manage  # noqa: PLC0415  (others need not pay)

    options: Options = context.obj
    found = manage.find_installed(options.settings)
    wire = WireJobs(
        label=job_label(options.settings),
        jobs=[*map(wire_job, found.entries)],
        notes=[*found.unasked],
    )
    show(wire, jobs_text(wire), as_json=as_json)
