"""Backups that somebody else has made: crafted to run, to overwrite, to fill the disk."""

import hashlib
import io
import json
import shutil
import sqlite3
import stat
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from bench.attack.arena import Arena, Ran
from bench.attack.attack import slow_attack
from bench.attack.remains import DATABASE, find_remains

_MANIFEST = "manifest.json"
_MOST_BYTES = 50_000_000
Craft = Callable[[dict[str, bytes]], None]
"""Changes the members of an unpacked backup."""

_TRIGGER = """
CREATE TRIGGER zq AFTER INSERT ON memory_versions BEGIN
  UPDATE memory_versions SET content = 'zqrewritten' WHERE n = new.n;
END
"""
_SCHEMAS = {
    "a trigger": _TRIGGER,
    "a trigger on a deletion": "CREATE TRIGGER zq BEFORE DELETE ON memories BEGIN SELECT "
    "RAISE(IGNORE); END",
    "a view": "CREATE VIEW zqview AS SELECT * FROM turns",
    "a table more": "CREATE TABLE zqtable (x)",
    "an index more": "CREATE INDEX zqindex ON turns (lower(id))",
    "a view for a table": "ALTER TABLE tombstones RENAME TO zqtombs; CREATE VIEW tombstones AS "
    "SELECT * FROM zqtombs WHERE 0",
    "a column more": "ALTER TABLE memories ADD COLUMN zqcolumn TEXT DEFAULT 'x'",
    "a virtual table": "CREATE VIRTUAL TABLE zqfts USING fts5(x)",
}


async def _back_up(arena: Arena) -> dict[str, bytes]:
    """The members of a real backup of a small home."""
    await arena.run("remember", "The", "kiln", "is", "warm")
    backup = arena.folder / "real.zip"
    await arena.run("backup", backup)
    with zipfile.ZipFile(backup) as packed:
        return {name: packed.read(name) for name in packed.namelist()}


def _pack(file: Path, members: dict[str, bytes], *, mend: bool = True) -> Path:
    """A backup of these members, whose manifest agrees with them."""
    if mend:
        manifest = json.loads(members[_MANIFEST])
        manifest["files"] = {
            name: {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data)}
            for name, data in members.items()
            if name != _MANIFEST
        }
        members = {**members, _MANIFEST: json.dumps(manifest).encode()}
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in members.items():
            packed.writestr(name, data)
    return file


def _change_database(data: bytes, folder: Path, script: str) -> bytes:
    file = folder / "crafted.db"
    file.write_bytes(data)
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.executescript(script)
    return file.read_bytes()


async def _restore(arena: Arena, backup: Path, name: str) -> tuple[Path, Ran]:
    """Restore into a home that holds something else; gives the home and what was said."""
    home = arena.folder / f"victim {name}"
    shutil.copytree(arena.folder / "victim", home)
    ran = await arena.run_bare("--home", str(home), "restore", backup, "--yes")
    arena.check(ran.code is not None, f"{name}: it hangs")
    arena.check("Traceback" not in ran.err, f"{name}: {ran.err[-200:]}")
    return home, ran


async def _make_victim(arena: Arena) -> None:
    """A home with something to lose."""
    home = arena.folder / "victim"
    await arena.run_bare("--home", str(home), "remember", "The", "orchard", "has", "pears")


@slow_attack
async def restore_a_database_with_a_schema_of_its_own(arena: Arena) -> None:
    """Hide triggers, views, tables, indexes and columns in a backup's database."""
    members = await _back_up(arena)
    await _make_victim(arena)
    for number, (how, script) in enumerate(_SCHEMAS.items()):
        crafted = _change_database(members[DATABASE], arena.folder, script)
        backup = _pack(arena.folder / f"schema{number}.zip", {**members, DATABASE: crafted})
        home, ran = await _restore(arena, backup, f"schema {number}")
        left = _foreign_parts(home)
        arena.check(not left, f"{how}: the home now has {left}, exit code {ran.code}")
        if how == "a trigger":
            await arena.run_bare("--home", str(home), "remember", "The", "barn", "is", "red")
            found = await arena.run_bare("--home", str(home), "search", "barn", "--json")
            arena.check("zqrewritten" not in found.out, f"{how}: it rewrites what is remembered")


def _foreign_parts(home: Path) -> list[str]:
    with closing(sqlite3.connect(home / DATABASE)) as connection:
        rows = connection.execute(
            "SELECT type, name FROM sqlite_schema WHERE name LIKE 'zq%' OR sql LIKE '%zq%'"
        ).fetchall()
    return [f"{kind} {name}" for kind, name in rows]


@slow_attack
async def unpack_a_backup_to_other_places(arena: Arena) -> None:
    """Name members with .., absolute, drive and hidden paths, link them, double them."""
    members = await _back_up(arena)
    await _make_victim(arena)
    names = (
        "../zqout",
        str(arena.temporary / "zqout"),
        "tenants/../../zqout",
        "..\\zqout",
        "C:\\zqout",
        ".bashrc",
        "night/x/zqout",
        "tenants/a-00000000/../../../zqout",
        "projects/x/zqout",
        "MEMORY.md/zq",
    )
    for number, name in enumerate(names):
        backup = _pack(arena.folder / f"path{number}.zip", {**members, name: b"zqpayload"})
        home, _ = await _restore(arena, backup, f"path {number}")
        stray = list(arena.folder.rglob("*zqout*"))
        stray += [path for path in home.rglob("*") if path.is_file() and path.name == ".bashrc"]
        arena.check(not stray, f"{name}: {stray}")
        arena.check(not (arena.temporary / "zqout").exists(), f"{name}: /tmp/zqout was made")
    link = zipfile.ZipInfo("MEMORY.md")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    target = arena.folder / "precious"
    target.write_text("precious", "utf-8")
    manifest = json.loads(members[_MANIFEST])
    data = str(target).encode()
    manifest["files"]["MEMORY.md"] = {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data)}
    with zipfile.ZipFile(arena.folder / "link.zip", "w") as packed:
        for name, content in {**members, _MANIFEST: json.dumps(manifest).encode()}.items():
            packed.writestr(name, content)
        packed.writestr(link, data)
    home, _ = await _restore(arena, arena.folder / "link.zip", "link")
    arena.check(not (home / "MEMORY.md").is_symlink(), "a link was unpacked")
    arena.check(target.read_text("utf-8") == "precious", "the link's target was changed")


@slow_attack
async def restore_what_is_no_backup(arena: Arena) -> None:
    """Give restore a bomb, a torn file, a flipped byte, a missing member, a newer schema."""
    members = await _back_up(arena)
    await _make_victim(arena)
    real = _pack(arena.folder / "good.zip", members).read_bytes()
    manifest: dict[str, Any] = json.loads(members[_MANIFEST])
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        lying = {**manifest, "files": {DATABASE: {"sha256": "0" * 64, "size": 1}}}
        packed.writestr(_MANIFEST, json.dumps(lying))
        with packed.open(DATABASE, "w", force_zip64=True) as file:
            for _ in range(1024):
                file.write(bytes(1 << 20))
    newer = {**manifest, "schema_number": 9999}
    without_key = {name: data for name, data in members.items() if name != "tombstone.key"}
    crafted = {
        "a bomb": bomb.getvalue(),
        "a torn file": real[: len(real) // 2],
        "a flipped byte": real[:2000] + bytes([real[2000] ^ 255]) + real[2001:],
        "no zip": b"Dear diary, " * 1000,
        "nothing": b"",
        "a manifest of another kind": _zip({_MANIFEST: b'{"format": 2}'}),
        "a manifest that is huge": _zip({_MANIFEST: b"[" * 5_000_000}),
        "a newer schema": _zip({**members, _MANIFEST: json.dumps(newer).encode()}),
        "a listed file that is missing": _zip({k: v for k, v in members.items() if k != DATABASE}),
        "a database that is none": _pack(
            arena.folder / "x.zip", {**members, DATABASE: b"x" * 9000}
        ).read_bytes(),
        "a key of another length": _pack(
            arena.folder / "y.zip", {**without_key, "tombstone.key": b"short"}
        ).read_bytes(),
    }
    for number, (how, data) in enumerate(crafted.items()):
        backup = arena.folder / f"crafted{number}.zip"
        backup.write_bytes(data)
        home, ran = await _restore(arena, backup, f"crafted {number}")
        arena.check(ran.code not in (0, None), f"{how}: it was restored")
        lives = [place for place in find_remains(home, "orchard") if place.startswith(DATABASE)]
        arena.check(bool(lives), f"{how}: what was there is gone")
        size = sum(path.stat().st_size for path in home.rglob("*") if path.is_file())
        arena.check(size < _MOST_BYTES, f"{how}: {size:,} bytes were left in the home")
    ran = await arena.run("restore", arena.folder / "gone.zip", "--yes")
    arena.check("gone.zip" in ran.err and ran.code == 1, f"a missing file: {ran.text[-200:]}")


def _zip(members: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in members.items():
            packed.writestr(name, data)
    return file.getvalue()
