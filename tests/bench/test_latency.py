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
from bench.latency.plot import plot
from bench.latency.resident import Footprint
from bench.latency.speech import Speech, speech, turn_text
from bench.latency.verdict import FLOORS, GROWTH_BOUND, Verdict, growth, verdict

import memoria
from memoria.inference.embedder import BundledEmbedder
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


@pytest.mark.sqlite("fills the file")
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


@pytest.mark.sqlite("fills the file")
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


@pytest.mark.sqlite("fills the file")
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


def judge(turns: int, calls: dict[str, float], slowest: float = 1.0, match: float = 2.0) -> Verdict:
    """A verdict on twenty rounds: floors of 7 and 6 ms, and two calls that are slower."""
    parts = {"embed": 1.0, "match": match, "scan by row": 4.0, "scan turns by row": 3.0}
    beside = {"scan by product": 9.0, "scan turns by product": 9.0, "insert": 2.0}
    took = {name: [ms] * 20 for name, ms in {**parts, **beside, "insert alone": 1.0}.items()}
    took |= {call: [ms] * 18 + [ms * slowest] * 2 for call, ms in calls.items()}
    return verdict(turns, 20, took, Footprint(1, 1, 0))


def test_a_ratio_is_that_of_medians_and_a_search_is_held_to_the_sum_of_its_parts() -> None:
    found = judge(
        10, {"record_conversation": 6.0, "search_memory": 14.0, "search_conversation_traces": 12.1}
    )
    assert {call: each.ratio for call, each in found.comparisons.items()} == pytest.approx(
        {"record_conversation": 3.0, "search_memory": 2.0, "search_conversation_traces": 12.1 / 6}
    )
    within = {call: each.within for call, each in found.comparisons.items()}
    assert within == {
        "record_conversation": True,
        "search_memory": True,
        "search_conversation_traces": False,
    }
    assert not found.within


def test_the_slowest_searches_have_a_bound_of_their_own_and_in_a_very_large_home_a_time() -> None:
    calls = {"record_conversation": 6.0, "search_memory": 14.0, "search_conversation_traces": 12.0}
    assert judge(10_000, calls, slowest=1.5).within
    assert not judge(10_000, calls, slowest=1.6).comparisons["search_memory"].within
    assert judge(100_000, calls, slowest=1.5).comparisons["search_memory"].most_ms is None
    slow = judge(1_000_000, calls, slowest=7.2, match=50.0).comparisons["search_memory"]
    assert slow.tail_ratio < 2
    assert slow.call.p95 > 100
    assert not slow.within


def test_growth_is_that_of_the_median_from_the_smallest_home_to_the_largest() -> None:
    calls = {"record_conversation": 6.0, "search_memory": 10.0, "search_conversation_traces": 8.0}
    larger = {name: 4 * ms for name, ms in calls.items()}
    grown = growth([judge(1_000_000, larger), judge(10_000, calls)])
    assert grown == {"search_memory": 4.0, "search_conversation_traces": 4.0}
    assert max(grown.values()) < GROWTH_BOUND


def test_a_chart_of_several_sizes_is_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="the extra `bench` is not installed")
    calls = {"record_conversation": 6.0, "search_memory": 10.0, "search_conversation_traces": 8.0}
    plot([judge(turns, calls) for turns in (10_000, 100_000)], tmp_path / "chart.png")
    assert (tmp_path / "chart.png").read_bytes().startswith(b"\x89PNG")


def test_a_chart_that_nothing_can_draw_is_refused_before_anything_is_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("bench.latency.__main__.find_spec", lambda _name: None)
    with pytest.raises(SystemExit):
        main(["--plot", str(tmp_path / "chart.png")])
    assert "extra `bench`" in capsys.readouterr().err


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
