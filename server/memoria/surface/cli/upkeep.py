"""Commands that look after a home: doctor, stats, backup, restore."""

import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from pydantic import BaseModel

from memoria.errors import InvalidInputError
from memoria.model import Finding, Health, Mended, Statistics, from_millis, iso, to_millis
from memoria.store.files import DATABASE
from memoria.surface.cli.console import (
    AsJson,
    Exit,
    Options,
    out,
    progress_bar,
    show,
    with_memory,
)

if TYPE_CHECKING:
    from rich.table import Table

    from memoria.admin.backup import BackupReport
    from memoria.app.upkeep import Diagnosis, Treatment

_COMMAND = "memoria "
_STATES = {"ok": "[green]ok[/]", "warning": "[yellow]warning[/]", "error": "[red]error[/]"}


class WireHealth(BaseModel):
    """What doctor found, and mended before."""

    sound: bool
    findings: list[Finding]
    mended: list[Mended] | None = None


class WireBackup(BaseModel):
    """A backup that was made."""

    path: str
    size: int
    made_at: str
    kept_until: str | None
    schema_number: int
    counts: dict[str, int]
    files: list[str]
    deleted: list[str]


class WireRestored(BaseModel):
    """A backup that was put back."""

    home: str
    former_database: str | None
    sound: bool
    findings: list[Finding]


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
        typer.Option("--fix", help="Mend what can be mended without touching what was recorded."),
    ] = False,
    rebuild: Annotated[
        bool, typer.Option("--rebuild", help="First build the search indexes anew.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Check the home and say what mends what is wrong."""
    if fix and rebuild:
        raise InvalidInputError("Give --fix or --rebuild: --fix builds anew what needs it.")
    treatment: Treatment = "fix" if fix else "rebuild" if rebuild else "none"
    diagnosis = _diagnosed(context.obj, treatment)
    if as_json:
        show(_wire_health(diagnosis, treatment), "", as_json=True)
    else:
        for one in diagnosis.mended:
            out().print(f"{one.check}: {one.before} → {one.after}", markup=False)
        out().print(_health_table(diagnosis.health))
    if not diagnosis.health.sound:
        raise typer.Exit(Exit.UNSOUND)


def stats(context: typer.Context, as_json: AsJson = False) -> None:
    """How much this tenant's memory holds."""
    figures = with_memory(context, lambda m: m.statistics())
    if as_json:
        show(figures, "", as_json=True)
    else:
        out().print(_stats_table(figures))


def backup(
    context: typer.Context,
    file: Annotated[
        Path | None,
        typer.Argument(help="The file to write. Default: a new one in the home's backups folder."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write a backup while others go on using the home, and prove that it can be read."""
    from memoria.app.upkeep import back_up  # noqa: PLC0415  (only who needs it pays for it)

    options: Options = context.obj
    with _shown("Backing up") as progress:
        report = back_up(options.settings, file, progress)
    show(_wire_backup(report), _backup_text(report), as_json=as_json)


def restore(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="A file that `memoria backup` made.")],
    yes: Annotated[
        bool, typer.Option("--yes", help="Do not ask before the home is replaced.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Put a backup in the home's place. What was there is kept beside it."""
    from memoria.app.upkeep import restore as put_back  # noqa: PLC0415

    options: Options = context.obj
    home = options.settings.home_path
    if (home / DATABASE).exists() and not yes:
        _ask(home)
    with _shown("Restoring") as progress:
        former = put_back(options.settings, file, progress)
    diagnosis = _diagnosed(options, "none")
    aside = None if former is None else str(former)
    wire = WireRestored(
        home=str(home),
        former_database=aside,
        sound=diagnosis.health.sound,
        findings=list(diagnosis.health.findings),
    )
    if as_json:
        show(wire, "", as_json=True)
    else:
        out().print(_restored_text(home, file, former), markup=False)
        out().print(_health_table(diagnosis.health))
    if not diagnosis.health.sound:
        raise typer.Exit(Exit.UNSOUND)


def _ask(home: Path) -> None:
    """Let a person decide; without one, nothing is replaced."""
    if not sys.stdin.isatty():
        raise InvalidInputError(
            f"{home} holds a memory. Give --yes to have it replaced; it is set aside, not deleted."
        )
    typer.confirm(
        f"{home} holds a memory. Replace it? It is set aside, not deleted.", abort=True, err=True
    )


def _diagnosed(options: Options, treatment: "Treatment") -> "Diagnosis":
    from memoria.app.upkeep import diagnose  # noqa: PLC0415

    with _shown("Building indexes") as progress:
        diagnosis = diagnose(options.settings, treatment, progress)
    findings = tuple(_pasteable(finding, options.home) for finding in diagnosis.health.findings)
    return replace(diagnosis, health=Health(findings=findings))


def _pasteable(finding: Finding, home: str | None) -> Finding:
    """The finding, its cure for the home that was named."""
    if home is None or not (finding.cure or "").startswith(_COMMAND):
        return finding
    cure = f"{_COMMAND}--home {shlex.quote(home)} {str(finding.cure).removeprefix(_COMMAND)}"
    return finding.model_copy(update={"cure": cure})


@contextmanager
def _shown(what: str) -> Iterator[Callable[[int, int], None]]:
    """A bar for work that counts what it has done; none while nothing is counted."""
    with progress_bar() as progress:
        task = progress.add_task(what, total=None, visible=False)
        yield lambda done, total: progress.update(task, completed=done, total=total, visible=True)


def _wire_health(diagnosis: "Diagnosis", treatment: str) -> WireHealth:
    return WireHealth(
        sound=diagnosis.health.sound,
        findings=list(diagnosis.health.findings),
        mended=None if treatment == "none" else list(diagnosis.mended),
    )


def _wire_backup(report: "BackupReport") -> WireBackup:
    return WireBackup(
        path=str(report.path),
        size=report.size,
        made_at=iso(to_millis(report.manifest.made_at)),
        kept_until=None if report.kept_until is None else iso(report.kept_until),
        schema_number=report.manifest.schema_number,
        counts=report.manifest.counts,
        files=list(report.manifest.files),
        deleted=[str(path) for path in report.deleted],
    )


def _backup_text(report: "BackupReport") -> str:
    counts = ", ".join(f"{count:,} {name}" for name, count in report.manifest.counts.items())
    lines = [
        f"{report.path} ({report.size:,} bytes), read back and sound.",
        f"It holds {counts}; and {', '.join(report.manifest.files)}.",
    ]
    if report.kept_until is not None:
        until = f"{from_millis(report.kept_until):%Y-%m-%d}"
        lines.append(f"It is kept until {until}. Copy it to another disk to be safe from this one.")
    if report.deleted:
        lines.append(f"Deleted as too old: {', '.join(path.name for path in report.deleted)}")
    return "\n".join(lines)


def _restored_text(home: Path, file: Path, former: Path | None) -> str:
    aside = "" if former is None else f" What was there is in {former.parent}."
    return f"{home} is now as it was in {file.name}.{aside}"


def _health_table(health: Health) -> "Table":
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    table = Table("check", "state", "what was found", "cure", box=None, pad_edge=False)
    for finding in health.findings:
        cure = Text(finding.cure or "", overflow="fold")
        detail = Text(finding.detail, overflow="fold")
        table.add_row(finding.check, _STATES[finding.state], detail, cure)
    return table


def _stats_table(figures: Statistics) -> "Table":
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
    }
    for name, value in rows.items():
        table.add_row(name, Text(value))
    return table
