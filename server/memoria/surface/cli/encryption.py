"""The command that encrypts a home, and decrypts it."""

from typing import TYPE_CHECKING, Annotated

import typer

from memoria.bare.sealing import VARIABLE
from memoria.model.base import write_document
from memoria.surface.cli.console import AsJson, Options, show
from memoria.surface.text import quantity

if TYPE_CHECKING:
    from memoria.admin.encryption import EncryptionReport
    from memoria.config import Settings

app = typer.Typer()


@app.command()
def encrypt(
    context: typer.Context,
    off: Annotated[bool, typer.Option("--off", help="Decrypt the home instead.")] = False,
    as_json: AsJson = False,
) -> None:
    """Encrypt the home with its backups, under a key that you keep; or decrypt it.

    MEMORIA_ENCRYPTION_KEY names the key, for this command and for every client from then on. The
    copy of the database is compared with it row by row before it takes its place, and what was
    there is written over. What was stopped goes on when the command is run again.
    """
    from memoria.app.upkeep import encrypt as change  # noqa: PLC0415  (only who needs it pays)

    options: Options = context.obj
    settings = options.existing_settings
    report = change(settings, decrypts=off)
    document = write_document(
        home=str(settings.home_path),
        encrypted=not off,
        rows=report.rows,
        files=report.files,
        backups=report.backups,
        left=report.left or None,
    )
    show(document, _tell(report, settings, off=off), as_json=as_json)


def _tell(report: "EncryptionReport", settings: "Settings", *, off: bool) -> str:
    state = "decrypted" if off else "encrypted"
    compared = f"{sum(report.rows.values()):,} rows compared and equal; " if report.rows else ""
    backups = quantity(report.backups, "backup", "backups")
    lines = [
        f"{settings.home_path} is {state}: {compared}{quantity(report.files, 'file', 'files')} and "
        f"{backups} written anew."
    ]
    if off:
        lines.append(f"Unset {VARIABLE} for every client, and start them again.")
    else:
        lines += (
            f"Set {VARIABLE} for every client, and start them again. Keep the key where you keep "
            "your passwords: without it nobody can read this home.",
            "Copies elsewhere are as they were: backups outside of the home, exports, snapshots of "
            "the disk, and what clients themselves write down.",
        )
    lines += (f"As it was: {sentence}" for sentence in report.left)
    return "\n".join(lines)
