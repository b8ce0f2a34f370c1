"""Comparing homes, and ending runs before their time."""

from collections.abc import Callable

from bench.night.dump import Dump, differences, dump

from memoria.app.upkeep import back_up, restore
from memoria.config import Settings

__all__ = ["Dump", "Interrupted", "differences", "dump", "interrupting"]


def copied(settings: Settings, twin: Settings) -> None:
    """A copy of a home, taken by SQLite itself."""
    report = back_up(settings, None, lambda *_: None)
    restore(twin, report.path, lambda *_: None)


class Interrupted(BaseException):
    """The process is gone, as far as the run can tell."""


def interrupting(after: int) -> Callable[[str, int, int], None]:
    """A progress report that ends the run after so many transactions."""
    left = iter(range(after))

    def told(_step: str, _done: int, _of: int) -> None:
        if next(left, None) is None:
            raise Interrupted

    return told
