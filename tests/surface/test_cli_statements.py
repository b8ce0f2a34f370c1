"""What a person knows of a statement, on the command line: given, shown, searched by, replaced."""

import re

import pytest
from tests.surface.shell import Shell


def test_a_statement_has_its_end_subject_task_and_entities_from_the_command_line(
    shell: Shell,
) -> None:
    there = Shell(shell.home, {"MEMORIA_TIME_ZONE": "Asia/Shanghai"})
    kept = there.json(
        "remember", "Priya keeps the staging keys", "--until", "2060-06-30",
        "--subject", "Priya Nair", "--entity", "Priya Nair", "--entity", "Rotterdam",
        "--task", "move staging",
    )  # fmt: skip
    assert kept["task"] == "move staging"
    assert kept["expires_at"] == "2060-07-01T00:00:00+08:00"
    shown = shell("show", kept["id"]).out
    for text in ("priya nair", "move staging", "Rotterdam", "importance 0.50, confidence 0.90"):
        assert text in shown
    shell.json(
        "remember", "Anna keeps the staging keys of the parser", "--task", "write the parser"
    )
    found = shell.json("search", "who keeps the staging keys", "--task", "move staging")
    assert [hit["id"] for hit in found["hits"]] == [kept["id"]]
    assert "other tasks" in shell("search", "staging keys", "--task", "move staging").out


def test_an_end_within_a_day_is_a_moment_on_the_clock_of_the_terminal(shell: Shell) -> None:
    for zone, shift in (("UTC", "UTC"), ("Asia/Shanghai", r"\+08:00")):
        there = Shell(shell.home, {"MEMORIA_TIME_ZONE": zone})
        told = there("remember", f"The dock of {zone} is closed", "--until", "session").out
        assert re.search(rf"^    until \d{{4}}-\d\d-\d\d \d\d:\d\d {shift}$", told, re.MULTILINE)


def test_a_statement_replaces_the_memory_that_is_named_and_a_correction_takes_an_end(
    shell: Shell,
) -> None:
    old = shell.json("remember", "Priya keeps the staging keys", "--until", "30d")
    new = shell("remember", "Tom has had them since", "--supersedes", old["id"])
    assert f"replaces: {'Priya keeps the staging keys'}" in new.out
    assert "--supersedes" not in new.err
    revised = shell.json("revise", old["id"], "correct", "Tom has the keys", "--until", "7d")
    assert revised["text"] == "Tom has the keys"
    assert "expires" in shell("show", old["id"]).out
    refused = shell("remember", "Nobody has them", "--until", "when pigs fly")
    assert refused.code == 1
    assert "2026-06-30" in refused.err


def test_the_package_for_a_prompt_is_shown_with_the_last_turns(shell: Shell) -> None:
    shell.json("remember", "用户对花生过敏")
    package = shell.json("context", "花生", "--max-tokens", "400", "--short-term-turns", "3")
    assert "花生" in package["recall"]
    assert package["tokens"] <= 400
    assert shell("context", "花生").out.startswith("<memoria>")


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("记住：我的工位在 3 楼", "我的工位在 3 楼"),
        ("remember that the oar is red", "the oar is red"),
        ("Remember Tom, who rows", "Remember Tom, who rows"),
        ("记住这一点", "记住这一点"),
    ],
)
def test_a_request_to_remember_is_the_command_and_no_part_of_what_is_kept(
    shell: Shell, typed: str, kept: str
) -> None:
    shell("remember", typed)
    assert [one["text"] for one in shell.json("list")["memories"]] == [kept]
