"""The command that forgets: forget."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from memoria.bare.home import name_memory
from memoria.errors import InvalidInputError, PreviewChangedError
from memoria.model.forgetting import ForgetOrder
from memoria.model.query import build_query
from memoria.store.rows.listings import INDEXED_CHARS
from memoria.surface.cli.console import (
    AsJson,
    Exit,
    ask_person,
    err,
    print_error,
    print_json,
    show,
    with_memory,
)
from memoria.surface.cli.layout import columns, wrap_answer
from memoria.surface.cli.options import complete_session, read_fields, takes_query_options
from memoria.surface.cli.times import moment
from memoria.surface.documents import write_forgotten, write_preview
from memoria.surface.forgetting_text import (
    Reader,
    forget_command,
    forget_text,
    preview_text,
    report_line,
)

if TYPE_CHECKING:
    from memoria.model.forgetting import ForgetPreview, ForgetResult
    from memoria.surface.cli.console import Options


app = typer.Typer()


@app.command()
@takes_query_options(ForgetOrder)
def forget(
    ctx: typer.Context,
    ids: Annotated[list[str] | None, typer.Argument(help="Ids of memories or turns.")] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Forget without asking.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be forgotten, and its token.")
    ] = False,
    undo: Annotated[
        str | None, typer.Option(hidden=True, help="Id of a report whose forget is taken back.")
    ] = None,
    as_json: AsJson = False,
    **options: object,
) -> None:
    """Erase for good (backups keep it) what ids or options select, and never learn it again.

    Everything that would go is shown first: duplicates, what was derived, turns, lines of files.
    """
    if undo is not None:
        _undo(ctx, undo, as_json=as_json)
        return
    given = {"ids": tuple(ids or ()), **read_fields(ForgetOrder, options)}
    if not any(given.values()):
        raise InvalidInputError(
            "Nothing is named. Give ids, or say what is meant with --topic, --query, --type, "
            "--session-id, --speaker, --since, --until, --workspace or --everything: `memoria "
            "forget --help`."
        )
    if session := given.get("session_id"):
        given["session_id"] = with_memory(ctx, lambda m: complete_session(m, session))
    order = build_query(ForgetOrder, given)
    if dry_run or not (yes or order.token):
        preview = with_memory(ctx, lambda m: m.preview_forget(order.selection))
        if dry_run:
            _print_preview(preview, ctx.obj, as_json=as_json)
            return
        if as_json and not preview.is_empty:
            _print_next(ctx.obj, order, preview)
            raise typer.Exit(Exit.FAILED)
        if not as_json:
            _confirm(preview, ctx.obj)
        order = order.model_copy(update={"token": preview.token})
    try:
        forgotten = with_memory(
            ctx, lambda m: m.forget_memory(order), waits_for="Forgetting, and wiping the file"
        )
    except PreviewChangedError as error:
        _print_preview(error.preview, ctx.obj, as_json=as_json)
        print_error(error, as_json=as_json)
        raise typer.Exit(Exit.FAILED) from error
    told = forget_text(forgotten, reader_at_terminal(ctx.obj))
    text = "\n".join([told, *_list_transcripts(forgotten)])
    show(write_forgotten(forgotten), text, as_json=as_json)


def _list_transcripts(forgotten: "ForgetResult") -> Iterator[str]:
    """Yield a sentence on each client whose own transcripts still hold what was forgotten."""
    from memoria.connectors.clients.table import CLIENTS  # noqa: PLC0415
    from memoria.connectors.transcripts.formats import FORMATS  # noqa: PLC0415

    titles = {client.name: client.title for client in CLIENTS}
    for source in forgotten.told_by:
        form = FORMATS.get(source)
        if form is not None and form.folder is not None and form.folder.path.is_dir():
            yield (
                f"{titles.get(source, source)} keeps its own transcripts, which Memoria does not "
                f"touch: {form.folder.path}"
            )


def _undo(ctx: typer.Context, report_id: str, *, as_json: bool) -> None:
    report = with_memory(ctx, lambda m: m.undo_forget(report_id))
    show(report, f"Put back: {report_line(report, reader_at_terminal())}", as_json=as_json)


def _confirm(preview: "ForgetPreview", options: "Options") -> None:
    """Show what would be forgotten, and go on only after a yes."""
    err().print(wrap_answer(_preview_text(preview, options), columns()), markup=False)
    if not preview.is_empty:
        ask_person("Forget this for good?")


def _print_preview(preview: "ForgetPreview", options: "Options", *, as_json: bool) -> None:
    token = "" if preview.is_empty else f"\ntoken: {preview.token}"
    show(write_preview(preview), f"{_preview_text(preview, options)}{token}", as_json=as_json)


def _print_next(options: "Options", order: ForgetOrder, preview: "ForgetPreview") -> None:
    """Print, for a program, what would be forgotten and the command that forgets it."""
    meant = order.model_copy(update={"token": preview.token})
    command = forget_command(meant, options.settings, home=options.home)
    note = "Nothing is forgotten yet: the command forgets just this."
    print_json({**write_preview(preview, note=note), "command": command})


def _preview_text(preview: "ForgetPreview", options: "Options") -> str:
    """Render the preview with the short ids that a person types."""
    return preview_text(preview, reader=reader_at_terminal(options))


def reader_at_terminal(options: "Options | None" = None) -> Reader:
    """Return the reader at a terminal: ids by their ends, times in the zone of the screen.

    Args:
        options: of the command, where the reader is told further commands.
    """
    memory = () if options is None else name_memory(options.settings.tenant)
    return Reader(
        INDEXED_CHARS, moment, include_source="--include-source", keep="--keep ID", memory=memory
    )
