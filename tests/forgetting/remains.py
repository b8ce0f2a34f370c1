"""Looks for a text everywhere in a home: what a thief with the disk could find.

Every file's raw bytes; every member of every archive; every table's every cell, text and blob,
decompressed where it is compressed; every term of the full-text index; every stored vector. A
file that stands in a row is called as one on disk is.
"""

import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
from tests.databases import change_rows

from memoria.errors import StoreError
from memoria.model import Vector
from memoria.store.connection import Connection
from memoria.store.rows.texts import unpack
from memoria.store.sqlite.driver import SqliteConnection
from memoria.store.sqlite.vec0 import load_vectors

_TABLES = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name"
_TABLES_OF_POSTGRES = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"


def remains(home: Path, text: str, *vectors: Vector | bytes) -> set[str]:
    """Where the text (in any letter case), a word of it that is one token, or a vector is left."""
    data = [
        each if isinstance(each, bytes) else each.astype(np.float32).tobytes() for each in vectors
    ]
    needles = [text.encode(), text.lower().encode(), *data]
    return {place for place, found in _everything(home) if any(n in found for n in needles)}


def remaining(home: Path, texts: Iterable[str]) -> set[str]:
    """Those of the texts (in any letter case) that are left anywhere, looked for all at once."""
    needles = [(text, needle.encode()) for text in texts for needle in {text, text.lower()}]
    return {text for _, found in _everything(home) for text, needle in needles if needle in found}


def stored_vectors(home: Path) -> list[Vector]:
    """Every vector of the home, in the order of the documents they are of."""
    with change_rows(home) as connection:
        rows = connection.tuples("SELECT vector FROM embeddings ORDER BY document_n")
    return [np.frombuffer(vector, np.float32) for (vector,) in rows]


def stored_passages(home: Path) -> list[bytes]:
    """The first half of each turn's signs and records: no part of one may be left either."""
    with change_rows(home) as connection:
        rows = connection.tuples("SELECT signs, records FROM passages")
    return [cell[: len(cell) // 2] for row in rows for cell in row]


def _everything(home: Path) -> Iterator[tuple[str, bytes]]:
    for file in sorted(home.rglob("*")):
        if file.is_file():
            yield f"file {file.relative_to(home)}", file.read_bytes()
            if zipfile.is_zipfile(file):
                with zipfile.ZipFile(file) as archive:
                    for name in archive.namelist():
                        yield f"{file.name}/{name}", archive.read(name)
    with change_rows(home) as connection:
        yield from _database(connection)


def _database(connection: Connection) -> Iterator[tuple[str, bytes]]:
    is_sqlite = isinstance(connection, SqliteConnection)
    if isinstance(connection, SqliteConnection):
        load_vectors(connection)
    for (table,) in connection.tuples(_TABLES if is_sqlite else _TABLES_OF_POSTGRES):
        for row in connection.execute(f'SELECT * FROM "{table}"'):  # noqa: S608
            for column, cell in zip(row.keys(), row, strict=True):
                place = f"file {row['path']}" if table == "files" else f"{table}.{column}"
                for found in _readings(cell):
                    yield place, found
    if is_sqlite:  # the words of PostgreSQL are rows
        connection.execute(
            "CREATE VIRTUAL TABLE temp.every_term USING fts5vocab(main, search_index, instance)"
        )
        terms = [str(term) for (term,) in connection.tuples("SELECT term FROM temp.every_term")]
        connection.execute("DROP TABLE temp.every_term")
        yield "full-text vocabulary", "\n".join(terms).encode()


def _readings(cell: object) -> Iterator[bytes]:
    """A cell as bytes, and what it is when unpacked."""
    match cell:
        case str():
            yield cell.encode()
        case bytes():
            yield cell
            try:
                yield unpack("zstd", cell)
            except StoreError:
                return
        case _:
            yield str(cell).encode()
