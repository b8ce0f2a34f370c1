"""A sample of what each program leaves, as faithful as its format is known: one generator each.

All people and words are made up for these tests.
"""

import json
import sqlite3
import zipfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

ANNA = "Anna's allotment has eleven raspberry canes"
LIN = "林岚把羽毛球拍借给了老周"
DAY = 1_767_225_600  # 2026-01-01T00:00:00Z


@dataclass(frozen=True)
class Sample:
    """What a program leaves, and what an import makes of it."""

    source: str
    write: Callable[[Path], Path]
    """Writes it into a folder; gives the path that is imported."""
    turns: int
    memories: int
    damage: Callable[[Path], None]
    """Spoils one item of it."""
    lost: int = 1
    """How many turns and memories are missing then."""
    sayings: tuple[str, ...] = (ANNA, LIN)
    """What must be found afterwards."""


def dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def replace_text(before: str, after: str) -> Callable[[Path], None]:
    """Spoils a file by putting one text in the place of another."""

    def damage(path: Path) -> None:
        content = path.read_text("utf-8")
        assert before in content
        path.write_text(content.replace(before, after, 1), "utf-8")

    return damage


def replace_in_zip(name: str, before: str, after: str) -> Callable[[Path], None]:
    """Spoils a file in a zip."""

    def damage(path: Path) -> None:
        with zipfile.ZipFile(path) as archive:
            files = {one: archive.read(one).decode() for one in archive.namelist()}
        assert before in files[name]
        files[name] = files[name].replace(before, after, 1)
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for one, content in files.items():
                archive.writestr(one, content)

    return damage


def spoil_row(statement: str) -> Callable[[Path], None]:
    """Spoils a row of a database."""

    def damage(path: Path) -> None:
        with closing(sqlite3.connect(path)) as connection, connection:
            assert connection.execute(statement).rowcount == 1

    return damage


def write_zip(path: Path, **files: str) -> Path:
    """A zip of files by name; `__` stands for a slash, `_DOT_` for a dot."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name.replace("__", "/").replace("_DOT_", "."), content)
    return path


def write_lines(path: Path, *values: object) -> Path:
    path.write_text("".join(dump(value) + "\n" for value in values), "utf-8")
    return path


def write_database(path: Path, script: str, **rows: list[tuple[object, ...]]) -> Path:
    """A database as its program leaves it while it runs: the last rows are in the log."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(script)
        for table, values in rows.items():
            marks = ", ".join("?" * len(values[0]))
            connection.executemany(f"INSERT INTO {table} VALUES ({marks})", values)  # noqa: S608
        connection.commit()
    return path
