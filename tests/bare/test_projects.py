"""A project is known again after it was moved, by nothing that anybody could have made up."""

import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path

import pytest

from memoria.bare.project_registry import (
    ID_FILE,
    MOST_PROJECTS,
    REGISTRY,
    Project,
    RegistryError,
    change_projects,
    new_id,
    read_projects,
)
from memoria.bare.projects import find_project, note_project, project_of

GIT = shutil.which("git")
pytestmark = pytest.mark.skipif(GIT is None, reason="git is not installed")
needs_links = pytest.mark.skipif(sys.platform == "win32", reason="Windows asks for a privilege")


def git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=n", "-c", "user.email=e", "-c", "protocol.file.allow=always")
    subprocess.run(  # noqa: S603
        [str(GIT), *identity, *arguments], cwd=folder, check=True, capture_output=True
    )


def make(folder: Path, *, about: str = "", remote: str = "", commits: bool = True) -> Path:
    folder.mkdir(parents=True)
    git(folder, "init", "-q")
    if commits:
        (folder / "name").write_text(about or folder.name)
        git(folder, "add", ".")
        git(folder, "commit", "-q", "-m", folder.name)
    if remote:
        git(folder, "remote", "add", "origin", remote)
    return folder


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path.resolve()


@pytest.fixture
def known(place: Path) -> Callable[[Path], str | None]:
    """The name under which the home knows a folder."""
    (place / "home").mkdir()
    return lambda folder: find_project(str(place / "home"), folder)


Known = Callable[[Path], str | None]


def news(place: Path, name: Path | str) -> list[str]:
    projects = read_projects(str(place / "home")).values()
    (project,) = [one for one in projects if one.name == str(name)]
    return project.news


@pytest.mark.parametrize("commits", [True, False])
def test_a_project_that_was_moved_keeps_its_name_wherever_it_goes(
    place: Path, known: Known, commits: bool
) -> None:
    lantern = make(place / "lantern", commits=commits)
    assert known(lantern) == str(lantern)
    moved = lantern.rename(place / "lantern v2")
    (moved / "deep").mkdir()
    assert known(moved / "deep") == str(lantern)
    assert news(place, lantern) == ["moved", str(lantern)]
    (place / "far").mkdir()
    far = Path(shutil.move(moved, place / "far"))
    assert known(far) == str(lantern)
    assert known(far.rename(lantern)) == str(lantern)


def test_every_project_in_a_folder_that_was_moved_is_known_again(place: Path, known: Known) -> None:
    outer = make(place / "work" / "outer")
    git(outer, "submodule", "--quiet", "add", str(make(place / "inner")), "inner")
    names = [known(outer), known(outer / "inner")]
    assert len({*names}) == 2
    moved = (place / "work").rename(place / "job") / "outer"
    assert [known(moved), known(moved / "inner")] == names


def test_worktrees_of_a_project_that_was_moved_are_it_once_git_has_repaired_them(
    place: Path, known: Known
) -> None:
    lantern = make(place / "lantern")
    git(lantern, "worktree", "add", "-q", str(place / "second"))
    assert known(place / "second") == str(lantern)
    moved = lantern.rename(place / "v2")
    assert known(moved) == str(lantern)
    assert known(place / "second") == str(place / "second")
    git(moved, "worktree", "repair", str(place / "second"))
    assert known(place / "second") == str(lantern)


def test_a_bare_repository_is_known_again(place: Path, known: Known) -> None:
    git(place, "clone", "-q", "--bare", str(make(place / "lantern")), str(place / "bare.git"))
    git(place / "bare.git", "worktree", "add", "-q", str(place / "one"))
    assert known(place / "one") == str(place / "bare.git")
    (place / "bare.git").rename(place / "b.git")
    git(place / "b.git", "worktree", "repair", str(place / "one"))
    assert known(place / "one") == str(place / "bare.git")


def test_a_copy_is_a_project_of_its_own_and_stays_one_wherever_both_go(
    place: Path, known: Known
) -> None:
    lantern = make(place / "lantern")
    known(lantern)
    copy = Path(shutil.copytree(lantern, place / "copy"))
    assert known(copy) == str(copy)
    assert news(place, copy) == ["copy", str(lantern)]
    lantern.rename(place / "lantern v2")
    assert known(copy.rename(place / "lantern")) == str(copy)
    assert known(place / "lantern v2") == str(lantern)


@pytest.mark.parametrize("is_seen_first", [True, False])
def test_another_project_where_one_was_shares_nothing_with_it(
    place: Path, known: Known, is_seen_first: bool
) -> None:
    lantern = make(place / "lantern")
    known(lantern)
    moved = lantern.rename(place / "v2")
    make(lantern, about="another")
    order = [lantern, moved] if is_seen_first else [moved, lantern]
    names = {folder: known(folder) for folder in order}
    assert names == {moved: str(lantern), lantern: f"{lantern} (2)"}
    assert news(place, lantern) == ["moved", str(lantern)]
    assert news(place, f"{lantern} (2)") == (["replaced", str(lantern)] if is_seen_first else [])
    note_project(str(place / "home"), lantern)
    assert {one.name: one.place for one in read_projects(str(place / "home")).values()} == {
        str(lantern): str(moved),
        f"{lantern} (2)": str(lantern),
    }
    assert known(lantern.rename(place / "third")) == f"{lantern} (2)"


def test_a_project_cloned_again_where_it_was_is_the_same(place: Path, known: Known) -> None:
    lantern = make(place / "lantern", remote="https://ann:secret@Example.org/ann/lantern.git")
    known(lantern)
    assert b"secret" not in (place / "home" / REGISTRY).read_bytes()
    shutil.rmtree(lantern)
    make(lantern, about="a later state", remote="git@example.org:ann/lantern")
    assert known(lantern) == str(lantern)
    assert known(lantern.rename(place / "v2")) == str(lantern)


def test_a_project_whose_id_was_lost_is_known_by_its_first_commit(
    place: Path, known: Known
) -> None:
    lantern = make(place / "lantern")
    note_project(str(place / "home"), lantern)
    git(lantern, "commit", "-q", "--allow-empty", "-m", "more")
    shutil.rmtree(lantern / ".git" / "logs")
    (lantern / ".git" / ID_FILE).unlink()
    assert known(lantern) == str(lantern)
    assert known(lantern.rename(place / "v2")) == str(lantern)


@pytest.mark.parametrize("way", ["of its folder", "of its remote", "fork", "fork in a pack"])
def test_another_clone_or_fork_of_a_project_is_one_of_its_own_and_there_is_something_to_tell(
    place: Path, way: str
) -> None:
    home, url = str(place / "home"), "https://example.org/ann/lantern"
    Path(home).mkdir()
    lantern, second = make(place / "lantern", remote=url), place / "second"
    note_project(home, lantern)
    git(place, "clone", "-q", "--no-local", str(lantern), str(second))
    if way != "of its folder":
        remote = f"{url}.git/" if way == "of its remote" else "https://example.org/lin/lantern"
        git(second, "remote", "set-url", "origin", remote)
    for n in range(30 if "fork" in way else 0):
        git(second, "commit", "-q", "--allow-empty", "-m", f"{n}")
    if way == "fork in a pack":
        git(second, "gc", "-q")
    assert note_project(home, second) == str(second)
    assert news(place, second) == ["clone", str(lantern)]
    assert news(place, lantern) == []
    note_project(home, make(place / "third"))
    assert news(place, place / "third") == []


def test_a_project_whose_remote_was_renamed_is_still_met_by_its_clones(place: Path) -> None:
    home = str(place / "home")
    Path(home).mkdir()
    lantern = make(place / "lantern", remote="https://example.org/old")
    note_project(home, lantern)
    git(lantern, "remote", "set-url", "origin", "https://example.org/new")
    assert note_project(home, lantern) == str(lantern)
    for name in ("old", "new"):
        note_project(home, make(place / name, remote=f"ssh://git@example.org:22/{name}.git"))
        assert news(place, place / name) == ["clone", str(lantern)]


def test_a_folder_that_is_gone_is_the_project_that_was_seen_there(
    place: Path, known: Known
) -> None:
    home = str(place / "home")
    lantern = make(place / "lantern")
    known(lantern)
    known(lantern.rename(place / "v2"))
    (place / "v2").rename(place / "v3")
    assert project_of(home, str(place / "v2" / "deep")) == str(lantern)
    known(place / "v3")
    assert project_of(home, str(place / "v2" / "deep")) == str(lantern)
    assert project_of(home, str(place / "never")) == str(place / "never")
    assert project_of(home, str(place)) == "none"


@pytest.mark.parametrize("claim", ["{id}", "{id}\n{id}", "{id}\nrubbish\n"])
def test_an_id_that_this_home_never_gave_says_nothing_to_it(
    place: Path, known: Known, claim: str
) -> None:
    claim = claim.format(id=new_id())
    first, second = make(place / "first"), make(place / "second")
    for folder in (first, second):
        (folder / ".git" / ID_FILE).write_text(claim)
    assert known(first) == str(first)
    shutil.rmtree(first)
    assert known(second) == str(second)


def test_homes_beside_each_other_know_a_project_each_by_an_id_of_its_own(place: Path) -> None:
    homes = [str(place / name) for name in ("one", "two")]
    lantern = make(place / "lantern")
    for home in homes:
        Path(home).mkdir()
        find_project(home, lantern)
    moved = lantern.rename(place / "v2")
    assert [find_project(home, moved) for home in homes] == [str(lantern)] * 2
    assert len((moved / ".git" / ID_FILE).read_text().split()) == 2


@needs_links
@pytest.mark.parametrize("target", [".git", ".git/" + ID_FILE])
def test_no_id_is_read_or_written_through_a_link(place: Path, known: Known, target: str) -> None:
    lantern = make(place / "lantern")
    known(lantern)
    before = (lantern / ".git" / ID_FILE).read_bytes()
    gone = lantern.rename(place / "aside")
    unpacked = make(place / "unpacked")
    if target == ".git":
        shutil.rmtree(unpacked / ".git")
    (unpacked / target).symlink_to(gone / target)
    assert known(unpacked) == str(unpacked)
    assert (gone / ".git" / ID_FILE).read_bytes() == before
    assert known(gone) == str(lantern)


@needs_links
@pytest.mark.parametrize("kind", ["pipe", "device", "huge", "folder"])
def test_what_is_no_file_of_ids_is_neither_waited_for_nor_replaced(
    place: Path, known: Known, kind: str
) -> None:
    folder = make(place / "odd")
    file = folder / ".git" / ID_FILE
    if kind == "pipe":
        os.mkfifo(file)
    elif kind == "device":
        file.symlink_to("/dev/zero")
    elif kind == "folder":
        file.mkdir()
    else:
        with file.open("wb") as huge:
            huge.truncate(1 << 30)
    assert known(folder) == str(folder)
    if kind != "huge":
        assert not stat.S_ISREG(file.lstat().st_mode)


@pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() == 0, reason="nothing is read-only to root"
)
def test_where_nothing_can_be_written_a_project_is_its_folder(place: Path, known: Known) -> None:
    lantern = make(place / "lantern")
    for folder in (lantern / ".git", place / "home"):
        folder.chmod(0o500)
        assert known(lantern) == str(lantern)
        assert not (place / "home" / REGISTRY).exists()
        folder.chmod(0o700)
    known(lantern)
    moved = lantern.rename(place / "v2")
    (place / "home").chmod(0o500)
    assert known(moved) == str(lantern)
    (place / "home").chmod(0o700)


def test_no_home_is_made_to_note_a_project_in(place: Path) -> None:
    lantern = make(place / "lantern")
    assert find_project(str(place / "none"), lantern) == str(lantern)
    assert not (place / "none").exists()
    assert not (lantern / ".git" / ID_FILE).exists()


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        '{"v":2,"projects":{}}',
        '{"v":1,"projects":{"x":{"name":"a","place":"b"}}}',
        '{"v":1,"projects":{"0123456789abcdef0123456789abcdef":{"name":1,"place":"b"}}}',
        '{"v":1,"projects":{"0123456789abcdef0123456789abcdef":{"name":"a","place":"b","news":["x"]}}}',
    ],
)
def test_a_damaged_file_of_projects_is_left_as_it_is(
    place: Path, known: Known, content: str
) -> None:
    file = place / "home" / REGISTRY
    file.write_text(content)
    with pytest.raises(RegistryError):
        read_projects(str(place / "home"))
    lantern = make(place / "lantern")
    assert known(lantern) == str(lantern)
    assert file.read_text() == content


def test_of_too_many_projects_those_go_that_are_known_by_their_place_alone(place: Path) -> None:
    home = str(place / "home")
    Path(home).mkdir()

    def fill(projects: dict[str, Project]) -> bool:
        projects[new_id()] = Project("moved", "elsewhere")
        projects.update((new_id(), Project(f"/{n}", f"/{n}")) for n in range(MOST_PROJECTS + 5))
        return True

    assert change_projects(home, fill)
    kept = [project.name for project in read_projects(home).values()]
    assert len(kept) == MOST_PROJECTS
    assert kept[0] == "moved"
    assert kept[-1] == f"/{MOST_PROJECTS + 4}"


def test_processes_that_note_projects_at_the_same_time_lose_none(place: Path) -> None:
    home = str(place / "home")
    Path(home).mkdir()
    folders = [str(make(place / f"p{n}", commits=False)) for n in range(6)] * 2
    with get_context("spawn").Pool(4) as pool:
        names = pool.starmap(find_project, [(home, folder) for folder in sorted(folders)])
    assert names == sorted(folders)
    assert sorted(one.name for one in read_projects(home).values()) == folders[:6]


@pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() != 0, reason="only root gives files away"
)
def test_no_file_is_left_in_somebody_elses_repository(place: Path, known: Known) -> None:
    lantern = make(place / "lantern")
    os.chown(lantern / ".git", 12345, 12345)
    assert known(lantern) == str(lantern)
    assert not (lantern / ".git" / ID_FILE).exists()
    assert read_projects(str(place / "home")) == {}
