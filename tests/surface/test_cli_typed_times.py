"""A moment is typed on the command line as a date or in words, wherever one is asked for."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.surface.shell import Shell

TODAY = datetime.now(UTC).date()
OLD = str(TODAY - timedelta(days=40))


@pytest.fixture
def shell(home: Path) -> Shell:
    shell = Shell(home, {"MEMORIA_TIME_ZONE": "UTC"})
    shell("remember", "The oar is red", "--since", OLD)
    shell("remember", "The tent is green", "--since", "three days ago")
    return shell


@pytest.mark.parametrize("words", ["last week", "two weeks ago", "上周", str(TODAY - timedelta(9))])
def test_words_name_the_first_moment_of_their_time(shell: Shell, words: str) -> None:
    late = [one["text"] for one in shell.json("list", "--since", words)["memories"]]
    early = [one["text"] for one in shell.json("list", "--until", words)["memories"]]
    assert (late, early) == (["The tent is green"], ["The oar is red"])
    found = shell.json("search", "tent", "--since", words)["hits"]
    assert [one["text"] for one in found] == ["The tent is green"]
    assert shell("search", "tent", "--as-of", words).code == 0
    assert shell("forget", "--since", words, "--dry-run").code == 0
    assert shell("nightly", "--since", words, "--dry-run").code == 0


def test_since_of_a_statement_is_the_day_that_is_named(shell: Shell) -> None:
    (tent,) = shell.json("list", "--since", "four days ago")["memories"]
    assert shell.json("show", tent["id"])["versions"][0]["valid_from"].startswith(
        str(TODAY - timedelta(days=3))
    )


def test_words_that_are_no_time_are_refused_as_they_were_typed(shell: Shell) -> None:
    refused = shell("list", "--since", "some day")
    assert (refused.code, "'some day' is not a date or time" in refused.err) == (1, True)
