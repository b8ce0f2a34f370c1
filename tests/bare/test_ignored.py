"""Folders that are left out of what hooks record."""

from pathlib import Path

import pytest

from memoria.bare.ignored import IGNORE_FILE, is_ignored


def _make(root: Path, *folders: str) -> None:
    for folder in folders:
        (root / folder).mkdir(parents=True)


def _ignore(folder: Path, text: str) -> None:
    (folder / IGNORE_FILE).write_text(text, "utf-8")


@pytest.mark.parametrize("text", ["", "*\n", "# nothing of this\n\n", "\ufeff*", "/\n"])
def test_a_file_that_names_no_folder_means_its_own(tmp_path: Path, text: str) -> None:
    _make(tmp_path, "diary/notes", "work")
    _ignore(tmp_path / "diary", text)
    assert is_ignored(str(tmp_path / "diary"), "")
    assert is_ignored(str(tmp_path / "diary" / "notes"), "")
    assert not is_ignored(str(tmp_path / "work"), "")


@pytest.mark.parametrize(
    ("text", "left_out", "recorded"),
    [
        ("secret/", "secret a/secret a/secret/b", "a a/secrets"),
        ("/secret", "secret secret/b", "a/secret a"),
        ("a/secret", "a/secret", "secret a b/a/secret"),
        ("**/deep", "deep a/b/deep", "a/b"),
        ("priv*", "private a/privy", "a prefix"),
        ("*\n!work", "a secret", "work work/b"),
        ("secret\n!a/secret", "secret", "a/secret"),
        ("日记", "日记 a/日记/2026", "日"),
    ],
)
def test_patterns_are_those_of_gitignore(
    tmp_path: Path, text: str, left_out: str, recorded: str
) -> None:
    _ignore(tmp_path, text)
    assert [one for one in left_out.split() if not is_ignored(str(tmp_path / one), "")] == []
    assert [one for one in recorded.split() if is_ignored(str(tmp_path / one), "")] == []


def test_a_file_above_the_repository_is_another_projects_and_the_nearest_speaks_first(
    tmp_path: Path,
) -> None:
    _make(tmp_path, "repo/.git", "repo/inner/open")
    _ignore(tmp_path, "")
    assert not is_ignored(str(tmp_path / "repo" / "inner"), "")
    _ignore(tmp_path / "repo", "inner")
    _ignore(tmp_path / "repo" / "inner", "!open")
    assert is_ignored(str(tmp_path / "repo" / "inner"), "")
    assert not is_ignored(str(tmp_path / "repo" / "inner" / "open"), "")


def test_folders_can_be_named_in_a_setting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _make(tmp_path, "diary/notes", "diaries")
    (tmp_path / "link").symlink_to(tmp_path / "diary")
    named = f" {tmp_path}/diary/ ,~/secret"
    assert is_ignored(str(tmp_path / "diary" / "notes"), named)
    assert is_ignored(str(tmp_path / "link"), named)
    assert not is_ignored(str(tmp_path / "diaries"), named)
    assert is_ignored("~/secret/plans", named)
    monkeypatch.setenv("MEMORIA_IGNORED_FOLDERS", named)
    assert is_ignored(str(tmp_path / "diary"))
    assert not is_ignored(str(tmp_path / "diary"), "")


def test_a_file_that_cannot_be_read_leaves_its_folder_out(tmp_path: Path) -> None:
    (tmp_path / IGNORE_FILE).mkdir()
    assert is_ignored(str(tmp_path), "")
