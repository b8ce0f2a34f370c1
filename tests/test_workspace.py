"""A folder's workspace is its git repository, whichever worktree one stands in."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from memoria.bare.workspace import find_common, place_of

GIT = shutil.which("git")
needs_git = pytest.mark.skipif(GIT is None, reason="git is not installed")


def find_workspace(folder: str | os.PathLike[str]) -> str | None:
    common = find_common(folder)
    return None if common is None else place_of(common)


def git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=n", "-c", "user.email=e", "-c", "protocol.file.allow=always")
    subprocess.run(  # noqa: S603
        [str(GIT), *identity, *arguments], cwd=folder, check=True, capture_output=True
    )


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    git(folder, "init", "-q")
    git(folder, "commit", "-q", "--allow-empty", "-m", "first")
    return folder.resolve()


@needs_git
def test_every_folder_of_a_repository_is_in_its_workspace(repository: Path) -> None:
    deep = repository / "a" / "b"
    deep.mkdir(parents=True)
    assert find_workspace(repository) == find_workspace(deep) == str(repository)


@needs_git
def test_worktrees_of_a_repository_are_one_workspace(repository: Path, tmp_path: Path) -> None:
    git(repository, "worktree", "add", "-q", str(tmp_path / "second"))
    assert find_workspace(tmp_path / "second") == str(repository)


@needs_git
def test_a_bare_repository_s_worktrees_are_one_workspace(repository: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bare.git"
    git(tmp_path, "clone", "-q", "--bare", str(repository), str(bare))
    git(bare, "worktree", "add", "-q", str(tmp_path / "one"))
    assert find_workspace(tmp_path / "one") == str(bare.resolve())


@needs_git
def test_a_submodule_is_a_workspace_of_its_own(repository: Path, tmp_path: Path) -> None:
    outer = tmp_path / "outer"
    outer.mkdir()
    git(outer, "init", "-q")
    git(outer, "submodule", "--quiet", "add", str(repository), "inner")
    assert find_workspace(outer / "inner") not in (None, find_workspace(outer))


@needs_git
def test_a_folder_that_is_gone_counts_as_where_it_was(repository: Path) -> None:
    assert find_workspace(repository / "deleted" / "long ago") == str(repository)


def test_outside_of_any_repository_there_is_no_workspace(tmp_path: Path) -> None:
    assert find_workspace(tmp_path) is None


@pytest.mark.parametrize("content", ["", "nonsense", "gitdir: \0", "\udcff"])
def test_a_broken_git_file_is_no_workspace(tmp_path: Path, content: str) -> None:
    (tmp_path / ".git").write_bytes(content.encode("utf-8", "surrogateescape"))
    assert find_workspace(tmp_path) is None


@needs_git
def test_a_submodule_stays_itself_when_its_settings_move_and_in_worktrees(
    repository: Path, tmp_path: Path
) -> None:
    outer = tmp_path / "outer"
    outer.mkdir()
    git(outer, "init", "-q")
    git(outer, "submodule", "--quiet", "add", str(repository), "inner")
    git(outer, "commit", "-q", "-m", "with it")
    modules = str(outer.resolve() / ".git" / "modules" / "inner")
    assert find_workspace(outer / "inner") == modules
    git(outer / "inner", "sparse-checkout", "set", "--cone", "a")  # moves `core.worktree`
    assert find_workspace(outer / "inner") == modules
    git(outer / "inner", "worktree", "add", "-q", str(tmp_path / "third"))
    assert find_workspace(tmp_path / "third") == modules
    git(outer, "worktree", "add", "-q", str(tmp_path / "second"))
    git(tmp_path / "second", "submodule", "--quiet", "update", "--init")
    second = outer.resolve() / ".git" / "worktrees" / "second" / "modules" / "inner"
    assert find_workspace(tmp_path / "second" / "inner") == str(second)


@needs_git
def test_a_worktree_that_was_moved_is_one_again_once_git_has_repaired_it(
    repository: Path, tmp_path: Path
) -> None:
    git(repository, "worktree", "add", "-q", str(tmp_path / "second"))
    (tmp_path / "second").rename(tmp_path / "moved")
    assert find_workspace(tmp_path / "moved") == str((tmp_path / "moved").resolve())
    git(tmp_path / "moved", "worktree", "repair")
    assert find_workspace(tmp_path / "moved") == str(repository)


@needs_git
def test_links_to_worktrees_and_relative_paths_between_them_are_followed(
    repository: Path, tmp_path: Path
) -> None:
    git(repository, "worktree", "add", "-q", str(tmp_path / "second"))
    (tmp_path / "link").symlink_to(tmp_path / "second")
    assert find_workspace(tmp_path / "link") == str(repository)
    own = repository / ".git" / "worktrees" / "second"
    (tmp_path / "second" / ".git").write_text(
        f"gitdir: {os.path.relpath(own, tmp_path / 'second')}"
    )
    (own / "gitdir").write_text(os.path.relpath(tmp_path / "second" / ".git", own))
    assert find_workspace(tmp_path / "second") == str(repository)


@needs_git
def test_a_repository_apart_from_its_folder_counts_where_it_names_the_folder(
    tmp_path: Path,
) -> None:
    folder = (tmp_path / "project").resolve()
    folder.mkdir()
    git(folder, "init", "-q", "--separate-git-dir", str(tmp_path / "apart.git"))
    assert find_workspace(folder) == str(folder)
    git(folder, "config", "core.worktree", f'{folder}" #; \\')
    assert find_workspace(folder) == str(folder)
    git(folder, "config", "core.worktree", str(folder))
    assert find_workspace(folder) == str(tmp_path.resolve() / "apart.git")


@needs_git
@pytest.mark.parametrize(
    "claims",
    [
        {".git": "gitdir: {there}/.git"},
        {".git": "gitdir: ../project/.git"},
        {".git": "gitdir: {there}/.git/worktrees/second"},
        {".git": "gitdir: x", "x/commondir": "{there}/.git", "x/HEAD": "x"},
        {".git": "gitdir: x", "x/commondir": "{there}/.git", "x/gitdir": "{here}/.git"},
        {
            ".git": "gitdir: x/worktrees/second",
            "x/worktrees/second/commondir": "{there}/.git",
            "x/worktrees/second/gitdir": "{here}/.git",
        },
        {".git": "gitdir: {modules}/inner"},
        {".git/HEAD": "ref: refs/heads/main", ".git/commondir": "{there}/.git"},
    ],
)
def test_a_folder_that_claims_anothers_repository_is_a_project_of_its_own(
    repository: Path, tmp_path: Path, claims: dict[str, str]
) -> None:
    git(repository, "worktree", "add", "-q", str(tmp_path / "second"))
    git(repository, "submodule", "--quiet", "add", str(repository), "inner")
    here = tmp_path.resolve() / "unpacked"
    for name, content in claims.items():
        file = here / name
        file.parent.mkdir(parents=True, exist_ok=True)
        modules = repository / ".git" / "modules"
        file.write_text(content.format(here=here, there=repository, modules=modules))
    (here / "deep").mkdir()
    assert find_workspace(here) == find_workspace(here / "deep") == str(here)


@needs_git
@pytest.mark.skipif(sys.platform == "win32", reason="Windows asks for a privilege")
@pytest.mark.parametrize("target", [".git", "worktree/.git"])
def test_a_link_to_anothers_repository_makes_a_folder_a_project_of_its_own(
    repository: Path, tmp_path: Path, target: str
) -> None:
    git(repository, "worktree", "add", "-q", str(repository / "worktree"))
    here = tmp_path.resolve() / "unpacked"
    here.mkdir()
    (here / ".git").symlink_to(repository / target)
    assert find_workspace(here) == str(here)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has neither in a folder")
def test_what_is_no_git_file_is_neither_waited_for_nor_read(tmp_path: Path) -> None:
    for name in ("pipe", "device", "huge", "pointing at a pipe"):
        (tmp_path / name).mkdir()
    os.mkfifo(tmp_path / "pipe" / ".git")
    (tmp_path / "device" / ".git").symlink_to("/dev/zero")
    with (tmp_path / "huge" / ".git").open("wb") as huge:
        huge.truncate(3 << 30)
    here = tmp_path / "pointing at a pipe"
    (here / ".git").write_text("gitdir: own")
    (here / "own").mkdir()
    for name in ("commondir", "gitdir", "config"):
        os.mkfifo(here / "own" / name)
    assert [find_workspace(tmp_path / name) for name in ("pipe", "device", "huge")] == [None] * 3
    assert find_workspace(here) == str(here.resolve())
