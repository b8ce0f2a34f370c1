"""A night lets fade what nobody needs, and nothing that somebody does."""

from collections.abc import Callable

import pytest
from tests.forgetting.remains import remains
from tests.lifecycle.dump import dump, memory, store_of, vitals

import memoria.app.nightly as nights
from memoria.app import open_memoria
from memoria.config import Settings
from memoria.errors import InvalidInputError
from memoria.language.reading.statement import fingerprint
from memoria.model import (
    COMMAND_LINE,
    DAY_MS,
    InferredBy,
    MemoryType,
    Provenance,
    Revision,
    SourceKind,
    Trust,
    Validity,
    new_id,
    now_millis,
    system_millis,
    use_clock,
)
from memoria.model.nightly import NightlyRun
from memoria.model.provenance import NIGHTLY_CHANNEL
from memoria.model.retention import MemoryTier
from memoria.store.values import NewMemory, NewVersion

Keep = Callable[..., str]
State = Callable[[str], Validity]


def after(settings: Settings, days: int) -> NightlyRun:
    """A night of this alone, so many days from now."""
    with use_clock(lambda: system_millis() + days * DAY_MS):
        return nights.run_nightly(settings, ["decay", "promote"])


def tier(settings: Settings, memory_id: str) -> MemoryTier:
    return vitals(settings, memory_id).tier


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


BADGE = "the visitor's badge is wren-4711"
WEEK_MS = 7 * DAY_MS


@pytest.fixture
def ids(settings: Settings) -> Callable[[], list[str]]:
    """Which memories there are."""

    def there() -> list[str]:
        with store_of(settings) as store, store.read(settings.tenant) as tx:
            found = tx.memories.by_version_numbers(list(tx.documents.page("memory", 0, 1000)))
        return sorted({memory.id for memory in found.values()})

    return there


def night(settings: Settings, days: float, *steps: str) -> NightlyRun:
    moment = now_millis() + round(days * DAY_MS)
    with use_clock(lambda: moment):
        return nights.run_nightly(settings, steps)


def test_what_counted_for_a_day_is_erased_once_no_night_can_bring_it_back(
    settings: Settings, keep: Keep, ids: Callable[[], list[str]]
) -> None:
    soon = now_millis() + DAY_MS // 2
    kept = [keep("the port is 8080"), keep("the offer holds for a month", now_millis() + WEEK_MS)]
    brief = keep(BADGE, soon)
    archiving = night(settings, 1, "archive_expired", "delete_expired")
    assert archiving.steps[0].reasons == {brief: "its time was over"}
    night(settings, 7, "archive_expired", "delete_expired")
    assert brief in ids()
    erasing = night(settings, 9, "archive_expired", "delete_expired")
    assert erasing.steps[1].reasons == {brief: "it was to count for a day at most"}
    assert ids() == sorted(kept)
    assert remains(settings.home_path, "wren-4711") == set()
    assert remains(settings.home_path, "8080")


def test_an_undo_brings_back_what_the_night_hid_and_not_what_it_erased(
    settings: Settings, keep: Keep, ids: Callable[[], list[str]], validity: Callable[..., Validity]
) -> None:
    brief = keep(BADGE, now_millis() + DAY_MS // 2)
    later = keep("the lift is out of order", now_millis() + 8 * DAY_MS)
    night(settings, 1, "archive_expired", "delete_expired")
    both = night(settings, 9, "archive_expired", "delete_expired")
    assert ids() == [later]
    nights.undo_nightly(settings, both.id, lambda _: None)
    assert ids() == [later]
    assert validity(later) is Validity.ACTIVE
    assert brief not in ids()


def test_what_nights_kept_for_their_undoing_goes_with_it(settings: Settings, keep: Keep) -> None:
    keep("the lift is out of order", now_millis())
    first = night(settings, 1, "archive_expired")
    assert nights.list_changes(settings, first.id, 10)[1]
    night(settings, 9, "delete_expired")
    assert nights.list_changes(settings, first.id, 10)[1] == []
    with pytest.raises(InvalidInputError, match="kept for 7 days"):
        nights.undo_nightly(settings, first.id, lambda _: None)


async def test_what_is_archived_stays_unless_the_configuration_says_for_how_long(
    settings: Settings, ids: Callable[[], list[str]]
) -> None:
    async with open_memoria(settings=settings) as m:
        gone = (await m.remember("the old office is in Bern")).id
        await m.revise_memory(gone, "archive")
        stays = (await m.remember("the new office is in Basel")).id
    night(settings, 400, "delete_expired")
    assert ids() == sorted([gone, stays])
    strict = settings.model_copy(update={"archive_days": 365})
    assert night(strict, 300, "delete_expired").steps[0].outcomes == {}
    assert night(strict, 400, "delete_expired").steps[0].outcomes == {"done": 1}
    assert ids() == [stays]
    before = dump(settings.home_path)
    assert night(strict, 401, "delete_expired").steps[0].planned == 0
    assert dump(settings.home_path) == before


SWIMS = "Usually on Mondays: The user goes swimming"


@pytest.fixture
def habit(settings: Settings) -> str:
    """The id of a habit, as rules have written it in a night of a former version."""
    origin = Provenance(
        source_kind=SourceKind.CONSOLIDATED, trust=Trust.REPORTED, channel=NIGHTLY_CHANNEL
    )
    version = NewVersion(SWIMS, fingerprint(SWIMS), 1, 1, origin, None, InferredBy.RULES)
    kept = NewMemory(new_id(), MemoryType.FACT, 0.5, 0.9, None, subject="user", predicate="habit")
    with store_of(settings) as store, store.write(settings.tenant) as tx:
        tx.memories.add(kept, version)
    return kept.id


async def test_a_habit_that_rules_concluded_is_archived_and_an_undone_night_gives_it_back_for_good(
    settings: Settings, habit: str
) -> None:
    before = memory(settings, habit)
    run = nights.run_nightly(settings, ["quotes"])
    assert run.steps[0].reasons == {habit: "rules had concluded it"}
    assert memory(settings, habit).validity is Validity.ARCHIVED
    nights.undo_nightly(settings, run.id, lambda _: None)
    assert memory(settings, habit) == before
    assert nights.run_nightly(settings, ["quotes"]).steps[0].planned == 0


@pytest.mark.parametrize("action", ["pin", "confirm", "upvote"])
async def test_what_the_user_has_decided_about_a_habit_stays_so(
    settings: Settings, habit: str, action: Revision
) -> None:
    async with open_memoria(settings=settings, channel=COMMAND_LINE) as m:
        await m.revise_memory(habit, action)
    assert nights.run_nightly(settings, ["quotes"]).steps[0].planned == 0
    assert memory(settings, habit).validity is Validity.ACTIVE
