"""The script that counts names and sizes sees what it is there to see."""

from pathlib import Path

import pytest
from bench.names import begins_with_participle, begins_with_relative, main


@pytest.mark.parametrize("name", ["told", "_kept_back", "sorted_hits", "_gathered", "drawn_from"])
def test_a_participle_is_known(name: str) -> None:
    assert begins_with_participle(name)


@pytest.mark.parametrize("name", ["tell", "_embed", "feed_back", "need", "is_held", "read", "put"])
def test_a_verb_or_a_statement_is_no_participle(name: str) -> None:
    assert not begins_with_participle(name)


@pytest.mark.parametrize("text", ["Whether it rains.", "What was said.", "Of two, the newer."])
def test_a_docstring_without_its_noun_is_known(text: str) -> None:
    assert begins_with_relative(text)


@pytest.mark.parametrize("text", ["Check whether it rains.", "Whatsoever: a word.", "Offer tea."])
def test_a_docstring_with_verb_or_noun_first_passes(text: str) -> None:
    assert not begins_with_relative(text)


def test_each_broken_bar_is_named_and_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    package = tmp_path / "package"
    package.mkdir()
    (package / "one.py").write_text(
        'class Twice: ...\ndef told(): "Whether it is."\n', encoding="utf-8"
    )
    (package / "two.py").write_text(
        "import package.one\n_LEFT = 1\nUSED = 2\nTWO = USED\nclass Twice: ...\nprint(TWO)\n",
        "utf-8",
    )
    (package / "long.py").write_text("def tall():\n" + "    x = 1\n" * 401, "utf-8")
    assert main(tmp_path) == 1
    said = capsys.readouterr().out
    lines = (
        "one.py:2 told",
        "Twice: ",
        "long.py 402",
        "long.py:1 tall 402",
        "one.py 2",
        "one.py:2 Whether it is.",
    )
    for line in (*lines, "two.py:2 _LEFT"):
        assert line in said
    assert "USED" not in said
