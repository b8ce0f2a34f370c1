"""A folder's workspace is its git repository, whichever worktree one stands in."""

import shutil
import subprocess
from pathlib import Path

import pytest

from memoria.app import find_workspace

GIT = shutil.which("git")
needs_git = pytest.mark.skipif(GIT is None, reason="git is not installed")


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
