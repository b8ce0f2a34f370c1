"""A progress bar on standard error."""

from typing import TYPE_CHECKING

from memoria.surface.cli.console import err

if TYPE_CHECKING:
    from rich.progress import Progress


def progress_bar() -> "Progress":
    """A progress bar; silent where standard error is no terminal."""
    from rich.progress import (  # noqa: PLC0415  (rich is slow to import)
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TaskProgressColumn())
    return Progress(
        *columns,
        TimeRemainingColumn(),
        console=err(),
        transient=True,
        disable=not err().is_terminal,
    )
