"""What the documents name exists, and nothing cites a document that is not in the repository."""

import re
import tomllib
from contextlib import closing
from pathlib import Path

import pytest
from tests.docs.pages import (
    DOCS,
    ROOT,
    SERVER,
    anchors,
    blocks,
    files_of_tests,
    links,
    name_of,
    pages,
    section,
    slug,
    text_of,
)

import memoria
from memoria.model.memory_types import ARCHIVED_FIRST
from memoria.policy.retention import RETENTION
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
    assert named
    assert named - files_of_tests().keys() == set()


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


@pytest.mark.sqlite("looks into the file")
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


BENCHMARKS = DOCS / "benchmarks.md"
_FIGURE = re.compile(r"(?<![\w.,])(?:\d+(?:,\d{3})*(?:\.\d+)?|\.\d+)")
RETENTION_PAGE = DOCS / "decisions" / "nightly.md"
RETENTION_SECTION = "052-how-long-each-type-of-memory-stays-strong"


def test_the_table_of_retention_is_the_one_in_force() -> None:
    types, _, _ = section(RETENTION_PAGE, RETENTION_SECTION).partition("| what | value |")
    rows = re.findall(r"^\| ([a-z ,]+) \| (\d+|never)[^|]*\| *([\d.]*) *\|", types, re.MULTILINE)
    written = {
        kind.replace(" ", "_"): (None if tau == "never" else float(tau), float(floor or 0))
        for kinds, tau, floor in rows
        for kind in kinds.replace("rule for a task", "task rule").split(", ")
    }
    in_force = {name: (curve.tau, curve.floor) for name, curve in RETENTION.kinds.items()}
    assert {name: in_force.get(name) for name in written} == written
    assert len(written) > len(ARCHIVED_FIRST)


def test_the_bounds_of_retention_are_those_in_force() -> None:
    text = " ".join(section(RETENTION_PAGE, RETENTION_SECTION).split())
    assert f"strength < {RETENTION.kinds['fact'].archive:g};" in text
    assert f"< {RETENTION.demote:g}: mid-term at most; ≤ {RETENTION.review:g}: short-term" in text
    assert f"importance ≥ {RETENTION.promote:g} and used" in text
    assert f"importance ≥ {RETENTION.lasting:g} never fades" in text
    assert f"`active` memories ({RETENTION.active:,})" in text
    first = ", ".join(kind.value.replace("_", " ") for kind in ARCHIVED_FIRST)
    assert first == "episode, tool experience, task outcome, error"
    assert "then episodes, tool experience, task outcomes and errors, and then the weakest" in text


def test_every_headline_figure_of_the_benchmarks_stands_in_the_section_it_links_to() -> None:
    opening = text_of(BENCHMARKS).partition("\n## ")[0]
    rows = re.findall(r"(?m)^\| (.+) \| \[[^]]+\]\(#([^)]+)\) \|$", opening)
    assert [
        (anchor, figure)
        for row, anchor in rows
        for figure in _FIGURE.findall(row)
        if figure not in _FIGURE.findall(section(BENCHMARKS, anchor))
    ] == []
    assert len(rows) == opening.count("\n| ") - 1


def test_the_picture_of_the_house_has_the_layers_of_the_import_contract() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    (layers,) = (
        [re.findall(r"memoria\.([\w.]+)", layer) for layer in one["layers"]]
        for one in contracts["contracts"]
        if one["type"] == "layers" and "containers" not in one
    )
    beside = {"adapters", "language"}
    kernel = [{name for name in layer if "." not in name} - beside for layer in layers]
    stated = [rooms for rooms in kernel if rooms]
    picture = next(blocks(DOCS / "architecture.md", "text")).code
    drawn = re.findall(r"^  │ (\S.+?) *│ {3}", picture, re.MULTILINE)
    rooms = [set(re.findall(r"\w+", row)) for row in drawn]
    assert rooms == [*stated[:-4], stated[-4] | stated[-3], stated[-2] | stated[-1]]
    connectors = {name.partition(".")[2] for layer in layers for name in layer if "." in name}
    assert connectors - set(re.findall(r"\w+", picture)) == set()


@pytest.mark.parametrize("page", pages(), ids=name_of)
def test_every_link_leads_to_a_page_and_a_heading_that_exist(page: Path) -> None:
    assert [link for link in links(page) if not _leads_somewhere(page, link)] == []


def test_no_page_of_the_site_links_out_of_it() -> None:
    leaving = [
        f"{name_of(page)}: {link}"
        for page in pages()
        if page.is_relative_to(DOCS)
        for link in links(page)
        if not _is_address(link) and not (page.parent / link).resolve().is_relative_to(DOCS)
    ]
    assert leaving == []


def test_every_page_of_the_site_can_be_reached_from_the_readme() -> None:
    reached: set[Path] = set()
    waiting = [ROOT / "README.md", DOCS / "index.md"]
    while waiting:
        page = waiting.pop()
        reached.add(page)
        targets = ((page.parent / link.partition("#")[0]).resolve() for link in links(page))
        waiting += [to for to in targets if to.suffix == ".md" and to not in reached]
    assert [name_of(page) for page in pages() if page not in reached] == []


def _is_address(link: str) -> bool:
    return re.match(r"https?://[\w.-]+", link) is not None


def _leads_somewhere(page: Path, link: str) -> bool:
    if _is_address(link):
        return True
    path, _, anchor = link.partition("#")
    target = (page.parent / path).resolve() if path else page
    if not target.is_relative_to(ROOT) or not target.is_file():
        return False
    return not anchor or anchor in anchors(target)
