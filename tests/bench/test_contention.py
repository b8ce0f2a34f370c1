from pathlib import Path

import anyio
import pytest
from bench.contention import Load, contend, run_writers
from bench.contention.proof import problems
from bench.contention.traffic import TENANT, Line, lines, searches_after
from bench.contention.worker import Account

import memoria

TIMEOUT_S = 180
"""Only a hang is a failure; how long the model takes to load is the machine's affair."""
FEW = Load(processes=1, turns=10, searches=0)


@pytest.mark.sqlite("the clerks' processes know a folder alone")
async def test_processes_that_share_a_home_lose_and_double_nothing() -> None:
    load = Load(processes=3, turns=20, searches=5)
    with anyio.fail_after(TIMEOUT_S):
        verdict = await contend(load)
    assert verdict.problems == ()
    assert verdict.figures.capture_ms.calls == 3 * 20 + sum(
        line.repeated for clerk in range(3) for line in lines(clerk, 20)
    )
    assert verdict.figures.search_ms.calls == 3 * 5
    assert verdict.figures.embedded == 3 * 20


@pytest.mark.sqlite("the clerks' processes know a folder alone")
async def test_processes_that_do_nothing_but_write_lose_and_double_nothing() -> None:
    with anyio.fail_after(TIMEOUT_S):
        verdict = await run_writers(4, seconds=0.2)
    assert (verdict.errors, verdict.lost, verdict.doubled) == ((), (), ())
    assert verdict.calls > 4


@pytest.mark.sqlite("the clerks' processes know a folder alone")
async def test_a_process_that_fails_is_reported_with_its_traceback(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.write_text("a file, where a folder is wanted")
    with anyio.fail_after(TIMEOUT_S):
        verdict = await contend(FEW, home)
    assert "StoreUnavailableError" in verdict.problems[0]
    assert "can't be read" in verdict.problems[-1]


@pytest.mark.sqlite("the clerks' processes know a folder alone")
async def test_a_home_as_the_clerk_left_it_has_no_problems_but_the_missing_vectors(
    tmp_path: Path,
) -> None:
    account = await recorded(tmp_path, list(lines(0, FEW.turns)))
    assert await problems(tmp_path, FEW, {0: account}) == [
        "vectors: 0, not 10",
        "waiting for a vector: 10, not 0",
    ]


@pytest.mark.sqlite("the clerks' processes know a folder alone")
async def test_a_lost_turn_is_noticed(tmp_path: Path) -> None:
    account = await recorded(tmp_path, list(lines(0, FEW.turns)))
    account.ids[3] = "01890000-0000-7000-8000-000000000000"
    found = await problems(tmp_path, FEW, {0: account})
    assert "c0n3 is lost" in found
    assert any("has no receipt" in problem for problem in found)


@pytest.mark.sqlite("the clerks' processes know a folder alone")
async def test_turns_in_another_order_and_under_another_id_are_noticed(tmp_path: Path) -> None:
    swapped = list(lines(0, FEW.turns))
    swapped[1], swapped[2] = swapped[2], swapped[1]
    account = await recorded(tmp_path, swapped)
    found = await problems(tmp_path, FEW, {0: account})
    assert "clerk-0 holds the turns of c0 in another order" in found
    assert any(problem.startswith("c0n1 reads ") for problem in found)


@pytest.mark.sqlite("the clerks' processes know a folder alone")
async def test_a_doubled_turn_is_noticed(tmp_path: Path) -> None:
    account = await recorded(tmp_path, list(lines(0, FEW.turns)))
    await recorded(tmp_path, [Line(0, 2)])
    found = await problems(tmp_path, FEW, {0: account})
    assert any("2 times" in problem for problem in found)
    assert "turns: 11, not 10" in found


def test_half_the_calls_are_repeated_and_every_tenth_turn_is_shared() -> None:
    said = [line for clerk in range(4) for line in lines(clerk, 100)]
    assert sum(line.repeated for line in said) == len(said) / 2
    assert sum(line.shared for line in said) == len(said) / 10
    assert len({line.text for line in said}) == len(said)


@pytest.mark.parametrize(("turns", "searches"), [(20, 5), (5, 20), (7, 3), (1, 0)])
def test_searches_are_spread_over_the_turns(turns: int, searches: int) -> None:
    load = Load(1, turns, searches)
    assert sum(searches_after(i, load) for i in range(turns)) == searches


async def recorded(home: Path, said: list[Line]) -> Account:
    """The lines in the home, as a clerk without a model would have left them."""
    settings = memoria.Settings.load(embedder="off")
    account = Account()
    async with memoria.open(home, TENANT, settings=settings) as m:
        for line in said:
            receipt = await m.record_conversation([line.turn])
            account.ids.append(receipt.turns[0].id or "")
    return account
