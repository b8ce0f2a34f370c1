"""The command that moves the memory between a home's file and a database elsewhere."""

from typing import Annotated

import typer

from memoria.model.base import write_document
from memoria.surface.cli.console import AsJson, Options, show
from memoria.surface.cli.progress import show_progress
from memoria.surface.text import quantity

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
    total = sum(report.rows.values())
    document = write_document(
        source=settings.place,
        target=target.place,
        rows=report.rows,
        written=report.written,
        files=report.files,
        equal=None if dry_run else True,
    )
    counted = f"{quantity(total, 'row', 'rows')} and {quantity(report.files, 'file', 'files')}"
    if dry_run:
        show(document, f"Would be copied: {counted}. Nothing was done.", as_json=as_json)
        return
    lines = [
        f"{target.place} now holds what {settings.place} holds: {counted}, each compared and equal."
    ]
    if report.written < total:
        lines.append(f"{total - report.written} of the rows were there already.")
    if target.database_url is not None:
        lines += [
            "Set MEMORIA_DATABASE_URL and MEMORIA_TOMBSTONE_KEY for every server and client, and "
            "start them again; `memoria doctor` then looks at the new place."
        ]
    else:
        lines.append(
            f"Unset MEMORIA_DATABASE_URL, set MEMORIA_HOME to {target.place} and start servers and "
            "clients again; `memoria doctor` then looks at the new place."
        )
    lines.append(f"{settings.place} stays as it is: delete it once all is well.")
    show(document, "\n".join(lines), as_json=as_json)
