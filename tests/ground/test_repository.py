"""A repository is read as it is, and nothing of it is run, followed or waited for."""

import os
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from dulwich.objects import Blob, Commit, Tree
from tests.ground.made import Made

from memoria.ground.repository import MOST_BYTES, UnreadableRepositoryError, open_repository

LEXER = (
    "def lex(text):\n    return text.split()\n\n\ndef join(words):\n    return ' '.join(words)\n"
)


@pytest.fixture
def made(tmp_path: Path) -> Made:
    return Made(tmp_path / "checkout")


def test_a_file_is_read_from_a_commit_and_from_the_checkout(made: Made) -> None:
    first = made.commit({"src/lexer.py": "one = 1\n"})
    made.commit({"src/lexer.py": "one = 2\n"})
    (made.folder / "src" / "lexer.py").write_text("one = 3\n")
    repository = made.open()
    assert repository.read("src/lexer.py", first) == b"one = 1\n"
    assert repository.read("src/lexer.py", made.commits[-1]) == b"one = 2\n"
    assert repository.read("src/lexer.py") == b"one = 3\n"
    assert repository.read("src/parser.py", first) is None
    assert repository.read("src/parser.py") is None
    assert [*repository.list_paths(first)] == ["src/lexer.py"]


def test_a_repository_is_found_from_a_folder_within_and_not_outside(
    made: Made, tmp_path: Path
) -> None:
    made.commit({"src/deep/lexer.py": "one = 1\n"})
    found = open_repository(made.folder / "src" / "deep")
    assert found is not None
    assert found.folder == made.folder
    assert open_repository(tmp_path) is None


def test_a_worktree_has_its_own_head_and_the_objects_of_all(made: Made, tmp_path: Path) -> None:
    first = made.commit({"a.txt": "one"})
    second = made.commit({"a.txt": "two"})
    own = made.git / "worktrees" / "other"
    own.mkdir(parents=True)
    other = tmp_path / "other"
    other.mkdir()
    (own / "HEAD").write_text(f"{first}\n")
    (own / "commondir").write_text("../..\n")
    (own / "gitdir").write_text(f"{other / '.git'}\n")
    (other / ".git").write_text(f"gitdir: {own}\n")
    found = open_repository(other)
    assert found is not None
    assert found.find_head() == first
    assert made.open().find_head() == second
    assert found.read("a.txt", second) == b"two"


def test_a_packed_branch_is_found(made: Made) -> None:
    first = made.commit({"a.txt": "one"})
    (made.git / "refs" / "heads" / "master").unlink()
    (made.git / "packed-refs").write_text(f"# pack-refs with: peeled\n{first} refs/heads/master\n")
    assert made.open().find_head() == first


def test_there_is_no_head_before_the_first_commit(made: Made) -> None:
    repository = made.open()
    assert repository.find_head() is None
    assert repository.find_commit(2_000_000_000_000) is None


def test_the_commit_at_a_time_is_the_newest_that_is_not_later(made: Made) -> None:
    names = [made.commit({"a.txt": str(number)}) for number in range(3)]
    repository = made.open()
    day = 86_400_000
    began = 1_700_000_000_000
    assert repository.find_commit(began + day) == names[1]
    assert repository.find_commit(began + day - 1) == names[0]
    assert repository.find_commit(began - 1) is None


def test_commits_that_changed_a_file_are_counted_and_its_renames_followed(made: Made) -> None:
    first = made.commit({"src/lexer.py": LEXER, "b.txt": "b"})
    made.commit({"src/lexer.py": LEXER, "b.txt": "c"})
    made.commit({"lib/tokens.py": LEXER, "b.txt": "c"})
    made.commit({"lib/tokens.py": LEXER + "\nend = 1\n", "b.txt": "c"})
    changes = made.open().find_changes("src/lexer.py", first)
    assert (changes.commits, changes.path, changes.is_complete) == (2, "lib/tokens.py", True)


def test_a_deleted_file_is_nowhere_and_one_that_came_back_is_where_it_was(made: Made) -> None:
    first = made.commit({"a.py": LEXER, "b.py": "b = 1\n"})
    made.commit({"b.py": "b = 1\n"})
    assert made.open().find_changes("a.py", first).path is None
    made.commit({"a.py": LEXER, "b.py": "b = 1\n"})
    changes = made.open().find_changes("a.py", first)
    assert (changes.commits, changes.path) == (2, "a.py")


def test_files_that_head_has_otherwise_are_listed(made: Made) -> None:
    first = made.commit({"a.py": "a", "b.py": "b", "c/d.py": "d"})
    made.commit({"a.py": "a", "c/d.py": "e", "new.py": "n"})
    repository = made.open()
    assert sorted(repository.list_changed(first)) == ["b.py", "c/d.py", "new.py"]
    assert repository.list_changed(made.commits[-1]) == []


def _make_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


@pytest.mark.parametrize("name", ["HEAD", "refs/heads/master"])
def test_a_pipe_in_the_place_of_a_reference_is_not_waited_for(made: Made, name: str) -> None:
    made.commit({"a.txt": "one"})
    _make_pipe(made.git / name)
    opened = open_repository(made.folder)
    assert opened is None or opened.find_head() is None


def test_a_pipe_in_the_place_of_an_object_is_not_waited_for(made: Made) -> None:
    first = made.commit({"a.txt": "one"})
    _make_pipe(made.find_object(first))
    with pytest.raises(UnreadableRepositoryError):
        made.open().read("a.txt", first)


@pytest.mark.parametrize("name", ["pack-1.pack", "other.idx"])
def test_a_pipe_in_the_place_of_a_pack_is_not_waited_for(made: Made, name: str) -> None:
    first = made.commit({"a.txt": "one"})
    os.mkfifo(made.git / "objects" / "pack" / name)
    made.find_object(first).unlink()
    with pytest.raises(UnreadableRepositoryError):
        made.open().read("a.txt", first)


def test_a_pipe_among_the_files_is_not_waited_for(made: Made) -> None:
    made.commit({"a.txt": "one"})
    _make_pipe(made.folder / "a.txt")
    assert made.open().read("a.txt") is None


def test_a_link_out_of_the_checkout_is_not_followed(made: Made, tmp_path: Path) -> None:
    made.commit({"a.txt": "one", "b.txt": "two"})
    (tmp_path / "secret.txt").write_text("secret")
    (made.folder / "a.txt").unlink()
    (made.folder / "a.txt").symlink_to(tmp_path / "secret.txt")
    (made.folder / "out").symlink_to(tmp_path)
    (made.folder / "within.txt").symlink_to("b.txt")
    repository = made.open()
    assert repository.read("a.txt") is None
    assert repository.read("out/secret.txt") is None
    assert repository.read("../secret.txt") is None
    assert repository.read("within.txt") == b"two"


def test_objects_that_another_repository_lends_are_not_read(made: Made, tmp_path: Path) -> None:
    lender = Made(tmp_path / "lender")
    lent = lender.commit({"secret.txt": "secret"})
    alternates = made.git / "objects" / "info" / "alternates"
    alternates.parent.mkdir(exist_ok=True)
    alternates.write_text(f"{lender.git / 'objects'}\n")
    made.commit({"a.txt": "one"})
    with pytest.raises(UnreadableRepositoryError):
        made.open().read("secret.txt", lent)


def test_a_file_larger_than_any_that_is_written_is_not_read(made: Made) -> None:
    first = made.commit({"a.txt": b"x" * (MOST_BYTES + 1)})
    repository = made.open()
    assert repository.read("a.txt", first) is None
    assert repository.read("a.txt") is None


def test_an_object_that_swells_without_end_is_refused(made: Made) -> None:
    first = made.commit({"a.txt": "one"})
    size = 65 << 20
    blob = made.find_object(Blob.from_string(b"one").id.decode())
    blob.chmod(0o600)
    blob.write_bytes(zlib.compress(b"blob %d\0" % size + b"x" * size))
    with pytest.raises(UnreadableRepositoryError):
        made.open().read("a.txt", first)


def _cut(path: Path) -> None:
    path.chmod(0o600)
    path.write_bytes(path.read_bytes()[:10])


@pytest.mark.parametrize("damage", [Path.unlink, _cut])
def test_missing_and_damaged_objects_are_told_as_such(
    made: Made, damage: Callable[[Path], None]
) -> None:
    first = made.commit({"src/a.txt": "one", "b.txt": "two"})
    second = made.commit({"src/a.txt": "two", "b.txt": "two"})
    commit = made.repo[first.encode()]
    assert isinstance(commit, Commit)
    tree = made.repo[commit.tree]
    assert isinstance(tree, Tree)
    damage(made.find_object(tree[b"src"][1].decode()))
    repository = made.open()
    with pytest.raises(UnreadableRepositoryError):
        repository.read("src/a.txt", first)
    with pytest.raises(UnreadableRepositoryError):
        repository.find_changes("src/a.txt", first)
    assert repository.read("src/a.txt", second) == b"two"


def test_a_commit_that_is_none_is_told_as_such(made: Made) -> None:
    made.commit({"a.txt": "one"})
    blob = Blob.from_string(b"one").id.decode()
    repository = made.open()
    for name in (blob, "0" * 40, "master", "../../etc/passwd"):
        with pytest.raises(UnreadableRepositoryError):
            repository.read("a.txt", name)


def test_nothing_that_a_configuration_names_is_run(made: Made, tmp_path: Path) -> None:
    witness = tmp_path / "ran"
    command = f"touch {witness}"
    (made.git / "config").write_text(
        "[core]\n"
        f'\tfsmonitor = "{command}"\n\thooksPath = {made.git / "hooks"}\n\tpager = "{command}"\n'
        f'\tsshCommand = "{command}"\n[alias]\n\tlog = "!{command}"\n'
        f'[filter "x"]\n\tsmudge = "{command}"\n\tclean = "{command}"\n\trequired = true\n'
        f'[diff "x"]\n\ttextconv = "{command}"\n\tcommand = "{command}"\n'
        '[remote "origin"]\n\turl = "ext::sh -c touch% ran"\n\tpromisor = true\n'
        "[extensions]\n\tpartialClone = origin\n"
    )
    hooks = made.git / "hooks"
    hooks.mkdir(exist_ok=True)
    for name in ("post-checkout", "pre-auto-gc", "post-index-change", "reference-transaction"):
        (hooks / name).write_text(f"#!/bin/sh\n{command}\n")
        (hooks / name).chmod(0o755)
    first = made.commit({".gitattributes": "* filter=x diff=x\n", "a.py": LEXER})
    made.commit({".gitattributes": "* filter=x diff=x\n", "b.py": LEXER})
    repository = made.open()
    assert repository.read("a.py", first) == LEXER.encode()
    assert repository.find_changes("a.py", first).path == "b.py"
    with pytest.raises(UnreadableRepositoryError):
        repository.read("a.py", "1" * 40)
    assert not witness.exists()


def test_longer_hashes_and_tables_of_references_are_refused(made: Made) -> None:
    made.commit({"a.txt": "one"})
    (made.git / "refs" / "heads" / "master").write_text("a" * 64 + "\n")
    assert made.open().find_head() is None
    (made.git / "HEAD").write_text("ref: refs/heads/.invalid\n")
    assert made.open().find_head() is None


@pytest.mark.parametrize(
    "told", ["ref: ../../outside\n", "ref: refs/../../outside\n", "ref: HEAD\n", "ref: /x\n", ""]
)
def test_a_reference_leads_nowhere_but_to_references(made: Made, tmp_path: Path, told: str) -> None:
    first = made.commit({"a.txt": "one"})
    (tmp_path / "outside").write_text(first)
    (made.git / "outside").write_text(first)
    (made.git / "HEAD").write_text(told)
    assert made.open().find_head() is None
