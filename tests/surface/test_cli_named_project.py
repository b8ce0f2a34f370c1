"""A project is named by its name or by its folder's, and a misspelt one is said to be none."""

import json
from pathlib import Path

import pytest
from tests.surface.shell import Shell

SHOP = "The canary of this project runs on port 9000"


@pytest.fixture
def shell(home: Path) -> Shell:
    shell = Shell(home, {"MEMORIA_WORKSPACE": "none"}).begin()
    shell("--workspace", "/src/shop", "remember", SHOP, "--scope", "project")
    shell("--workspace", "/src/blog", "remember", "The blog is on paper", "--scope", "project")
    return shell


def names(shell: Shell) -> list[str]:
    return [one["name"] for one in shell.json("workspace", "list")["projects"]]


def test_a_project_is_named_by_its_folder_where_only_one_is_called_so(shell: Shell) -> None:
    for line in (("--workspace", "shop", "list"), ("list", "--workspace", "shop")):
        listed = shell(*line)
        assert (SHOP in listed.out, listed.err) == (True, "")
    assert SHOP in shell("--workspace", "shop", "search", "canary").out
    assert SHOP in shell("search", "canary", "--workspace", "shop").out
    shell("--workspace", "shop", "remember", "The shop is red", "--scope", "project")
    assert names(shell) == ["/src/blog", "/src/shop"]
    shell("--workspace", "/old/shop", "remember", "The shop is old", "--scope", "project")
    refused = shell("--workspace", "shop", "list")
    assert refused.code == 1
    assert "2 projects are in folders called shop: /old/shop, /src/shop." in refused.err


def test_a_misspelt_project_is_told_and_only_what_is_kept_makes_one(
    shell: Shell, tmp_path: Path
) -> None:
    note = "note: no project is called shpo yet."
    near = "Did you mean shop? See: memoria workspace list\n"
    for line in (("--workspace", "shpo", "list"), ("list", "--workspace", "shpo")):
        assert shell(*line).err == f"{note} {near}"
    assert names(shell) == ["/src/blog", "/src/shop"]
    kept = shell("--workspace", "shpo", "remember", "The oar is red", "--scope", "project")
    assert kept.err == f"{note} It begins with this. {near}"
    assert shell("--workspace", "shpo", "list").err == ""
    chat = tmp_path / "chat.jsonl"
    chat.write_text(json.dumps({"role": "user", "content": "Hello", "session_id": "s"}), "utf-8")
    shell("--workspace", "shop", "import", chat)
    assert names(shell) == ["/src/blog", "/src/shop", "shpo"]


def test_the_first_project_of_a_home_is_named_without_a_word(home: Path) -> None:
    first = Shell(home)("--workspace", "shop", "remember", "The oar is red")
    assert (first.code, first.err) == (0, "")
