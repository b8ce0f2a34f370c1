"""A database file that has lost all its bytes: said by whoever opens it, and never begun anew."""

from pathlib import Path

import pytest
from tests.surface.agent import connected, server_on
from tests.surface.shell import Shell

from memoria.errors import StoreDamagedError

COMMANDS = (
    ("search", "cook"),
    ("list",),
    ("remember", "The mate is Udo"),
    ("forget", "cook", "--yes"),
    ("backup",),
    ("stats",),
    ("export", "out.json"),
    ("nightly",),
    ("list", "sessions"),
)


def _lose(shell: Shell) -> Path:
    """Keep something, and cut the database to no bytes."""
    assert shell("remember", "The cook is Pia").code == 0
    database = shell.home / "memoria.db"
    for log in ("-wal", "-shm"):
        database.with_name(database.name + log).unlink(missing_ok=True)
    database.write_bytes(b"")
    return database


def _back_up(shell: Shell) -> Path:
    assert shell("remember", "The cook is Pia").code == 0
    assert shell("backup").code == 0
    return max((shell.home / "backups").glob("*.zip"))


@pytest.mark.parametrize("words", COMMANDS, ids=[words[0] for words in COMMANDS])
def test_a_command_names_the_newest_backup_of_a_home_whose_database_is_empty(
    shell: Shell, words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    _back_up(shell)
    newest = _back_up(shell)
    database = _lose(shell)
    said = shell(*words)
    assert (said.code, said.out) == (1, "")
    assert f"memoria --home {shell.home} restore {newest}" in said.err
    assert database.read_bytes() == b""


def test_doctor_names_it_and_the_restore_that_it_names_brings_all_back(shell: Shell) -> None:
    newest = _back_up(shell)
    _lose(shell)
    (found,) = (
        one for one in shell.json("doctor", code=4)["findings"] if one["check"] == "database"
    )
    assert (found["state"], "the file is empty" in found["detail"]) == ("error", True)
    assert str(newest) in found["cure"]
    assert shell("restore", str(newest), "--yes").code == 0
    assert "The cook is Pia" in shell("search", "cook").out


@pytest.mark.parametrize("trace", ["MEMORY.md", "tombstone.key", "kept", "daily_summaries"])
def test_without_a_backup_the_other_files_of_a_home_tell_that_it_held_a_memory(
    shell: Shell, trace: str
) -> None:
    database = _lose(shell)
    place = shell.home / trace
    place.write_text("# mine\n") if "." in trace else place.mkdir()
    said = shell("remember", "The mate is Udo")
    assert (said.code, f"though {trace} says" in said.err) == (1, True)
    assert "restore FILE` brings one" in said.err
    assert database.read_bytes() == b""


async def test_a_server_says_it_with_each_tool(shell: Shell) -> None:
    newest = _back_up(shell)
    _lose(shell)
    with pytest.raises(StoreDamagedError, match=str(newest)):
        async with connected(server_on(shell.home, None), "auto"):
            pass


def test_a_home_that_begins_with_an_empty_file_begins(shell: Shell) -> None:
    for folder in ("spool", "hooks"):
        (shell.home / folder).mkdir()
    database = shell.home / "memoria.db"
    for log in ("-wal", "-shm"):
        database.with_name(database.name + log).unlink(missing_ok=True)
    database.write_bytes(b"")
    assert shell("remember", "The cook is Pia").code == 0
    assert "The cook is Pia" in shell("search", "cook").out
