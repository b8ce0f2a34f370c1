"""The proofs of the night in small: that they see what they say, and that promises are kept."""

import json
import sys
from dataclasses import asdict
from pathlib import Path

import pytest
from bench.latency.speech import Speech, speech
from bench.night.__main__ import main
from bench.night.chats import Chats, chats
from bench.night.dump import RECORDS, differences, dump
from bench.night.homes import copy_home, fill, settings
from bench.night.kill import kill
from bench.night.lived import Year
from bench.night.measure import core_of
from bench.night.script import Script
from bench.night.undo import undo
from bench.night.world import World, moment, world
from bench.night.year import year

import memoria.app.nightly as nights
from memoria.inference.embedder import BundledEmbedder
from memoria.language.words.characters import is_cjk
from memoria.model import now_millis

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="signals as POSIX has them")


@pytest.fixture(scope="module")
def said() -> Speech:
    return speech(None)


@pytest.fixture(scope="module")
def pattern(tmp_path_factory: pytest.TempPathFactory, said: Speech) -> Path:
    """A home that nobody changes; who would, copies it."""
    home = tmp_path_factory.mktemp("night") / "pattern"
    fill(home, 60, 0.5, said, now_millis(), 1)
    return home


@posix_only
@pytest.mark.sqlite("the benchmark copies and reads the file")
def test_a_killed_night_ends_as_one_that_was_left_in_peace(pattern: Path, tmp_path: Path) -> None:
    verdict = kill(pattern, tmp_path, 1, now_millis())
    assert verdict.broken == ()
    assert verdict.figures["kills"] >= 1
    assert verdict.figures["most rows"] > 0


@pytest.mark.sqlite("the benchmark copies and reads the file")
def test_a_copy_is_equal_and_a_night_makes_a_difference(pattern: Path, tmp_path: Path) -> None:
    copy = copy_home(pattern, tmp_path / "copy")
    assert differences(dump(pattern, *RECORDS), dump(copy, *RECORDS)) == []
    nights.run_nightly(settings(copy))
    found = differences(dump(pattern, *RECORDS), dump(copy, *RECORDS))
    assert {line.split(":")[0] for line in found} == {
        "memories", "documents", "search_index", "nodes", "edges", "core_lines", "core_files",
        "generated_files", "files", *RECORDS,
    }  # fmt: skip


def test_a_file_that_differs_is_a_difference(pattern: Path, tmp_path: Path) -> None:
    copy = copy_home(pattern, tmp_path / "copy")
    (copy / "MEMORY.md").write_text("- by hand\n")
    assert [line.split(":")[0] for line in differences(dump(copy), dump(pattern))] == ["files"]


def test_random_histories_are_undone(tmp_path: Path, said: Speech) -> None:
    verdict = undo(tmp_path, 3, said, now_millis(), seed=4)
    assert verdict.broken == ()


@posix_only
@pytest.mark.sqlite("the benchmark copies and reads the file")
def test_a_client_is_timed_beside_a_night(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    size = ["--turns", "200", "--due", "150", "--calls", "2", "--data", str(tmp_path)]
    main(["contention", *size, "--json"])
    found = json.loads(capsys.readouterr().out)
    assert found["figures"]["search_memory, calls beside a night"] >= 2
    assert found["figures"]["most rows"] > 0


_DAYS = 14
_ACTIVE = 14


@pytest.fixture(scope="module")
def talk() -> Chats:
    return chats(None, 1)


@pytest.fixture
def weeks(talk: Chats) -> World:
    return world(talk, 6, _DAYS, 1, 4)


@pytest.fixture
def lived(tmp_path: Path, weeks: World, embedder: BundledEmbedder) -> Year:
    return year(tmp_path, weeks, _DAYS, 7, _ACTIVE, embedder=embedder)


@pytest.mark.sqlite("the benchmark copies and reads the file")
def test_weeks_with_nights_stay_small_and_find_what_holds(
    lived: Year, tmp_path: Path, weeks: World
) -> None:
    assert lived.broken == ()
    assert lived.figures["nights"] == 2
    assert 0 < lived.figures["active, most after a night"] <= _ACTIVE
    assert lived.figures["active at the end, no nights"] > _ACTIVE
    assert lived.figures["archived at the end"] > 0
    assert lived.figures["recall@10 at the end"] > 0.9
    assert lived.figures["questions on what has changed"] > 0
    assert lived.months[-1].core.lines > 0
    user = tmp_path / "nights" / "USER.md"
    user.write_text(user.read_text("utf-8").replace("\n- ", "\n- not ", 1), "utf-8")
    wrong = core_of(user.parent, weeks, moment(_DAYS), 10).wrong
    assert any("not what the memory says" in line for line in wrong)
    assert any(line.endswith("tokens") for line in wrong)


def test_a_year_follows_from_its_seed_and_has_two_languages(talk: Chats) -> None:
    one, other = (world(talk, 320, 366, 7) for _ in range(2))
    assert asdict(one) == asdict(other)
    assert one.sessions != world(talk, 320, 366, 8).sessions
    assert len(one.sessions) == 320
    assert [s.at for s in one.sessions] == sorted(s.at for s in one.sessions)
    said = [text for session in one.sessions for role, text in session.turns if role == "user"]
    assert 0.3 < sum(map(is_cjk, said)) / len(said) < 0.7


def test_each_value_holds_from_when_it_is_told_until_the_next(talk: Chats) -> None:
    lives = [life for life in world(talk, 320, 366, 7).lives if len(life.since) > 1]
    assert lives
    for life in lives:
        before, after = life.since[1] - 1, life.since[1]
        assert (life.value(before), life.value(after)) == life.fact.values[:2]
        assert life.former_values(before) == ()
        assert life.former_values(after) == life.fact.values[:1]


def test_the_script_tells_what_is_new_from_what_is_known(weeks: World) -> None:
    life = next(life for life in weeks.lives if len(life.since) > 1)
    old, new = (value.contents[0] for value in life.fact.values[:2])
    pairs = [(1, old, new), (2, old, life.fact.values[0].contents[1]), (3, old, "Something else.")]
    lines = "\n".join(
        f'{{"number": {n}, "known": "{known}", "new": "{said}"}}' for n, known, said in pairs
    )
    rulings = Script(weeks).answer("`relation`", f"```pairs\n{lines}\n```")["rulings"]
    assert [one["relation"] for one in rulings] == ["replaces", "same", "different"]
