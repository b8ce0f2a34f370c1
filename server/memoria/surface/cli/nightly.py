"""Commands on nightly maintenance: run it, list its runs, have a scheduler run it every night."""

import os
from typing import Annotated

import typer

from memoria.connectors.schedules import job, manage
from memoria.connectors.schedules.schedulers import ScheduledText, SchedulerKind
from memoria.model import parse_instant
from memoria.model.base import Value, write_document
from memoria.surface.cli.console import AsJson, Options, is_for_subcommand, show, take_in_spool
from memoria.surface.cli.layout import columns
from memoria.surface.cli.nightly_text import render_plan, render_run, render_runs, write_plan
from memoria.surface.cli.options import read_moment
from memoria.surface.cli.progress import progress_bar
from memoria.surface.mcp.instructions import keep_once_closed

app = typer.Typer()
group = typer.Typer(
    help="Run maintenance: merge duplicates, archive faded memories, refresh the core files.",
    invoke_without_command=True,
)
schedule = typer.Typer(
    help="Have cron, systemd, launchd or Task Scheduler run nightly maintenance.",
    no_args_is_help=True,
)
group.add_typer(schedule, name="schedule")
app.add_typer(group, name="nightly")


@group.callback()
def run(
    context: typer.Context,
    step: Annotated[
        list[str] | None,
        typer.Option(help="Run this step only; may be repeated. --dry-run lists all steps."),
    ] = None,
    since: Annotated[
        str | None,
        typer.Option(
            callback=read_moment,
            help="Look only at what was changed since then, such as 2026-03-02 or yesterday.",
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what each step would do, and change nothing.")
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", help="Print nothing but errors, as a scheduler wants it.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Run nightly maintenance, or finish the run that was begun."""
    has_options = bool(step or since or dry_run or quiet or as_json)
    if is_for_subcommand(context, has_options=has_options):
        return
    import memoria.app.nightly as nights  # noqa: PLC0415  (only who needs it pays for it)

    options: Options = context.obj
    settings = options.existing_settings
    moment = None if since is None else parse_instant(since, settings.zone)
    if dry_run:
        plan = nights.dry_run(settings, step or (), moment)
        show(write_plan(plan), render_plan(plan, columns()), as_json=as_json)
        return
    take_in_spool(context)
    with progress_bar() as bar:
        task = bar.add_task("Beginning", total=None)
        done = nights.run_nightly(
            settings,
            step or (),
            moment,
            lambda name, some, of: bar.update(task, description=name, completed=some, total=of),
        )
    keep_once_closed(settings)
    if as_json or not quiet:
        text = render_run(done, columns(), nights.read_wordings(settings, done))
        show(done, text, as_json=as_json)


@group.command()
def runs(
    context: typer.Context,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=1000, help="At most.")] = 20,
    as_json: AsJson = False,
) -> None:
    """List runs, newest first."""
    from memoria.app.nightly import list_runs  # noqa: PLC0415  (only who needs it pays for it)

    options: Options = context.obj
    settings = options.existing_settings
    found = list_runs(settings, limit)
    show(write_document(runs=found), render_runs(found, columns()), as_json=as_json)


class JobText(Value):
    """A scheduled job: its text, and where it is stored."""

    scheduler: SchedulerKind
    where: str
    content: str


class ScheduleReport(Value):
    """Outcome of an installation or removal, and the jobs that are installed."""

    label: str
    jobs: tuple[JobText, ...] = ()
    captured_variables: tuple[str, ...] = ()
    missing_variables: tuple[str, ...] = ()
    removed_from: tuple[SchedulerKind, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def note_lines(self) -> list[str]:
        """Notes as lines to print."""
        return [f"note: {note}" for note in self.notes]


@schedule.command()
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
    options: Options = context.obj
    settings = options.settings
    chosen = manage.choose_scheduler(kind)
    seen = job.capture_environment(settings, os.environ)
    carries = chosen.carries_settings
    captured = seen.carried if carries else {}
    planned = job.nightly_job(settings, job.parse_time_of_day(at), captured)
    if only_print:
        preview = write_document(
            scheduler=chosen.kind,
            texts=[_describe_job(chosen.kind, one) for one in chosen.draft(planned)],
            then=[*chosen.commands(planned.label)],
        )
        show(preview, manage.describe_by_hand(chosen, planned), as_json=as_json)
        return
    done = manage.install(settings, planned, chosen)
    missing = (*seen.keys, *(name for name in seen.carried if not carries and name != "PATH"))
    report = ScheduleReport(
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
        *report.note_lines,
        "`memoria nightly schedule remove` removes it again.",
    ]
    show(report, "\n".join(filter(None, lines)), as_json=as_json)


@schedule.command()
def remove(context: typer.Context, as_json: AsJson = False) -> None:
    """Remove the job of this home and tenant from every scheduler."""
    options: Options = context.obj
    done = manage.remove(options.settings)
    report = ScheduleReport(
        label=job.job_labels(options.settings)[0],
        removed_from=(*done.removed_from,),
        notes=(*done.unasked,),
    )
    lines = [f"Removed from {kind}." for kind in report.removed_from] or ["No job is installed."]
    show(report, "\n".join([*lines, *report.note_lines]), as_json=as_json)


@schedule.command("show")
def show_job(context: typer.Context, as_json: AsJson = False) -> None:
    """Show the job of this home and tenant as its scheduler has it."""
    found = _find_jobs(context.obj)
    lines = [f"{one.scheduler}, in {one.where}:\n{one.content.rstrip()}" for one in found.jobs]
    none = "No job is installed. `memoria nightly schedule install` installs it."
    show(found, "\n".join([*(lines or [none]), *found.note_lines]), as_json=as_json)


def _find_jobs(options: Options) -> ScheduleReport:
    found = manage.find_installed(options.settings)
    return ScheduleReport(
        label=job.job_labels(options.settings)[0],
        jobs=tuple(_describe_job(kind, text) for kind, text in found.found),
        notes=(*found.unasked,),
    )


def _describe_job(kind: SchedulerKind, text: ScheduledText) -> JobText:
    return JobText(scheduler=kind, where=text.where, content=text.content)
