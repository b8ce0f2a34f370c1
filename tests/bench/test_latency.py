"""The latency benchmark in small: that it measures what it says, not how fast it is."""

import json
import random
from collections import Counter
from pathlib import Path

import pytest
from bench.latency import fill, try_home, try_reading
from bench.latency.__main__ import main
from bench.latency.fill import TENANT, TURNS_A_MEMORY, steps
from bench.latency.floors import Floors
from bench.latency.resident import Footprint
from bench.latency.speech import Speech, speech, turn_text
from bench.latency.verdict import FLOORS, verdict

import memoria
from memoria.inference.bundled import BundledEmbedder
from memoria.store.values import Filters

TURNS = 300
ROUNDS = 3


@pytest.fixture(scope="module")
def said() -> Speech:
    return speech(None)


@pytest.fixture
async def full(tmp_path: Path, said: Speech) -> Path:
    """A filled home."""
    filled: list[int] = []
    fill(tmp_path / "home", TURNS, said, filled.append)
    assert sum(filled) == steps(TURNS)
    return tmp_path / "home"


async def test_a_filled_home_holds_what_was_asked_for_and_all_vectors(full: Path) -> None:
    settings = memoria.Settings.load(embedder="off")
    async with memoria.open(full, TENANT, settings=settings) as m:
        held = await m.statistics()
    assert (held.turns, held.memories) == (TURNS, {"active": TURNS // TURNS_A_MEMORY})
    assert (held.vectors, held.backlog.pending) == (TURNS + TURNS // TURNS_A_MEMORY, 0)
    assert held.sessions > 1


async def test_every_call_and_every_floor_is_timed(
    full: Path, said: Speech, embedder: BundledEmbedder
) -> None:
    rounds: list[int] = []
    found = await try_home(full, TURNS, ROUNDS, said, embedder, lambda: rounds.append(1))
    assert len(rounds) == 2 * ROUNDS
    assert found.comparisons.keys() == {
        "record_conversation",
        "search_memory",
        "search_conversation_traces",
    }
    assert found.floors.keys() == FLOORS.keys()
    for each in found.comparisons.values():
        assert min(each.floor.p50, each.call.p50, each.call.p95) > 0
        assert each.ratio == each.call.p50 / each.floor.p50
    assert found.memory.resident >= found.memory.private > 0
    assert [path.name for path in full.parent.iterdir()] == ["home"]


async def test_turns_are_read_while_captures_are_timed(
    full: Path, said: Speech, embedder: BundledEmbedder
) -> None:
    captures: list[int] = []
    found = await try_reading(full, 8, said, embedder, 0, lambda: captures.append(1))
    assert len(captures) == 2 * found.captures == 16
    assert found.read > 0
    assert found.within == (found.on.p50 <= 1.5 * found.off.p50)
    settings = memoria.Settings.load(embedder="off")
    async with memoria.open(full, TENANT, settings=settings) as m:
        read, held = await m.queue.status(), await m.statistics()
        assert read.done >= found.read
        assert not read.dead
        assert held.memories["active"] > TURNS // TURNS_A_MEMORY
        assert any("ADD" in str(entry.outcome) for entry in await m.queue.list_entries())


async def test_the_floors_search_the_same_texts_and_vectors(full: Path, said: Speech) -> None:
    settings = memoria.Settings.load(embedder="off")
    text = turn_text(said, random.Random(7))  # noqa: S311  (nothing here is secret)
    with Floors(full) as floors:
        query = floors.pruned(text)
        assert len(floors._matrix) == TURNS + TURNS // TURNS_A_MEMORY  # noqa: SLF001
        matches = floors.match(query)
    async with memoria.open(full, TENANT, settings=settings) as m:
        with m._store.read(TENANT) as tx:  # noqa: SLF001
            terms = [term.strip('"') for term in query.split(" OR ")]
            found = tx.documents.match(("turn", "memory"), terms, Filters(), 400)
    assert matches == len(found) > 0


def test_a_ratio_is_that_of_medians_and_a_search_is_held_to_the_sum_of_its_parts() -> None:
    parts = {"embed": 1.0, "match": 2.0, "scan by row": 4.0, "scan turns by row": 3.0}
    slower = {"scan by product": 9.0, "scan turns by product": 9.0}
    calls = {"record_conversation": 3.0, "search_memory": 21.0, "search_conversation_traces": 18.1}
    inserts = {"insert": 2.0, "insert alone": 1.0}
    took = {name: [ms] * 3 for name, ms in {**parts, **slower, **calls, **inserts}.items()}
    found = verdict(10, 3, took, Footprint(1, 1, 0))
    assert {call: each.ratio for call, each in found.comparisons.items()} == pytest.approx(
        {"record_conversation": 1.5, "search_memory": 3.0, "search_conversation_traces": 18.1 / 6}
    )
    within = {call: each.within for call, each in found.comparisons.items()}
    assert within == {
        "record_conversation": True,
        "search_memory": True,
        "search_conversation_traces": False,
    }
    assert not found.within


def test_the_command_prints_json_and_fails_when_a_bound_is_broken(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--sizes", "60", "--rounds", "1", "--json", "--homes", str(tmp_path)]
    code = main([*options, "--data", str(tmp_path / "none")])
    document = json.loads(capsys.readouterr().out)
    assert document["text"] == "made-up words"
    assert document["sizes"]["60"]["rounds"] == 1
    beside = document["sizes"]["60"]["beside_extraction"]
    assert (beside["captures"], beside["bound"]) == (1, 1.5)
    assert beside["ratio"] == pytest.approx(beside["on"]["p50"] / beside["off"]["p50"], abs=1e-3)
    assert code == (0 if document["within_bounds"] else 1)


def test_made_up_words_are_of_two_languages_and_follow_zipf(said: Speech) -> None:
    assert any(sentence.isascii() for sentence in said.sentences)
    assert any(not sentence.isascii() for sentence in said.sentences)
    assert all(question.endswith("?") for question in said.questions)
    counts = sorted(Counter(" ".join(said.sentences).split()).values(), reverse=True)
    assert counts[0] > 20 * counts[100] > 20 * counts[1000] > 0
