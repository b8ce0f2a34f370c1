"""The command that imports a person's past."""

import logging
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import anyio
import typer

from memoria.admin.importer import Importer, ImportReport
from memoria.app import Memoria, project_of
from memoria.config import NO_WORKSPACE
from memoria.connectors.sources.detect import (
    SOURCES,
    SourceFiles,
    UnknownFile,
    count_items,
    detect_files,
    find_everything,
    find_files,
    list_sources,
)
from memoria.connectors.sources.interface import ImportSource
from memoria.errors import InvalidInputError
from memoria.model.moments import use_zone
from memoria.model.provenance import COMMAND_LINE, transcript_channel
from memoria.surface.cli.console import AsJson, Exit, Options, err, show, warn, with_memory
from memoria.surface.cli.exporting import import_exports
from memoria.surface.cli.import_text import (
    UnreadText,
    add_reports,
    measure_unread,
    render_count,
    render_import,
    render_missing,
    render_stop,
    write_count,
    write_import,
)
from memoria.surface.cli.layout import columns
from memoria.surface.cli.progress import progress_bar

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

_WATCH_S = 0.5
_Found = tuple[list[SourceFiles], list[UnknownFile]]


app = typer.Typer()


def _show_faults(verbose: bool) -> bool:
    """Log errors of the readers of files to standard error."""
    if verbose:
        logging.basicConfig(level=logging.WARNING)
        logging.getLogger("memoria.connectors").setLevel(logging.DEBUG)
    return verbose


Verbose = Annotated[
    bool,
    typer.Option(
        "--verbose",
        callback=_show_faults,
        help="Say where in Memoria an item failed that can't be read.",
    ),
]


@app.command("import")
def import_past(
    context: typer.Context,
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[PATH]...",
            show_default=False,
            help="Files, or folders that hold some: exports, transcripts, databases, notes.",
        ),
    ] = None,
    format: Annotated[  # noqa: A002
        str | None,
        typer.Option(
            metavar="NAME",
            autocompletion=lambda: [*SOURCES],
            show_default=False,
            help=" ".join(
                [
                    "Read everything as this format, by default from where its program keeps it. "
                    "Without it, each file is recognised by what is in it.",
                    *(f"{one.summary}." for one in SOURCES.values()),
                ]
            ),
        ),
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Import whatever is found on this machine.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only count what would be read; nothing is written.")
    ] = False,
    wait: Annotated[
        bool,
        typer.Option(
            help="Wait until all vectors are computed; else the next server computes them."
        ),
    ] = True,
    verbose: Verbose = False,  # noqa: ARG001  (heard by its callback)
    as_json: AsJson = False,
) -> None:
    """Import conversations, memories and notes; the command can be repeated or stopped half way."""
    options: Options = context.obj
    sources = list_sources(options.settings.connectors or (), warn)
    said, places = _split_format(format, paths or [], sources)
    left_out = import_exports(context, places, dry_run=dry_run, as_json=as_json)
    if left_out is not None:
        if wait and not dry_run:
            with_memory(context, _make_vectors)
        if left_out:
            raise typer.Exit(Exit.LINES_LEFT_OUT)
        return
    groups, unknown = _find(places, said, sources, every=every)
    if dry_run:
        _show_count(context, groups, unknown, sources.values(), every=every, as_json=as_json)
        return
    if not groups:
        raise InvalidInputError(_nothing_text(unknown, sources, every=every))
    _import(context, groups, unknown, wait=wait, as_json=as_json)


def _split_format(
    format: str | None,  # noqa: A002
    paths: Sequence[Path],
    sources: Mapping[str, ImportSource],
) -> tuple[str | None, Sequence[Path]]:
    """Return format and paths: of `git FOLDER` the first word, unless a file has that name."""
    first = str(paths[0]) if paths else ""
    if format is not None or first not in sources or paths[0].exists():
        return format, paths
    return first, paths[1:]


def _import(
    context: typer.Context,
    groups: Sequence[SourceFiles],
    unknown: Sequence[UnknownFile],
    *,
    wait: bool,
    as_json: bool,
) -> None:
    options: Options = context.obj

    reports = list[ImportReport]()

    async def work(memory: Memoria) -> tuple[UnreadText, int]:
        with progress_bar() as progress:
            named = options.workspace and (memory.settings.workspace or NO_WORKSPACE)
            async with show_vectors(memory, progress):
                await _import_groups(memory, groups, progress, named, reports)
                if wait:
                    await memory.wait_until_idle()
            without_vector = (await memory.statistics()).backlog.pending
        return await _measure(memory, add_reports(reports)), without_vector

    try:
        unread, without_vector = with_memory(
            context, work, COMMAND_LINE, reads_queue=wait, begins_home=True
        )
    except KeyboardInterrupt:
        err().print(render_stop(add_reports(reports)))
        _note(context, add_reports(reports))
        raise
    sources, total = [group.source for group in groups], add_reports(reports)
    _note(context, total)
    by_source = list(zip(sources, reports, strict=True))
    text = render_import(by_source, unknown, unread, without_vector, columns())
    document = write_import(total, sources, unknown, unread, without_vector)
    show(document, text, as_json=as_json)
    if total.bad or unknown:
        raise typer.Exit(Exit.LINES_LEFT_OUT)


def _note(context: typer.Context, total: ImportReport) -> None:
    """Record the import for `memoria undo`."""
    turns, memories = total.recorded + total.new_versions, total.memories["added"] + total.made
    if turns or memories:
        ids = [*total.conversations.values()]
        with_memory(context, lambda memory: memory.note_import(turns, memories, ids))


def _find(
    paths: Sequence[Path],
    format: str | None,  # noqa: A002
    sources: Mapping[str, ImportSource],
    *,
    every: bool,
) -> _Found:
    """Find the files to import, grouped by source, and files of no known format."""
    if format is not None and format not in sources:
        said = f"{format!r} is not one of {', '.join(sources)}."
        raise typer.BadParameter(said, param_hint="'--format'")
    if every:
        if paths or format:
            raise InvalidInputError("Give --all alone, or name what is to be imported.")
        return find_everything(sources), []
    if format is not None:
        return [find_files(sources[format], paths)], []
    if not paths:
        raise InvalidInputError(
            "Name the files or folders to import, or see what this machine has: "
            "memoria import --all --dry-run"
        )
    return detect_files(paths, sources)


def _nothing_text(
    unknown: Sequence[UnknownFile], sources: Mapping[str, ImportSource], *, every: bool
) -> str:
    if every:
        return (
            "There is nothing on this machine that Memoria knows how to import. Name files or "
            "folders; memoria import --help says which."
        )
    if not unknown:
        return (
            "There is nothing to import in there. memoria import --help says which files are known."
        )
    named = "; ".join(f"{file.path} is {file.description}" for file in unknown[:3])
    if all(file.is_damaged for file in unknown):
        return f"{named}. Download it again, and import that."
    return f"No format fits: {named}. Give --format to read it as one of {', '.join(sources)}."


async def _import_groups(
    memory: Memoria,
    groups: Sequence[SourceFiles],
    progress: "Progress",
    workspace: str | None,
    reports: list[ImportReport],
) -> None:
    """Import the files of each source; outcomes are added to `reports` on the way."""
    task = progress.add_task("Importing", total=sum(group.size for group in groups))
    before = 0
    with use_zone(memory.settings.zone):
        for group in groups:
            source = group.source
            here = NO_WORKSPACE if source.is_personal else memory.settings.workspace
            place = workspace or here or NO_WORKSPACE
            importer = Importer(
                memory.with_channel(transcript_channel(source.client)),
                source,
                group.files,
                _report_to(progress, task, before),
                partial(project_of, str(memory.settings.home_path)),
                place,
                memory.settings.ignored_folders or (),
            )
            reports.append(importer.report)
            await importer.run()
            before += group.size


def _report_to(progress: "Progress", task: "TaskID", before: int) -> Callable[[Path, int], None]:
    def report(file: Path, done: int) -> None:
        progress.update(task, description=f"Importing {file.name}", completed=before + done)

    return report


def _show_count(
    context: typer.Context,
    groups: Sequence[SourceFiles],
    unknown: Sequence[UnknownFile],
    sources: Collection[ImportSource],
    *,
    every: bool,
    as_json: bool,
) -> None:
    options: Options = context.obj
    settings = options.settings
    with progress_bar() as progress, use_zone(settings.zone):
        task = progress.add_task("Counting", total=sum(group.size for group in groups))
        ignored = settings.ignored_folders or ()
        counts = count_items(groups, _report_to(progress, task, 0), ignored)
    width = columns()
    command = "memoria import --all" if every else "the same command without --dry-run"
    parts = [render_count(counts, unknown, width, command)]
    parts += [render_missing(counts, sources, width)] if every else []
    show(write_count(counts, unknown, sources), "\n\n".join(filter(None, parts)), as_json=as_json)


async def _measure(memory: Memoria, report: ImportReport) -> UnreadText:
    """Estimate how much imported text a chat model has still to read."""
    has_model = memory.queue.has_reader
    is_read = has_model and not (await memory.queue.status()).waiting
    tokens = 0 if is_read else report.unread_tokens
    price = (await memory.statistics()).reading
    return measure_unread(tokens, price, has_model=has_model)


async def _make_vectors(memory: Memoria) -> None:
    with progress_bar() as progress:
        async with show_vectors(memory, progress):
            await memory.wait_until_idle()


@asynccontextmanager
async def show_vectors(memory: Memoria, progress: "Progress") -> AsyncIterator[None]:
    """Show during the block how many texts have no vector yet."""
    if progress.disable:
        yield
        return
    failure: Exception | None = None
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_count_vectors, memory, progress)
        try:
            yield
        except Exception as error:  # noqa: BLE001  (raised below: the group would wrap it)
            failure = error
        tasks.cancel_scope.cancel()
    if failure is not None:
        raise failure


async def _count_vectors(memory: Memoria, progress: "Progress") -> None:
    task = progress.add_task("", total=None, visible=False)
    before = (await memory.statistics()).vectors
    while True:
        now = await memory.statistics()
        left, made = now.backlog.pending, now.vectors - before
        progress.update(
            task,
            description=f"{left:,} without a vector yet, found by words (Ctrl-C is safe)",
            completed=made,
            total=made + left,
            visible=made + left > 0,
        )
        await anyio.sleep(_WATCH_S)
