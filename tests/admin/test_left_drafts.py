"""What a backup or an export that was killed leaves beside its target is known in its home."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.admin.test_backup import posix_only
from tests.surface.shell import Shell

from memoria.admin.backup import find_abandoned
from memoria.admin.drafts import NOTES, delete_left_drafts, note_draft

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
def home(shell: Shell) -> Shell:
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
    home: Shell, tmp_path: Path, command: str
) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    with running(home, command, folder / "a"):
        (draft,) = list_hidden(folder)
        assert find_abandoned(home.home) == [], "its process is at work"
        delete_left_drafts(home.home)
        assert draft.exists()
    assert find_abandoned(home.home) == [draft]
    assert str(draft) in home("doctor", "--json").out
    own_id = home.json("search", "cellar key")["hits"][0]["id"]
    told = home("forget", own_id, "--yes", "--json")
    assert (told.code, str(draft) in told.out) == (0, True)
    again = home("export" if command == "export" else "backup", tmp_path / "b")
    assert again.code == 0, again.err
    assert not draft.exists()
    assert list_hidden(folder) == []
    assert not (home.home / NOTES).exists()


@posix_only
def test_doctor_removes_what_a_killed_command_left(home: Shell, tmp_path: Path) -> None:
    with running(home, "backup", tmp_path / "a"):
        (draft,) = [one for one in list_hidden(tmp_path) if one.is_dir()]
    assert home("doctor", "--fix").code == 0
    assert not draft.exists()


@posix_only
def test_a_note_that_names_something_else_deletes_nothing(home: Shell, tmp_path: Path) -> None:
    diary, folder = tmp_path / "diary.txt", tmp_path / "photos"
    diary.write_text("mine")
    folder.mkdir()
    link = tmp_path / ".a.0123456789abcdef"
    link.symlink_to(diary)
    for place in (diary, folder, link, tmp_path / "gone"):
        with note_draft(home.home, place):
            (note,) = (home.home / NOTES).iterdir()
            shutil.copy(note, note.with_name("left"))
        assert find_abandoned(home.home) == []
        delete_left_drafts(home.home)
        assert not (home.home / NOTES / "left").exists()
    assert (diary.read_text(), folder.is_dir(), os.path.lexists(link)) == ("mine", True, True)
