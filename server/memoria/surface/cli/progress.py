"""Progress bars and spinners on standard error."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer
from typing import TYPE_CHECKING

from memoria.surface.cli.console import err

if TYPE_CHECKING:
    from rich.progress import Progress

_PATIENCE_S = 1.0


def progress_bar() -> "Progress":
    """Return a progress bar; it shows nothing if standard error is no terminal."""
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


@contextmanager
def show_progress(what: str, before: str | None = None) -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar during the block, once work is counted or takes over a second.

    Args:
        what: what is counted.
        before: what is done while nothing is counted yet; the same by default.
    """
    with progress_bar() as progress:
        task = progress.add_task(before or what, total=None, visible=False)
        timer = Timer(_PATIENCE_S, lambda: progress.update(task, visible=True))
        timer.daemon = True
        timer.start()
        try:
            yield lambda done, total: progress.update(
                task, description=what, completed=done, total=total, visible=True
            )
        finally:
            timer.cancel()
            timer.join()


@contextmanager
def show_wait(what: str) -> Iterator[None]:
    """Show a spinner with a text during the block, once it takes over a second."""
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn  # noqa: PLC0415  (others need not pay)

    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    wait = Progress(*columns, console=err(), transient=True, disable=not err().is_terminal)
    wait.add_task(what, total=None)
    timer = Timer(_PATIENCE_S, wait.start)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        wait.stop()
