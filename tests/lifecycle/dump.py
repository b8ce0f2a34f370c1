"""Everything a home holds that is not derived, to be compared row by row."""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from memoria.store.folders import DAILY, HISTORY
from memoria.store.sqlite.driver import connect
from memoria.store.sqlite.journal import WATCHED, columns

Dump = dict[str, list[tuple[Any, ...]]]


def dump(home: Path) -> Dump:
    """The rows of every table that a night may change, the text index, and files for people."""
    with closing(connect(home / "memoria.db", 5000, read_only=True)) as connection:
        found: Dump = {}
        for table in WATCHED:
            names = ", ".join(column.name for column in columns(connection, table))
            rows = connection.execute(f"SELECT {names} FROM {table}")  # noqa: S608
            found[table] = sorted(map(tuple, rows), key=repr)
        index = connection.execute("SELECT rowid, scope, words, context FROM search_index")
        found["search_index"] = sorted(map(tuple, index))
        found["files"] = sorted((str(f.relative_to(home)), f.read_bytes()) for f in _files(home))
        return found


def _files(home: Path) -> Iterator[Path]:
    """What nights wrote for people."""
    for name in (HISTORY, DAILY):
        yield from (file for file in home.rglob(f"{name}/*") if file.is_file())


class Interrupted(BaseException):
    """The process is gone, as far as the run can tell."""


def interrupting(after: int) -> Callable[[str, int, int], None]:
    """A progress report that ends the run after so many transactions."""
    left = iter(range(after))

    def told(_step: str, _done: int, _of: int) -> None:
        if next(left, None) is None:
            raise Interrupted

    return told
