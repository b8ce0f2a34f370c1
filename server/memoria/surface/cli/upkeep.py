"""Commands that look after a home: doctor, stats, backup, restore."""

import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memoria.admin.chat import UNREAD, name_model
from memoria.app.engine import check_memory
from memoria.disk.home_files import DATABASE
from memoria.errors import InvalidInputError
from memoria.model import Finding, Health
from memoria.surface.cli.console import (
    AsJson,
    Exit,
    Options,
    is_agreed,
    out,
    show,
    take_in_spool,
    with_memory,
)
from memoria.surface.cli.layout import columns, wrap_answer
from memoria.surface.cli.progress import show_progress
from memoria.surface.cli.report import (
    backup_text,
    health_table,
    restore_text,
    stats_table,
    wire_backup,
    wire_health,
    wire_restore,
)

if TYPE_CHECKING:
    from memoria.app.upkeep import Diagnosis, Treatment

_COMMAND = "memoria "


def add_commands(app: typer.Typer) -> None:
    """Register the commands."""
    app.command()(doctor)
    app.command()(stats)
    app.command()(backup)
    app.command()(restore)


def doctor(
    context: typer.Context,
    fix: Annotated[
        bool,
        typer.Option("--fix", help="Repair what can be repaired without touching the record."),
    ] = False,
    rebuild: Annotated[
        bool, typer.Option("--rebuild", help="Rebuild the search indexes first.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Check the home, and name the cure for whatever is wrong."""
    if fix and rebuild:
        raise InvalidInputError("Give --fix or --rebuild: --fix builds anew what needs it.")
    options: Options = context.obj
    treatment: Treatment = "fix" if fix else "rebuild" if rebuild else "none"
    check_memory(options.settings)
    take_in_spool(context)
    diagnosis = _diagnose(options, treatment)
    if as_json:
        show(wire_health(diagnosis, treatment), "", as_json=True)
    else:
        for one in diagnosis.mended:
            line = f"{one.check}: {one.before} → {one.after}"
            out().print(wrap_answer(line, columns()), markup=False)
        out().print(health_table(diagnosis.health))
    if not diagnosis.health.is_sound:
        raise typer.Exit(Exit.UNSOUND)


def stats(context: typer.Context, as_json: AsJson = False) -> None:
    """Show how much this tenant's memory holds."""
    figures = with_memory(context, lambda m: m.statistics())
    if as_json:
        show(figures, "", as_json=True)
    else:
        out().print(stats_table(figures))
        options: Options = context.obj
        if name_model(options.settings) is None:
            out().print("\n" + wrap_answer(UNREAD, columns()), markup=False)


def backup(
    context: typer.Context,
    file: Annotated[
        Path | None,
        typer.Argument(help="File to write. Default: a new one in the home's backups folder."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write a backup of the home and verify it, while clients go on using the home."""
    from memoria.app.upkeep import back_up  # noqa: PLC0415  (only who needs it pays for it)

    options: Options = context.obj
    settings = options.existing_settings
    with show_progress("Backing up") as progress:
        report = back_up(settings, file, progress)
    show(wire_backup(report), backup_text(report), as_json=as_json)


def restore(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="File that `memoria backup` wrote.")],
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Replace the home without asking.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Replace the home with a backup; the former home is kept beside it."""
    from memoria.app.upkeep import check_backup  # noqa: PLC0415
    from memoria.app.upkeep import restore as put_back  # noqa: PLC0415

    check_backup(file)
    options: Options = context.obj
    home = options.settings.home_path
    if (home / DATABASE).exists() and not yes:
        _confirm_replacing(home)
    with show_progress("Restoring") as progress:
        restored = put_back(options.settings, file, progress)
    diagnosis = _diagnose(options, "none")
    wire = wire_restore(home, restored, diagnosis)
    if as_json:
        show(wire, "", as_json=True)
    else:
        health = diagnosis.health
        text = restore_text(home, file, restored, health)
        out().print(wrap_answer(text, columns()), markup=False)
        if health.notable:
            out().print(health_table(Health(findings=health.notable)))
    if not diagnosis.health.is_sound:
        raise typer.Exit(Exit.UNSOUND)


def _confirm_replacing(home: Path) -> None:
    """Let a person decide; without one, nothing is replaced."""
    if not sys.stdin.isatty():
        raise InvalidInputError(
            f"{home} holds a memory. Give --yes to have it replaced; it is set aside, not deleted."
        )
    if not is_agreed(f"{home} holds a memory. Replace it? It is set aside, not deleted."):
        raise typer.Abort


def _diagnose(options: Options, treatment: "Treatment") -> "Diagnosis":
    from memoria.app.upkeep import diagnose  # noqa: PLC0415

    with show_progress("Building indexes", "Checking the home") as progress:
        diagnosis = diagnose(options.settings, treatment, progress)
    findings = tuple(
        _name_home_in_cure(finding, options.home)
        for finding in (*diagnosis.health.findings, _check_clients(options))
    )
    return replace(diagnosis, health=Health(findings=findings))


def _check_clients(options: Options) -> Finding:
    from memoria.connectors.clients.place import ClientPlace  # noqa: PLC0415
    from memoria.connectors.clients.program import ClientProgram  # noqa: PLC0415
    from memoria.connectors.clients.status import check_clients  # noqa: PLC0415

    program = ClientProgram.here(options.home, options.tenant, options.workspace)
    return check_clients(ClientPlace.here(), program)


def _name_home_in_cure(finding: Finding, home: str | None) -> Finding:
    """Put the home that was named into a finding's cure."""
    if home is None or not (finding.cure or "").startswith(_COMMAND):
        return finding
    cure = f"{_COMMAND}--home {shlex.quote(home)} {str(finding.cure).removeprefix(_COMMAND)}"
    return finding.model_copy(update={"cure": cure})
