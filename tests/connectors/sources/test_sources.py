"""Every source: what a program left is recognised, comes in once, and survives damage."""

from pathlib import Path
from typing import Any

import pytest
from tests.connectors.sources.samples import SAMPLES
from tests.connectors.sources.samples.base import Sample
from tests.surface.shell import Shell

from memoria.connectors.sources.table import SOURCES

IDS = [f"{sample.source}-{sample.write.__name__}" for sample in SAMPLES]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    folder = tmp_path / "sample"
    folder.mkdir()
    return folder


def made(report: dict[str, Any]) -> int:
    """How many turns and memories came in anew."""
    statuses = ("added", "changed", "past", "waiting")
    counts: list[int] = [report["recorded"], *(report["memories"].get(one, 0) for one in statuses)]
    return sum(counts)


@pytest.mark.parametrize("sample", SAMPLES, ids=IDS)
def test_what_a_program_left_is_recognised_and_comes_in_once(
    shell: Shell, place: Path, sample: Sample
) -> None:
    path = sample.write(place)
    counted = shell.json("import", path, "--dry-run")
    (count,) = counted["sources"]
    assert (count["source"], count["turns"], count["memories"], count["bad"]) == (
        sample.source,
        sample.turns,
        sample.memories,
        0,
    )
    assert not shell.home.exists()
    first = shell.json("import", path)
    assert (first["sources"], first["bad"], first["not_understood"]) == ([sample.source], 0, [])
    assert (first["recorded"], made(first)) == (sample.turns, sample.turns + sample.memories)
    for words in sample.sayings:
        hits = [
            hit
            for command in ("search", "traces")
            for hit in shell.json("--workspace", "*", command, words)["hits"]
            if words in hit["text"]
        ]
        assert hits, words
    before = shell.json("stats")
    again = shell.json("import", path)
    assert made(again) == 0
    assert again["already_recorded"] + again["memories"].get("known", 0) == made(first)
    after = shell.json("stats")
    assert (after["turns"], after["memories"]) == (before["turns"], before["memories"])


@pytest.mark.parametrize("sample", SAMPLES, ids=IDS)
def test_a_damaged_item_is_named_and_the_rest_comes_in(
    shell: Shell, place: Path, sample: Sample
) -> None:
    path = sample.write(place)
    sample.damage(path)
    report = shell.json("import", path, code=3)
    assert report["bad"] == len(report["bad_lines"]) == 1
    assert str(path) in report["bad_lines"][0]["file"]
    assert made(report) == sample.turns + sample.memories - sample.lost


def test_every_source_has_a_sample() -> None:
    own = {
        "jsonl",
        "claude-code",
        "codex",
        "gemini",
        "copilot",
        "cline",
        "droid",
    }  # have tests of their own
    assert {sample.source for sample in SAMPLES} | own == set(SOURCES)
