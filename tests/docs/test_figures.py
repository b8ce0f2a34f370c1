"""Figures of the documents that the code knows."""

import re
import tomllib

from tests.docs.pages import DOCS, ROOT, blocks, section, text_of

from memoria.model.memory_types import ARCHIVED_FIRST
from memoria.policy.retention import RETENTION

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
