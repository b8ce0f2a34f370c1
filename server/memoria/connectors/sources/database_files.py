"""The file of a foreign database, so that reading it writes nothing and follows no name in it.

What lies beside a database is part of it: a program that runs keeps its newest rows in a log
(`-wal`), and one that was killed in the middle of a change leaves a journal (`-journal`) that says
how to take the change back. SQLite believes a journal whatever it says, and deletes a file that it
names. So a database with a journal is not read at all, and one with a log is copied with it into a
folder of our own, where nothing else lies. One without either is opened as a file that nobody
changes: SQLite then looks for neither.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path

from memoria.connectors.transcripts.source import open_file

MOST_BYTES = 64 << 30
"""The largest database that is read."""
MOST_LOG_BYTES = 1 << 30
"""The largest log that is read. A program folds it into its database at some MiB."""
_ROOM_LEFT = 64 << 20
"""Bytes that a copy leaves free on the disk."""
_TRIES = 3
_BLOCK = 1 << 20
_CLOSE = "Close the program it belongs to, and import it again."


class ForeignDatabaseError(Exception):
    """A database of another program can't be read; says why."""


@contextmanager
def hold_still(path: Path) -> Iterator[str]:
    """Give the address under which SQLite reads a database and whatever its log has of it.

    Args:
        path: the database. Links to it are followed: what lies beside it lies beside the file.

    Raises:
        ForeignDatabaseError: it can't be read as it is; says what to do.
        OSError: the system does not let it be read.
    """
    real = path.resolve()
    _refuse_journal(real)
    with _open_log(real) as log:
        has_log = log is not None
    if not has_log:
        with lie_still(path) as address:
            yield address
        return
    with tempfile.TemporaryDirectory(prefix="memoria-import-") as folder:
        copy = Path(folder) / "copy.db"
        _copy_both(real, copy)
        yield f"{copy.as_uri()}?mode=ro"


@contextmanager
def lie_still(path: Path) -> Iterator[str]:
    """Give the address under which SQLite reads a database as if nothing was beside it.

    Raises:
        ForeignDatabaseError: it is too large.
        OSError: it can't be read.
    """
    with open_file(path) as database:
        _expect_at_most(path, database, MOST_BYTES)
    yield f"{path.resolve().as_uri()}?mode=ro&immutable=1"


def _copy_both(path: Path, copy: Path) -> None:
    """Copy a database and its log as both are at one moment."""
    for _ in range(_TRIES):
        before = _state(path)
        with open_file(path) as database, _open_log(path) as log:
            _expect_room(copy.parent, database, log)
            _copy(database, copy)
            _beside(copy, "-wal").unlink(missing_ok=True)
            if log is not None:
                _copy(log, _beside(copy, "-wal"))
        _refuse_journal(path)
        if _state(path) == before:
            return
    raise ForeignDatabaseError(f"is being written to all the time. {_CLOSE}")


def _refuse_journal(path: Path) -> None:
    """Check that no journal is beside the database. One that begins with a zero is used up."""
    journal = _beside(path, "-journal")
    with _open_beside(journal) as opened:
        if opened is not None and opened.read(1).strip(b"\0"):
            raise ForeignDatabaseError(
                f"has a journal beside it, {journal.name}: a change of it was begun and not ended. "
                f"{_CLOSE} If none is running, open and close it once with that program: that "
                "settles the journal."
            )


@contextmanager
def _open_log(path: Path) -> Iterator[BufferedReader | None]:
    """Open the log beside a database; None where there is none, or nothing in it."""
    log = _beside(path, "-wal")
    with _open_beside(log) as opened:
        if opened is not None:
            _expect_at_most(log, opened, MOST_LOG_BYTES)
        yield opened if opened is not None and _size(opened) else None


@contextmanager
def _open_beside(path: Path) -> Iterator[BufferedReader | None]:
    """Open what a program keeps beside its database; None where there is nothing."""
    if not os.path.lexists(path):
        yield None
        return
    try:
        opened = open_file(path, may_be_link=False)
    except OSError as error:
        raise ForeignDatabaseError(
            f"has {path.name} beside it, which is not a file as its program writes "
            f"({error.strerror or error}). Move that away, and import it again."
        ) from error
    with opened:
        yield opened


def _expect_at_most(path: Path, opened: BufferedReader, most: int) -> None:
    if _size(opened) > most:
        raise ForeignDatabaseError(
            f"can't be read: {path.name} has {_size(opened):,} bytes, and at most {most:,} are "
            f"read. {_CLOSE}"
        )


def _expect_room(folder: Path, *files: BufferedReader | None) -> None:
    needed = sum(_size(file) for file in files if file is not None) + _ROOM_LEFT
    free = shutil.disk_usage(folder).free
    if needed > free:
        raise ForeignDatabaseError(
            f"has a log beside it, so it is read from a copy: that takes {needed:,} bytes, and "
            f"{folder.parent} has room for {free:,}. Free some space, or close the program it "
            "belongs to, and import it again."
        )


def _copy(source: BufferedReader, target: Path) -> None:
    """Copy a file as long as it was when it was opened. What is empty in it takes up no room."""
    size = left = _size(source)
    with target.open("wb") as copied:
        while left and (block := source.read(min(left, _BLOCK))):
            left -= len(block)
            if block.count(0) == len(block):
                copied.seek(len(block), os.SEEK_CUR)
            else:
                copied.write(block)
        copied.truncate(size - left)


def _size(opened: BufferedReader) -> int:
    return os.fstat(opened.fileno()).st_size


def _beside(path: Path, ending: str) -> Path:
    return path.with_name(path.name + ending)


def _state(path: Path) -> list[tuple[int, int] | None]:
    """Return sizes and times: what is equal before and after has not been written to meanwhile."""
    files = (path, _beside(path, "-wal"))
    found = (one.lstat() if one.exists() else None for one in files)
    return [one and (one.st_size, one.st_mtime_ns) for one in found]
