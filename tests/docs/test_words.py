"""What the documents name exists, and nothing cites a document that is not in the repository."""

import re
from contextlib import closing
from pathlib import Path

import pytest
from tests.docs.pages import DOCS, ROOT, SERVER, name_of, pages, section, slug, text_of

import memoria
from memoria.store.sqlite.driver import sqlite3

_ELSEWHERE = re.compile(
    r"DESIGN §|\b00[0-4] ?\(?§|\(00[0-4][):, ]|\b00[0-4]: |, in the seeds|docs/decisions\.md"
)
"""How documents were cited that are not in the repository."""
MAPS = (
    ROOT / "CONTRIBUTING.md",
    *(DOCS / f"{name}.md" for name in ("architecture", "map", "ways")),
)
"""Pages that say where the code is."""
_WORDS_OF_AN_HOUR = 16_000
_DECISION = re.compile(r"^## ((\d{3})\. (.+))\n\n\*\d{4}-\d{2}-\d{2}\*$", re.MULTILINE)


def test_every_test_that_a_guarantee_rests_on_exists() -> None:
    named = set(re.findall(r"`(test_\w+)`", text_of(DOCS / "guarantees.md")))
    there = {
        name
        for file in (ROOT / "tests").rglob("*.py")
        for name in re.findall(r"def (test_\w+)", file.read_text("utf-8"))
    }
    assert named
    assert named - there == set()


def test_every_guarantee_has_its_condition_what_breaks_it_and_its_proof() -> None:
    for promise in text_of(DOCS / "guarantees.md").split("\n## ")[1:]:
        parts = re.findall(r"^- \*\*([^*]+):\*\*", promise, re.MULTILINE)
        assert parts[:3] == ["Condition", "What breaks it", "Proof"], promise.partition("\n")[0]


@pytest.mark.parametrize("page", pages(), ids=name_of)
def test_every_module_that_a_page_names_exists(page: Path) -> None:
    named = re.findall(r"`((?:[a-z_.]+/)*[a-z_]+\.(?:py|sql|toml|lock|yml))`", text_of(page))
    assert [name for name in named if not _is_there(name)] == []


@pytest.mark.parametrize("page", MAPS, ids=name_of)
def test_every_folder_that_a_map_of_the_tree_names_exists(page: Path) -> None:
    named = re.findall(r"`((?:[a-z_.]+/)+)`", text_of(page))
    assert named
    assert [name for name in named if not _is_there(name)] == []


def test_every_package_has_a_place_on_the_map() -> None:
    named = re.findall(r"`((?:[a-z_]+/)+)", text_of(DOCS / "map.md"))
    packages = {
        f"{file.parent.relative_to(SERVER).as_posix()}/"
        for file in SERVER.rglob("*.py")
        if file.parent != SERVER
    }
    assert [one for one in sorted(packages) if not any(n.startswith(one) for n in named)] == []


async def test_the_tables_that_are_called_true_are_those_of_a_home(home: Path) -> None:
    async with memoria.open(home=home, settings=memoria.Settings(embedder="off")):
        pass
    with closing(sqlite3.connect(home / "memoria.db")) as connection:
        rows = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        tables = {name for (name,) in rows}
    part = text_of(DOCS / "ways.md").partition("## What is true")[2].partition("\n## ")[0]
    firsts = "".join(re.findall(r"^\| (`[^|]+) \|", part, re.MULTILINE))
    named = set(re.findall(r"`(\w+)`", firsts))
    assert named
    assert named - tables == set()


def _is_there(name: str) -> bool:
    return (ROOT / name).exists() or (SERVER / name).exists()


def test_every_decision_has_a_number_a_date_and_a_row() -> None:
    folder = DOCS / "decisions"
    table = text_of(folder / "README.md")
    index = re.findall(r"^\| \[(\d{3})\]\(([^)]+)\) \| (.+) \|$", table, re.MULTILINE)
    assert [int(number) for number, _, _ in index] == list(range(1, len(index) + 1))
    rows = {number: (link, title) for number, link, title in index}
    subjects = [page for page in sorted(folder.glob("*.md")) if page.name != "README.md"]
    decided = {
        number: (f"{page.name}#{slug(heading)}", title)
        for page in subjects
        for heading, number, title in _DECISION.findall(text_of(page))
    }
    assert len(decided) == sum(text_of(page).count("\n## ") for page in subjects)
    assert {number: rows[number] for number in decided} == decided
    for number in rows.keys() - decided.keys():
        link, title = rows[number]
        page, _, anchor = link.partition("#")
        assert title.endswith(f"(now {anchor[:3]})")
        assert number in section(folder / page, anchor)


def test_the_decisions_can_be_read_in_an_hour() -> None:
    subjects = [page for page in (DOCS / "decisions").glob("*.md") if page.name != "README.md"]
    assert sum(len(re.findall(r"\w\S*", text_of(page))) for page in subjects) <= _WORDS_OF_AN_HOUR


def test_the_glossary_is_in_sentences_of_some_forty_terms() -> None:
    rows = re.findall(r"^\| ([^|]+) \| ([^|]+) \|$", text_of(DOCS / "glossary.md"), re.MULTILINE)[
        1:
    ]
    assert 30 <= len(rows) <= 50
    assert [term for term, meaning in rows if not meaning.endswith(".")] == []


def test_nothing_cites_a_document_that_is_not_here() -> None:
    kept = [ROOT / name for name in ("server", "tests", "docs", "bench", "prompts", "identity")]
    kinds = {".py", ".md", ".sql"}
    files = [file for folder in kept for file in folder.rglob("*") if file.suffix in kinds]
    files += [*ROOT.glob("*.md"), *ROOT.glob("*.toml"), *ROOT.glob("*.yml")]
    citing = [
        f"{name_of(file)}: {found[0]}"
        for file in files
        if file != Path(__file__)
        for found in [_ELSEWHERE.search(file.read_text("utf-8"))]
        if found
    ]
    assert citing == []
