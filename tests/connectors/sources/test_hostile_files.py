"""Databases and archives that somebody has made to do harm, or that are damaged or in use."""

import copy
import gzip
import json
import os
import shutil
import sqlite3
import sys
import zipfile
from collections import deque
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit
from urllib.request import url2pathname

import pytest
from tests.connectors.sources.samples.base import ANNA, DAY, dump
from tests.connectors.sources.samples.chats import chatgpt_conversations
from tests.connectors.sources.samples.clients import write_goose
from tests.surface.shell import Shell

from memoria.connectors.sources.archives import ExportDocument, is_zip, open_documents
from memoria.connectors.sources.database import ForeignDatabaseError, hold_still, open_database
from memoria.connectors.transcripts.source import TranscriptSource, UnusableLine

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


if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd
WHOLE, BAD = "conversations-000.json", "conversations-001.json"
MIB = 1 << 20
Spoil = Callable[[Path], object]


def write_two(folder: Path, **more: int) -> Path:
    """An export of ChatGPT in which the second file is to be spoilt."""
    path = folder / "export.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(WHOLE, json.dumps(chatgpt_conversations()))
        archive.writestr(BAD, json.dumps([{"mapping": {}, "create_time": DAY}] * 3), **more)
    return path


def change_bytes(path: Path, before: bytes, after: bytes) -> None:
    content = path.read_bytes()
    at = content.rindex(before)
    path.write_bytes(content[:at] + after + content[at + len(before) :])


def change_entry(path: Path, at: int, value: bytes) -> None:
    """Change a field of the second file's line in the table of contents."""
    content = bytearray(path.read_bytes())
    begin = content.rindex(b"PK\x01\x02")
    content[begin + at : begin + at + len(value)] = value
    path.write_bytes(content)


def spoil_content(path: Path) -> None:
    with zipfile.ZipFile(path) as archive:
        entry = archive.getinfo(BAD)
    content = bytearray(path.read_bytes())
    content[entry.header_offset + 30 + len(BAD) + 3] ^= 0xFF
    path.write_bytes(content)


def repack(path: Path, change: Callable[[zipfile.ZipFile], object], *, without: str = "") -> None:
    """Write the archive anew, with something else in it."""
    with zipfile.ZipFile(path) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            if name != without:
                archive.writestr(name, content)
        change(archive)


def add_claim(archive: zipfile.ZipFile) -> None:
    claim = copy.copy(archive.getinfo(BAD))
    archive.filelist.append(claim)


SPOILT: dict[str, tuple[Spoil, str]] = {
    "a wrong checksum": (lambda path: change_entry(path, 16, b"\1\2\3\4"), "is damaged"),
    "a damaged content": (spoil_content, "is damaged"),
    "another name in front of it": (
        lambda path: path.write_bytes(path.read_bytes().replace(BAD.encode(), b"x" * len(BAD), 1)),
        "is damaged",
    ),
    "a beginning beyond the end": (
        lambda path: change_entry(path, 42, b"\xff\xff\xff\x7f"),
        "shares its bytes",
    ),
    "a size beyond the end": (
        lambda path: change_entry(path, 20, b"\xff\xff\xff\x7e"),
        "shares its bytes",
    ),
    "a password": (lambda path: change_entry(path, 8, b"\1\0"), "needs a password"),
    "a strong password": (lambda path: change_entry(path, 8, b"\x41\0"), "needs a password"),
    "a patch": (lambda path: change_entry(path, 8, b"\x20\0"), "is damaged"),
    "an unknown packing": (lambda path: change_entry(path, 10, b"\x62\0"), "is packed in a way"),
    "LZMA": (
        lambda path: repack(
            path, lambda one: one.writestr(BAD, "[]", zipfile.ZIP_LZMA), without=BAD
        ),
        "is packed in a way",
    ),
    "a link": (
        lambda path: change_entry(path, 38, (0o120777 << 16).to_bytes(4, "little")),
        "is no regular file",
    ),
    "the same name twice": (
        lambda path: repack(path, lambda one: one.writestr(BAD, "[]")),
        "is there again",
    ),
    "the same file twice": (lambda path: repack(path, add_claim), "shares its bytes"),
    "a path out of it": (
        lambda path: repack(path, lambda one: one.writestr(f"../{BAD}", "[]"), without=BAD),
        "leads out of the archive",
    ),
    "a drive": (
        lambda path: repack(path, lambda one: one.writestr(f"C:/{BAD}", "[]"), without=BAD),
        "leads out of the archive",
    ),
    "more than any text unpacks to": (
        lambda path: repack(path, lambda one: one.writestr(BAD, " " * 70 * MIB), without=BAD),
        "would unpack to 73,400,320 bytes",
    ),
}


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("kind", SPOILT)
def test_a_bad_file_of_an_archive_is_named_and_the_others_are_imported(
    shell: Shell, tmp_path: Path, kind: str
) -> None:
    path = write_two(tmp_path)
    spoil, problem = SPOILT[kind]
    spoil(path)
    report = shell.json("import", path, code=3)
    assert report["recorded"] == 5
    named = [one["problem"] for one in report["bad_lines"]]
    assert any(problem in one and BAD in one for one in named), named
    assert shell("import", path, "--dry-run").code == 0


def test_files_of_an_archive_that_begin_in_each_other_are_both_named(
    shell: Shell, tmp_path: Path
) -> None:
    path = write_two(tmp_path)
    change_entry(path, 42, b"\5\0\0\0")
    assert "an archive with" in shell("import", path).err
    report = shell.json("import", path, "--format", "chatgpt", code=3)
    assert (report["recorded"], report["bad"]) == (0, 2)


WRECKS: dict[str, Spoil] = {
    "zip64 without its numbers": lambda path: change_entry(path, 24, b"\xff\xff\xff\xff"),
    "a name that is no text": lambda path: change_bytes(path, BAD.encode(), b"\xff" * len(BAD)),
    "a version of the future": lambda path: change_entry(path, 6, b"\xff\0"),
    "several disks": lambda path: change_bytes(
        path, b"PK\5\6", b"PK\6\7" + b"\1\0\0\0" + bytes(8) + b"\2\0\0\0" + b"PK\5\6"
    ),
}


@pytest.mark.parametrize("kind", WRECKS)
def test_an_archive_whose_table_of_contents_is_odd_ends_no_import(
    shell: Shell, tmp_path: Path, kind: str
) -> None:
    path = write_two(tmp_path)
    WRECKS[kind](path)
    if "no text" in kind:
        change_entry(path, 8, b"\0\x08")
    (tmp_path / "notes.md").write_text(f"# Beds\n\n{ANNA}\n")
    report = shell.json("import", tmp_path, code=3)
    assert report["recorded"] >= 1
    assert str(path) in json.dumps(report)
    forced = shell.json("import", path, "--format", "chatgpt", code=3)
    assert forced["bad"] >= 1


def test_files_that_unpack_to_little_each_and_too_much_together_are_bounded(tmp_path: Path) -> None:
    path = tmp_path / "bomb.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(4):
            archive.writestr(f"conversations-{number}.json", b"[" + b" " * 60 * MIB + b"]")
    assert path.stat().st_size < MIB
    found = list(open_documents(path, "conversations*.json"))
    read = [one for one in found if isinstance(one, ExportDocument)]
    named = [one.problem for one in found if isinstance(one, UnusableLine)]
    assert (len(read), len(named)) == (1, 3)
    assert all("together with the others" in problem for problem in named)


def test_files_that_share_their_bytes_are_each_refused_however_many(tmp_path: Path) -> None:
    path = tmp_path / "bomb.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("conversations.json", b"[" + b" " * MIB + b"]")
        for _ in range(3000):
            archive.filelist.append(copy.copy(archive.filelist[0]))
    found = list(open_documents(path, "conversations*.json"))
    assert len(found) == 3001
    assert all(isinstance(one, UnusableLine) and "shares its bytes" in one.problem for one in found)


def test_a_table_of_contents_of_gigabytes_is_not_held(tmp_path: Path) -> None:
    path = tmp_path / "sparse.zip"
    end = b"PK\5\6" + bytes(4) + b"\1\0\1\0" + (3 << 30).to_bytes(4, "little") + bytes(6)
    path.write_bytes(b"PK\3\4")
    with path.open("ab") as file:
        file.truncate(3 << 30)
        file.seek(3 << 30)
        file.write(end)
    with path.open("rb") as file:
        assert is_zip(file)
    (found,) = open_documents(path, "*.json")
    assert isinstance(found, UnusableLine)
    assert "far too long" in found.problem


def test_an_archive_in_an_archive_is_named_with_what_to_do(shell: Shell, tmp_path: Path) -> None:
    inner = write_two(tmp_path)
    outer = tmp_path / "outer.zip"
    with zipfile.ZipFile(outer, "w") as archive:
        archive.write(inner, "inner.zip")
    assert "an archive with inner.zip" in shell("import", outer).err
    report = shell.json("import", outer, "--format", "chatgpt", code=3)
    (bad,) = report["bad_lines"]
    assert "holds none of conversations*.json" in bad["problem"]
    assert "unpack it" in bad["problem"]


LINE = json.dumps({"type": "response_item", "payload": {"n": 1}}).encode() + b"\n"
PACKED: dict[str, tuple[Callable[[], bytes], str]] = {
    "cut off": (lambda: zstd.compress(os.urandom(4000).hex().encode())[:-900], "decompressed"),
    "a wrong checksum": (
        lambda: (
            zstd.compress(LINE, options={zstd.CompressionParameter.checksum_flag: 1})[:-1] + b"\0"
        ),
        "decompressed",
    ),
    "no such thing": (lambda: gzip.compress(LINE), "decompressed"),
    "blank lines without end": (
        lambda: zstd.compress((b" " * 4095 + b"\n") * (80 * MIB // 4096)),
        "unpacks to more",
    ),
    "a line without end": (lambda: zstd.compress(b" " * 80 * MIB), "unpacks to more"),
    "lines without end": (lambda: zstd.compress((b" " * 9000 + LINE) * 9000), "unpacks to more"),
}


@pytest.mark.parametrize("is_document", [False, True])
@pytest.mark.parametrize("kind", PACKED)
def test_a_packed_transcript_that_is_damaged_or_a_bomb_is_named(
    tmp_path: Path, kind: str, *, is_document: bool
) -> None:
    path = tmp_path / "rollout.jsonl.zst"
    pack, problem = PACKED[kind]
    path.write_bytes(pack())
    source = TranscriptSource(path, "s", is_document=is_document)
    (last,) = deque(source.records(), maxlen=1)
    assert isinstance(last, UnusableLine)
    assert problem in last.problem
