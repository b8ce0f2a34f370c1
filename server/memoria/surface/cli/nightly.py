"""Nightly maintenance: run it, list its runs; `schedule` has it run every night."""

from typing import Annotated

import typer

from memoria.model import parse_instant
from memoria.model.base import write_document
from memoria.surface.cli import schedule
from memoria.surface.cli.console import AsJson, Options, is_for_subcommand, show, take_in_spool
from memoria.surface.cli.layout import columns
from memoria.surface.cli.nightly_text import render_plan, render_run, render_runs, write_plan
from memoria.surface.cli.options import read_moment
from memoria.surface.cli.progress import progress_bar


def add_commands(app: typer.Typer) -> None:
    """Register the commands."""
    nightly = typer.Typer(
        help="Run maintenance: merge duplicates, archive faded memories, refresh the core files.",
        invoke_without_command=True,
    )
    nightly.callback()(run)
    nightly.command()(runs)
    schedule.add_commands(nightly)
    app.add_typer(nightly, name="nightly")


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
    from memoria.surface.mcp.instructions import keep_once_closed  # noqa: PLC0415

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
