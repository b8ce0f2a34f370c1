"""The first commit of a repository is found in git's own files, whoever wrote them."""

import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from memoria.bare import project_facts as git_history
from memoria.bare.project_facts import find_first_commit

GIT = shutil.which("git")
pytestmark = pytest.mark.skipif(GIT is None, reason="git is not installed")


def git(folder: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=n", "-c", "user.email=e")
    done = subprocess.run(  # noqa: S603
        [str(GIT), *identity, *arguments], cwd=folder, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository of many alike commits, so that git packs them as differences."""
    folder = tmp_path_factory.mktemp("history")
    git(folder, "init", "-q")
    for n in range(60):
        git(
            folder, "commit", "-q", "--allow-empty", "-m", f"The same long message.\n{'x' * 900}{n}"
        )
    return folder


@pytest.fixture
def repository(original: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(original, tmp_path / "copy"))


def first_of(folder: Path) -> str:
    return git(folder, "rev-list", "--max-parents=0", "HEAD")


@pytest.mark.parametrize(
    "way",
    [
        (),
        ("repack", "-q", "-a", "-d", "-f", "--depth=40"),
        ("-c", "repack.useDeltaBaseOffset=false", "repack", "-q", "-a", "-d", "-f"),
        ("gc", "-q", "--aggressive"),
        ("pack-refs", "--all"),
        ("checkout", "-q", "--detach"),
    ],
)
def test_it_is_found_however_git_stores_the_commits(repository: Path, way: tuple[str, ...]) -> None:
    if way:
        git(repository, *way)
    if "repack" in way:
        pack = next((repository / ".git" / "objects" / "pack").glob("*.idx"))
        assert "chain length" in git(repository, "verify-pack", "-v", str(pack))
    assert find_first_commit(str(repository / ".git")) == first_of(repository)


def test_without_a_commit_or_without_all_of_them_there_is_none_yet(
    original: Path, tmp_path: Path
) -> None:
    git(tmp_path, "init", "-q", "empty")
    assert find_first_commit(str(tmp_path / "empty" / ".git")) is None
    git(tmp_path, "clone", "-q", "--depth=3", f"file://{original}", "shallow")
    assert find_first_commit(str(tmp_path / "shallow" / ".git")) is None
    assert find_first_commit(str(tmp_path / "nothing")) is None


def test_it_is_not_looked_for_too_far_back(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git_history, "_MOST_COMMITS", 59)
    assert find_first_commit(str(repository / ".git")) == ""
    monkeypatch.setattr(git_history, "_MOST_COMMITS", 60)
    assert find_first_commit(str(repository / ".git")) == first_of(repository)


def test_files_that_are_not_as_git_writes_them_name_no_other_first_commit(repository: Path) -> None:
    git(repository, "gc", "-q")
    truth, chance = first_of(repository), random.Random(7)  # noqa: S311  (nothing is secret)
    files = [one for one in (repository / ".git").rglob("*") if one.suffix in {".idx", ".pack"}]
    files += [repository / ".git" / name for name in ("HEAD", "packed-refs")]
    commits = {*git(repository, "rev-list", "HEAD").split()}
    for _ in range(60):
        file = chance.choice(files)
        whole = file.read_bytes()
        spoilt = bytearray(whole)
        for _ in range(chance.choice([1, 4, 64])):
            spoilt[chance.randrange(len(spoilt))] = chance.randrange(256)
        file.chmod(0o600)
        file.write_bytes(
            bytes(spoilt[: chance.choice([len(spoilt), chance.randrange(len(spoilt))])])
        )
        found = find_first_commit(str(repository / ".git"))
        assert found is None or found in {truth, ""} | commits
        file.write_bytes(whole)
    assert find_first_commit(str(repository / ".git")) == truth


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pipes in a folder")
@pytest.mark.parametrize("name", ["HEAD", "packed-refs", "objects/pack/x.idx"])
def test_what_is_no_file_of_git_is_not_waited_for(repository: Path, name: str) -> None:
    git(repository, "gc", "-q")
    (repository / ".git" / name).unlink(missing_ok=True)
    os.mkfifo(repository / ".git" / name)
    find_first_commit(str(repository / ".git"))


@pytest.mark.parametrize("head", ["ref: ../outside", "ref: /etc/passwd", "ref: HEAD", "x" * 40])
def test_a_reference_that_leads_elsewhere_is_not_followed(repository: Path, head: str) -> None:
    (repository / "outside").write_text("0" * 40)
    (repository / ".git" / "HEAD").write_text(head)
    assert find_first_commit(str(repository / ".git")) is None
