"""A night does what is due once, whatever happens to it, and can be undone."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.lifecycle.conftest import SAID
from tests.lifecycle.dump import Interrupted, dump, interrupting

import memoria.app.night as nights
from memoria.app import open_memoria
from memoria.config import Settings
from memoria.errors import InvalidInputError, LeaseLostError, NotFoundError
from memoria.lifecycle.lease import LEASE, held
from memoria.model import DAY_MS, Validity, clock_at, now_millis, system_millis
from memoria.store.sqlite import JournaledStore, SqliteStore

Keep = Callable[..., str]
State = Callable[[str], Validity]


async def test_what_has_had_its_time_is_archived_and_nothing_else_is_touched(
    settings: Settings, home: list[str], validity: State
) -> None:
    run = nights.run(settings)
    assert run.state == "finished"
    assert run.steps[0].outcomes == {"done": 30}
    assert {validity(memory_id) for memory_id in home} == {Validity.ARCHIVED}
    async with open_memoria(settings=settings) as m:
        assert (await m.statistics()).memories == {"active": len(SAID), "archived": len(home)}


async def test_a_second_night_finds_nothing_left_to_do(settings: Settings, home: list[str]) -> None:
    assert home
    nights.run(settings)
    before = dump(settings.home_path)
    assert {step.planned for step in nights.run(settings).steps} == {0}
    assert dump(settings.home_path) == before


async def test_a_dry_run_says_how_much_and_changes_nothing(
    settings: Settings, home: list[str]
) -> None:
    before = dump(settings.home_path)
    assert nights.dry_run(settings).steps[0].planned == len(home)
    assert dump(settings.home_path) == before
    assert nights.runs(settings, 10) == []


@pytest.mark.parametrize("after", range(3))
async def test_a_run_that_was_broken_off_ends_as_one_that_was_not(
    settings: Settings, home: list[str], after: int, tmp_path: Path
) -> None:
    assert home
    at = now_millis()
    twin = settings.model_copy(update={"home": tmp_path / "twin"})
    _copy(settings, twin)
    with clock_at(lambda: at):
        nights.run(twin)
        with pytest.raises(Interrupted):
            nights.run(settings, progress=interrupting(after))
    resumed = nights.run(settings)
    assert resumed.state == "finished"
    assert resumed.steps == nights.runs(twin, 1)[0].steps
    assert dump(settings.home_path) == dump(twin.home_path)


async def test_undoing_a_night_brings_everything_back(settings: Settings, home: list[str]) -> None:
    before = dump(settings.home_path)
    run = nights.run(settings)
    assert dump(settings.home_path) != before
    undone = nights.undo(settings, run.id[-8:], lambda _: None)
    assert undone.restored >= 2 * len(home)
    assert (undone.kept, undone.forgotten) == (0, 0)
    assert dump(settings.home_path) == before
    assert nights.runs(settings, 1)[0].state == "undone"


async def test_an_undoing_that_was_broken_off_goes_on_where_it_was(
    settings: Settings, home: list[str]
) -> None:
    assert home
    before = dump(settings.home_path)
    run = nights.run(settings)

    def stop(_done: int) -> None:
        raise Interrupted

    with pytest.raises(Interrupted):
        nights.undo(settings, run.id, stop)
    with pytest.raises(InvalidInputError, match="undoing of night"):
        nights.run(settings)
    nights.undo(settings, run.id, lambda _: None)
    assert dump(settings.home_path) == before


async def test_later_nights_are_undone_first(
    settings: Settings, home: list[str], keep: Keep, validity: State
) -> None:
    first = nights.run(settings)
    late = keep("the shop is open until noon", now_millis() - 1)
    second = nights.run(settings)
    undone = nights.undo(settings, first.id, lambda _: None)
    assert undone.run_ids == (second.id, first.id)
    assert validity(late) is validity(home[0]) is Validity.ACTIVE


async def test_what_the_user_has_changed_since_is_left_as_it_is(
    settings: Settings, home: list[str], validity: State
) -> None:
    run = nights.run(settings)
    async with open_memoria(settings=settings) as m:
        await m.revise_memory(home[0], "restore")
        await m.revise_memory(home[0], "pin")
        await m.forget_memory([home[1]])
    undone = nights.undo(settings, run.id, lambda _: None)
    assert undone.kept >= 1
    assert undone.forgotten >= 1
    assert validity(home[2]) is Validity.ACTIVE
    async with open_memoria(settings=settings) as m:
        assert (await m.get_memory(home[0])).pinned
        with pytest.raises(NotFoundError):
            await m.get_memory(home[1])


async def test_what_was_pinned_after_it_was_planned_is_left_alone(
    settings: Settings, home: list[str], validity: State
) -> None:
    with pytest.raises(Interrupted):
        nights.run(settings, progress=interrupting(0))
    waiting = [memory_id for memory_id in home if validity(memory_id) is Validity.ACTIVE]
    async with open_memoria(settings=settings) as m:
        await m.revise_memory(waiting[0], "pin")
    run = nights.run(settings)
    assert run.steps[0].outcomes == {"changed since": 1, "done": 29}
    assert validity(waiting[0]) is Validity.ACTIVE


async def test_no_transaction_touches_more_rows_than_it_may(
    settings: Settings, home: list[str], keep: Keep
) -> None:
    for i in range(200):
        keep(f"lamp {i} is lit until noon, and so are the lamps {i + 1} and {i + 2}", 1)
    run = nights.run(settings)
    assert run.steps[0].outcomes == {"done": 200 + len(home)}
    assert 0 < run.most_rows <= 500


def test_two_nights_never_run_at_once(settings: Settings) -> None:
    store = SqliteStore(settings.home_path / "memoria.db", busy_timeout_ms=5000, readers=1)
    with (
        held(store, "one", 1000),
        pytest.raises(LeaseLostError, match="running in this home"),
        held(store, "two", 1000),
    ):
        pass
    with held(store, "two", 1000):
        pass
    store.close()


def test_a_dead_nights_lease_is_taken_over(settings: Settings) -> None:
    store = SqliteStore(settings.home_path / "memoria.db", busy_timeout_ms=5000, readers=1)
    with store.backlog(write=True) as leases:
        assert leases.take_lease(LEASE, "dead", system_millis(), 500)
    with held(store, "heir", 1000), store.backlog(write=False) as leases:
        assert leases.lease_owner(LEASE, system_millis()) == "heir"
    store.close()


def test_whoever_lost_the_lease_writes_nothing_more(settings: Settings) -> None:
    path = settings.home_path / "memoria.db"
    own = JournaledStore(path, busy_timeout_ms=5000, attempts=5, lease=LEASE, owner="slept")
    with pytest.raises(LeaseLostError, match="taken over"), own.write("ann"):
        raise AssertionError
    own.close()


async def test_a_night_out_of_time_leaves_the_rest_for_the_next(
    settings: Settings, home: list[str]
) -> None:
    hurried = settings.model_copy(update={"night_minutes": 1e-9})
    run = nights.run(hurried)
    assert (run.state, run.steps[0].state) == ("stopped", "waiting")
    assert nights.run(settings).steps[0].outcomes == {"done": len(home)}


def test_an_unknown_step_or_night_says_what_there_is(settings: Settings) -> None:
    with pytest.raises(InvalidInputError, match="Steps are: expire"):
        nights.run(settings, ["dream"])
    with pytest.raises(NotFoundError, match="memoria nightly runs"):
        nights.undo(settings, "nowhere", lambda _: None)


async def test_what_expires_tomorrow_is_archived_tomorrow(
    settings: Settings, keep: Keep, validity: State
) -> None:
    tomorrow = keep("the gate is open until tomorrow", now_millis() + DAY_MS)
    nights.run(settings)
    assert validity(tomorrow) is Validity.ACTIVE
    with clock_at(lambda: system_millis() + 2 * DAY_MS):
        nights.run(settings)
    assert validity(tomorrow) is Validity.ARCHIVED


def _copy(settings: Settings, twin: Settings) -> None:
    """A copy of a home, taken by SQLite itself."""
    from memoria.app.upkeep import back_up, restore  # noqa: PLC0415

    report = back_up(settings, None, lambda *_: None)
    restore(twin, report.path, lambda *_: None)
