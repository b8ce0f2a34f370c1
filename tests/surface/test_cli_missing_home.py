"""A mistyped home or tenant makes nothing new, and the command says where it looked."""

import shutil
from pathlib import Path

from tests.surface.shell import Shell

MISSPELT = 2
READING = (
    ("search", "tea"),
    ("traces", "tea"),
    ("context", "tea"),
    ("list", "tasks"),
    ("stats",),
    ("doctor", "--fix"),
    ("show", "0" * 32),
    ("show", "0" * 32, "--history"),
    ("review",),
    ("model", "queue", "list"),
    ("model", "queue", "run"),
    ("nightly",),
    ("nightly", "--dry-run"),
    ("nightly", "runs"),
    ("undo", "x"),
    ("backup",),
    ("forget", "0" * 32, "--yes"),
    ("revise", "0" * 32, "pin"),
)


def test_a_reading_command_makes_no_home_and_says_where_it_looked(tmp_path: Path) -> None:
    missing = tmp_path / "memroia"
    for command in READING:
        said = Shell(missing)(*command)
        assert (said.code, said.out) == (MISSPELT, ""), command
        assert str(missing) in said.err
        assert "memoria remember" in said.err
        assert "--home" in said.err
    assert list(tmp_path.iterdir()) == []


def test_a_reading_command_makes_no_tenant_and_names_those_there_are(home: Path) -> None:
    shell = Shell(home)
    shell.json("--tenant", "ann", "remember", "I like tea")
    before = sorted(path.name for path in home.rglob("*"))
    for command in (("search", "tea"), ("doctor",), ("nightly",), ("stats",)):
        said = shell("--tenant", "an", *command)
        assert said.code == MISSPELT, command
        assert "no tenant 'an'" in said.err
        assert "There is: 'ann'" in said.err
    assert sorted(path.name for path in home.rglob("*")) == before


def test_what_keeps_something_begins_a_home_and_a_tenant(home: Path, tmp_path: Path) -> None:
    turns = tmp_path / "turns.jsonl"
    turns.write_text('{"role": "user", "content": "I like tea", "session_id": "s"}\n')
    shell = Shell(home)
    shell.json("import", turns)
    assert shell.json("stats")["turns"] == 1
    shell.json("--tenant", "bob", "remember", "I like coffee")
    assert shell.json("--tenant", "bob", "search", "coffee")["hits"]


def test_whoever_has_only_backups_is_told_of_them(home: Path) -> None:
    shell = Shell(home)
    shell.json("remember", "I like tea")
    shell.json("backup")
    (home / "memoria.db").unlink()
    assert "memoria restore" in shell("search", "tea").err


def test_an_empty_memory_that_a_client_began_is_searched_without_an_error(home: Path) -> None:
    shell = Shell(home)
    shell.json("--tenant", "ann", "remember", "I like tea")
    assert shell.json("search", "tea")["hits"] == []


def test_a_damaged_home_is_no_missing_one(home: Path) -> None:
    shell = Shell(home)
    shell.json("--tenant", "ann", "remember", "I like tea")
    shutil.copy(__file__, home / "memoria.db")
    said = shell("--tenant", "an", "search", "tea")
    assert said.code == 1
    assert "damaged" in said.err
