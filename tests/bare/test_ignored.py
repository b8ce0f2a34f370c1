"""Folders that are left out of what hooks record."""

import os
import sys
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memoria.bare.ignored import IGNORE_FILE, is_ignored
from memoria.bare.projects import project_of


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


def test_folders_can_be_named_in_a_setting(tmp_path: Path) -> None:
    _make(tmp_path, "diary/notes", "diaries")
    (tmp_path / "link").symlink_to(tmp_path / "diary")
    named = f" {tmp_path}/diary/ ,~/secret"
    assert is_ignored(str(tmp_path / "diary" / "notes"), named)
    assert is_ignored(str(tmp_path / "link"), named)
    assert not is_ignored(str(tmp_path / "diaries"), named)
    assert is_ignored("~/secret/plans", named)
    assert not is_ignored(str(tmp_path / "diary"), "")


def test_a_file_that_cannot_be_read_leaves_its_folder_out(tmp_path: Path) -> None:
    (tmp_path / IGNORE_FILE).mkdir()
    assert is_ignored(str(tmp_path), "")


_PARTS = st.sampled_from(["a", "b", "**", "*", "a*", "?"])


def _fits_somehow(parts: list[str], names: list[str]) -> bool:
    """Try every way, as a definition that is too slow to be used."""
    if not parts:
        return True
    if parts[0] == "**":
        return any(_fits_somehow(parts[1:], names[at:]) for at in range(len(names) + 1))
    return bool(names) and fnmatchcase(names[0], parts[0]) and _fits_somehow(parts[1:], names[1:])


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    parts=st.lists(_PARTS, min_size=2, max_size=6),
    names=st.lists(st.sampled_from(["a", "b", "ab"]), min_size=1, max_size=6),
)
def test_any_pattern_means_what_some_way_through_its_parts_means(
    tmp_path: Path, parts: list[str], names: list[str]
) -> None:
    _ignore(tmp_path, "/".join(parts))
    assert is_ignored(str(tmp_path.joinpath(*names)), "") is _fits_somehow(parts, names)


def _cost(text: str, tmp_path: Path, inside: Path) -> int:
    """Return how many calls it takes to find out about a folder."""
    _ignore(tmp_path, text)
    counted = 0

    def count(_frame: object, event: str, _: object) -> None:
        nonlocal counted
        counted += event in {"call", "c_call"}

    sys.setprofile(count)
    try:
        is_ignored(str(tmp_path / inside), "")
    finally:
        sys.setprofile(None)
    return counted


@pytest.mark.parametrize("part", ["**/", "**/a/", "*/**/", "**/*a*/"])
def test_twice_the_parts_and_twice_the_depth_take_at_most_four_times_as_long(
    tmp_path: Path, part: str
) -> None:
    (tmp_path / ".git").mkdir()
    few = _cost(part * 12 + "z", tmp_path, Path(*["a"] * 12))
    many = _cost(part * 24 + "z", tmp_path, Path(*["a"] * 24))
    assert many <= 4 * few


@pytest.mark.parametrize(
    "text",
    [
        "x" * (1 << 14) + "\n!*",
        "\n".join(["**/a" * 40] * 80),
        "\n".join("*a" * 60 + f"{n}" for n in range(120)),
    ],
    ids=["long", "many parts", "many stars"],
)
def test_a_file_that_would_take_long_to_read_or_compare_leaves_its_folder_out(
    tmp_path: Path, text: str
) -> None:
    deep = Path(*["a" * 100] * 30)
    assert _cost(text, tmp_path, deep) < 200_000
    assert is_ignored(str(tmp_path / deep), "")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has neither in a folder")
def test_a_file_that_is_none_is_not_waited_for_and_leaves_its_folder_out(tmp_path: Path) -> None:
    _make(tmp_path, "pipe", "device", "loop")
    os.mkfifo(tmp_path / "pipe" / IGNORE_FILE)
    (tmp_path / "device" / IGNORE_FILE).symlink_to("/dev/zero")
    (tmp_path / "loop" / IGNORE_FILE).symlink_to(tmp_path / "loop" / IGNORE_FILE)
    for folder in ("pipe", "device", "loop"):
        assert is_ignored(str(tmp_path / folder), "")


def test_a_link_to_a_file_of_patterns_is_followed(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("secret", "utf-8")
    (tmp_path / IGNORE_FILE).symlink_to(tmp_path / "mine")
    assert is_ignored(str(tmp_path / "secret"), "")
    assert not is_ignored(str(tmp_path / "open"), "")


@pytest.mark.parametrize("folder", ["/a\0b", "/a\ud800b", "/a" * 100_000])
def test_what_can_be_no_folder_is_in_no_project_and_nothing_is_recorded_of_it(folder: str) -> None:
    assert is_ignored(folder, "/elsewhere")
    assert project_of("", folder) == "none"
