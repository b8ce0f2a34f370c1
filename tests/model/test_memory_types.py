"""The table of memory types is the only place that lists types."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import memoria
from memoria.model.memory_types import (
    ARCHIVED_FIRST,
    MEMORY_TYPES,
    PROPOSABLE_TYPES,
    STATABLE_TYPES,
    MemoryType,
)
from memoria.model.operation import Add
from memoria.policy.core import GROUPS

SOURCES = Path(memoria.__file__).parent
TABLE = SOURCES / "model" / "memory_types.py"
NAMES = {one.value for one in MemoryType}
DECIDES = {
    "policy/core.py",  # the headings, each with the type of a line that the user adds below it
    "language/statements/classifier.py",  # what its weights tell apart, in their order
}
"""Files that may name several types in one expression, because they decide something about each."""
_LEAST = 2


def lists_of_types(tree: ast.Module) -> Iterator[int]:
    """Lines with a list, set, tuple, mapping or Literal that names two types or more."""
    for node in ast.walk(tree):
        match node:
            case ast.List(elts=parts) | ast.Set(elts=parts) | ast.Tuple(elts=parts):
                named = parts
            case ast.Dict(keys=keys):
                named = [key for key in keys if key is not None]
            case _:
                continue
        types = {name for part in named if (name := named_type(part)) is not None}
        if len(types) >= _LEAST:
            yield node.lineno


def named_type(node: ast.expr) -> str | None:
    match node:
        case ast.Attribute(value=ast.Name(id="MemoryType"), attr=name):
            return name
        case ast.Constant(value=str(name)) if name in NAMES - {"error"}:
            return name
        case _:
            return None


def test_every_type_has_its_row() -> None:
    missing = set(MemoryType) - MEMORY_TYPES.keys()
    assert not missing, f"model/memory_types.py: MEMORY_TYPES has no row for {missing}"
    assert list(MEMORY_TYPES) == list(MemoryType), (
        "model/memory_types.py: members and rows are in one order"
    )


def test_no_other_file_lists_types() -> None:
    for file in sorted(SOURCES.rglob("*.py")):
        name = file.relative_to(SOURCES).as_posix()
        if file == TABLE or name in DECIDES:
            continue
        text = file.read_text("utf-8")
        if sum(each in text or each.upper() in text for each in NAMES) < _LEAST:
            continue
        lines = list(lists_of_types(ast.parse(text)))
        assert not lines, f"{name}, line {lines}: lists types; take a list of {TABLE.name}"


def test_no_sql_statement_names_a_type() -> None:
    named = re.compile(rf"\btype\b[^;\n]*'({'|'.join(NAMES)})'")
    for file in sorted(SOURCES.glob("**/sql*/*.sql")):
        for number, line in enumerate(file.read_text("utf-8").splitlines(), 1):
            assert not named.search(line), (
                f"{file.name}, line {number}: names a type; use a list of SQL_TYPE_LISTS in "
                f"{TABLE.name}"
            )


def test_what_is_derived_is_neither_stated_nor_proposed_and_says_what_to_do_instead() -> None:
    for kind, row in MEMORY_TYPES.items():
        derived = row.origin != "statement"
        assert (kind in STATABLE_TYPES) is not derived
        assert not (derived and kind in PROPOSABLE_TYPES)
        assert bool(row.instead) is derived, f"{TABLE.name}: `instead` is for derived types"


def test_a_model_is_told_the_types_that_it_may_propose_and_no_others() -> None:
    told = Add.model_json_schema()["properties"]["type"]["enum"]
    assert told == [one.value for one in PROPOSABLE_TYPES]


def test_every_heading_of_the_table_is_one_of_the_core_files() -> None:
    headings = {group.heading for group in GROUPS}
    for kind, row in MEMORY_TYPES.items():
        assert row.core_heading is None or row.core_heading in headings, (
            f"{TABLE.name}: the core files have no heading {row.core_heading!r} for {kind}"
        )


def test_the_first_to_be_archived_are_in_a_certain_order() -> None:
    order = [MEMORY_TYPES[one].archive_order for one in ARCHIVED_FIRST]
    assert order == list(range(len(order))), f"{TABLE.name}: archive_order counts from 0"


def test_the_glossary_names_every_type() -> None:
    glossary = (SOURCES.parents[1] / "docs" / "glossary.md").read_text("utf-8")
    (row,) = [line for line in glossary.splitlines() if line.startswith("| memory type |")]
    for kind in MemoryType:
        name = kind.value.replace("_", " ")
        assert name in row, f"docs/glossary.md does not name the type {name}"
