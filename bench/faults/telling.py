"""What a person reads of faults while they are done, and afterwards."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import strftime

from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress, TimeElapsedColumn

from bench.faults.verdict import Progress as Told
from bench.faults.verdict import Verdict

_SHOWN = 20


@contextmanager
def show_progress(what: str) -> Iterator[Told]:
    """A bar on standard error; a line now and then where that is no terminal."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield _say_now_and_then(what)
        return
    columns = (*Progress.get_default_columns()[:2], MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _say_now_and_then(what: str) -> Told:
    """A line for every hundredth part."""
    said = 0

    def tell(done: int, total: int) -> None:
        nonlocal said
        if done * 100 // total > said:
            said = done * 100 // total
            print(f"{strftime('%H:%M:%S')} {what}: {done} of {total}", file=sys.stderr, flush=True)

    return tell


def print_verdict(verdict: Verdict) -> None:
    """Print a verdict: a line, and one for each promise that broke."""
    figures = ", ".join(f"{name} {number}" for name, number in verdict.figures.items())
    if verdict.skipped is not None:
        state = f"skipped: {verdict.skipped}"
    else:
        state = "BROKEN" if verdict.broken else "kept"
    print(f"{state:7}  {verdict.fault}{f': {figures}' if figures else ''}", flush=True)
    for line in verdict.broken[:_SHOWN]:
        print(f"         {line}")
