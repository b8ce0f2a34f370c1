"""Whatever is wrong with an archive or a part of it is named, and ends no import."""

import copy
import gzip
import json
import os
import sys
import zipfile
from collections import deque
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.connectors.sources.samples.base import ANNA, DAY
from tests.connectors.sources.samples.chats import chatgpt_conversations
from tests.surface.shell import Shell

from memoria.connectors.sources.archives import ExportDocument, open_documents
from memoria.connectors.transcripts.source import TranscriptSource, UnusableLine
from memoria.connectors.zip_files import is_zip

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
