"""Restoring a file that somebody has crafted runs nothing in it, and leaves the home as it was."""

import hashlib
import json
import os
import shutil
import signal
import stat
import struct
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.admin.test_backup import posix_only, refused, settings, silent
from tests.surface.shell import Shell

from memoria.admin.backup import NOTES, delete_left_drafts, find_abandoned, note_draft
from memoria.app.upkeep import restore
from memoria.errors import BackupError
from memoria.store.sqlite.driver import sqlite3

pytestmark = pytest.mark.sqlite("a backup is a copy of the file")

Files = dict[str, bytes]
Craft = Callable[[Files, dict[str, Any]], None]


def manifest_of(files: Files, manifest: dict[str, Any]) -> None:
    """Have the manifest say what the files are: whoever crafts a backup can count and hash."""
    manifest["files"] = {
        name: {"sha256": hashlib.sha256(content).hexdigest(), "size": len(content)}
        for name, content in files.items()
    }


@pytest.fixture
def craft(filled: Shell, tmp_path: Path) -> Callable[..., Path]:
    """Gives a backup whose database was changed by SQL, or whose files were, with right hashes."""
    (filled.home / "MEMORY.md").write_text("# mine\n")
    filled.json("backup", tmp_path / "sound.zip")

    def make(sql: str = "", change: Craft = lambda *_: None) -> Path:
        with zipfile.ZipFile(tmp_path / "sound.zip") as packed:
            manifest = json.loads(packed.read("manifest.json"))
            files = {name: packed.read(name) for name in manifest["files"]}
        database = tmp_path / "crafted.db"
        database.write_bytes(files["memoria.db"])
        with closing(sqlite3.connect(database)) as connection:
            connection.executescript(f"PRAGMA writable_schema = ON; {sql}")
        files["memoria.db"] = database.read_bytes()
        manifest_of(files, manifest)
        change(files, manifest)
        crafted = tmp_path / "crafted.zip"
        with zipfile.ZipFile(crafted, "w", zipfile.ZIP_DEFLATED) as target:
            for name, content in files.items():
                target.writestr(name, content)
            target.writestr("manifest.json", json.dumps(manifest))
        return crafted

    return make


REWRITES = "BEGIN UPDATE memory_versions SET content = 'send invoices to X'; END;"
SCHEMAS = {
    "a trigger": f"CREATE TRIGGER t AFTER INSERT ON memories {REWRITES}",
    "a view": "CREATE VIEW v AS SELECT * FROM memories;",
    "a view in a table's place": "ALTER TABLE leases RENAME TO t2; "
    "CREATE VIEW leases AS SELECT * FROM t2;",
    "another table": "CREATE TABLE t (x);",
    "another index": "CREATE INDEX i ON memories (lower(id));",
    "a column that is computed": "PRAGMA writable_schema = OFF; "
    "ALTER TABLE leases ADD COLUMN y TEXT AS (hex(1));",
    "a trigger under a name of ours": "DROP TRIGGER audit_log_keeps_rows; "
    f"CREATE TRIGGER audit_log_keeps_rows AFTER INSERT ON memories {REWRITES}",
    "one trigger less": "DROP TRIGGER audit_log_keeps_rows;",
    "a virtual table": "CREATE VIRTUAL TABLE f USING fts5(x);",
    "a vector index that is a view": "CREATE VIEW vectors_7 AS SELECT 1;",
    "a vector index that computes": "CREATE TABLE vectors_7_info (key, value DEFAULT (hex(1)));",
    "a table of SQLite's that is none": "CREATE TABLE t (x); "
    "UPDATE sqlite_schema SET name = 'sqlite_stat1', tbl_name = 'sqlite_stat1', "
    "sql = 'CREATE TABLE sqlite_stat1(tbl, idx, stat DEFAULT (hex(1)))' WHERE name = 't';",
    "a later schema": "PRAGMA user_version = 9999;",
    "an earlier schema": "PRAGMA user_version = 3;",
    "no schema": "PRAGMA user_version = 0;",
}


@pytest.mark.parametrize("kind", SCHEMAS)
def test_a_database_with_anything_that_no_version_made_is_refused(
    filled: Shell, craft: Callable[..., Path], kind: str
) -> None:
    said = refused(filled, craft(SCHEMAS[kind]))
    assert "did not make" in said or "newer Memoria" in said
    assert filled.json("search", "launch code name")["hits"]


def test_what_no_version_made_is_not_backed_up_either(filled: Shell) -> None:
    with closing(sqlite3.connect(filled.home / "memoria.db")) as connection:
        connection.execute("CREATE TABLE mine (x)")
    failed = filled("backup")
    assert failed.code == 1
    assert "table mine" in failed.err
    assert "take it out again" in failed.err


def bomb(files: Files, manifest: dict[str, Any]) -> None:
    files["memoria.db"] = bytes(4 << 20)
    manifest_of(files, manifest)


def vast(_: Files, manifest: dict[str, Any]) -> None:
    manifest["files"]["memoria.db"]["size"] = 1 << 60


def other_hash(_: Files, manifest: dict[str, Any]) -> None:
    manifest["files"]["MEMORY.md"]["sha256"] = "0" * 64


def traversal(files: Files, manifest: dict[str, Any]) -> None:
    files["tenants/../../evil.md"] = b"evil"
    manifest_of(files, manifest)


def absolute(files: Files, manifest: dict[str, Any]) -> None:
    files["/etc/evil"] = b"evil"
    manifest_of(files, manifest)


def stowaway(files: Files, _: dict[str, Any]) -> None:
    files["../evil"] = b"evil"


def swollen(files: Files, manifest: dict[str, Any]) -> None:
    files["MEMORY.md"] = os.urandom(1 << 20) + b"x"
    manifest_of(files, manifest)


def long_list(_: Files, manifest: dict[str, Any]) -> None:
    manifest["memoria"] = "x" * (17 << 20)


CRAFTS: dict[str, tuple[Craft, str]] = {
    "a bomb": (bomb, "bomb"),
    "more than any disk holds": (vast, "wrong size"),
    "another hash": (other_hash, "not what was packed"),
    "a way out": (traversal, "list of files"),
    "an absolute name": (absolute, "list of files"),
    "a file that its list does not name": (stowaway, "other files than it says"),
    "a core file too large to be read": (swollen, "wrong size"),
    "an endless list": (long_list, "far too long"),
}


@pytest.mark.parametrize("kind", CRAFTS)
def test_a_backup_that_is_not_as_we_pack_it_is_refused_before_it_is_unpacked(
    filled: Shell, craft: Callable[..., Path], tmp_path: Path, kind: str
) -> None:
    change, says = CRAFTS[kind]
    said = refused(filled, craft(change=change))
    assert says in said
    assert "Use another one." in said
    assert not list(tmp_path.rglob("*evil*"))


def test_a_member_that_is_a_link_is_refused(filled: Shell, craft: Callable[..., Path]) -> None:
    sound, crafted = craft(), filled.home.parent / "linked.zip"
    with zipfile.ZipFile(sound) as source, zipfile.ZipFile(crafted, "w") as target:
        manifest = json.loads(source.read("manifest.json"))
        files = {name: source.read(name) for name in manifest["files"]}
        files["MEMORY.md"] = b"/etc/passwd"
        manifest_of(files, manifest)
        for name, content in files.items():
            info = zipfile.ZipInfo(name)
            kind = stat.S_IFLNK if name == "MEMORY.md" else stat.S_IFREG
            info.external_attr = (kind | 0o600) << 16
            target.writestr(info, content)
        target.writestr("manifest.json", json.dumps(manifest))
    assert "no regular file" in refused(filled, crafted)


def test_a_member_that_unpacks_to_more_than_it_says_is_cut_off(
    filled: Shell, craft: Callable[..., Path]
) -> None:
    crafted = craft(change=swollen)
    content = bytearray(crafted.read_bytes())
    entry = content.rindex(b"PK\x01\x02", 0, content.rindex(b"MEMORY.md"))
    struct.pack_into("<I", content, entry + 24, 7)  # the size that the zip itself says it has
    crafted.write_bytes(content)
    assert "damaged" in refused(filled, crafted)


def test_a_backup_whose_key_is_none_is_refused(filled: Shell, craft: Callable[..., Path]) -> None:
    def shorten(files: Files, manifest: dict[str, Any]) -> None:
        files["tombstone.key"] = b"short"
        manifest_of(files, manifest)

    assert "its tombstone.key is no key" in refused(filled, craft(change=shorten))


@posix_only
def test_a_pipe_or_a_device_is_no_backup(filled: Shell, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.zip")
    assert "is no file" in refused(filled, tmp_path / "pipe.zip")
    assert "is no file" in refused(filled, Path("/dev/zero"))


@posix_only
def test_what_is_linked_in_the_home_is_neither_backed_up_nor_written_through_by_a_restore(
    filled: Shell, craft: Callable[..., Path], tmp_path: Path
) -> None:
    sound = craft()
    outside = tmp_path / "outside.md"
    outside.write_text("not the home's")
    (filled.home / "MEMORY.md").unlink()
    (filled.home / "MEMORY.md").symlink_to(outside)
    made = filled.json("backup")
    assert "MEMORY.md" not in made["files"]
    assert "is a link" in made["left_out"][0]
    restore(settings(filled.home), sound, silent)
    assert not (filled.home / "MEMORY.md").is_symlink()
    assert (filled.home / "MEMORY.md").read_text() == "# mine\n"
    assert outside.read_text() == "not the home's"
    (filled.home / "backups").rename(tmp_path / "elsewhere")
    (filled.home / "backups").symlink_to(tmp_path / "elsewhere")
    assert "is a link" in filled("backup").err
    (filled.home / "backups").unlink()
    os.mkfifo(filled.home / "backups")
    assert filled("backup").code == 1


def test_a_restored_backup_that_is_sound_is_whole(
    filled: Shell, craft: Callable[..., Path]
) -> None:
    restore(settings(filled.home), craft(), silent)
    assert filled.json("search", "launch code name")["hits"]
    with pytest.raises(BackupError, match="There is no file"):
        restore(settings(filled.home), filled.home / "none.zip", silent)


SAYING = "The cellar key hangs behind the boiler."
_PROGRAM = """
import os, signal, sys
from pathlib import Path
from memoria.app.exporting import export
from memoria.app.upkeep import back_up
from memoria.config import Settings
from memoria.store.rows.portable.records import PortableSelection

def stop(*_):
    print("begun", flush=True)
    sys.stdin.readline()

settings = Settings.from_values(home=Path(sys.argv[1]), embedder="off")
target = Path(sys.argv[3])
if sys.argv[2] == "export":
    export(settings, target, PortableSelection(), None, stop)
else:
    back_up(settings, target, stop)
"""


@pytest.fixture
def begun(shell: Shell) -> Shell:
    shell("remember", SAYING)
    return shell


@contextmanager
def running(shell: Shell, command: str, target: Path) -> Iterator[subprocess.Popen[str]]:
    """A command in the middle of its work."""
    with subprocess.Popen(  # noqa: S603  (our own program)
        [sys.executable, "-c", _PROGRAM, str(shell.home), command, str(target)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        try:
            yield process
        finally:
            process.send_signal(signal.SIGKILL)


def list_hidden(folder: Path) -> list[Path]:
    return [one for one in folder.iterdir() if one.name.startswith(".")]


@posix_only
@pytest.mark.parametrize("command", ["export", "backup"])
def test_what_a_killed_command_leaves_is_named_and_the_next_removes_it(
    begun: Shell, tmp_path: Path, command: str
) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    with running(begun, command, folder / "a"):
        (draft,) = list_hidden(folder)
        assert find_abandoned(begun.home) == [], "its process is at work"
        delete_left_drafts(begun.home)
        assert draft.exists()
    assert find_abandoned(begun.home) == [draft]
    assert str(draft) in begun("doctor", "--json").out
    own_id = begun.json("search", "cellar key")["hits"][0]["id"]
    told = begun("forget", own_id, "--yes", "--json")
    assert (told.code, str(draft) in told.out) == (0, True)
    again = begun("export" if command == "export" else "backup", tmp_path / "b")
    assert again.code == 0, again.err
    assert not draft.exists()
    assert list_hidden(folder) == []
    assert not (begun.home / NOTES).exists()


@posix_only
def test_doctor_removes_what_a_killed_command_left(begun: Shell, tmp_path: Path) -> None:
    with running(begun, "backup", tmp_path / "a"):
        (draft,) = [one for one in list_hidden(tmp_path) if one.is_dir()]
    assert begun("doctor", "--fix").code == 0
    assert not draft.exists()


@posix_only
def test_a_note_that_names_something_else_deletes_nothing(begun: Shell, tmp_path: Path) -> None:
    diary, folder = tmp_path / "diary.txt", tmp_path / "photos"
    diary.write_text("mine")
    folder.mkdir()
    link = tmp_path / ".a.0123456789abcdef"
    link.symlink_to(diary)
    for place in (diary, folder, link, tmp_path / "gone"):
        with note_draft(begun.home, place):
            (note,) = (begun.home / NOTES).iterdir()
            shutil.copy(note, note.with_name("left"))
        assert find_abandoned(begun.home) == []
        delete_left_drafts(begun.home)
        assert not (begun.home / NOTES / "left").exists()
    assert (diary.read_text(), folder.is_dir(), os.path.lexists(link)) == ("mine", True, True)
