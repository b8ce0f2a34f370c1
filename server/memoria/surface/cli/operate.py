"""The import command."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import anyio
import typer
from pydantic import BaseModel

from memoria.admin.importer import ImportReport, JsonlImport
from memoria.app import Memoria
from memoria.model import Channel, Trust
from memoria.surface.cli.console import AsJson, Exit, progress_bar, show, with_memory

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

_WATCH_S = 0.5


class WireImport(BaseModel):
    """What became of a file."""

    lines: int
    recorded: int
    already_recorded: int
    new_versions: int
    nothing_left: int
    stripped: int
    redactions: dict[str, int]
    bad: int
    bad_lines: list[tuple[int, str]]


def add_commands(app: typer.Typer) -> None:
    """Register the commands."""
    app.command("import")(import_file)


def import_file(
    context: typer.Context,
    file: Annotated[
        Path, typer.Argument(exists=True, dir_okay=False, readable=True, help="The file.")
    ],
    format: Annotated[  # noqa: A002
        Literal["jsonl"],
        typer.Option(
            help="jsonl: a turn a line with session_id, message_id, role, speaker, content, at, "
            "tool_name, tool_args, tool_result; only role is required."
        ),
    ] = "jsonl",
    wait: Annotated[
        bool,
        typer.Option(help="Wait for the vectors. Without, the next server makes them."),
    ] = True,
    as_json: AsJson = False,
) -> None:
    """Record conversations from a file. Safe to repeat and to stop half way."""
    channel = Channel(name="import", trust=Trust.USER, client=f"import-{format}")

    async def work(memory: Memoria) -> ImportReport:
        with progress_bar() as progress:
            task = progress.add_task(f"Importing {file.name}", total=file.stat().st_size)
            reading = JsonlImport(memory, file, lambda done: progress.update(task, completed=done))
            report = await reading.run()
            if wait:
                await _embed(memory, progress)
        return report

    report = with_memory(context, work, channel)
    show(_wire_import(report), _import_text(report), as_json=as_json)
    if report.bad:
        raise typer.Exit(Exit.LINES_LEFT_OUT)


async def _embed(memory: Memoria, progress: "Progress") -> None:
    """Show how many vectors are still to be made. All is on disk and searchable already."""
    task = progress.add_task("Computing vectors (Ctrl-C is safe)", total=None)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_watch, memory, progress, task)
        await memory.settle()
        tasks.cancel_scope.cancel()


async def _watch(memory: Memoria, progress: "Progress", task: "TaskID") -> None:
    first = (await memory.statistics()).backlog.pending
    while True:
        left = (await memory.statistics()).backlog.pending
        progress.update(task, total=first, completed=first - left)
        await anyio.sleep(_WATCH_S)


def _wire_import(report: ImportReport) -> WireImport:
    return WireImport.model_validate(
        {name: getattr(report, name) for name in WireImport.model_fields}
    )


def _import_text(report: ImportReport) -> str:
    lines = [
        f"{report.lines} lines: {report.recorded} recorded, {report.already_recorded} on record "
        f"already, {report.new_versions} edited, {report.nothing_left} with nothing left, "
        f"{report.bad} bad."
    ]
    if report.redactions:
        kinds = ", ".join(f"{kind} ×{count}" for kind, count in report.redactions.items())
        lines.append(f"Secrets redacted: {kinds}")
    if report.stripped:
        lines.append(f"Private or injected blocks left out: {report.stripped}")
    lines += [f"line {number}: {problem}" for number, problem in report.bad_lines]
    if report.bad > len(report.bad_lines):
        lines.append(f"… and {report.bad - len(report.bad_lines)} more bad lines")
    return "\n".join(lines)
