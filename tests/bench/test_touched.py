"""A memory type, an importer, a step, an embedder and a column are each added in few files."""

from pathlib import Path

import pytest
from bench.touched import ADDITIONS, MEMORY_TYPE, Addition, copy_tree, prove, run_tests


@pytest.mark.parametrize("addition", ADDITIONS, ids=lambda one: one.name)
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
