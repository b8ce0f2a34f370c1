"""Commands that look after a home: doctor, stats, backup, restore."""

import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memoria.admin.findings import UNREAD, name_model
from memoria.app.engine import check_memory, choose_engine
from memoria.bare.home import name_memory
from memoria.bare.lazy_regex import lazy_regex
from memoria.errors import InvalidInputError
from memoria.model import COMMAND_LINE, Finding, Health, Statistics, to_iso, to_millis
from memoria.model.base import write_document
from memoria.model.status import describe_cost
from memoria.surface.cli.commands import FIRST, REST
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
from memoria.surface.cli.times import day
from memoria.surface.cli.workspace import describe_private
from memoria.surface.documents import Document
from memoria.surface.text import quantity

if TYPE_CHECKING:
    from rich.table import Table

    from memoria.admin.backup import BackupReport
    from memoria.app.upkeep import Diagnosis, Restored, Treatment


_STATES = {"ok": "[green]ok[/]", "warning": "[magenta]warning[/]", "error": "[red]error[/]"}


def write_health(diagnosis: "Diagnosis", treatment: str) -> Document:
    """Return a diagnosis as JSON."""
    health = diagnosis.health
    return write_document(
        sound=health.is_sound,
        findings=health.findings,
        repairs=None if treatment == "none" else diagnosis.mended,
    )


def write_restored(home: Path, restored: "Restored", health: Health) -> Document:
    """Return the outcome of a restore as JSON."""
    return write_document(
        home=str(home),
        former_database=None if restored.former is None else str(restored.former),
        forgotten_again=restored.forgotten_again,
        ended_tokens=restored.ended_tokens,
        sound=health.is_sound,
        findings=health.findings,
    )


def write_backup(report: "BackupReport") -> Document:
    """Return a backup as JSON."""
    return write_document(
        path=str(report.path),
        size=report.size,
        made_at=to_iso(to_millis(report.manifest.made_at)),
        kept_until=None if report.kept_until is None else to_iso(report.kept_until),
        schema_number=report.manifest.schema_number,
        counts=report.manifest.counts,
        files=[*report.manifest.files],
        deleted=[str(path) for path in report.deleted],
        left_out=report.left_out or None,
    )


def backup_text(report: "BackupReport") -> str:
    """Render a backup in words."""
    counts = ", ".join(f"{name} {count:,}" for name, count in report.manifest.counts.items())
    lines = [
        f"{report.path} ({report.size:,} bytes), read back and sound.",
        f"It holds: {counts}; and {', '.join(report.manifest.files)}.",
    ]
    if report.kept_until is not None:
        until = day(report.kept_until)
        lines.append(f"It is kept until {until}. Copy it to another disk to be safe from this one.")
    lines += (f"Not in it: {sentence}" for sentence in report.left_out)
    if report.deleted:
        lines.append(f"Deleted as too old: {', '.join(path.name for path in report.deleted)}")
    return "\n".join(lines)


def restore_text(home: Path, file: Path, restored: "Restored", health: Health) -> str:
    """Render a restore in words; `health_table` shows what is not in order."""
    lines = [f"{home} is now as it was in {file.name}."]
    if restored.former is not None:
        lines.append(f"What was there is in {restored.former.parent}.")
    if restored.forgotten_again is None:
        lines.append("It can't be read: what was forgotten since the backup may be back.")
    elif restored.forgotten_again:
        lines.append(f"Forgotten since, and forgotten again: {restored.forgotten_again}.")
    if restored.ended_tokens:
        count = quantity(restored.ended_tokens, "token", "tokens")
        is_known = restored.former is not None and restored.forgotten_again is not None
        why = (
            "as they did not hold in the home before either"
            if is_known
            else "as nobody can say what was revoked since the backup"
        )
        lines.append(
            f"Ended, {why}: {count}. `memoria token create` makes another; a restore with "
            "--keep-tokens lets all of the backup hold."
        )
    if health.is_sound:
        lines.append("Checked: sound." if not health.notable else "Checked: sound, but:")
    return "\n".join(lines)


def health_table(health: Health) -> "Table":
    """Return the findings as a table, a line each."""
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    table = Table("check", "state", "what was found", "cure", box=None, pad_edge=False)
    for finding in health.findings:
        cure = Text(finding.cure or "", overflow="fold")
        detail = Text(finding.detail, overflow="fold")
        table.add_row(finding.check, _STATES[finding.state], detail, cure)
    return table


def stats_table(figures: Statistics) -> "Table":
    """Return the figures as a table, a line each."""
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    table = Table(box=None, show_header=False, pad_edge=False)
    memories = ", ".join(f"{count} {validity}" for validity, count in figures.memories.items())
    rows = {
        "tenant": figures.tenant,
        "sessions": f"{figures.sessions:,}",
        "turns": f"{figures.turns:,} ({figures.turn_versions - figures.turns:,} older versions)",
        "memories": memories or "none",
        "raw text": f"{figures.raw_bytes:,} bytes in {figures.raw_chunks:,} chunks, "
        f"{figures.stored_bytes:,} stored",
        "database": f"{figures.database_bytes:,} bytes (all tenants)",
        "vectors": f"{figures.vectors:,}; {figures.backlog.pending:,} waiting, "
        f"{figures.backlog.failed:,} given up",
        "extraction queue": f"{figures.queue.waiting:,} waiting, {figures.queue.done:,} done, "
        f"{figures.queue.dead:,} given up",
    }
    if figures.waiting:
        rows["hooks"] = f"{figures.waiting:,} entries wait to be taken in"
    if figures.reading.calls:
        rows["chat model"] = _describe_reading(figures)
    if figures.private:
        rows["private time"] = f"on in {describe_private(figures.private)}; nothing is kept there"
    for name, value in rows.items():
        table.add_row(name, Text(value))
    return table


def _describe_reading(figures: Statistics) -> str:
    """Return the tokens that the chat model took, and their cost if prices are set."""
    price, today = figures.reading, f"today {figures.today.tokens:,} tokens"
    parts = [f"{price.calls:,} calls in 30 days", today]
    if price.per_thousand is not None:
        parts.insert(0, f"{price.per_thousand:,} tokens for 1,000 of conversation")
    if figures.reading_cost is not None and figures.cost_today is not None:
        parts[-2] += f" for {describe_cost(figures.reading_cost)}"
        parts[-1] += f" for {describe_cost(figures.cost_today)}"
    return ", ".join(parts)


_VERBS = "|".join((*FIRST, *REST))
_COMMAND = lazy_regex(rf"\bmemoria (?=(?:--workspace|{_VERBS})\b)")
"""Beginning of a command that names neither home nor tenant."""


app = typer.Typer()


@app.command()
def doctor(
    context: typer.Context,
    fix: Annotated[
        bool, typer.Option("--fix", help="Repair what can be repaired without touching the record.")
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
        show(write_health(diagnosis, treatment), "", as_json=True)
    else:
        for one in diagnosis.mended:
            line = f"{one.check}: {one.before} → {one.after}"
            out().print(wrap_answer(line, columns()), markup=False)
        out().print(health_table(diagnosis.health))
    if not diagnosis.health.is_sound:
        raise typer.Exit(Exit.UNSOUND)


@app.command()
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


@app.command()
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
    show(write_backup(report), backup_text(report), as_json=as_json)


@app.command()
def restore(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="File that `memoria backup` wrote.")],
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Replace the home without asking.")
    ] = False,
    keep_tokens: Annotated[
        bool,
        typer.Option(
            "--keep-tokens",
            help="Let all tokens of the backup hold, also those that were revoked since.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Replace the home with a backup; the former home is kept beside it."""
    from memoria.app.upkeep import check_backup  # noqa: PLC0415
    from memoria.app.upkeep import restore as put_back  # noqa: PLC0415

    options: Options = context.obj
    settings = options.settings
    home = settings.home_path
    check_backup(settings, file)
    if choose_engine(settings).exists(settings) and not yes:
        _confirm_replacing(home)
    with show_progress("Restoring") as progress:
        restored = put_back(
            settings, file, progress, keeps_tokens=keep_tokens, channel=COMMAND_LINE
        )
    diagnosis = _diagnose(options, "none")
    health = diagnosis.health
    if as_json:
        show(write_restored(home, restored, health), "", as_json=True)
    else:
        text = restore_text(home, file, restored, health)
        out().print(wrap_answer(text, columns()), markup=False)
        if health.notable:
            out().print(health_table(Health(findings=health.notable)))
    if not health.is_sound:
        raise typer.Exit(Exit.UNSOUND)


def _confirm_replacing(home: Path) -> None:
    """Ask whether to replace a home; refuse if there is nobody to ask."""
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
        _name_memory_in_cure(finding, options)
        for finding in (*diagnosis.health.findings, _check_clients(options))
    )
    return replace(diagnosis, health=Health(findings=findings))


def _check_clients(options: Options) -> Finding:
    from memoria.connectors.clients.interface import ClientPlace, ClientProgram  # noqa: PLC0415  (others need not pay)
    from memoria.connectors.clients.status import check_clients  # noqa: PLC0415

    program = ClientProgram.here(options.home, options.tenant, options.workspace)
    return check_clients(ClientPlace.here(), program)


def _name_memory_in_cure(finding: Finding, options: Options) -> Finding:
    """Name the home and the tenant in each command of a finding's cure that names no home."""
    named = name_memory(options.settings.tenant, options.home)
    if not named or finding.cure is None:
        return finding
    cure = _COMMAND.sub(lambda found: f"{found[0]}{shlex.join(named)} ", finding.cure)
    return finding.model_copy(update={"cure": cure})
