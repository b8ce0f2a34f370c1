"""Commands that look after a home: doctor, stats."""

from typing import TYPE_CHECKING, Annotated

import typer
from pydantic import BaseModel

from memoria.app import Memoria
from memoria.model import Finding, Health, Statistics
from memoria.surface.cli.console import AsJson, Exit, out, show, with_memory
from memoria.surface.cli.progress import progress_bar

if TYPE_CHECKING:
    from rich.table import Table

_STATES = {"ok": "[green]ok[/]", "warning": "[yellow]warning[/]", "error": "[red]error[/]"}


class WireHealth(BaseModel):
    """What doctor found."""

    sound: bool
    findings: list[Finding]


def add_commands(app: typer.Typer) -> None:
    """Register the commands."""
    app.command()(doctor)
    app.command()(stats)


def doctor(
    context: typer.Context,
    rebuild: Annotated[
        bool, typer.Option("--rebuild", help="First build the search indexes anew.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Check the home and say what mends what is wrong."""

    async def work(memory: Memoria) -> Health:
        if rebuild:
            with progress_bar() as progress:
                task = progress.add_task("Rebuilding indexes", total=None)
                await memory.rebuild_indexes(
                    lambda done, total: progress.update(task, completed=done, total=total)
                )
        return await memory.health()

    health = with_memory(context, work)
    if as_json:
        show(WireHealth(sound=health.sound, findings=list(health.findings)), "", as_json=True)
    else:
        out().print(_health_table(health))
    if not health.sound:
        raise typer.Exit(Exit.UNSOUND)


def stats(context: typer.Context, as_json: AsJson = False) -> None:
    """How much this tenant's memory holds."""
    figures = with_memory(context, lambda m: m.statistics())
    if as_json:
        show(figures, "", as_json=True)
    else:
        out().print(_stats_table(figures))


def _health_table(health: Health) -> "Table":
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    table = Table("check", "state", "what was found", "cure", box=None, pad_edge=False)
    for finding in health.findings:
        cure = Text(finding.cure or "", overflow="fold")
        table.add_row(finding.check, _STATES[finding.state], Text(finding.detail), cure)
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
