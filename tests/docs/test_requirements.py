"""The page of requirements: lines in their order, each with a test, a reason or what is missing."""

import re
from collections import Counter
from typing import NamedTuple

from tests.docs.pages import DOCS, files_of_tests, section, slug, text_of

PAGE = DOCS / "requirements.md"
STATES = ("holds", "measured", "departs", "**open**")
_LINK = re.compile(r"\[[^\]]+\]\(([^)\s]+)\)")
_TEST = re.compile(r"`(tests/[^`]+)`")


class Requirement(NamedTuple):
    """A line of the page."""

    document: str
    number: int
    wish: str
    state: str
    proof: str


def _read_requirements() -> list[Requirement]:
    """Read every line of the tables behind the head."""
    tables = text_of(PAGE).partition("\n## 000 ")[2]
    lines = re.findall(r"^\| (?!id \|)(.+) \|$", tables, re.MULTILINE)
    assert len(lines) == len(re.findall(r"^\|(?!---)(?! id \|)", tables, re.MULTILINE))
    found = []
    for line in lines:
        name, wish, state, proof = line.split(" | ")
        document, _, number = name.partition("-")
        found.append(Requirement(document, int(number), wish, state, proof))
    return found


REQUIREMENTS = _read_requirements()


def test_every_requirement_has_an_id_of_its_own_in_the_documents_order() -> None:
    numbers = Counter[str]()
    for one in REQUIREMENTS:
        numbers[one.document] += 1
        assert one.number == numbers[one.document], one
    assert [one.document for one in REQUIREMENTS] == sorted(one.document for one in REQUIREMENTS)
    assert len(numbers) == 5


def test_every_test_that_shows_a_requirement_exists() -> None:
    named = {test for one in REQUIREMENTS for test in _TEST.findall(one.proof)}
    there = {f"{file}::{name}" for name, files in files_of_tests().items() for file in files}
    assert named
    assert named - there == set()


def test_every_requirement_is_shown_or_says_why_not() -> None:
    for one in REQUIREMENTS:
        tests, links = _TEST.findall(one.proof), _LINK.findall(one.proof)
        words = re.sub(r"\([^)]*\)", "", _TEST.sub("", _LINK.sub("", one.proof))).strip(" ,;")
        match one.state:
            case "holds":
                assert tests, one
            case "measured":
                assert words, one
                assert {link.partition("#")[0] for link in links} <= {"benchmarks.md", "scale.md"}
                assert links, one
            case "departs":
                assert links, one
                assert words, one
                assert not tests, one
            case _:
                assert one.state == "**open**", one
                assert words, one
                assert not tests, one
        assert one.wish.strip() == one.wish != "", one


def test_the_counts_at_the_head_are_those_of_the_lines() -> None:
    head = text_of(PAGE).partition("\n## ")[0]
    lines = re.findall(r"^\| \[(00\d) [^\]]+\]\(#([^)]+)\) \|([^\n]+)\|$", head, re.MULTILINE)
    counted = {(one.document, one.state): 0 for one in REQUIREMENTS} | Counter(
        (one.document, one.state) for one in REQUIREMENTS
    )
    sums = Counter[int]()
    for document, anchor, cells in lines:
        stated = [int(cell) for cell in cells.split("|")]
        states = [counted.get((document, state), 0) for state in STATES]
        beside = re.findall(r"not requirements: (\d+) \(", section(PAGE, anchor))
        assert stated == [*states, sum(states), sum(map(int, beside))], document
        sums.update(dict(enumerate(stated)))
    together = re.search(r"^\| \*\*together\*\* \|([^\n]+)\|$", head, re.MULTILINE)
    assert together is not None
    assert [int(cell.strip(" *")) for cell in together[1].split("|")] == list(sums.values())
    assert len(lines) == len({one.document for one in REQUIREMENTS})


def test_what_is_open_is_named_once_at_the_head() -> None:
    named = re.findall(r"00\d-\d+", section(PAGE, slug("What is open")))
    open_lines = {f"{one.document}-{one.number}" for one in REQUIREMENTS if "open" in one.state}
    assert len(named) == len(set(named))
    assert set(named) == open_lines
