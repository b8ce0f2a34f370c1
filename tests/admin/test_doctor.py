"""Doctor: says what is sound, what is not, and what mends it; never with a traceback."""

import json
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.surface.shell import Shell

from memoria import Memoria

UNSOUND = 4
posix_only = pytest.mark.skipif(os.name == "nt", reason="permissions as POSIX has them")


@pytest.fixture
def filled(shell: Shell, tmp_path: Path) -> Shell:
    """A home with a few hundred turns and a memory in one file."""
    file = tmp_path / "chat.jsonl"
    turns = ({"role": "user", "content": f"bluebird {i} " + f"word{i} " * 40} for i in range(300))
    file.write_text("".join(json.dumps(turn) + "\n" for turn in turns))
    shell.json("import", file)
    shell.json("remember", "The launch code name is bluebird")
    return shell


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
    assert shell.json("doctor")["sound"] is True


def test_every_warning_says_what_mends_it(filled: Shell) -> None:
    bad = [f for f in filled.json("doctor")["findings"] if f["state"] != "ok"]
    assert bad  # vectors are off here
    assert all(finding["cure"] for finding in bad)


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


@pytest.mark.parametrize("damage", [flipped, zeroed, halved, another_format])
def test_a_damaged_file_is_said_without_a_traceback(
    filled: Shell, damage: Callable[[Path], None]
) -> None:
    damage(database(filled))
    output = filled("doctor")
    assert output.code in (1, UNSOUND)
    assert "Traceback" not in output.err
    assert "malformed" in output.out + output.err or "damaged" in output.out + output.err


def test_doctor_does_not_send_the_user_to_doctor(filled: Shell) -> None:
    zeroed(database(filled))
    output = filled("doctor")
    assert "backup" in output.out + output.err
    assert "Run `memoria doctor`" not in output.err


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


def test_a_lost_index_is_found_and_rebuilt(filled: Shell) -> None:
    changed(filled, "DELETE FROM search_index")
    output = filled("doctor", "--json")
    assert output.code == UNSOUND
    broken = findings(output.document)["full text"]
    assert (broken["state"], broken["cure"]) == ("error", "memoria doctor --rebuild")
    assert filled.json("search", "launch code name")["hits"] == []
    mended = filled("doctor", "--rebuild", "--json")
    assert (mended.code, mended.err) == (0, "")
    assert mended.document["sound"] is True
    assert len(filled.json("search", "launch code name")["hits"]) >= 1


def test_rebuilding_a_sound_home_changes_nothing_that_is_found(filled: Shell) -> None:
    before = filled.json("traces", "word7", "--limit", "5")
    filled.json("doctor", "--rebuild")
    assert filled.json("traces", "word7", "--limit", "5") == before


@posix_only
def test_a_home_that_others_can_read_is_a_warning_with_its_cure(filled: Shell) -> None:
    filled.home.chmod(0o750)
    output = filled("doctor", "--json")
    assert output.code == 0
    privacy = findings(output.document)["privacy"]
    assert privacy["state"] == "warning"
    assert privacy["cure"] == f"chmod -R go-rwx {filled.home}"


@posix_only
def test_the_cure_for_a_home_with_a_space_in_its_name_can_be_pasted(tmp_path: Path) -> None:
    home = tmp_path / "my home"
    home.mkdir(mode=0o755)
    home.chmod(0o755)
    shell = Shell(home)
    cure = findings(shell.json("doctor"))["privacy"]["cure"]
    assert os.system(cure) == 0  # noqa: S605  (the command the user is told to run)
    assert findings(shell.json("doctor"))["privacy"]["state"] == "ok"


@posix_only
def test_a_home_is_made_for_its_owner_alone(filled: Shell) -> None:
    assert filled.home.stat().st_mode & 0o077 == 0
    assert all(path.stat().st_mode & 0o077 == 0 for path in filled.home.iterdir())


def test_a_home_of_a_newer_version_is_left_alone(filled: Shell) -> None:
    changed(filled, "PRAGMA user_version = 9999")
    content = database(filled).read_bytes()
    output = filled("doctor")
    assert output.code == 1
    assert "newer" in output.err
    assert database(filled).read_bytes() == content


async def test_the_library_says_the_same_of_a_healthy_home(memory: Memoria) -> None:
    await memory.remember("The launch code name is bluebird")
    await memory.settle(timeout_s=30)
    health = await memory.health()
    assert health.sound
    states = {finding.check: finding.state for finding in health.findings}
    assert states["vectors"] == states["model"] == states["backlog"] == "ok"
