"""How long a memory lives is counted from when it was said, however late it is read."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import anyio.to_thread
import pytest
from tests.ingest.play import add, answers, memories, opened, reader
from tests.llm.scripted import ScriptedModel

import memoria.app.nightly as nights
from memoria import Memoria
from memoria.disk.folders import DAILY, tenant_folder
from memoria.model import DAY_MS, to_millis, use_clock

READ = to_millis(datetime(2026, 11, 28, 9, tzinfo=UTC))
SAID = "2025-05-10T09:00:00+00:00"
TEMPORARY = {
    "an end": ("I stay with Ana in Porto until 30 June.", {"until": "until 30 June"}),
    "a while": ("I broke my wrist and can't type.", {"duration": "30d"}),
    "直到": ("我六月三十日之前住在波尔图的安娜家。", {"until": "六月三十日之前"}),
}


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel() as served:
        yield served


@pytest.fixture
def clock() -> Iterator[list[int]]:
    now = [READ]
    with use_clock(lambda: now[0]):
        yield now


def reads(more: dict[str, Any]) -> Callable[..., object]:
    """A model that takes the user's words as they are."""
    return answers(extract=reader(lambda n, _, text, __: [add(text, n) | more]))


async def read_late(m: Memoria, words: str, clock: list[int]) -> None:
    """Read what was said in May 2025, as after an import."""
    turn = {"role": "user", "content": words, "at": SAID, "session_id": "old", "message_id": "1"}
    await m.record_conversation([turn], "session_end")
    await m.queue.fill()
    await m.wait_until_idle(60)
    clock[0] += 3_600_000
    await m.wait_until_idle(60)


async def live_on(m: Memoria, clock: list[int], *days: int) -> None:
    """Let nights pass, so many days after the reading."""
    for day in days:
        clock[0] = READ + day * DAY_MS
        await anyio.to_thread.run_sync(lambda: nights.run_nightly(m.settings))


@pytest.mark.parametrize(("words", "life"), TEMPORARY.values(), ids=TEMPORARY)
async def test_what_was_temporary_when_it_was_said_is_history_and_never_erased(
    home: Path, model: ScriptedModel, clock: list[int], words: str, life: dict[str, Any]
) -> None:
    model.answer = reads(life)
    async with opened(home, model) as m:
        await read_late(m, words, clock)
        await live_on(m, clock, 1, 9, 40)
        (one,) = [each for each in await memories(m) if each.expires_at is not None]
        assert one.validity == "archived"
        assert one.current.valid_from == to_millis(datetime.fromisoformat(SAID))
        assert one.expires_at is not None
        assert one.expires_at < READ
        now = await m.search_memory(words)
        assert [hit for hit in now.hits if hit.kind == "memory"] == []
        then = await m.search_memory(words, as_of="2025-05-20")
        assert one.id in [hit.id for hit in then.hits]


async def test_what_was_to_count_for_a_day_when_it_was_said_is_erased_after_a_week(
    home: Path, model: ScriptedModel, clock: list[int]
) -> None:
    model.answer = reads({"duration": "24h"})
    async with opened(home, model) as m:
        await read_late(m, "I work from the library on the corner today.", clock)
        await live_on(m, clock, 1, 3)
        assert [one.validity for one in await memories(m)] == ["archived"]
        await live_on(m, clock, 9)
        assert await memories(m) == []


async def test_what_an_agent_notes_late_with_its_turn_lives_since_the_turn(
    home: Path, model: ScriptedModel, clock: list[int]
) -> None:
    words = TEMPORARY["an end"][0]
    async with opened(home, model, llm_base_url=None, llm_model=None) as m:
        turn = {"role": "user", "content": words, "at": SAID, "session_id": "old"}
        (recorded,) = (await m.record_conversation([turn])).turns
        kept = await m.remember(words, turn_id=recorded.id, until="30 June 2025")
        await live_on(m, clock, 1, 9)
        assert (await m.get_memory(kept.id)).validity == "archived"


async def test_a_diary_has_what_was_learnt_on_the_day_on_which_it_was_said(
    home: Path, model: ScriptedModel, clock: list[int]
) -> None:
    model.answer = reads({})
    words = "I work as a translator for the city."
    async with opened(home, model) as m:
        await read_late(m, words, clock)
        await m.remember("The port is 8080.")
        await live_on(m, clock, 2)
        folder = tenant_folder(m.settings.home_path, m.tenant) / DAILY
        pages = {page.stem: page.read_text("utf-8") for page in folder.iterdir()}
    assert {day for day, text in pages.items() if f"- {words}" in text} == {"2025-05-10"}
    assert "The port is 8080." in pages["2026-11-28"]


async def test_a_rule_for_a_task_that_was_over_long_ago_ends_with_the_first_night(
    home: Path, model: ScriptedModel, clock: list[int]
) -> None:
    words = "Leave out the tests."
    model.answer = reads({"type": "rule", "task": "the spring report"})
    async with opened(home, model) as m:
        await read_late(m, words, clock)
        await anyio.to_thread.run_sync(lambda: nights.run_nightly(m.settings))
        assert {one.validity for one in await memories(m)} == {"archived"}
