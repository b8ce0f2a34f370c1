"""The command that moves the memory between a home's file and a database elsewhere."""

from typing import TYPE_CHECKING, Annotated

import typer

from memoria.model.base import write_document
from memoria.surface.cli.console import AsJson, Options, show
from memoria.surface.cli.progress import show_progress
from memoria.surface.text import quantity

if TYPE_CHECKING:
    from memoria.admin.migrate import MoveReport
    from memoria.config import Settings

app = typer.Typer()


@app.command()
def migrate(
    context: typer.Context,
    to: Annotated[
        str,
        typer.Option(
            "--to",
            metavar="URL|FOLDER",
            help="A PostgreSQL database, such as postgresql://memoria@db/memoria; or a folder, "
            "which becomes a home with a file.",
        ),
    ],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only count what would be copied.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Copy the whole memory into an empty PostgreSQL database, or from there into a home.

    Every tenant's rows and files are copied, with what was forgotten, what a forget still hides and
    what nights can take back, and then compared one by one. What was stopped goes on when the
    command is run again. The memory that was copied stays as it was.
    """
    from memoria.app.moving import move, name_target, preview  # noqa: PLC0415

    options: Options = context.obj
    settings = options.existing_settings
    target = name_target(settings, to)
    if dry_run:
        report = preview(settings)
    else:
        with show_progress("Moving") as progress:
            report = move(settings, target, progress)
    document = write_document(
        source=settings.place,
        target=target.place,
        rows=report.rows,
        written=report.written,
        files=report.files,
        equal=None if dry_run else True,
    )
    said = _count(report, "Would be copied") if dry_run else _tell(report, settings, target)
    show(document, said, as_json=as_json)


def _count(report: "MoveReport", before: str) -> str:
    total = quantity(sum(report.rows.values()), "row", "rows")
    return f"{before}: {total} and {quantity(report.files, 'file', 'files')}."


def _tell(report: "MoveReport", source: "Settings", target: "Settings") -> str:
    """Return what was moved, and what is to be done next."""
    there = sum(report.rows.values()) - report.written
    if target.database_url is None:
        step = f"Unset MEMORIA_DATABASE_URL and set MEMORIA_HOME to {target.place}"
    else:
        step = "Set MEMORIA_DATABASE_URL and MEMORIA_TOMBSTONE_KEY"
    lines = [
        f"{_count(report, 'Copied, compared and equal')[:-1]}; {there} rows were there already."
        if there
        else _count(report, "Copied, compared and equal"),
        f"From: {source.place}. It stays as it is: delete it once all is well.",
        f"To: {target.place}.",
        f"{step} for all servers and clients and start them again. `memoria doctor` then looks at "
        "the new place.",
    ]
    return "\n".join(lines)
