"""Backups hold what the home held, word for word; a restore is proven first and deletes nothing."""

import json
import os
import random
import shlex
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import anyio
import pytest
from tests.surface.shell import Shell

import memoria
from memoria import Settings
from memoria.admin.archive import read_manifest
from memoria.admin.backup import list_backups
from memoria.admin.restore import swap_files
from memoria.app.upkeep import Restored, back_up, restore
from memoria.disk.folders import tenant_folder
from memoria.disk.home_files import is_core_path
from memoria.errors import BackupError, StoreError, StoreTooNewError, StoreUnavailableError
from memoria.model import Finding, Health, SessionRecord, now_millis
from memoria.store.sqlite.driver import sqlite3
from memoria.surface.cli.upkeep import restore_text

pytestmark = pytest.mark.sqlite("a backup is a copy of the file")

UNSOUND = 4
DAY_MS = 86_400_000
posix_only = pytest.mark.skipif(os.name == "nt", reason="permissions as POSIX has them")


def silent(_done: int, _total: int) -> None:
    """Nobody looks at the progress."""


def settings(home: Path) -> Settings:
    return Settings.load(home=home, embedder="off")


def record(home: Path) -> list[Any]:
    """Every turn with its text, and every memory."""
    with closing(sqlite3.connect(home / "memoria.db")) as connection:
        turns = connection.execute("SELECT id, turn_index, fingerprint, content_hash FROM turns")
        chunks = connection.execute("SELECT hash, codec, data FROM raw_chunks ORDER BY hash")
        wordings = connection.execute("SELECT id, content FROM memory_versions v, memories m")
        return [turns.fetchall(), chunks.fetchall(), wordings.fetchall()]


def inside(home: Path) -> dict[str, bytes]:
    return {str(p.relative_to(home)): p.read_bytes() for p in home.rglob("*") if p.is_file()}


@pytest.fixture
def backup(filled: Shell, tmp_path: Path) -> Path:
    """A backup of the filled home, elsewhere."""
    filled.json("backup", tmp_path / "kept.zip")
    return tmp_path / "kept.zip"


def test_a_backup_brings_everything_back_elsewhere(filled: Shell, tmp_path: Path) -> None:
    key = bytes(range(32))
    for name in ("MEMORY.md", "USER.md"):
        (filled.home / name).write_text(f"my {name}")
    (filled.home / "tombstone.key").write_bytes(key)
    made = filled.json("backup")
    assert made["counts"] == {"tenants": 1, "sessions": 1, "turns": 300, "memories": 1}
    assert made["files"] == ["memoria.db", "MEMORY.md", "USER.md", "tombstone.key"]
    other = Shell(tmp_path / "other")
    answer = other.json("restore", made["path"])
    assert answer["sound"] is True
    assert "former_database" not in answer
    assert record(other.home) == record(filled.home)
    assert (other.home / "MEMORY.md").read_text() == "my MEMORY.md"
    assert (other.home / "tombstone.key").read_bytes() == key
    assert other.json("search", "launch code name") == filled.json("search", "launch code name")


def test_a_restore_tells_of_its_check_in_a_line_and_then_only_what_is_not_as_it_should_be(
    backup: Path, tmp_path: Path
) -> None:
    fine = Health(findings=(Finding(check="schema", state="ok", detail="the newest"),))
    restored = Restored(former=None, forgotten_again=0)
    assert restore_text(tmp_path, backup, restored, fine).splitlines() == [
        f"{tmp_path} is now as it was in kept.zip.",
        "Checked: sound.",
    ]
    told = Shell(tmp_path / "other")("restore", backup, COLUMNS="200")
    assert told.code == 0
    _, *rows = told.out.partition("Checked: sound, but:\n")[2].splitlines()
    assert [row.split()[:2] for row in rows] == [["model", "warning"]]


@pytest.mark.parametrize(
    ("former", "again", "why"),
    [
        ("memoria.db", 0, "did not hold in the home before"),
        ("memoria.db", None, "nobody can say"),
        (None, 0, "nobody can say"),
    ],
)
def test_a_restore_says_why_tokens_have_ended(
    tmp_path: Path, former: str | None, again: int | None, why: str
) -> None:
    place = None if former is None else tmp_path / former
    restored = Restored(former=place, forgotten_again=again, ended_tokens=2)
    text = restore_text(tmp_path, tmp_path / "kept.zip", restored, Health(findings=()))
    assert "2 tokens" in text
    assert why in text


@posix_only
def test_a_backup_is_its_owners_alone(filled: Shell) -> None:
    before = os.umask(0)
    try:
        made = Path(filled.json("backup")["path"])
    finally:
        os.umask(before)
    assert (made.stat().st_mode & 0o777, made.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert [path.name for path in made.parent.iterdir()] == [made.name]


WRITER = """
import sys, anyio, memoria

async def write(home):
    async with memoria.open(settings=memoria.Settings(home=home, embedder="off")) as m:
        i = 0
        while True:
            turn = {"role": "user", "session_id": "s", "content": f"bluebird {i}"}
            await m.record_conversation([turn | {"message_id": f"m{i}"}])
            print(i, flush=True)
            i += 1

anyio.run(write, sys.argv[1])
"""
"""Records a turn, says which, and begins again."""


def test_a_backup_holds_one_moment_while_others_write(home: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-c", WRITER, str(home)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as writer:  # noqa: S603  (ours)
        assert writer.stdout is not None
        acknowledged = []
        for number in range(3):
            acknowledged.append(int(writer.stdout.readline()))
            back_up(settings(home), tmp_path / f"{number}.zip", silent)
        writer.kill()
    for number, last in enumerate(acknowledged):
        other = settings(tmp_path / str(number))
        restore(other, tmp_path / f"{number}.zip", silent)
        held = anyio.run(session, other)
        assert [t.content for t in held.turns] == [f"bluebird {i}" for i in range(held.total)]
        assert held.total > last


async def session(chosen: Settings) -> SessionRecord:
    async with memoria.open(settings=chosen) as m:
        return await m.get_session("s", limit=100_000)


def refused(filled: Shell, file: Path) -> str:
    """What is said to a backup that is none; the home stays as it is."""
    before = inside(filled.home)
    with pytest.raises(StoreError) as caught:
        restore(settings(filled.home), file, silent)
    assert inside(filled.home).keys() == before.keys()
    assert record(filled.home)
    return str(caught.value)


def test_a_backup_is_whole_or_refused_wherever_it_is_damaged(
    filled: Shell, backup: Path, tmp_path: Path
) -> None:
    content, held = backup.read_bytes(), record(filled.home)
    chance = random.Random(7)  # noqa: S311  (no secret)
    others = 0
    for number in range(30):
        damaged = bytearray(content)
        damaged[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
        backup.write_bytes(damaged)
        other = tmp_path / f"other{number}"
        try:
            restore(settings(other), backup, silent)
        except BackupError:
            others += 1
            assert not other.exists() or inside(other) == {}
        else:
            assert record(other) == held
    assert others > 20  # names and times in a zip matter to nobody


@pytest.mark.parametrize("size", [0, 1, 100, 10_000, -1, -30])
def test_a_backup_cut_short_is_refused(filled: Shell, backup: Path, size: int) -> None:
    content = backup.read_bytes()
    backup.write_bytes(content[:size])
    assert "is damaged" in refused(filled, backup)


def test_what_is_no_backup_is_refused(filled: Shell, tmp_path: Path) -> None:
    missing = refused(filled, tmp_path / "none.zip")
    assert str(tmp_path / "none.zip") in missing
    assert "spelling" in missing
    assert "is no file" in refused(filled, tmp_path)
    assert "is damaged" in refused(filled, filled.home / "memoria.db")
    stranger = tmp_path / "stranger.zip"
    with zipfile.ZipFile(stranger, "w") as packed:
        packed.writestr("memoria.db", b"x")
    assert "memoria backup" in refused(filled, stranger)


def repacked(backup: Path, **changes: object) -> Path:
    """The backup with another manifest."""
    other = backup.with_name("other.zip")
    with zipfile.ZipFile(backup) as source, zipfile.ZipFile(other, "w") as target:
        manifest = json.loads(source.read("manifest.json")) | changes
        for name in manifest["files"]:
            kept = name if name in source.namelist() else "memoria.db"
            target.writestr(name, source.read(kept))
        target.writestr("manifest.json", json.dumps(manifest))
    return other


def test_nothing_is_unpacked_but_what_we_pack(filled: Shell, backup: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(backup) as packed:
        files = json.loads(packed.read("manifest.json"))["files"]
    evil = repacked(backup, files={**files, "../evil": files["memoria.db"]})
    assert "its list of files" in refused(filled, evil)
    assert not (tmp_path / "evil").exists()


def test_a_backup_of_a_newer_version_is_refused(filled: Shell, backup: Path) -> None:
    newer = repacked(backup, schema_number=9999, memoria="9.0")
    with pytest.raises(StoreTooNewError, match=r"newer Memoria \(9\.0, schema 9999"):
        restore(settings(filled.home), newer, silent)
    assert "upgrade Memoria" in refused(filled, repacked(backup, format=2))


def test_every_tenants_core_files_come_back(filled: Shell, tmp_path: Path) -> None:
    folders = [tenant_folder(filled.home, name) for name in ("default", "ann", "陈伟")]
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "USER.md").write_text(f"of {folder.name}")
    made = filled.json("backup")
    (folders[1] / "USER.md").write_text("changed since")
    (folders[2] / "USER.md").unlink()
    (folders[2] / "MEMORY.md").write_text("new since")
    other = tmp_path / "other"
    for home in (filled.home, other):
        Shell(home).json("restore", made["path"], "--yes")
        for folder in folders:
            there = home / folder.relative_to(filled.home) / "USER.md"
            assert there.read_text() == f"of {folder.name}"
    assert not (folders[2] / "MEMORY.md").exists()
    (aside,) = filled.home.glob("before-*")
    assert (aside / "tenants" / folders[1].name / "USER.md").read_text() == "changed since"


@pytest.mark.parametrize(
    "name", ["tenants/../USER.md", "tenants/USER.md", "x/ann/USER.md", "tenants/a/b.md", "/USER.md"]
)
def test_no_other_file_is_ever_unpacked(name: str) -> None:
    assert not is_core_path(name)


async def test_a_home_in_use_is_not_replaced(filled: Shell, backup: Path) -> None:
    async with memoria.open(settings=settings(filled.home)) as m:
        await m.remember("The new code name is magpie")
        output = filled("restore", backup, "--yes")
        assert (output.code, output.out) == (1, "")
        assert "Close the clients" in output.err
        assert (await m.search_memory("magpie")).hits
    assert sorted(path.name for path in filled.home.iterdir()) == ["memoria.db"]
    assert len(filled("search", "magpie", "--json").document["hits"]) == 1


def test_what_was_there_is_set_aside_and_can_be_brought_in_again(
    filled: Shell, backup: Path, tmp_path: Path
) -> None:
    filled.json("remember", "The new code name is magpie")
    (filled.home / "USER.md").write_text("- drinks tea")
    (filled.home / "tombstone.key").write_text("k")
    before = record(filled.home)
    answer = filled.json("restore", backup, "--yes")
    former = Path(answer["former_database"])
    assert former.parent.parent == filled.home
    assert record(former.parent) == before
    assert (former.parent / "USER.md").read_text() == "- drinks tea"
    assert not (filled.home / "USER.md").exists()
    assert (filled.home / "tombstone.key").read_text() == "k"  # what it signed is still true
    assert not [hit for hit in filled.json("search", "magpie")["hits"] if "magpie" in str(hit)]
    aside = {f["check"]: f for f in answer["findings"]}["backups"]
    assert str(former.parent) in aside["detail"]
    later = tmp_path / "later.jsonl"  # as doctor says
    export = (
        aside["cure"].split(": memoria ")[1].split(", then")[0].replace("later.jsonl", str(later))
    )
    assert filled(*shlex.split(export)).code == 0
    assert filled("import", later).code == 0
    assert [hit for hit in filled.json("search", "magpie")["hits"] if "magpie" in str(hit)]


def test_a_damaged_home_is_replaced_and_kept(filled: Shell, backup: Path) -> None:
    (filled.home / "memoria.db").write_bytes(b"nonsense" * 1000)
    restored = restore(settings(filled.home), backup, silent)
    assert restored.former is not None
    assert restored.former.read_bytes() == b"nonsense" * 1000
    assert restored.forgotten_again is None  # nobody can say
    assert filled.json("doctor")["sound"] is True


def test_what_was_forgotten_since_the_backup_stays_forgotten(filled: Shell, backup: Path) -> None:
    (hit,) = filled.json("search", "launch code name")["hits"][:1]
    filled.json("forget", hit["id"], "--yes")
    answer = filled.json("restore", backup, "--yes")
    assert answer["forgotten_again"] == 1
    assert hit["id"] not in [one["id"] for one in filled.json("search", "launch code")["hits"]]
    assert answer["sound"] is True


def test_a_backup_holds_nothing_that_was_forgotten_but_not_wiped(
    filled: Shell, tmp_path: Path
) -> None:
    filled.json("remember", "The code of the safe is zanzibar4711")
    with closing(sqlite3.connect(filled.home / "memoria.db")) as connection:
        connection.executescript(
            "PRAGMA secure_delete = OFF; PRAGMA foreign_keys = ON;"
            "DELETE FROM search_index WHERE rowid = (SELECT max(n) FROM memory_versions);"
            "DELETE FROM memory_versions WHERE n = (SELECT max(n) FROM memory_versions);"
            "DELETE FROM memories WHERE n NOT IN (SELECT memory_n FROM memory_versions);"
            "DELETE FROM documents WHERE n = (SELECT max(n) FROM documents);"
            "INSERT INTO settings VALUES ('scrub', 'owed');"
        )
    assert b"zanzibar4711" in (filled.home / "memoria.db").read_bytes()
    filled.json("backup", tmp_path / "b.zip")
    with zipfile.ZipFile(tmp_path / "b.zip") as packed:
        assert b"zanzibar4711" not in packed.read("memoria.db")
    assert filled.json("doctor", "--fix")["repairs"][0]["check"] == "erasure"
    assert b"zanzibar4711" not in (filled.home / "memoria.db").read_bytes()


def test_nothing_is_replaced_unasked(filled: Shell, backup: Path) -> None:
    before = inside(filled.home)
    output = filled("restore", backup)
    assert (output.code, output.out) == (1, "")
    assert "--yes" in output.err
    missing = filled("restore", backup.with_name("nothere.bak"))
    assert (missing.code, missing.out) == (1, "")
    assert "nothere.bak" in missing.err
    assert "--yes" not in missing.err
    assert inside(filled.home) == before


def test_a_restore_that_fails_half_way_is_undone(
    filled: Shell, backup: Path, tmp_path: Path
) -> None:
    (filled.home / "MEMORY.md").write_text("- tea")
    (filled.home / "tombstone.key").write_text("k")
    before = inside(filled.home)
    new = tmp_path / "new"
    new.mkdir()
    (new / "MEMORY.md").write_text("- coffee")
    (new / "USER.md").write_text("- Lin")
    manifest = read_manifest(backup)
    files = dict.fromkeys(("memoria.db", "MEMORY.md", "USER.md"), manifest.files["memoria.db"])

    def fails(_new: Path, _aside: Path) -> None:
        raise StoreUnavailableError("the disk is full")

    with pytest.raises(StoreUnavailableError):
        swap_files(filled.home, new, manifest.model_copy(update={"files": files}), fails)
    after = {name: text for name, text in inside(filled.home).items() if "before" not in name}
    assert after == before


class Stop(BaseException):
    """As Ctrl-C: no part of us catches it."""


@pytest.mark.parametrize(
    ("work", "moment"), [("backup", 1), ("backup", 2), ("backup", 3), ("restore", 1)]
)
def test_ctrl_c_leaves_no_half_backup_and_no_half_restore(
    filled: Shell, backup: Path, work: str, moment: int
) -> None:
    before, held = inside(filled.home), record(filled.home)
    calls = count(1)

    def interrupted(_done: int, _total: int) -> None:
        if next(calls) == moment:
            raise Stop

    run: Callable[[], object] = (
        partial(back_up, settings(filled.home), None, interrupted)
        if work == "backup"
        else partial(restore, settings(filled.home), backup, interrupted)
    )
    with pytest.raises(Stop):
        run()
    assert inside(filled.home).keys() == before.keys()
    assert record(filled.home) == held


def test_a_damaged_home_is_not_backed_up(filled: Shell) -> None:
    with closing(sqlite3.connect(filled.home / "memoria.db")) as connection:
        connection.execute("UPDATE raw_chunks SET data = CAST(zeroblob(9) AS BLOB)")
        connection.commit()
    with pytest.raises(BackupError, match="stored texts are damaged"):
        back_up(settings(filled.home), None, silent)
    assert list((filled.home / "backups").iterdir()) == []


def test_there_must_be_something_to_back_up_and_room_for_its_name(
    filled: Shell, backup: Path, home: Path
) -> None:
    with pytest.raises(BackupError, match="exists already"):
        back_up(settings(filled.home), backup, silent)
    with pytest.raises(BackupError, match="There is no memory"):
        back_up(settings(home / "none"), None, silent)
    assert not (home / "none").exists()
    with pytest.raises(StoreUnavailableError, match="is there and writable"):
        back_up(settings(filled.home), home / "no folder" / "x.zip", silent)


@posix_only
def test_a_full_disk_leaves_no_half_backup(filled: Shell) -> None:
    program = (
        "import resource, sys; from memoria.surface.cli.main import run;"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, resource.RLIM_INFINITY)); run()"
    )
    done = subprocess.run(  # noqa: S603  (ours)
        [sys.executable, "-c", program, "--home", str(filled.home), "backup"],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert "space" in done.stderr
    assert "Traceback" not in done.stderr
    assert list((filled.home / "backups").iterdir()) == []
    filled.json("backup")


def aged(path: Path, days: float) -> Path:
    """The backup under the name it would have had so many days ago."""
    moment = datetime.now(UTC) - timedelta(days=days)
    return path.rename(path.with_name(f"memoria-{moment:%Y%m%dT%H%M%S.%fZ}.zip"))


@pytest.mark.parametrize("command", [["backup"], ["doctor", "--fix"]])
def test_backups_are_kept_as_long_as_is_set_and_nothing_else_is_deleted(
    filled: Shell, command: list[str]
) -> None:
    made = [Path(filled.json("backup")["path"]) for _ in range(2)]
    old, young = aged(made[0], 31), aged(made[1], 29)
    mine = old.with_name("before-the-move.zip")
    shutil.copy(old, mine)
    notes = old.with_name("memoria-notes.zip")
    notes.write_text("no backup at all")
    filled.json(*command)
    assert not old.exists()
    assert young.exists()
    assert mine.exists()
    assert notes.read_text() == "no backup at all"


def test_what_still_holds_the_past_is_listed(filled: Shell) -> None:
    assert list_backups(filled.home) == ()
    first = Path(filled.json("backup")["path"])
    second = aged(Path(filled.json("backup")["path"]), 3)
    renamed = first.with_name("kept.zip")
    shutil.copy(first, renamed)
    former = Path(filled.json("restore", first, "--yes")["former_database"])
    listed = {info.path: info for info in list_backups(filled.home, keep_days=10)}
    assert set(listed) == {first, second, renamed, former.parent}
    assert listed[second].kept_until == listed[second].made_at + 10 * DAY_MS
    assert abs(listed[second].made_at - (now_millis() - 3 * DAY_MS)) < DAY_MS
    assert listed[renamed].kept_until is None
    assert listed[former.parent].kept_until is None
    assert list_backups(filled.home)[0].path == second  # the oldest first


def test_what_a_killed_backup_left_behind_is_named_and_cleared_away(filled: Shell) -> None:
    left = filled.home / "backups" / ".memoria-left"
    left.mkdir(parents=True)
    (left / "memoria.db").write_text("half")
    assert left in {info.path for info in list_backups(filled.home)}
    filled.json("doctor", "--fix")
    assert left.exists()  # it may be at work still
    for path in (left / "memoria.db", left):
        os.utime(path, (0, 0))
    (mended,) = filled.json("doctor", "--fix")["repairs"]
    assert mended["check"] == "leftovers"
    assert not left.exists()
