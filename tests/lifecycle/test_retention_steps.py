"""A night lets fade what nobody needs, and nothing that somebody does."""

from collections.abc import Callable
from contextlib import closing

import pytest
from tests.lifecycle.dump import dump

import memoria.app.nightly as nights
from memoria.app import open_memoria
from memoria.config import Settings
from memoria.model import COMMAND_LINE, DAY_MS, Validity, system_millis, use_clock
from memoria.model.nightly import NightlyRun
from memoria.model.retention import MemoryTier
from memoria.store.sqlite import SqliteStore

Keep = Callable[..., str]
State = Callable[[str], Validity]


def after(settings: Settings, days: int) -> NightlyRun:
    """A night of this alone, so many days from now."""
    with use_clock(lambda: system_millis() + days * DAY_MS):
        return nights.run_nightly(settings, ["decay", "promote"])


def tier(settings: Settings, memory_id: str) -> MemoryTier:
    store = SqliteStore(settings.home_path / "memoria.db", busy_timeout_ms=5000, readers=1)
    with closing(store), store.read(settings.tenant) as tx:
        one = tx.retention.get_attributes(memory_id)
    assert one is not None
    return one.tier


async def test_what_happened_fades_and_what_holds_does_not(
    settings: Settings, keep: Keep, validity: State
) -> None:
    fact = keep("the port is 8080")
    episode = keep("they looked for the port all morning", kind="episode")
    rule = keep("always answer in Chinese", kind="rule")
    assert validity(episode) is Validity.ACTIVE
    run = after(settings, 120)
    assert run.steps[0].reasons == {episode: "faded"}
    assert validity(episode) is Validity.ARCHIVED
    assert validity(fact) is validity(rule) is Validity.ACTIVE


async def test_what_the_user_pinned_or_confirmed_never_fades(
    settings: Settings, keep: Keep, validity: State
) -> None:
    pinned = keep("they looked for the port all morning", kind="episode")
    confirmed = keep("they found it in the afternoon", kind="episode")
    async with open_memoria(settings=settings, channel=COMMAND_LINE) as m:
        await m.revise_memory(pinned, "pin")
        await m.revise_memory(confirmed, "confirm")
    after(settings, 2000)
    assert validity(pinned) is validity(confirmed) is Validity.ACTIVE


async def test_more_than_the_bound_are_never_active(
    settings: Settings, keep: Keep, validity: State
) -> None:
    small = settings.model_copy(update={"retention": {"active": 3.0}})
    weak = [keep(f"lamp {i} is lit", importance=0.2 + i / 100) for i in range(5)]
    pinned = keep("the house has lamps", importance=0.1)
    async with open_memoria(settings=settings) as m:
        await m.revise_memory(pinned, "pin")
    run = nights.run_nightly(small, ["decay"])
    assert run.steps[0].outcomes == {"done": 3}
    assert [validity(each) is Validity.ACTIVE for each in weak] == [False] * 3 + [True] * 2
    assert validity(pinned) is Validity.ACTIVE
    assert nights.run_nightly(small, ["decay"]).steps[0].planned == 0


async def test_what_was_archived_for_its_age_comes_back_with_an_undo(
    settings: Settings, keep: Keep
) -> None:
    for i in range(10):
        keep(f"they looked for port {i} all morning", kind="episode")
    before = dump(settings.home_path)
    run = after(settings, 120)
    assert run.steps[0].outcomes == {"done": 10}
    nights.undo_nightly(settings, run.id, lambda _: None)
    assert dump(settings.home_path) == before


async def test_a_week_lets_a_memory_rise_and_weakness_lets_it_sink(
    settings: Settings, keep: Keep
) -> None:
    one = keep("the port is 8080", importance=0.55)
    after(settings, 1)
    assert tier(settings, one) is MemoryTier.SHORT
    after(settings, 8)
    assert tier(settings, one) is MemoryTier.MID
    run = after(settings, 900)
    assert run.steps[0].reasons == {one: "faded"}
    assert tier(settings, one) is MemoryTier.SHORT


@pytest.mark.parametrize("days", [30, 400])
async def test_nothing_is_done_twice_at_the_same_moment(
    settings: Settings, keep: Keep, days: int
) -> None:
    for i in range(6):
        keep(f"lamp {i} is lit", kind="episode" if i % 2 else "fact", importance=i / 6)
    moment = system_millis() + days * DAY_MS
    with use_clock(lambda: moment):
        nights.run_nightly(settings)
        before = dump(settings.home_path)
        again = nights.run_nightly(settings)
    assert not [step for step in again.steps if step.planned and step.name != "metrics"]
    assert dump(settings.home_path) == before
