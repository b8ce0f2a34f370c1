"""Doctor: says what is sound, what is not, and what mends it; never with a traceback."""

import os
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.surface.shell import Shell

from memoria import Memoria
from memoria.bare.project_registry import REGISTRY
from memoria.store.sqlite.driver import sqlite3

UNSOUND = 4
posix_only = pytest.mark.skipif(os.name == "nt", reason="permissions as POSIX has them")


def findings(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {finding["check"]: finding for finding in document["findings"]}


def database(shell: Shell) -> Path:
    return shell.home / "memoria.db"


def changed(shell: Shell, *statements: str) -> None:
    """Change the file behind Memoria's back."""
    connection = sqlite3.connect(database(shell))
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


def test_a_sound_home_is_sound(filled: Shell) -> None:
    output = filled("doctor")
    assert (output.code, output.err) == (0, "")
    document = filled.json("doctor")
    assert document["sound"] is True
    assert {"version", "disk", "integrity", "full text", "vectors", "privacy"} <= set(
        findings(document)
    )
    assert [f for f in document["findings"] if f["state"] == "error"] == []


def test_a_new_home_is_sound(shell: Shell) -> None:
    assert shell.begin().json("doctor")["sound"] is True


def test_every_warning_says_what_mends_it(filled: Shell) -> None:
    bad = [f for f in filled.json("doctor")["findings"] if f["state"] != "ok"]
    assert bad  # vectors are off here
    assert all(finding["cure"] for finding in bad)


def test_what_no_version_made_in_the_database_is_named(filled: Shell) -> None:
    changed(filled, "CREATE TRIGGER mine AFTER INSERT ON memories BEGIN DELETE FROM turns; END")
    found = findings(filled.json("doctor", code=UNSOUND))["schema"]
    assert (found["state"], "trigger mine" in found["detail"]) == ("error", True)


def zeroed(path: Path) -> None:
    path.write_bytes(bytes(100) + path.read_bytes()[100:])


def halved(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def another_format(path: Path) -> None:
    path.write_text("this is not a database\n" * 1000)


def flipped(path: Path) -> None:
    """Every byte of the middle eighth turned over."""
    content = bytearray(path.read_bytes())
    middle = len(content) // 2
    for i in range(middle, middle + len(content) // 8):
        content[i] ^= 0xFF
    path.write_bytes(content)


def a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize("damage", [flipped, zeroed, halved, another_format, a_folder])
def test_a_damaged_file_is_named_with_its_cure(
    filled: Shell, damage: Callable[[Path], None]
) -> None:
    damage(database(filled))
    output = filled("doctor")
    assert (output.code, output.err) == (UNSOUND, "")
    for arguments in ((), ("--fix",), ("--rebuild",)):
        document = filled.json("doctor", *arguments, code=UNSOUND)
        errors = [f for f in document["findings"] if f["state"] == "error"]
        assert errors
        assert all(finding["cure"] for finding in errors)


def test_the_cure_of_a_damaged_file_is_the_newest_backup(filled: Shell) -> None:
    filled.json("backup")
    newest = filled.json("backup")["path"]
    zeroed(database(filled))
    broken = findings(filled.json("doctor", code=UNSOUND))["database"]
    assert broken["cure"] == f"memoria --home {filled.home} restore {newest}"


def test_text_that_changed_on_disk_is_found(filled: Shell) -> None:
    # SQLite sees a sound file; only the chunk's own hash tells.
    changed(filled, "UPDATE raw_chunks SET data = CAST(zeroblob(length(data)) AS BLOB)")
    output = filled("doctor", "--json")
    assert "Traceback" not in output.err
    assert output.code in (1, UNSOUND)


def test_a_turn_whose_text_is_damaged_is_said_without_a_traceback(filled: Shell) -> None:
    turn_id = filled.json("traces", "bluebird")["hits"][0]["id"]
    changed(filled, "UPDATE raw_chunks SET codec = 'zstd', data = x'00112233'")
    for arguments in (("show", turn_id), ("traces", "bluebird")):
        output = filled(*arguments)
        assert output.code == 1
        assert "Traceback" not in output.err


@pytest.mark.parametrize("cure", ["--fix", "--rebuild"])
def test_a_lost_index_is_found_and_rebuilt(filled: Shell, cure: str) -> None:
    changed(filled, "DELETE FROM search_index")
    broken = findings(filled.json("doctor", code=UNSOUND))["full text"]
    assert (broken["state"], broken["cure"]) == (
        "error",
        f"memoria --home {filled.home} doctor --fix",
    )
    assert list_found(filled, "launch code name") == []
    mended = filled.json("doctor", cure)
    assert mended["sound"] is True
    assert mended["repairs"] == [
        {
            "check": "full text",
            "before": "301 of 301 are not indexed, 0 are indexed but gone",
            "after": "301 indexed, none missing",
        }
    ]
    assert list_found(filled, "launch code name")[0] == "The launch code name is bluebird"


def list_found(home: Shell, question: str) -> list[str]:
    """What a search finds, without what it shows beside that."""
    return [hit["text"] for hit in home.json("search", question)["hits"] if "shown_as" not in hit]


def test_rebuilding_a_sound_home_changes_nothing_that_is_found(filled: Shell) -> None:
    before = filled.json("traces", "word7", "--limit", "5")
    filled.json("doctor", "--rebuild")
    assert filled.json("traces", "word7", "--limit", "5") == before


@posix_only
def test_what_others_can_read_is_a_warning_and_mended(filled: Shell) -> None:
    filled.json("backup")
    (filled.home / "MEMORY.md").write_text("- tea")
    (filled.home / REGISTRY).write_text('{"v":1,"projects":{}}')
    for path in (filled.home, *filled.home.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    assert findings(filled.json("doctor"))["privacy"]["state"] == "warning"
    (mended,) = filled.json("doctor", "--fix")["repairs"]
    assert (mended["check"], mended["after"]) == ("privacy", "only this user can read the home")
    modes = {path.stat().st_mode & 0o777 for path in filled.home.rglob("*") if path.is_file()}
    assert modes == {0o600}
    assert filled.home.stat().st_mode & 0o777 == (filled.home / "backups").stat().st_mode & 0o777
    assert filled.home.stat().st_mode & 0o777 == 0o700


@posix_only
def test_a_file_its_owner_can_not_write_is_mended(filled: Shell) -> None:
    database(filled).chmod(0o400)
    filled.home.chmod(0o500)
    assert findings(filled.json("doctor", code=UNSOUND))["privacy"]["state"] == "error"
    assert filled.json("doctor", "--fix")["sound"] is True
    filled.json("remember", "The launch code name is magpie")


@posix_only
def test_links_out_of_the_home_are_left_alone(filled: Shell, tmp_path: Path) -> None:
    elsewhere = tmp_path / "notes.md"
    elsewhere.write_text("mine")
    elsewhere.chmod(0o644)
    (filled.home / "MEMORY.md").symlink_to(elsewhere)
    assert findings(filled.json("doctor", "--fix"))["privacy"]["state"] == "ok"
    assert elsewhere.stat().st_mode & 0o777 == 0o644


@posix_only
def test_the_cure_for_a_home_with_a_space_in_its_name_can_be_pasted(tmp_path: Path) -> None:
    home = tmp_path / "my home"
    home.mkdir(mode=0o755)
    shell = Shell(home).begin()
    home.chmod(0o755)
    command, *arguments = shlex.split(findings(shell.json("doctor"))["privacy"]["cure"])
    assert command == "memoria"
    assert shell.run(*arguments).code == 0
    assert findings(shell.json("doctor"))["privacy"]["state"] == "ok"


@posix_only
def test_a_home_is_made_for_its_owner_alone(filled: Shell) -> None:
    assert filled.home.stat().st_mode & 0o077 == 0
    assert all(path.stat().st_mode & 0o077 == 0 for path in filled.home.iterdir())


@pytest.mark.parametrize("arguments", [(), ("--fix",), ("--rebuild",)])
def test_a_home_of_a_newer_version_is_named_and_left_alone(
    filled: Shell, arguments: tuple[str, ...]
) -> None:
    changed(filled, "PRAGMA user_version = 9999")
    content = database(filled).read_bytes()
    broken = findings(filled.json("doctor", *arguments, code=UNSOUND))["database"]
    assert "newer Memoria" in broken["detail"]
    assert broken["cure"] == "pip install -U memoria-server"
    assert database(filled).read_bytes() == content


async def test_the_library_says_the_same_of_a_healthy_home(memory: Memoria) -> None:
    await memory.remember("The launch code name is bluebird")
    await memory.wait_until_idle(timeout_s=30)
    health = await memory.health()
    assert health.is_sound
    states = {finding.check: finding.state for finding in health.findings}
    assert states["vectors"] == states["model"] == states["backlog"] == "ok"
