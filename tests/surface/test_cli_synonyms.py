"""Who types what another program calls a command is told what to type here."""

from pathlib import Path

import pytest
from tests.surface.shell import Shell

from memoria.surface.cli.commands import VERBS
from memoria.surface.cli.former import FORMER_VERBS
from memoria.surface.cli.synonyms import SYNONYMS


@pytest.fixture
def shell(home: Path) -> Shell:
    return Shell(home).begin()


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        (("delete", "0c70cfd1"), "There is no `memoria delete`. Type: memoria forget ID"),
        (("edit", "0c70cfd1", "new"), 'Type: memoria revise ID correct "…".'),
        (("projects",), "Type: memoria workspace list."),
        (
            ("list", "projects"),
            "no `memoria list projects`. Type: memoria workspace",
        ),
        (("version",), "Type: memoria --version."),
        (("config", "get", "tenant"), "There is no `memoria config get`. Type: memoria config"),
        (("private", "status"), "Type: memoria private."),
    ],
)
def test_a_word_of_another_program_is_answered_with_ours(
    shell: Shell, typed: tuple[str, ...], meant: str
) -> None:
    refused = shell(*typed)
    assert (refused.code, refused.out) == (2, "")
    assert meant in refused.err
    assert refused.err.count("\n") == 1


def test_no_synonym_is_a_command_and_each_names_one() -> None:
    assert not {*SYNONYMS} & {*VERBS, *FORMER_VERBS}
    named = {line.partition("memoria ")[2].split()[0].strip(",") for line in SYNONYMS.values()}
    assert named <= {*VERBS, "--version"}


def test_help_and_a_command_is_the_help_of_that_command(shell: Shell) -> None:
    assert shell("help").out == shell("--help").out
    assert shell("help", "search").out == shell("search", "--help").out
    assert shell("help", "model", "queue").out == shell("model", "queue", "--help").out


def test_new_words_in_the_place_of_an_action_are_told_where_they_belong(shell: Shell) -> None:
    told = shell.json("remember", "The oar is red")
    refused = shell("revise", told["id"], "The oar is blue")
    assert refused.code == 2
    assert 'To give a memory new words: memoria revise ID correct "…".' in refused.err


def test_a_limit_has_a_short_name_and_a_group_of_lists_lists(shell: Shell) -> None:
    for oar in ("red", "blue"):
        shell("remember", f"One oar is {oar}")
    assert len(shell.json("list", "-n", "1")["memories"]) == 1
    assert shell("workspace").out == shell("workspace", "list").out
    assert shell.json("workspace") == shell.json("workspace", "list")
    assert shell("model", "queue").out == shell("model", "queue", "list").out
    for line in (
        ("review",),
        ("nightly", "runs"),
        ("list", "sessions"),
        ("model", "queue", "list"),
    ):
        assert shell(*line, "-n", "1").code == 0


def test_half_the_name_of_a_client_is_completed(shell: Shell) -> None:
    assert "Did you mean claude-code or claude-desktop?" in shell("connect", "claude").err
    assert "Did you mean cursor?" in shell("connect", "curser").err
