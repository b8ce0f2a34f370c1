"""`memoria import git`: a repository's history becomes what its project remembers."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.connectors.sources.repositories import BO, MAIN, ROBOT, Workshop
from tests.surface.shell import Shell


@pytest.fixture
def shell(home: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.delenv("MEMORIA_WORKSPACE", raising=False)
    return Shell(home).begin()


@pytest.fixture
def workshop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workshop]:
    """A repository with a short history, and the current folder in it."""
    made = Workshop(tmp_path / "lexer")
    made.commit("Begin with a lexer of regular expressions", {"src/lexer.rs": "1"})
    threads = made.commit(
        "Lex in two threads\n\nIt halves the time on large files.", {"src/lexer.rs": "2"}, by=BO
    )
    made.commit(
        f'Revert "Lex in two threads"\n\nThis reverts commit {threads}.\n\n'
        "The last token was lost when both threads finished at once.",
        {"src/lexer.rs": "1"},
    )
    made.commit("Bump serde from 1.0.1 to 1.0.2", {"Cargo.lock": "2"}, by=ROBOT)
    made.commit(
        "Decide on the cache",
        {
            "docs/adr/0001-cache.md": "# 1. Cache tokens in memory\n\nStatus: accepted\n\n"
            "## Decision\n\nTokens are cached in memory, since the disk was slower.\n",
            "CHANGELOG.md": "## 0.1.0\n\n- Reads nested comments\n",
        },
    )
    monkeypatch.chdir(made.folder)
    with closing(made.repo):
        yield made


def found(shell: Shell, *words: str) -> list[Any]:
    hits: list[Any] = shell.json("traces", *words)["hits"]
    return hits


def test_why_something_was_reverted_is_found(shell: Shell, workshop: Workshop) -> None:
    done = shell("import", "git", "--no-wait")
    assert done.code == 0, done.err
    assert f"{workshop.folder} alone: 7 turns" in " ".join(done.out.split())
    best = found(shell, "why was lexing in two threads reverted?")[0]
    assert "The last token was lost when both threads finished at once." in best["text"]


def test_who_changed_a_file_is_found(shell: Shell, workshop: Workshop) -> None:
    shell("import", "git", workshop.folder, "--no-wait")
    hits = found(shell, "who changed src/lexer.rs?")
    assert {hit["source"]["speaker"] for hit in hits[:3]} == {"Ada Byron", "林岚"}


@pytest.mark.usefixtures("workshop")
def test_what_was_decided_is_found_with_its_status(shell: Shell) -> None:
    shell("import", "git", "--no-wait")
    best = found(shell, "where are tokens cached?")[0]
    assert "the disk was slower" in best["text"]
    assert "status: accepted" in shell.json("show", best["id"])["text"]


def test_a_history_is_read_once_and_goes_on_where_it_stopped(
    shell: Shell, workshop: Workshop
) -> None:
    first = shell.json("import", "git", "--no-wait")
    assert (first["recorded"], first["made"], first["memories"]) == (7, 0, {})
    again = shell.json("import", "git", "--no-wait")
    assert (again["recorded"], again["already_recorded"], again["new_versions"]) == (0, 7, 0)
    workshop.commit("Read strings over several lines", {"src/lexer.rs": "3"})
    later = shell.json("import", "git", "--no-wait")
    assert (later["recorded"], later["already_recorded"]) == (1, 7)


def test_a_moved_repository_is_known_again(
    shell: Shell, workshop: Workshop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell("import", "git", "--no-wait")
    monkeypatch.chdir(tmp_path)
    moved = workshop.folder.rename(tmp_path / "elsewhere")
    again = shell.json("import", "git", moved, "--no-wait")
    assert (again["recorded"], again["already_recorded"]) == (0, 7)


def test_a_changed_decision_gets_a_new_wording(shell: Shell, workshop: Workshop) -> None:
    shell("import", "git", "--no-wait")
    workshop.commit(
        "Withdraw",
        {"docs/adr/0001-cache.md": "# 1. Cache tokens in memory\n\nStatus: superseded by 2\n"},
    )
    later = shell.json("import", "git", "--no-wait")
    assert (later["recorded"], later["new_versions"]) == (1, 1)
    assert "status: superseded by 2" in str(found(shell, "cache tokens in memory status"))


@pytest.mark.usefixtures("workshop")
def test_what_was_forgotten_stays_away_when_imported_again(shell: Shell) -> None:
    shell("import", "git", "--no-wait")
    turn = found(shell, "two threads halves the time on large files")[0]
    done = shell("forget", turn["id"], "--include-source", "--yes")
    assert done.code == 0, done.err
    assert "halves" not in str(found(shell, "halves the time on large files"))
    again = shell.json("import", "git", "--no-wait")
    assert again["recorded"] == 0
    assert "halves" not in str(found(shell, "halves the time on large files"))


def test_a_secret_in_a_message_is_not_kept(shell: Shell, workshop: Workshop) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6" * 3
    workshop.commit(f"Use the token {secret} for uploads", {"src/up.rs": "1"})
    done = shell.json("import", "git", "--no-wait")
    assert sum(done["redactions"].values()) == 1
    assert secret not in str(found(shell, "token for uploads"))


def test_nobody_is_taken_for_the_user(shell: Shell, workshop: Workshop) -> None:
    workshop.commit("Remember that I'm allergic to nuts", {"a": "1"})
    done = shell.json("import", "git", "--no-wait")
    assert done["made"] == 0
    assert shell.json("list")["memories"] == []


@pytest.mark.usefixtures("workshop")
def test_a_dry_run_counts_and_writes_nothing(shell: Shell) -> None:
    counted = shell.json("import", "git", "--dry-run")["sources"]
    assert [(one["source"], one["turns"], one["conversations"]) for one in counted] == [
        ("git", 7, 3)
    ]
    assert found(shell, "lexer") == []


@pytest.mark.usefixtures("workshop")
def test_all_brings_in_no_repository(shell: Shell) -> None:
    counted = shell.json("import", "--all", "--dry-run")
    assert "git" not in str(counted["sources"])
    assert "git" not in counted["not_found"]


def test_a_folder_called_git_is_imported_as_a_folder(shell: Shell, workshop: Workshop) -> None:
    notes = workshop.folder / "git"
    notes.mkdir()
    (notes / "tent.md").write_text("# Tent\n\nThe tent leaks over the door.\n", "utf-8")
    done = shell.json("import", "git", "--no-wait")
    assert (done["sources"], done["recorded"]) == (["notes"], 1)


def test_what_a_shallow_clone_lacks_is_said_and_the_rest_comes_in(
    shell: Shell, workshop: Workshop
) -> None:
    lost = workshop.repo.refs.as_dict()[MAIN]
    workshop.commit("Go on", {"b": "1"})
    workshop.lose(lost.decode())
    done = shell("import", "git", "--no-wait")
    assert done.code == 3
    assert "Run git fetch --unshallow" in " ".join(done.out.split())
    assert found(shell, "go on")[0]["text"].startswith("Go on")


def test_outside_of_a_repository_it_is_said_what_to_name(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = shell("import", "git")
    assert done.code != 0
    assert "Name a folder that is in one: memoria import git FOLDER" in " ".join(done.err.split())
