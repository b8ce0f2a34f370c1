"""Wherever a repository goes as git has it, its memories are seen and no other project's are."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.surface.shell import Output, Shell

GIT = shutil.which("git")
pytestmark = pytest.mark.skipif(GIT is None, reason="git is not installed")
OWN, OTHERS = "The mascot of this repo is a heron", "The mascot of this repo is an otter"
URL = "https://example.org/ann/lantern"
At = Callable[..., Output]


def git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=n", "-c", "user.email=e", "-c", "protocol.file.allow=always")
    subprocess.run(  # noqa: S603
        [str(GIT), *identity, *arguments], cwd=folder, check=True, capture_output=True
    )


def make(folder: Path, *, commits: bool = True) -> Path:
    folder.mkdir(parents=True)
    git(folder, "init", "-q")
    git(folder, "remote", "add", "origin", URL)
    if commits:
        (folder / "name").write_text("x")
        git(folder, "add", ".")
        git(folder, "commit", "-q", "-m", "first")
    return folder.resolve()


@pytest.fixture
def at(home: Path, monkeypatch: pytest.MonkeyPatch) -> At:
    """Runs a command in a folder."""

    def run(folder: Path, *words: str) -> Output:
        monkeypatch.chdir(folder)
        return Shell(home)(*words)

    return run


def rename(lantern: Path) -> Path:
    return lantern.rename(lantern.with_name("lantern v2")).resolve()


def rename_above(lantern: Path) -> Path:
    return lantern.parent.rename(lantern.parent.with_name("job")).resolve() / "lantern"


def add_worktree(lantern: Path) -> Path:
    git(lantern, "worktree", "add", "-q", "../second")
    return lantern.with_name("second")


def rename_remote(lantern: Path) -> Path:
    git(lantern, "remote", "rename", "origin", "upstream")
    git(lantern, "remote", "set-url", "upstream", "https://example.org/lin/lamp")
    return lantern


def go_down(lantern: Path) -> Path:
    deep = lantern / "packages" / "lamp"
    deep.mkdir(parents=True)
    return deep


def clone(lantern: Path) -> Path:
    git(lantern.parent, "clone", "-q", "--no-local", str(lantern), "second")
    git(lantern.with_name("second"), "remote", "set-url", "origin", URL)
    return lantern.with_name("second").resolve()


def fork(lantern: Path) -> Path:
    second = clone(lantern)
    git(second, "remote", "set-url", "origin", "https://example.org/lin/lantern")
    return second


def add_submodule(lantern: Path) -> Path:
    inner = make(lantern.with_name("inner"))
    git(lantern, "submodule", "--quiet", "add", str(inner), "inner")
    return lantern / "inner"


@pytest.mark.parametrize("commits", [True, False], ids=["commits", "no commit"])
@pytest.mark.parametrize("go", [rename, rename_above, rename_remote, go_down])
def test_its_memories_are_seen_and_no_others(
    tmp_path: Path, at: At, go: Callable[[Path], Path], *, commits: bool
) -> None:
    check_seen(tmp_path, at, go, commits=commits)


def test_a_worktree_sees_its_repositorys_memories_and_no_others(tmp_path: Path, at: At) -> None:
    check_seen(tmp_path, at, add_worktree)


def check_seen(tmp_path: Path, at: At, go: Callable[[Path], Path], *, commits: bool = True) -> None:
    lantern = make(tmp_path / "work" / "lantern", commits=commits)
    shop = make(tmp_path / "shop", commits=False)
    git(shop, "remote", "set-url", "origin", "https://example.org/ann/shop")
    at(lantern, "remember", OWN)
    at(shop, "remember", OTHERS)
    there = go(lantern)
    found = at(there, "search", "mascot").out
    assert ("heron" in found, "otter" in found) == (True, False)
    found = at(shop, "search", "mascot").out
    assert ("heron" in found, "otter" in found) == (False, True)


@pytest.mark.parametrize("go", [clone, fork])
def test_a_second_clone_or_fork_sees_nothing_until_it_is_joined_by_the_command_it_is_told(
    tmp_path: Path, at: At, go: Callable[[Path], Path]
) -> None:
    lantern = make(tmp_path / "lantern")
    at(lantern, "remember", OWN)
    there = go(lantern)
    first = at(there, "search", "mascot")
    assert "heron" not in first.out
    command = ["workspace", "join", str(there), str(lantern)]
    assert f"memoria {' '.join(command)}" in " ".join(first.err.split())
    at(there, *command, "--yes")
    assert "heron" in at(there, "search", "mascot").out


def test_a_submodule_and_the_repository_around_it_see_nothing_of_each_other(
    tmp_path: Path, at: At
) -> None:
    lantern = make(tmp_path / "lantern")
    inner = add_submodule(lantern)
    at(lantern, "remember", OWN)
    at(inner, "remember", OTHERS)
    for folder, own, other in ((lantern, "heron", "otter"), (inner, "otter", "heron")):
        found = at(folder, "search", "mascot").out
        assert (own in found, other in found) == (True, False)


def test_what_is_said_in_a_folder_without_git_is_seen_from_everywhere(
    tmp_path: Path, at: At
) -> None:
    plain, lantern = tmp_path / "plain", make(tmp_path / "lantern")
    plain.mkdir()
    at(plain, "remember", OWN)
    at(lantern, "remember", OTHERS)
    assert "heron" in at(lantern, "search", "mascot").out
    found = at(plain, "search", "mascot").out
    assert ("heron" in found, "otter" in found) == (True, False)


@pytest.mark.parametrize("is_used", [False, True], ids=["new there", "remembers there"])
def test_an_export_meets_its_project_on_another_machine_by_the_command_that_a_search_names(
    tmp_path: Path, home: Path, at: At, *, is_used: bool
) -> None:
    first = make(tmp_path / "ann" / "lantern")
    shop = make(tmp_path / "ann" / "shop")
    at(first, "remember", OWN)
    at(shop, "remember", OTHERS)
    at(first, "export", str(tmp_path / "all.jsonl"))
    shutil.rmtree(home)
    shutil.rmtree(tmp_path / "ann")
    there = make(tmp_path / "lin" / "lantern")
    if is_used:
        at(there, "remember", "The port of this repo is 4711")
    at(there, "import", str(tmp_path / "all.jsonl"))
    missed = at(there, "search", "what is the mascot").out
    assert "heron" not in missed
    verb = "join" if is_used else "move"
    command = ["workspace", verb, str(first), str(there)]
    assert f"memoria {' '.join(command)}" in " ".join(missed.split())
    at(there, *command, "--yes")
    found = at(there, "search", "mascot").out
    assert ("heron" in found, "otter" in found) == (True, False)
    if is_used:
        assert "4711" in at(there, "search", "port").out


def test_an_export_from_the_same_path_is_seen_there_at_once(
    tmp_path: Path, home: Path, at: At
) -> None:
    lantern = make(tmp_path / "lantern")
    at(lantern, "remember", OWN)
    at(lantern, "export", str(tmp_path / "all.jsonl"))
    shutil.rmtree(home)
    shutil.rmtree(lantern)
    make(lantern)
    at(lantern, "import", str(tmp_path / "all.jsonl"))
    assert "heron" in at(lantern, "search", "mascot").out
