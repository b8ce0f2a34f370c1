"""Edges have their caps, and at night what bore out a merged memory bears out its survivor."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import anyio.to_thread
import pytest
from tests.app.test_entities import known_of, settle
from tests.lifecycle.dump import store_of
from typer.testing import CliRunner

import memoria.app.nightly as nights
from memoria import Memoria
from memoria.config import Settings
from memoria.graph.edges import EDGE_RULES
from memoria.language.reading.statement import fingerprint
from memoria.lifecycle.steps.metrics import check_bound
from memoria.model import (
    LIBRARY,
    Edge,
    EdgeType,
    MemoryType,
    Mention,
    Node,
    Provenance,
    Validity,
    new_id,
    now_millis,
)
from memoria.model.nightly import Metric, NightlyRun
from memoria.retrieval.sources.graph import expand_graph
from memoria.store.rows.transaction import Transaction
from memoria.store.values import Filters, NewMemory, NewVersion
from memoria.surface.cli.main import app
from memoria.surface.mcp.prompts import review

FULL = EDGE_RULES[EdgeType.ABOUT].cap


@contextmanager
def transaction(settings: Settings) -> Iterator[Transaction]:
    with store_of(settings) as store, store.write(settings.tenant) as tx:
        yield tx


def written(settings: Settings, texts: Sequence[str]) -> list[str]:
    """The ids of new memories."""
    said = Provenance(source_kind="user_said", trust="user", channel=LIBRARY.name)
    with transaction(settings) as tx:
        new = [NewMemory(new_id(), MemoryType.FACT, 0.5, 0.5) for _ in texts]
        for memory, text in zip(new, texts, strict=True):
            tx.memories.add(memory, NewVersion(text, fingerprint(text), 1, 1, said, None))
    return [memory.id for memory in new]


def outcomes(settings: Settings, *steps: str) -> list[dict[str, int]]:
    return [step.outcomes for step in nights.run_nightly(settings, steps or ["graph"]).steps]


def test_a_full_node_keeps_its_newest_edges_and_drops_the_others(settings: Settings) -> None:
    ids = written(settings, [f"Badger ate, {i}" for i in range(FULL + 2)])
    with transaction(settings) as tx:
        badger = tx.graph.upsert_entity(ids[0], Mention(name="Badger"))
        for i, memory_id in enumerate(ids, 1):
            assert tx.graph.upsert_entity(memory_id, Mention(name="Badger")) == badger
            tx.graph.upsert_edges([about(memory_id, badger, i)])
        kept = {edge.src.id for edge in tx.graph.list_edges(badger, Filters())}
    assert kept == set(ids[2:])


def about(memory_id: str, thing: Node, at: int) -> Edge:
    return Edge(
        src=Node("memory", memory_id), type=EdgeType.ABOUT, dst=thing, weight=0.5, confidence=0.5,
        made_at=at,
    )  # fmt: skip


def test_a_survivor_rests_on_what_bore_out_the_merged(settings: Settings) -> None:
    one, other, proof = written(settings, ("Lin eats no nuts", "Lin avoids nuts", "Lin had a rash"))
    ends = {EdgeType.SUPPORTS: proof, EdgeType.VERSION_NEXT: one}
    with transaction(settings) as tx:
        tx.graph.upsert_edges(
            Edge(
                src=Node("memory", other), type=kind, dst=Node("memory", end), weight=0.7,
                confidence=0.7, made_at=1,
            )
            for kind, end in ends.items()
        )  # fmt: skip
        tx.memories.set_validity(other, Validity.SUPERSEDED, now_millis())
        tx.pairs.note_merged(other, one)
    assert outcomes(settings) == [{"done": 1}]
    with transaction(settings) as tx:
        [edge] = tx.graph.list_edges(Node("memory", one), Filters())
    assert (edge.type, edge.dst, edge.weight) == (EdgeType.SUPPORTS, Node("memory", proof), 0.7)
    assert outcomes(settings) == [{}]


def test_a_walk_from_a_concept_reaches_its_members_and_from_a_member_its_concept(
    settings: Settings,
) -> None:
    concept, *members = written(settings, ("Lin's allergies", "no nuts", "no shellfish"))
    with transaction(settings) as tx:
        tx.graph.upsert_edges(
            Edge(
                src=Node("memory", concept), type=EdgeType.DERIVED_FROM, dst=Node("memory", member),
                weight=0.8, confidence=0.8, made_at=1,
            )
            for member in members
        )  # fmt: skip
        ns = [found.current.n for i in (concept, *members) if (found := tx.memories.get(i))]
        down = expand_graph(tx, (), {ns[0]: 1.0}, Filters()).scores
        up = expand_graph(tx, (), {ns[1]: 1.0}, Filters()).scores
    assert set(down) >= set(ns[1:])
    assert set(up) >= {ns[0]}


async def night(m: Memoria) -> NightlyRun:
    return await anyio.to_thread.run_sync(lambda: nights.run_nightly(m.settings, ["propose_joins"]))


async def test_two_of_one_name_are_named_by_one_night_and_joined_by_none(memory: Memoria) -> None:
    await settle(memory)
    ((one, other),) = await memory.graph.list_proposals()
    run = await night(memory)
    assert run.steps[0].outcomes == {"done": 1}
    ((named, why),) = run.steps[0].reasons.items()
    assert named == one.id
    assert other.id in why
    assert await known_of(memory, "Liz") is None
    assert len(await memory.graph.list_proposals()) == 1
    assert (await night(memory)).steps[0].planned == 0


async def test_the_report_of_a_night_says_who_may_be_one_and_keeps_no_name(memory: Memoria) -> None:
    await settle(memory)
    run = await night(memory)
    line = ["--home", str(memory.settings.home_path), "--tenant", "tests", "nightly", "show"]
    shown = await anyio.to_thread.run_sync(lambda: CliRunner().invoke(app, [*line, run.id]).output)
    assert "1 pair of one name named to you: one, or two?" in shown
    assert "Elizabeth" in shown
    assert "memoria --workspace '*' review" in " ".join(shown.split())
    assert "Elizabeth" not in run.model_dump_json()


async def test_who_was_joined_or_parted_before_the_night_is_not_named(memory: Memoria) -> None:
    await settle(memory)
    await memory.graph.part("Liz", "Elizabeth")
    assert (await night(memory)).steps[0].planned == 0
    await memory.graph.join("Liz", "Elizabeth")
    assert (await night(memory)).steps[0].planned == 0


async def test_an_agent_that_is_asked_to_review_is_told_who_may_be_one(memory: Memoria) -> None:
    assert "maybe one\nNone." in await review(memory)
    await settle(memory)
    ((one, other),) = await memory.graph.list_proposals()
    told = await review(memory)
    assert f"{one.name} [entity {one.id}] and {other.name} [entity {other.id}]" in told
    assert "memoria revise ID same ID" in told


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
