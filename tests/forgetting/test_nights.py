"""What nights keep for their undoing, and are about to do, holds nothing that was forgotten."""

from contextlib import AbstractAsyncContextManager
from datetime import date
from pathlib import Path

import pytest
from tests.forgetting.remains import remains

import memoria.app.nightly as nights
from memoria.app import Memoria, open_memoria
from memoria.app.upkeep import back_up, restore
from memoria.config import Settings
from memoria.disk.folders import daily_path
from memoria.erasure.plan import plan_erasure
from memoria.erasure.reach import list_places
from memoria.erasure.selection import ErasureRequest, find_named
from memoria.model import COMMAND_LINE, DAY_MS, use_clock
from memoria.model.nightly import NightlyRun

BEFORE, AFTER = "The user enjoys books by Xylophonix", "The user enjoys books by Zebranomics"
"""Both may be true, so that saying the first again is a memory of its own."""


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings.from_values(home=tmp_path / "home", tenant="default", embedder="off")


def opened(settings: Settings) -> AbstractAsyncContextManager[Memoria]:
    return open_memoria(settings=settings, channel=COMMAND_LINE)


@pytest.fixture
async def corrected(settings: Settings) -> tuple[str, NightlyRun]:
    """A memory, and the night that took its correction over from a core file."""
    async with opened(settings) as m:
        memory_id = (await m.remember(BEFORE, type="preference")).id
    nights.run_nightly(settings, ["core"])
    user = settings.home_path / "USER.md"
    user.write_text(user.read_text("utf-8").replace(BEFORE, AFTER), "utf-8")
    return memory_id, nights.run_nightly(settings, ["core"])


async def test_a_name_that_a_night_let_go_of_goes_with_its_memory(
    settings: Settings, corrected: tuple[str, NightlyRun]
) -> None:
    memory_id, _ = corrected
    async with opened(settings) as m:
        await m.forget_memory([memory_id])
    assert not remains(settings.home_path, "Xylophonix")


async def test_a_wording_forgotten_since_does_not_come_back_and_the_memory_keeps_its_other(
    settings: Settings, corrected: tuple[str, NightlyRun]
) -> None:
    memory_id, run = corrected
    async with opened(settings.model_copy(update={"workspace": "a project"})) as m:
        again = await m.remember(BEFORE, scope="project")  # beside what holds everywhere
        assert again.id != memory_id
    async with opened(settings) as m:
        await m.forget_memory([again.id])
        assert not remains(settings.home_path, "Xylophonix")
        nights.undo_nightly(settings, run.id, lambda _: None)
        assert not remains(settings.home_path, "Xylophonix")
        assert (await m.get_memory(memory_id)).content == AFTER
        found = await m.search_memory("Zebranomics")
        assert [hit.id for hit in found.hits] == [memory_id]


async def test_a_core_file_out_of_a_backup_no_longer_says_what_was_forgotten_since(
    settings: Settings, corrected: tuple[str, NightlyRun]
) -> None:
    memory_id, _ = corrected
    user = settings.home_path / "USER.md"
    user.write_text(user.read_text("utf-8") + "\nA line of my own.\n", "utf-8")
    backup = back_up(settings, None, lambda *_: None).path
    async with opened(settings) as m:
        await m.forget_memory([memory_id])
    restore(settings, backup, lambda *_: None)
    backup.unlink()
    assert not remains(settings.home_path, "Zebranomics")
    assert "A line of my own." in user.read_text("utf-8")


async def test_the_page_of_a_day_is_looked_for_whichever_zone_was_set_when_it_was_written(
    settings: Settings,
) -> None:
    noon = 1_795_176_000_000  # 2026-11-20T12:00Z: the 21st in Kiritimati, the 20th in Pago Pago
    there, here = (
        settings.model_copy(update={"time_zone": f"Pacific/{name}"})
        for name in ("Kiritimati", "Pago_Pago")
    )
    with use_clock(lambda: noon):
        async with opened(there) as m:
            memory_id = (await m.remember(BEFORE, type="fact")).id
    with use_clock(lambda: noon + 3 * DAY_MS):
        nights.run_nightly(there, ["daily"])
    page = daily_path(date(2026, 11, 21))
    assert BEFORE in (settings.home_path / page).read_text("utf-8")
    async with opened(here) as m:
        with m._store.read(m.tenant) as tx:  # noqa: SLF001
            plan = plan_erasure(tx, find_named(tx, ErasureRequest.for_ids([memory_id])))
            assert page in list_places(tx, plan)
