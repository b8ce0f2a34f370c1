"""Examples in docstrings say what they show."""

import doctest
from importlib import import_module
from pathlib import Path

import pytest

import memoria

PACKAGE = Path(memoria.__file__).parent
WITH_EXAMPLES = [
    ".".join(("memoria", *file.relative_to(PACKAGE).with_suffix("").parts))
    for file in sorted(PACKAGE.rglob("*.py"))
    if ">>> " in file.read_text("utf-8")
]


@pytest.mark.parametrize("module", WITH_EXAMPLES)
def test_every_example_of_a_docstring_gives_what_it_says(module: str) -> None:
    found = doctest.DocTestFinder(exclude_empty=True).find(import_module(module))
    examples = [one for one in found if one.examples]
    runner = doctest.DocTestRunner(verbose=False)
    assert [runner.run(one).failed for one in examples] == [0] * len(examples)
    assert examples
