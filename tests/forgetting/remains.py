"""Looks for a text everywhere in a home: what a thief with the disk could find.

Every file's raw bytes; every member of every archive; every table's every cell, text and blob,
decompressed where it is compressed; every term of the full-text index; every stored vector.
"""

import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from memoria.errors import StoreError
from memoria.model import Vector
from memoria.store.rows.texts import unpack
from memoria.store.sqlite.driver import SqliteConnection, connect
from memoria.store.sqlite.vec0 import load_vectors

DATABASE = "memoria.db"


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
    connection = connect(home / DATABASE, 5000)
    rows = connection.execute("SELECT vector FROM embeddings ORDER BY document_n").fetchall()
    connection.close()
    return [np.frombuffer(row["vector"], np.float32) for row in rows]


def stored_passages(home: Path) -> list[bytes]:
    """The first half of each turn's signs and records: no part of one may be left either."""
    connection = connect(home / DATABASE, 5000)
    rows = connection.execute("SELECT signs, records FROM passages").fetchall()
    connection.close()
    return [cell[: len(cell) // 2] for row in rows for cell in (row["signs"], row["records"])]


def _everything(home: Path) -> Iterator[tuple[str, bytes]]:
    for file in sorted(home.rglob("*")):
        if file.is_file():
            yield f"file {file.relative_to(home)}", file.read_bytes()
            if zipfile.is_zipfile(file):
                with zipfile.ZipFile(file) as archive:
                    for name in archive.namelist():
                        yield f"{file.name}/{name}", archive.read(name)
    yield from _database(home / DATABASE)


def _database(path: Path) -> Iterator[tuple[str, bytes]]:
    connection = connect(path, 5000)
    load_vectors(connection)
    try:
        for table in _tables(connection):
            for row in connection.execute(f'SELECT * FROM "{table}"'):  # noqa: S608
                for column, cell in zip(row.keys(), row, strict=True):
                    for found in _readings(cell):
                        yield f"{table}.{column}", found
        connection.execute(
            "CREATE VIRTUAL TABLE temp.every_term USING fts5vocab(main, search_index, instance)"
        )
        terms = [str(row[0]) for row in connection.execute("SELECT term FROM temp.every_term")]
        yield "full-text vocabulary", "\n".join(terms).encode()
    finally:
        connection.close()


def _tables(connection: SqliteConnection) -> list[str]:
    rows = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    return [str(row["name"]) for row in rows]


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
