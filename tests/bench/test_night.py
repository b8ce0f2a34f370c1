"""The proofs of the night in small: that they see what they say, and that promises are kept."""

import json
import sys
from pathlib import Path

import pytest
from bench.latency.speech import Speech, speech
from bench.night.__main__ import main
from bench.night.dump import RECORDS, differences, dump
from bench.night.homes import copy_home, fill, settings
from bench.night.kill import kill
from bench.night.undo import undo

import memoria.app.nightly as nights
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
def test_a_killed_night_ends_as_one_that_was_left_in_peace(pattern: Path, tmp_path: Path) -> None:
    verdict = kill(pattern, tmp_path, 1, now_millis())
    assert verdict.broken == ()
    assert verdict.figures["kills"] >= 1
    assert verdict.figures["most rows"] > 0


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
def test_a_client_is_timed_beside_a_night(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    size = ["--turns", "200", "--due", "150", "--calls", "2", "--data", str(tmp_path)]
    main(["contention", *size, "--json"])
    found = json.loads(capsys.readouterr().out)
    assert found["figures"]["search_memory, calls beside a night"] >= 2
    assert found["figures"]["most rows"] > 0
