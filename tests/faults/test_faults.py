"""The fault harness in small: every promise is kept. `python -m bench.faults` does it in full."""

import sys
from pathlib import Path

import anyio
import pytest
from bench.faults import Verdict, clock, disk, ends, foreign, versions
from bench.faults.calls import Call, Ledger
from bench.faults.damage import damage
from bench.faults.endure import endure
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


@posix_only
async def test_of_many_calls_in_flight_a_kill_loses_and_doubles_none(tmp_path: Path) -> None:
    with anyio.fail_after(TIMEOUT_S):
        verdict = await endure(tmp_path / "home", tmp_path / "ledger", 60)
    kept(verdict)
    assert verdict.figures["kills"] > 0
    assert verdict.figures["calls acknowledged"] >= 60


@posix_only
def test_a_server_told_to_stop_in_the_middle_of_writes_ends_at_once_and_loses_nothing(
    home: Path,
) -> None:
    kept(ends.stop_server(home))


@posix_only
@pytest.mark.sqlite("the lock of the file tells when it writes")
def test_a_command_told_to_stop_while_it_writes_leaves_a_sound_home_and_can_be_repeated(
    home: Path, tmp_path: Path
) -> None:
    kept(ends.stop_job(home, tmp_path / "said.jsonl"))


@posix_only
def test_a_client_that_leaves_in_the_middle_of_its_answers_ends_its_server(home: Path) -> None:
    kept(ends.leave_in_the_middle(home))


@posix_only
def test_a_client_that_never_reads_holds_nobody_up_and_ends_its_server(home: Path) -> None:
    kept(ends.never_read(home))


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
@pytest.mark.sqlite("fills up the file")
async def test_a_file_size_limit_is_said_and_survived_by_the_server(home: Path) -> None:
    with anyio.fail_after(TIMEOUT_S):
        kept(await disk.full_by_limit(home))


@pytest.mark.sqlite("fills up the file")
async def test_a_full_database_is_said_and_nothing_is_half_written(home: Path) -> None:
    kept(await disk.full_by_pages(home))


@pytest.mark.sqlite("fills up the file")
async def test_a_full_database_is_said_on_every_way_to_write(home: Path) -> None:
    kept(await disk.full_everywhere(home))


@posix_only
@pytest.mark.sqlite("fills up the file")
async def test_a_disk_without_room_is_said_and_survived_by_the_server(tmp_path: Path) -> None:
    with anyio.fail_after(TIMEOUT_S):
        kept(await disk.full_for_real(tmp_path / "small"))


@pytest.mark.sqlite("mistreats the file")
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


@pytest.mark.sqlite("mistreats the file")
def test_a_read_only_home_is_said_and_left_alone(pattern: Path) -> None:
    kept(foreign.read_only(pattern))


@pytest.mark.sqlite("mistreats the file")
def test_what_is_no_home_of_ours_is_said_and_left_alone(pattern: Path, tmp_path: Path) -> None:
    kept(foreign.no_home(pattern, tmp_path))


def test_a_clock_that_runs_backwards_stops_nothing(home: Path) -> None:
    kept(clock.backwards(home))


@pytest.mark.sqlite("versions that share a file")
def test_a_newer_version_beside_this_one_is_said(pattern: Path, tmp_path: Path) -> None:
    kept(versions.overtaken(pattern, tmp_path))


@pytest.mark.sqlite("versions that share a file")
def test_the_first_version_beside_this_one_is_stopped_and_loses_nothing(tmp_path: Path) -> None:
    kept(versions.overtaking(tmp_path))
