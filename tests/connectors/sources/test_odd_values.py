"""A field of another type than usual is no crash: the item is read without it, or named."""

import json
import random
import sqlite3
import zipfile
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.connectors.sources.samples import SAMPLES
from tests.connectors.sources.samples.base import Sample

from memoria import Memoria
from memoria.admin.importer import Importer
from memoria.app import project_of
from memoria.connectors.sources.count import count_items
from memoria.connectors.sources.detect import find_files
from memoria.connectors.sources.table import SOURCES
from memoria.model.channel import transcript_channel

BY_PATH = partial(project_of, "")
"""Of no home, which knows of no project that was moved."""

ODD: tuple[Any, ...] = (
    None,
    True,
    -1,
    10**30,
    0.5,
    "",
    "odd",
    [],
    [None],
    {},
    {"odd": [1]},
    "\ud800",
)
TIMES = 10


def spoil(value: Any, chance: random.Random) -> Any:  # noqa: ANN401  (any JSON)
    """The value with one of its parts exchanged for another type's."""
    if not isinstance(value, dict | list) or not value or chance.random() < 0.15:
        return chance.choice(ODD)
    key: Any = (
        chance.choice(list(value)) if isinstance(value, dict) else chance.randrange(len(value))
    )
    copy: Any = dict(value) if isinstance(value, dict) else list(value)
    copy[key] = spoil(value[key], chance)
    return copy


def spoil_text(text: str, chance: random.Random) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    try:
        return json.dumps(spoil(json.loads(text), chance))
    except ValueError:
        place = chance.randrange(len(lines))
        try:
            lines[place] = json.dumps(spoil(json.loads(lines[place]), chance))
        except ValueError:
            lines[place] = chance.choice(("", "---", "- [x]", "```", "# ", "[[", "\0"))
        return "\n".join(lines)


def spoil_database(path: Path, chance: random.Random) -> None:
    with closing(sqlite3.connect(path)) as connection:
        names = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
        table = chance.choice(names)[0]
        columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
        column = chance.choice(columns)
        query = f"SELECT rowid, {column} FROM {table}"  # noqa: S608
        for rowid, value in connection.execute(query).fetchall():
            try:
                odd: object = json.dumps(spoil(json.loads(value), chance))
            except (TypeError, ValueError):
                odd = chance.choice((None, -1, 0.5, "odd", b"\xff", "{}"))
            update = f"UPDATE OR IGNORE {table} SET {column} = ? WHERE rowid = ?"  # noqa: S608
            with suppress(sqlite3.IntegrityError):  # a key can't be just anything
                connection.execute(update, (odd, rowid))
        connection.commit()


def spoil_file(path: Path, chance: random.Random) -> None:
    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            files = {name: archive.read(name).decode() for name in archive.namelist()}
        with zipfile.ZipFile(path, "w") as archive:
            for name, content in files.items():
                is_json = name.endswith(".json")
                archive.writestr(name, spoil_text(content, chance) if is_json else content)
    elif path.read_bytes().startswith(b"SQLite"):
        spoil_database(path, chance)
    else:
        text = spoil_text(path.read_text("utf-8"), chance)
        path.write_text(text, "utf-8", errors="surrogatepass")


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda one: f"{one.source}-{one.write.__name__}")
async def test_a_field_of_another_type_is_no_crash(
    quiet: Memoria, tmp_path: Path, sample: Sample
) -> None:
    chance = random.Random(sample.write.__name__)  # noqa: S311  (the same in every run)
    source = SOURCES[sample.source]
    memory = quiet.with_channel(transcript_channel(source.client))
    for number in range(TIMES):
        folder = tmp_path / f"{number}"
        folder.mkdir()
        path = sample.write(folder)
        files = sorted(one for one in path.rglob("*") if one.is_file()) if path.is_dir() else [path]
        spoil_file(chance.choice(files), chance)
        found = find_files(source, [path])
        (count,) = count_items([found], lambda _f, _d: None)
        importer = Importer(
            memory,
            source,
            found.files,
            lambda _f, _d: None,
            BY_PATH,
            workspace="none",
        )
        report = await importer.run()
        assert report.bad >= count.bad
