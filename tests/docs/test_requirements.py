"""The page of requirements: lines in their order, each with a test, a reason or what is missing."""

import re
from collections import Counter
from functools import cache
from typing import NamedTuple

from tests.docs.pages import DOCS, files_of_tests, section, slug, text_of

PAGE = DOCS / "requirements.md"
STATES = ("holds", "measured", "departs", "**open**")
FIGURES = {"benchmarks.md", "scale.md"}
"""Pages that what is measured may lead to."""
_LINK = re.compile(r"\(\[[^\]]+\]\(([^)\s]+)\)\)")
_TEST = re.compile(r"`(tests/[^`]+)`")


class Requirement(NamedTuple):
    """A line of the page."""

    document: str
    number: int
    wish: str
    state: str
    proof: str


@cache
def read_requirements() -> tuple[Requirement, ...]:
    """Read every line of the tables behind the head."""
    tables = text_of(PAGE).partition("\n## 000 ")[2]
    lines = re.findall(r"^\|(?!---)(?! id \|)(.*)\|$", tables, re.MULTILINE)
    assert len(lines) > len(STATES)
    return tuple(_read_line(line) for line in lines)


def _read_line(line: str) -> Requirement:
    name, wish, state, proof = (cell.strip() for cell in line.split(" | "))
    document, _, number = name.partition("-")
    return Requirement(document, int(number), wish, state, proof)


def test_every_requirement_has_an_id_of_its_own_in_the_documents_order() -> None:
    numbers = Counter[str]()
    for one in read_requirements():
        numbers[one.document] += 1
        assert one.number == numbers[one.document], one
    documents = [one.document for one in read_requirements()]
    assert documents == sorted(documents)


def test_every_test_that_shows_a_requirement_exists() -> None:
    named = {test for one in read_requirements() for test in _TEST.findall(one.proof)}
    there = {f"{file}::{name}" for name, files in files_of_tests().items() for file in files}
    assert named
    assert named - there == set()


def test_every_requirement_is_shown_or_says_why_not() -> None:
    for one in read_requirements():
        has_tests, links = bool(_TEST.search(one.proof)), _LINK.findall(one.proof)
        has_words = bool(re.search(r"\w", _LINK.sub("", _TEST.sub("", one.proof))))
        assert one.wish, one
        match one.state:
            case "holds":
                assert has_tests, one
            case "measured":
                assert has_words, one
                assert links, one
                assert {link.partition("#")[0] for link in links} <= FIGURES, one
            case "departs":
                assert (has_words, has_tests) == (True, False), one
                assert links, one
            case _:
                assert one.state == "**open**", one
                assert (has_words, has_tests) == (True, False), one


def test_the_counts_at_the_head_are_those_of_the_lines() -> None:
    head = text_of(PAGE).partition("\n## ")[0]
    stated = re.findall(r"^\| \[(00\d) [^\]]+\]\(#([^)]+)\) \|([^\n]+)\|$", head, re.MULTILINE)
    counted = Counter((one.document, one.state) for one in read_requirements())
    sums = Counter[int]()
    for document, anchor, cells in stated:
        part = section(PAGE, anchor)
        states = [counted[document, state] for state in STATES]
        beside = map(int, re.findall(r"not requirements: (\d+) \(", part))
        figures = [*states, sum(states), sum(beside)]
        assert [int(cell) for cell in cells.split("|")] == figures, document
        assert len(re.findall(rf"^\| {document}-", part, re.MULTILINE)) == sum(states), document
        sums.update(dict(enumerate(figures)))
    limited = [one for one in read_requirements() if one.state == "holds" and "`; " in one.proof]
    assert f"; {len(limited)} of them have a limit" in head
    together = re.search(r"^\| \*\*together\*\* \|([^\n]+)\|$", head, re.MULTILINE)
    assert together is not None
    assert [int(cell.strip(" *")) for cell in together[1].split("|")] == list(sums.values())
    assert {document for document, _, _ in stated} == {document for document, _ in counted}


def test_what_is_open_is_named_once_at_the_head() -> None:
    named = re.findall(r"00\d-\d+", section(PAGE, slug("What is open")))
    still_open = [one for one in read_requirements() if one.state == "**open**"]
    assert sorted(named) == sorted(f"{one.document}-{one.number}" for one in still_open)
