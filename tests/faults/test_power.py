"""A simulated loss of power. `python -m bench.faults --power 500` does it at more moments."""

import random
from pathlib import Path

import anyio
import pytest
from bench.faults.power.disk import PAGE, SECTOR, Disk
from bench.faults.power.lose import Recording, examine, record_calls
from bench.faults.power.records import Kind, Record, why_not

CALLS = 24
LOSSES = 20
CHANCES = 200


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Recording:
    """What a server asked of its disk while a client recorded, remembered and forgot."""
    if reason := why_not():
        pytest.skip(reason)
    return anyio.run(record_calls, tmp_path_factory.mktemp("power") / "recording", CALLS)


@pytest.mark.sqlite("a simulated disk under the file")
async def test_what_was_acknowledged_survives_a_loss_of_power_once_and_nothing_forgotten_does(
    recording: Recording,
) -> None:
    verdict = await examine(recording, LOSSES)
    assert verdict.broken == ()
    assert verdict.figures["calls acknowledged"] == CALLS
    assert verdict.figures["syncs"] > CALLS


@pytest.mark.sqlite("a simulated disk under the file")
async def test_of_a_disk_that_syncs_nothing_the_simulation_finds_losses(
    recording: Recording,
) -> None:
    verdict = await examine(recording, 4, heeds_syncs=False)
    assert any("acknowledged" in line or "damaged" in line for line in verdict.broken)


def write(place: int, data: bytes, path: str = "a") -> Record:
    return Record(Kind.WRITE, path, place, data)


def made(path: str) -> Record:
    return Record(Kind.CREATE, path, 0, b"")


def synced(path: str) -> tuple[Record, Record]:
    return Record(Kind.SYNC_BEGINS, path, 1, b""), Record(Kind.SYNC_ENDS, path, 1, b"")


def left_by(folder: Path, *records: Record) -> list[dict[str, bytes]]:
    """What many losses of power leave."""
    disk, chance = Disk(records), random.Random(1)  # noqa: S311  (chance, no secret)
    left = []
    for number in range(CHANCES):
        (home := folder / f"{number}").mkdir()
        disk.lose_power(chance, home)
        left.append({file.name: file.read_bytes() for file in home.iterdir()})
    return left


def test_what_was_synced_is_there_and_of_the_rest_any_page_or_sector(tmp_path: Path) -> None:
    safe, rest = b"s" * PAGE, b"u" * 2 * PAGE
    begins, ends = synced("a")
    left = left_by(tmp_path, made("a"), write(0, safe), begins, ends, write(PAGE, rest))
    assert all(disk["a"][:PAGE] == safe for disk in left)
    tails = {disk["a"][PAGE:] for disk in left}
    assert {b"", rest, rest[:PAGE], bytes(PAGE) + rest[PAGE:]} < tails
    assert any(0 < len(tail) < SECTOR * 8 and not len(tail) % SECTOR for tail in tails)


def test_what_is_written_while_a_sync_runs_is_not_safe_yet(tmp_path: Path) -> None:
    begins, ends = synced("a")
    left = left_by(tmp_path, made("a"), begins, write(0, b"late"), ends)
    assert {disk.get("a") for disk in left} == {b"", b"late"}


def test_a_sync_that_has_not_ended_keeps_nothing(tmp_path: Path) -> None:
    begins, _ = synced("a")
    left = left_by(tmp_path, made("a"), write(0, b"late"), begins)
    assert {disk.get("a") for disk in left} == {None, b"", b"late"}


def test_names_change_in_order_and_a_file_put_in_anothers_place_may_be_empty(
    tmp_path: Path,
) -> None:
    put = Record(Kind.RENAME, "new", 0, b"a")
    begins, ends = synced("a")
    before = (made("a"), write(0, b"old"), begins, ends)
    left = left_by(tmp_path, *before, made("new"), write(0, b"new", "new"), put)
    assert {disk["a"] for disk in left} == {b"old", b"new", b""}
