"""Purge: only what nobody can want back is erased, and then it is nowhere."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.lifecycle.dump import dump

import memoria.app.nightly as nights
from memoria.app import open_memoria
from memoria.config import Settings
from memoria.errors import InvalidInputError
from memoria.model import DAY_MS, Validity, now_millis, use_clock
from memoria.model.nightly import NightlyRun
from memoria.store.sqlite import SqliteStore

Keep = Callable[..., str]
BADGE = "the visitor's badge is wren-4711"
WEEK_MS = 7 * DAY_MS


@pytest.fixture
def ids(settings: Settings) -> Callable[[], list[str]]:
    """Which memories there are."""

    def there() -> list[str]:
        store = SqliteStore(settings.home_path / "memoria.db", busy_timeout_ms=5000, readers=1)
        with store.read(settings.tenant) as tx:
            found = tx.memories.by_version_numbers(list(tx.documents.page("memory", 0, 1000)))
        store.close()
        return sorted({memory.id for memory in found.values()})

    return there


def night(settings: Settings, days: float, *steps: str) -> NightlyRun:
    moment = now_millis() + round(days * DAY_MS)
    with use_clock(lambda: moment):
        return nights.run_nightly(settings, steps)


def bytes_of(home: Path) -> bytes:
    return b"".join(f.read_bytes() for f in sorted(home.rglob("*")) if f.is_file())


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
    assert b"wren-4711" not in bytes_of(settings.home_path)
    assert b"8080" in bytes_of(settings.home_path)


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
