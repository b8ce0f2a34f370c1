"""A database of another program is a file that nobody trusts: what lies beside it, and in it."""

import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit
from urllib.request import url2pathname

import pytest
from tests.connectors.sources.samples.base import ANNA, DAY, dump
from tests.connectors.sources.samples.clients import write_goose
from tests.surface.shell import Shell

from memoria.connectors.sources.database import ForeignDatabaseError, open_database
from memoria.connectors.sources.database_files import hold_still

posix_only = pytest.mark.skipif(os.name == "nt", reason="Windows has no such files")

_MAGIC = bytes.fromhex("d9d505f920a163d7")
_PAGE = 4096
_LOCKED_PAGE = 0x40000000 // _PAGE + 1
NEW = "The leeks went into bed nine"


def journal_that_names(victim: Path) -> bytes:
    """A rollback journal of nothing, whose last record has the victim deleted as the journal's."""
    name = os.fsencode(victim)
    total = sum(byte - 256 if byte > 127 else byte for byte in name)
    numbers = (0, 7, 1, 512, _PAGE)
    head = _MAGIC + b"".join(number.to_bytes(4, "big") for number in numbers)
    tail = len(name).to_bytes(4, "big") + (total % 2**32).to_bytes(4, "big") + _MAGIC
    return head.ljust(512, b"\0") + _LOCKED_PAGE.to_bytes(4, "big") + name + tail


def beside(path: Path, ending: str) -> Path:
    return path.with_name(path.name + ending)


@pytest.fixture
def theirs(tmp_path: Path) -> Path:
    """A database of Goose's in a folder of its own."""
    folder = tmp_path / "theirs"
    folder.mkdir()
    return write_goose(folder)


def read_all(path: Path) -> list[Any]:
    with open_database(path) as opened:
        return [row["content_json"] for row in opened.read_rows("goose", "messages")]


def refusal(path: Path) -> str:
    with pytest.raises(ForeignDatabaseError) as refused:
        read_all(path)
    return str(refused.value)


def look_of(folder: Path) -> dict[str, tuple[int, bytes]]:
    return {one.name: (one.stat().st_mtime_ns, one.read_bytes()) for one in folder.iterdir()}


@pytest.mark.parametrize("whole_folder", [True, False])
@pytest.mark.parametrize("form", [(), ("--format", "goose")])
def test_a_journal_beside_a_foreign_database_deletes_no_file_and_is_named(
    shell: Shell, tmp_path: Path, theirs: Path, form: tuple[str, ...], *, whole_folder: bool
) -> None:
    victim = tmp_path / "diary.txt"
    victim.write_text("mine")
    beside(theirs, "-journal").write_bytes(journal_that_names(victim))
    before, given = look_of(theirs.parent), theirs.parent if whole_folder else theirs
    counted = shell.json("import", given, *form, "--dry-run")
    assert victim.read_text() == "mine"
    (source,) = counted["sources"]
    assert (source["bad"], "sessions.db-journal" in source["bad_lines"][0]["problem"]) == (1, True)
    assert "sessions.db-journal" in shell("import", given, *form, "--dry-run").out
    report = shell.json("import", given, *form, code=3)
    assert victim.read_text() == "mine"
    (bad,) = report["bad_lines"]
    assert (bad["file"], report["recorded"]) == (str(theirs), 0)
    assert "sessions.db-journal" in bad["problem"]
    assert "Close the program it belongs to" in bad["problem"]
    assert look_of(theirs.parent) == before


def test_a_journal_that_is_used_up_keeps_nothing_from_being_read(theirs: Path) -> None:
    for content in (b"", bytes(512) + b"rest"):
        beside(theirs, "-journal").write_bytes(content)
        assert ANNA in read_all(theirs)[0]


def test_what_a_running_program_has_only_in_its_log_is_read_and_its_files_stay_as_they_are(
    theirs: Path,
) -> None:
    with closing(sqlite3.connect(theirs, isolation_level=None)) as running:
        running.execute("PRAGMA journal_mode = WAL")
        running.execute("PRAGMA wal_autocheckpoint = 0")
        running.execute(
            "INSERT INTO messages (message_id, session_id, role, content_json, created_timestamp)"
            " VALUES ('n', '20260101_1', 'user', ?, ?)",
            (dump([{"type": "text", "text": NEW}]), DAY),
        )
        before = look_of(theirs.parent)
        assert any(NEW in content for content in read_all(theirs))
        assert look_of(theirs.parent) == before
        link = theirs.parent.parent / "link.db"
        link.symlink_to(theirs)
        assert any(NEW in content for content in read_all(link))


def _zeros(path: Path) -> None:
    path.symlink_to("/dev/zero")


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _sparse(path: Path) -> None:
    path.touch()
    os.truncate(path, 3 << 40)


@posix_only
@pytest.mark.parametrize(
    ("ending", "make"),
    [
        *(
            (ending, make)
            for ending in ("-wal", "-journal")
            for make in (_zeros, _pipe, Path.mkdir)
        ),
        ("-wal", _sparse),
    ],
)
def test_a_log_that_is_a_link_a_pipe_or_without_end_is_named_and_not_read(
    theirs: Path, ending: str, make: Callable[[Path], None]
) -> None:
    make(beside(theirs, ending))
    assert f"sessions.db{ending}" in refusal(theirs)


@posix_only
def test_a_log_of_holes_takes_no_room(theirs: Path) -> None:
    beside(theirs, "-wal").touch()
    os.truncate(beside(theirs, "-wal"), 200 << 20)
    with hold_still(theirs) as address:
        folder = Path(url2pathname(urlsplit(address).path)).parent
        taken = {one.name: one.stat().st_blocks * 512 for one in folder.iterdir()}
    assert sorted(taken) == ["copy.db", "copy.db-wal"]
    assert sum(taken.values()) < 1 << 20
    assert not folder.exists()


def test_a_copy_for_which_there_is_no_room_is_said_before_it_is_made(
    theirs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    beside(theirs, "-wal").write_bytes(b"x")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: _Room(0, 0, 70_000_000))
    assert read_all(theirs)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: _Room(0, 0, 60_000_000))
    assert "has room for 60,000,000. Free some space" in refusal(theirs)


class _Room(NamedTuple):
    total: int
    used: int
    free: int


@posix_only
@pytest.mark.parametrize("make", [_zeros, _pipe, Path.mkdir])
def test_a_database_that_is_a_device_or_a_pipe_is_waited_for_by_nobody(
    tmp_path: Path, make: Callable[[Path], None]
) -> None:
    path = tmp_path / "state.vscdb"
    make(path)
    assert "can't be read" in refusal(path)


MOVED = "ALTER TABLE messages RENAME TO old"
VIEW = (MOVED, "CREATE VIEW messages AS SELECT * FROM old")
RENAMED = "UPDATE sqlite_master SET name = '{}' WHERE name = '{}'"
HOSTILE = {
    "a view": VIEW,
    "a virtual table": (MOVED, "CREATE VIRTUAL TABLE messages USING fts5(session_id)"),
    "a computed column": ("ALTER TABLE messages ADD COLUMN more TEXT AS (hex(zeroblob(9)))",),
    "a view that is called a table": (
        *VIEW,
        "UPDATE sqlite_master SET type = 'table' WHERE name = 'messages'",
    ),
    "a view under another name": (
        *VIEW,
        "CREATE TABLE other (x)",
        RENAMED.format("x", "messages"),
        RENAMED.format("messages", "other"),
    ),
    "a table made by a query": (
        "UPDATE sqlite_master SET sql = 'CREATE TABLE messages AS SELECT 1' "
        "WHERE name = 'messages'",
    ),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_nothing_that_computes_what_it_shows_is_read_for_a_table(
    shell: Shell, theirs: Path, kind: str
) -> None:
    with closing(sqlite3.connect(theirs)) as crafted:
        crafted.executescript(";".join(("PRAGMA writable_schema = ON", *HOSTILE[kind])))
    assert "can't be read" in refusal(theirs)
    said = shell("import", theirs)
    assert (said.code, said.out) == (1, "")
    assert "sessions.db" in said.err
    assert "a database " in said.err


def test_pages_that_are_used_again_and_again_give_no_rows_without_end(theirs: Path) -> None:
    with closing(sqlite3.connect(theirs)) as grown, grown:
        grown.executemany(
            "INSERT INTO messages (message_id, session_id, role, content_json)"
            " VALUES (?, '20260101_1', 'user', ?)",
            [(f"m{n}", "[]" + " " * 900) for n in range(2000)],
        )
        roots = "SELECT rootpage FROM sqlite_master WHERE name = 'messages'"
        (root,) = grown.execute(roots).fetchone()
    pages = bytearray(theirs.read_bytes())
    begin = (root - 1) * _PAGE
    cells = int.from_bytes(pages[begin + 3 : begin + 5], "big")
    assert (pages[begin], cells > 100) == (5, True), "the root leads to many other pages"
    places = [begin + 12 + 2 * cell for cell in range(cells)]
    leaves = [begin + int.from_bytes(pages[at : at + 2], "big") for at in places]
    for leaf in leaves:
        pages[leaf : leaf + 4] = pages[leaves[0] : leaves[0] + 4]
    theirs.write_bytes(pages)
    assert "are used more than once" in refusal(theirs)
