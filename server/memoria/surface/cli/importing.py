"""The command that imports transcripts."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import anyio
import typer
from pydantic import BaseModel

from memoria.admin.importer import BadLine, Importer, ImportReport
from memoria.admin.transcripts import FORMATS, find_transcripts
from memoria.app import Memoria, workspace_of
from memoria.model.channel import transcript_channel
from memoria.model.zone import use_zone
from memoria.surface.cli.console import AsJson, Exit, show, with_memory
from memoria.surface.cli.progress import progress_bar
from memoria.surface.text import quantity, redactions_text

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

_WATCH_S = 0.5


class WireBadLine(BaseModel):
    """A line that was left out."""

    file: str
    line: int | None
    problem: str


class WireImport(BaseModel):
    """What became of the files."""

    files: int
    lines: int
    recorded: int
    already_recorded: int
    new_versions: int
    forgotten: int
    private: int
    nothing_left: int
    skipped: int
    stripped: int
    redactions: dict[str, int]
    bad: int
    bad_lines: list[WireBadLine]


def add_commands(app: typer.Typer) -> None:
    """Register the command."""
    app.command("import")(import_transcripts)


def _check_format(name: str) -> str:
    if name not in FORMATS:
        raise typer.BadParameter(f"{name!r} is not one of {', '.join(FORMATS)}.")
    return name


def import_transcripts(
    context: typer.Context,
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[PATH]...",
            show_default=False,
            help="Transcript files, or folders that hold some. Default: the client's own folder.",
        ),
    ] = None,
    format: Annotated[  # noqa: A002
        str,
        typer.Option(
            metavar=f"[{'|'.join(FORMATS)}]",
            callback=_check_format,
            autocompletion=lambda: [*FORMATS],
            help=" ".join(
                ["Format of the transcripts.", *(f"{one.summary}." for one in FORMATS.values())]
            ),
        ),
    ] = "jsonl",
    wait: Annotated[
        bool,
        typer.Option(
            help="Wait until all vectors are computed; else the next server computes them."
        ),
    ] = True,
    as_json: AsJson = False,
) -> None:
    """Import conversations from transcripts; the command can be repeated or stopped half way."""
    form = FORMATS[format]
    files = find_transcripts(paths or [], form)
    channel = transcript_channel(form.client)

    async def work(memory: Memoria) -> ImportReport:
        with progress_bar() as progress:
            task = progress.add_task("Importing", total=sum(file.size for file in files))

            def report_progress(file: Path, done: int) -> None:
                progress.update(task, description=f"Importing {file.name}", completed=done)

            with use_zone(memory.settings.zone):
                report = await Importer(memory, form, files, report_progress, workspace_of).run()
            if wait:
                await _wait_for_vectors(memory, progress)
        return report

    report = with_memory(context, work, channel, reads_queue=wait, begins_home=True)
    show(_wire_report(report), _report_text(report), as_json=as_json)
    if report.bad:
        raise typer.Exit(Exit.LINES_LEFT_OUT)


async def _wait_for_vectors(memory: Memoria, progress: "Progress") -> None:
    """Show how many vectors are still to be made. All is on disk and searchable already."""
    task = progress.add_task("Computing vectors (Ctrl-C is safe)", total=None)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_show_backlog, memory, progress, task)
        await memory.wait_until_idle()
        tasks.cancel_scope.cancel()


async def _show_backlog(memory: Memoria, progress: "Progress", task: "TaskID") -> None:
    first = (await memory.statistics()).backlog.pending
    while True:
        left = (await memory.statistics()).backlog.pending
        progress.update(task, total=first, completed=first - left)
        await anyio.sleep(_WATCH_S)


def _wire_report(report: ImportReport) -> WireImport:
    fields = {name: getattr(report, name) for name in WireImport.model_fields}
    return WireImport.model_validate(fields, from_attributes=True)


def _report_text(report: ImportReport) -> str:
    files = quantity(report.files, "file", "files")
    lines = [
        f"{files}, {quantity(report.lines, 'line', 'lines')}: {report.recorded} recorded, "
        f"{report.already_recorded} on record already, {report.new_versions} edited, "
        f"{report.nothing_left} with nothing left, {report.skipped} skipped, {report.bad} bad."
    ]
    if report.forgotten:
        lines.append(f"Left out because they were forgotten before: {report.forgotten}")
    if report.private:
        lines.append(f"Left out because they were said in private time: {report.private}")
    omitted, secrets = redactions_text(report.redactions)
    if omitted:
        lines.append(f"Passages left out because they were forgotten before: {omitted}")
    if secrets:
        lines.append(f"Secrets redacted: {secrets}")
    if report.stripped:
        lines.append(f"Private or injected blocks left out: {report.stripped}")
    lines += map(_bad_line_text, report.bad_lines)
    if report.bad > len(report.bad_lines):
        lines.append(f"… and {report.bad - len(report.bad_lines)} more bad lines")
    return "\n".join(lines)


def _bad_line_text(bad: BadLine) -> str:
    where = bad.file if bad.line is None else f"{bad.file} line {bad.line}"
    return f"{where}: {bad.problem}"
