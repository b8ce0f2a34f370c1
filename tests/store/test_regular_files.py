"""A home's files are regular files of the home: nothing else is followed, opened or waited for."""

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from memoria.disk.home_files import list_obstacles, tombstone_key
from memoria.disk.home_folder import TenantFolder
from memoria.disk.regular_files import MOST_BYTES, MOST_CORE_BYTES
from memoria.errors import StoreUnavailableError, UnusableFileError
from memoria.store.sqlite.driver import connect

DAY = "daily_summaries/2026-11-22.md"
posix_only = pytest.mark.skipif(os.name == "nt", reason="pipes and links as POSIX has them")


def link(file: Path) -> None:
    outside = file.parents[len(file.parents) - 1] / file.parent.parent / "outside.md"
    outside.write_text("not the home's")
    file.symlink_to(outside)


def pipe(file: Path) -> None:
    os.mkfifo(file)


def connection(file: Path) -> None:
    here = Path.cwd()
    os.chdir(file.parent)  # the name of a socket is short
    try:
        with socket.socket(socket.AF_UNIX) as one:
            one.bind(file.name)
    finally:
        os.chdir(here)


def gigabyte(file: Path) -> None:
    with file.open("wb") as opened:
        opened.truncate(1 << 30)


KINDS: dict[str, tuple[Callable[[Path], None], str]] = {
    "a link": (link, "is a link"),
    "a link to nowhere": (lambda file: file.symlink_to("nowhere"), "is a link"),
    "a device": (lambda file: file.symlink_to("/dev/zero"), "is a link"),
    "a pipe": (pipe, "is a pipe"),
    "a socket": (connection, "is a socket"),
    "a folder": (lambda file: file.mkdir(), "is a folder"),
    "a gigabyte": (gigabyte, "1,073,741,824 bytes, and Memoria reads at most"),
}


@posix_only
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("place", ["MEMORY.md", "projects/x-0a/MEMORY.md", DAY])
def test_what_is_no_regular_file_is_neither_read_nor_written_and_the_error_says_what_to_do(
    home: Path, kind: str, place: str
) -> None:
    plant, says = KINDS[kind]
    files, file = TenantFolder(home), home / place
    file.parent.mkdir(parents=True)
    plant(file)
    with pytest.raises(UnusableFileError, match=says) as caught:
        files.read(place)
    assert str(file) in str(caught.value)
    assert files.find_obstacle(place) == str(caught.value)
    assert list(list_obstacles(home)) == [str(caught.value)]
    assert not files.exists(place)
    if kind != "a gigabyte":
        before = file.lstat()
        with pytest.raises(UnusableFileError, match=says):
            files.write(place, b"ours")
        with pytest.raises(UnusableFileError, match=says):
            files.delete(place)
        assert file.lstat().st_ino == before.st_ino


@posix_only
@pytest.mark.parametrize("linked", ["tenants", "tenants/ann-0", "daily_summaries"])
def test_no_folder_of_the_home_is_a_link_to_another(
    home: Path, tmp_path: Path, linked: str
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "2026-11-22.md").write_text("somebody's")
    files = TenantFolder(home, "ann") if linked.startswith("tenants") else TenantFolder(home)
    root = home / linked
    if linked == "tenants/ann-0":
        root = files._home / files._root  # noqa: SLF001
    root.parent.mkdir(parents=True)
    root.symlink_to(outside)
    refusal = "is a link, and Memoria follows none"
    with pytest.raises(UnusableFileError, match=refusal):
        files.read(DAY)
    with pytest.raises(UnusableFileError, match=refusal):
        files.write(DAY, b"ours")
    with pytest.raises(UnusableFileError, match=refusal):
        files.delete(DAY)
    assert files.list_places("daily_summaries") == files.list_folders("daily_summaries") == []
    assert files.list_drafts("daily_summaries") == []
    files.delete_folder("daily_summaries")
    assert [path.read_text() for path in outside.iterdir()] == ["somebody's"]


@posix_only
def test_a_home_that_is_a_link_itself_is_its_owners_choice(home: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    home.symlink_to(tmp_path / "elsewhere")
    TenantFolder(home).write(DAY, b"ours")
    assert (tmp_path / "elsewhere" / DAY).read_bytes() == b"ours"
    assert list(list_obstacles(home)) == []


@posix_only
def test_a_key_that_is_a_link_or_a_pipe_is_refused(home: Path, tmp_path: Path) -> None:
    home.mkdir()
    (tmp_path / "key").write_bytes(bytes(32))
    (home / "tombstone.key").symlink_to(tmp_path / "key")
    with pytest.raises(StoreUnavailableError, match="is a link"):
        tombstone_key(home)
    (home / "tombstone.key").unlink()
    os.mkfifo(home / "tombstone.key")
    with pytest.raises(StoreUnavailableError, match="is a pipe"):
        tombstone_key(home)


@posix_only
def test_a_database_that_is_a_link_is_refused_and_nothing_is_made_behind_it(
    home: Path, tmp_path: Path
) -> None:
    home.mkdir()
    (home / "memoria.db").symlink_to(tmp_path / "target")
    with pytest.raises(StoreUnavailableError, match="is a link, and Memoria follows none"):
        connect(home / "memoria.db", 5000)
    assert not (tmp_path / "target").exists()


def test_no_file_is_written_that_could_not_be_read_again(home: Path) -> None:
    files = TenantFolder(home)
    assert MOST_CORE_BYTES < MOST_BYTES
    with pytest.raises(UnusableFileError, match="at most 262,144"):
        files.write("MEMORY.md", b"x" * (MOST_CORE_BYTES + 1))
    files.write("MEMORY.md", b"x" * MOST_CORE_BYTES)
    assert len(files.read("MEMORY.md") or b"") == MOST_CORE_BYTES


@posix_only
def test_whatever_is_written_is_its_owners_alone_whatever_the_umask(home: Path) -> None:
    before = os.umask(0)
    try:
        for place in ("night/run/MEMORY.md", DAY, "projects/x-0a/MEMORY.md"):
            TenantFolder(home, "ann").write(place, b"ours")
        tombstone_key(home)
    finally:
        os.umask(before)
    modes = {(path.is_dir(), path.stat().st_mode & 0o777) for path in (home, *home.rglob("*"))}
    assert modes == {(True, 0o700), (False, 0o600)}
