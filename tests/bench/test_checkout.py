"""Tools that read the checkout itself see what they are to see."""

from pathlib import Path
from threading import Thread

import pytest
from bench.names import begins_with_participle, begins_with_relative, main
from bench.touched import ADDITIONS, COLUMN, MEMORY_TYPE, Addition, copy_tree, prove, run_tests
from bench.walks import Walk, Walker

from memoria.language.secrets.redact import redact


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


_CHANGES_A_ROW = pytest.mark.sqlite("changes a row of the file")


@pytest.mark.parametrize(
    "addition",
    [
        pytest.param(one, id=one.name, marks=[_CHANGES_A_ROW] if one is COLUMN else [])
        for one in ADDITIONS
    ],
)
def test_what_is_added_in_so_few_files_is_of_use_everywhere(
    addition: Addition, tmp_path: Path
) -> None:
    assert addition.files <= addition.most
    assert prove(addition, copy_tree(tmp_path)) is None


def test_a_type_without_a_row_is_told_the_place_that_was_forgotten(tmp_path: Path) -> None:
    member, _, _ = MEMORY_TYPE.edits
    problem = prove(MEMORY_TYPE, copy_tree(tmp_path), [member])
    assert "memory_types.py: MEMORY_TYPES has no row for opinion" in (problem or "")


def test_a_type_that_the_glossary_lacks_is_told_the_place_that_was_forgotten(
    tmp_path: Path,
) -> None:
    member, row, _ = MEMORY_TYPE.edits
    tree = copy_tree(tmp_path)
    for edit in (member, row):
        edit.apply(tree)
    test = "tests/model/test_memory_types.py::test_the_glossary_names_every_type"
    problem = run_tests(MEMORY_TYPE, tree, [test])
    assert "docs/glossary.md does not name the type opinion" in (problem or "")


_TEXT = "the door code is 4711 since Monday"


def test_files_and_calls_between_them_are_counted() -> None:
    walker = Walker()
    with walker.watch(), walker.count():
        redact(_TEXT)
    walk = walker.sum_up()
    assert walk.files > 1
    assert walk.files - 1 <= walk.pairs <= walk.calls


def test_what_another_thread_calls_is_counted_as_well() -> None:
    walker = Walker()
    with walker.watch():
        thread = Thread(target=redact, args=(_TEXT,))
        with walker.count():
            thread.start()
            thread.join()
    assert walker.sum_up().files > 1


def test_nothing_is_counted_outside_the_call() -> None:
    walker = Walker()
    with walker.watch():
        redact(_TEXT)
        with walker.count():
            pass
        redact(_TEXT)
    assert walker.sum_up() == Walk(0, 0, 0)
