"""A night measures what it leaves, and says what is beyond a bound."""

import json
from collections.abc import Sequence

import pytest
from tests.lifecycle.test_graph_step import transaction, written
from typer.testing import CliRunner

import memoria.app.nightly as nights
from memoria.config import Settings
from memoria.lifecycle.steps.metrics import check_bound
from memoria.model import Edge, EdgeType, Node, Validity, now_millis
from memoria.model.nightly import Metric
from memoria.surface.cli.main import app

SAID = ("the port is 8080", "会议改到星期四", "the build needs Node 22", "the demo is on Friday")


def like(one: str, other: str, cosine: float) -> Edge:
    src, dst = Node("memory", one), Node("memory", other)
    return Edge(
        src=src, type=EdgeType.SIMILAR_TO, dst=dst, weight=cosine, confidence=cosine, made_at=1
    )


def measured(settings: Settings) -> dict[str, Metric]:
    run = nights.run_nightly(settings, ["metrics"])
    assert nights.list_runs(settings, 1) == [run]
    return {metric.name: metric for metric in run.metrics}


def test_figures_are_what_can_be_counted(settings: Settings) -> None:
    ids = written(settings, SAID)
    with transaction(settings) as tx:
        tx.graph.upsert_edges([like(ids[0], ids[1], 0.9), like(ids[1], ids[2], 0.8)])
        tx.memories.set_validity(ids[3], Validity.ARCHIVED, now_millis())
    found = measured(settings)
    assert found["neighbours"].value == pytest.approx(4 / 3)
    assert found["links"].value == pytest.approx(2 / 3)
    assert found["archived"].value == 1 / 4
    assert found["recall"].value == 1
    assert found["slowest_ms"].value > 0
    assert found["segments"].value >= 1
    assert not [metric for metric in found.values() if metric.exceeded]


def test_of_nothing_nothing_is_measured(settings: Settings) -> None:
    assert measured(settings) == {}


def test_a_memory_that_its_own_words_do_not_find_lowers_recall(settings: Settings) -> None:
    written(settings, ["the same words every time"] * 12)
    recall = measured(settings)["recall"]
    assert recall.value == pytest.approx(10 / 12)
    assert recall.exceeded


@pytest.mark.parametrize(
    ("name", "within", "beyond"),
    [
        ("neighbours", 32, 33),
        ("slowest_ms", 1500, 1501),
        ("segments", 64, 65),
        ("recall", 0.9, 0.8),
    ],
)
def test_a_figure_is_beyond_its_bound_or_not(name: str, within: float, beyond: float) -> None:
    assert not check_bound(name, within).exceeded
    assert check_bound(name, beyond).exceeded
    assert check_bound(name, within).bound is not None
    assert check_bound("archived", 1).bound is None


def test_a_night_shows_its_figures_to_people_and_programs(settings: Settings) -> None:
    written(settings, ["the same words every time"] * 12)
    run = nights.run_nightly(settings, ["metrics"])
    text, told = (cli(settings, "show", run.id, *more) for more in ([], ["--json"]))
    assert "0.833  share of memories found by their own words (beyond 0.9)" in text
    metrics = json.loads(told)["run"]["metrics"]
    assert {"name": "recall", "value": 10 / 12, "bound": 0.9, "exceeded": True} in metrics


def cli(settings: Settings, *words: str) -> str:
    base = ["--home", str(settings.home_path), "--tenant", settings.tenant]
    result = CliRunner().invoke(app, [*base, *words])
    assert result.exit_code == 0, result.output
    return result.stdout


def pairs(ids: Sequence[str]) -> list[tuple[str, str]]:
    return [(one, other) for i, one in enumerate(ids) for other in ids[:i]]
