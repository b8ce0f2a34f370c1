"""A home's files: private, replaced all or nothing, and each tenant's apart."""

import os
from pathlib import Path

import pytest

from memoria.disk.home_folder import HomeFolder, TenantFolder

DAY = "daily_summaries/2026-11-22.md"


@pytest.fixture
def files(home: Path) -> TenantFolder:
    return TenantFolder(home)


def test_a_file_says_what_was_written_last_and_is_gone_when_it_is_deleted(
    files: TenantFolder, home: Path
) -> None:
    assert files.read(DAY) is None
    for content in (b"one", b"two"):
        files.write(DAY, content)
        assert files.read(DAY) == content
    if os.name != "nt":
        assert (home / DAY).stat().st_mode & 0o077 == 0
        assert (home / DAY).parent.stat().st_mode & 0o077 == 0
    files.delete(DAY)
    files.delete(DAY)
    assert files.read(DAY) is None


def test_a_file_that_is_edited_while_its_new_content_is_written_keeps_the_edit(
    files: TenantFolder, home: Path
) -> None:
    files.write(DAY, b"ours")
    seen: list[list[str]] = []

    def save_by_hand() -> bool:
        seen.append(sorted(path.name for path in (home / DAY).parent.iterdir()))
        before = files.read(DAY)
        (home / DAY).write_bytes("\ufeff我的\r\n".encode("utf-16"))
        return files.read(DAY) == before

    assert not files.write(DAY, b"newer", save_by_hand)
    ((draft, page),) = seen
    assert draft.startswith(".2026-11-22.md.")  # all but the renaming was done by then
    assert page == "2026-11-22.md"
    assert files.read(DAY) == "\ufeff我的\r\n".encode("utf-16")
    assert [path.name for path in (home / DAY).parent.iterdir()] == ["2026-11-22.md"]


def test_what_is_half_written_is_no_file_and_can_be_cleared(
    files: TenantFolder, home: Path
) -> None:
    files.write(DAY, b"one")
    draft = (home / DAY).with_name(f".2026-11-23.md.{'0' * 16}")
    draft.write_bytes(b"ha")
    assert files.list_places("daily_summaries") == [DAY]
    (left,) = files.list_drafts("daily_summaries")
    files.delete(left)
    assert not draft.exists()
    assert files.list_places("daily_summaries") == [DAY]


def test_folders_are_listed_and_deleted_with_what_is_in_them(files: TenantFolder) -> None:
    for run in ("b", "a"):
        files.write(f"night/{run}/{DAY}", b"")
    assert files.list_folders("night") == ["a", "b"]
    files.delete_folder("night/a")
    files.delete_folder("night/a")
    assert files.list_folders("night") == ["b"]
    assert files.list_folders("nowhere") == []


def test_tenants_have_files_of_their_own_and_one_key(home: Path) -> None:
    folder = HomeFolder(home)
    for tenant in ("default", "ann", "Ann"):
        folder.of(tenant).write("USER.md", tenant.encode())
    assert [folder.of(t).read("USER.md") for t in ("default", "ann", "Ann")] == [
        b"default", b"ann", b"Ann",
    ]  # fmt: skip
    assert folder.tombstone_key() == HomeFolder(home).tombstone_key()
