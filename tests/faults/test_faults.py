"""The fault harness in small: every promise is kept. `python -m bench.faults` does it in full."""

import sys
from pathlib import Path

import anyio
import pytest
from bench.faults import Verdict, clock, disk, foreign, versions
from bench.faults.calls import Call, Ledger
from bench.faults.damage import damage
from bench.faults.homes import settings, turns_of_home
from bench.faults.kill import differences, kill

import memoria

TIMEOUT_S = 180
"""Only a hang is a failure; how long a process takes to start is the machine's affair."""
posix_only = pytest.mark.skipif(sys.platform == "win32", reason="signals and modes as POSIX has")


def kept(verdict: Verdict) -> None:
    """The fault was tried and broke no promise."""
    if verdict.skipped is not None:
        pytest.skip(verdict.skipped)
    assert verdict.broken == ()


@posix_only
async def test_a_killed_server_loses_and_doubles_nothing_it_acknowledged(home: Path) -> None:
    rounds = 3
    with anyio.fail_after(TIMEOUT_S):
        verdict = await kill(home, rounds)
    kept(verdict)
    answered = [verdict.figures.get(f"unanswered and {end}", 0) for end in ("kept", "not kept")]
    assert sum(answered) == rounds
    assert verdict.figures["calls acknowledged"] > 0


async def test_the_harness_notices_what_is_lost_doubled_or_half_written(pattern: Path) -> None:
    told = turns_of_home()["s0"]
    half = Call("record_conversation", {"session_id": "s0", "turns": [{"content": told[-1]}] * 2})
    async with memoria.open(settings=settings(pattern)) as m:
        assert await differences(m, Ledger(0, {"s0": told}), None) == []
        lost = await differences(m, Ledger(0, {"s0": [*told, "one more"]}), None)
        doubled = await differences(m, Ledger(0, {"s0": told[:-1]}), None)
        halved = await differences(m, Ledger(0, {"s0": told[:-1]}), half)
    assert lost == ["s0 holds 40 turns, not the 41 acknowledged"]
    assert doubled == halved == ["s0 holds 40 turns, not the 39 acknowledged"]


@posix_only
async def test_a_file_size_limit_is_said_and_survived_by_the_server(home: Path) -> None:
    with anyio.fail_after(TIMEOUT_S):
        kept(await disk.full_by_limit(home))


async def test_a_full_database_is_said_and_nothing_is_half_written(home: Path) -> None:
    kept(await disk.full_by_pages(home))


@posix_only
async def test_a_disk_without_room_is_said_and_survived_by_the_server(tmp_path: Path) -> None:
    with anyio.fail_after(TIMEOUT_S):
        kept(await disk.full_for_real(tmp_path / "small"))


def test_a_damaged_file_never_crashes_or_tells_other_words_and_doctor_names_it(
    unclosed: Path, tmp_path: Path
) -> None:
    rounds = 18
    verdict = damage(unclosed, tmp_path, rounds)
    kept(verdict)
    assert (
        sum(verdict.figures[kind] for kind in ("bits turned over", "truncated")) == rounds / 9 * 2
    )
    assert verdict.figures["doctor found an error"] > 0


def test_a_read_only_home_is_said_and_left_alone(pattern: Path) -> None:
    kept(foreign.read_only(pattern))


def test_what_is_no_home_of_ours_is_said_and_left_alone(pattern: Path, tmp_path: Path) -> None:
    kept(foreign.no_home(pattern, tmp_path))


def test_a_clock_that_runs_backwards_stops_nothing(home: Path) -> None:
    kept(clock.backwards(home))


def test_a_newer_version_beside_this_one_is_said(pattern: Path, tmp_path: Path) -> None:
    kept(versions.overtaken(pattern, tmp_path))


def test_the_first_version_beside_this_one_is_stopped_and_loses_nothing(tmp_path: Path) -> None:
    kept(versions.overtaking(tmp_path))
