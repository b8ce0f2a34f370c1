"""Where a text is left in a home: what a thief with the disk could find, by standard tools alone.

Every file's bytes; every member of every archive; every cell of every table, unpacked where it is
packed; every term of the full-text index. It reads a copy, so that looking changes nothing.
"""

import re
import shutil
import sqlite3
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

DATABASE = "memoria.db"
_TERMS = "CREATE VIRTUAL TABLE temp.terms USING fts5vocab(main, search_index, instance)"


def find_remains(folder: Path, *texts: str) -> list[str]:
    """The places below a folder where one of the texts, in any letter case, is left."""
    pattern = re.compile(b"|".join(re.escape(text.encode()) for text in texts), re.IGNORECASE)
    found = {place for place, data in read_everything(folder) if pattern.search(data)}
    return sorted(found)


def read_everything(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Everything that is readable below a folder, with its place."""
    files = [file for file in sorted(folder.rglob("*")) if file.is_file() and not file.is_symlink()]
    for file in files:
        place = str(file.relative_to(folder))
        yield place, file.read_bytes()
        if zipfile.is_zipfile(file):
            with zipfile.ZipFile(file) as archive:
                for name in archive.namelist():
                    yield f"{place}/{name}", archive.read(name)
        if file.name == DATABASE:
            for cell, data in read_cells(file):
                yield f"{place}: {cell}", data


def read_cells(database: Path) -> Iterator[tuple[str, bytes]]:
    """Every cell of every table of a database, and the terms of its full-text index."""
    with tempfile.TemporaryDirectory(prefix="memoria-attack-") as name:
        for file in database.parent.glob(f"{database.name}*"):
            shutil.copy2(file, name)
        with closing(sqlite3.connect(Path(name) / database.name)) as connection:
            tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE ?"
            rows = connection.execute(tables, ("CREATE VIRTUAL%",)).fetchall()
            for (table,) in rows:
                cursor = connection.execute(f'SELECT * FROM "{table}"')  # noqa: S608  (of the schema)
                for row in cursor:
                    for column, cell in zip(cursor.description, row, strict=True):
                        for data in _readings(cell):
                            yield f"{table}.{column[0]}", data
            connection.execute(_TERMS)
            for (term,) in connection.execute("SELECT DISTINCT term FROM temp.terms"):
                yield "terms of the full-text index", str(term).encode()


def _readings(cell: object) -> Iterator[bytes]:
    match cell:
        case bytes():
            yield cell
            try:
                yield zstd.decompress(cell)
            except zstd.ZstdError:
                return
        case _:
            yield str(cell).encode("utf-8", "surrogateescape")
