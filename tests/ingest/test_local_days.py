"""Whose day it is, and how long a memory lives from then: a turn's own, wherever it is read."""

import json
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import anyio.to_thread
import pytest
from tests.databases import change_rows, read_texts, settings_elsewhere
from tests.ingest.play import add, answers, memories, opened, reader
from tests.llm.scripted import Asked, ScriptedModel

import memoria
import memoria.app.nightly as nights
from memoria import Memoria, Settings
from memoria.app.upkeep import back_up, restore
from memoria.disk.folders import DAILY, HISTORY, tenant_folder
from memoria.errors import InvalidInputError
from memoria.language.words.analyser import query_terms
from memoria.lifecycle.steps.daily import DailyStep
from memoria.lifecycle.steps.history import HistoryStep
from memoria.model import (
    DAY_MS,
    Memory,
    MemoryType,
    Turn,
    Validity,
    parse_instant,
    to_millis,
    use_clock,
)
from memoria.model.moments import Zone

EARLY = "2026-11-05T07:30:00+08:00"  # a Thursday; the fourth in Greenwich
SHANGHAI = "Asia/Shanghai"
Reads = Callable[[Asked], object]


def model_that_says(**fields: str) -> Reads:
    """A model that makes one memory of the one turn it is shown."""
    return reader(lambda n, _who, said, _known: [{**add(said, n), **fields}])


async def read_one(
    home: Path, words: str, *, at: str = EARLY, zone: str | None = None, **fields: str
) -> tuple[Memory, str]:
    """The memory that a model makes of one turn, and the prompt it was shown."""
    with ScriptedModel(answer=model_that_says(**fields)) as model:
        async with opened(home, model, time_zone=zone) as m:
            turn = {"role": "user", "content": words, "at": at}
            await m.record_conversation([turn], "session_end", session_id="s")
            await m.wait_until_idle(60)
            (kept,) = [
                one
                for one in await memories(m)
                if one.validity is Validity.ACTIVE and one.type is not MemoryType.EPISODE
            ]
    prompts = [asked.text for asked in model.requests if "The turns to read" in asked.text]
    return kept, prompts[0]


def at_local(text: str) -> int:
    return parse_instant(text, Zone.from_name(SHANGHAI))


@pytest.mark.parametrize(
    ("at", "zone"), [(EARLY, None), (EARLY, "America/New_York"), ("2026-11-04T23:30:00Z", SHANGHAI)]
)
async def test_a_turn_is_said_on_its_own_day_and_its_yesterday_is_the_day_before_that(
    home: Path, at: str, zone: str | None
) -> None:
    kept, prompt = await read_one(
        home, "昨天我搬到了杭州", at=at, zone=zone, content="用户搬到了杭州", event_time="昨天"
    )
    assert "Thursday, 2026-11-05" in prompt
    assert kept.current.event_at == at_local("2026-11-04T00:00")


async def test_what_holds_until_friday_ends_at_the_speakers_midnight(home: Path) -> None:
    kept, _ = await read_one(home, "I'm at my sister's until Friday", until="until Friday")
    assert kept.expires_at == at_local("2026-11-07T00:00")


@pytest.mark.parametrize(
    ("words", "content", "when", "day"),
    [
        (
            "The review is next Friday, the 4th",
            "The review is on 2026-12-04",
            "next Friday",
            "2026-12-04T00:00",
        ),
        ("评审改到下周五了", "评审在2026年12月4日", "下周五", "2026-12-04T00:00"),
        (
            "The review is next Friday",
            "The review is on 4 December 2026 at 15:00",
            "next Friday",
            "2026-12-04T15:00",
        ),
        ("The review is tomorrow", "The review is on Friday", "tomorrow", "2026-11-06T00:00"),
    ],
)
async def test_a_full_date_in_the_models_own_sentence_wins_over_its_expression(
    home: Path, words: str, content: str, when: str, day: str
) -> None:
    kept, _ = await read_one(home, words, content=content, event_time=when, modality="planned")
    assert kept.current.event_at == at_local(day)
    assert kept.current.event_expression == when


@pytest.mark.parametrize(
    "words", ["My birthday is on 25 April", "我的生日是4月25日", "My birthday is April 25"]
)
async def test_a_birthday_is_the_one_to_come(home: Path, words: str) -> None:
    kept, _ = await read_one(home, words)
    assert kept.current.event_at == at_local("2027-04-25T00:00")


@pytest.mark.parametrize(
    ("words", "day"),
    [
        ("The recital is on Saturday the 21st", "2026-11-21T00:00"),
        ("We moved in on Saturday the 21st", "2026-03-21T00:00"),
        ("My flight leaves on Wednesday the 18th", "2026-11-18T00:00"),
        ("考试定在21号", "2026-11-21T00:00"),
        ("我们21号搬完家了", "2026-10-21T00:00"),
        ("晚上七点要开会", "2026-11-05T19:00"),
    ],
)
async def test_a_date_lies_where_its_sentence_says_ahead_or_behind(
    home: Path, words: str, day: str
) -> None:
    kept, _ = await read_one(home, words, event_time=words)
    assert kept.current.event_at == at_local(day)


async def test_a_full_date_up_to_which_the_sentence_holds_is_its_end(home: Path) -> None:
    content = "The permit is valid until 2026-11-30"
    kept, _ = await read_one(home, "it runs to the end of the week", content=content, until="week")
    assert kept.expires_at == at_local("2026-12-01T00:00")


def pages(settings: Settings) -> dict[str, str]:
    return {Path(place).stem: text for place, text in read_texts(settings, DAILY).items()}


async def test_a_session_of_the_fifth_is_filed_under_the_fifth(home: Path) -> None:
    settings = Settings.from_values(home=home, embedder="off")  # this machine's zone
    night = "2026-11-05T23:50:00-05:00"  # the sixth in Greenwich, and in Shanghai
    async with memoria.open(settings=settings) as m:
        for session, at in (("早", EARLY), ("late", night)):
            turn = {"role": "user", "content": f"said {session}", "at": at}
            await m.record_conversation([turn], "session_end", session_id=session)
    nights.run_nightly(settings, [DailyStep.name])
    fifth = pages(settings)["2026-11-05"]
    assert re.search(r"- 07:30 library, 早: 1 message", fifth)
    assert re.search(r"- 23:50 library, late: 1 message", fifth)
    assert not {"2026-11-04", "2026-11-06"} & set(pages(settings))


@pytest.mark.sqlite("conversations are written into files on disk alone")
async def test_a_written_conversation_keeps_the_offset_of_its_turns(home: Path) -> None:
    settings = Settings.from_values(home=home, embedder="off")
    async with memoria.open(settings=settings) as m:
        turn = {"role": "user", "content": "said early", "at": EARLY}
        await m.record_conversation([turn], "session_end", session_id="s")
    nights.run_nightly(settings, [HistoryStep.name])
    (file,) = (tenant_folder(home, "default") / HISTORY).glob("*.jsonl")
    line = json.loads(file.read_text("utf-8"))
    fields = {name: value for name, value in line.items() if name in Turn.model_fields}
    read = Turn.model_validate(fields)
    assert (read.at, read.utc_offset) == (parse_instant(EARLY), 480)


async def test_what_is_forgotten_leaves_the_page_of_its_own_day(home: Path) -> None:
    settings = Settings.from_values(home=home, embedder="off")
    async with memoria.open(settings=settings) as m:
        turn = {"role": "user", "content": "the code is 4711", "at": EARLY}
        receipt = await m.record_conversation([turn], "session_end", session_id="s")
        nights.run_nightly(settings, [DailyStep.name])
        assert "2026-11-05" in pages(settings)
        await m.forget_memory([receipt.turns[0].id or ""], include_source=True)
    assert "2026-11-05" not in pages(settings)


async def test_words_of_a_date_find_a_turn_by_its_own_day(home: Path) -> None:
    settings = Settings.from_values(home=home, embedder="off", time_zone="America/New_York")
    async with memoria.open(settings=settings) as m:
        turn = {"role": "user", "content": "the lift is broken", "at": EARLY}
        await m.record_conversation([turn], session_id="s")
    with change_rows(home) as rows:
        ((context,),) = rows.tuples("SELECT context FROM search_index")
    assert set(query_terms("Thursday 5 November 2026")) <= set(context.split())


async def test_the_day_of_who_asks_is_the_settings(home: Path) -> None:
    settings = Settings.from_values(home=home, embedder="off", time_zone=SHANGHAI)
    async with memoria.open(settings=settings) as m:
        await m.record_conversation(
            [
                {"role": "user", "content": "the lift is broken", "at": "2026-11-05T00:30"},
                {"role": "user", "content": "the lift works", "at": "2026-11-04T23:30"},
            ],
            session_id="s",
        )
        found = await m.search_conversation_traces(
            "lift", since="2026-11-05", until="2026-11-04T20:00:00Z", context=0
        )
        with pytest.raises(InvalidInputError, match="since must be before until"):
            await m.search_memory("lift", since="2026-11-05", until="2026-11-04T15:00:00Z")
    assert [hit.source.at for hit in found.hits] == ["2026-11-05T00:30:00+08:00"]


@pytest.mark.sqlite("a backup is a copy of the file")
async def test_a_backup_keeps_the_offset_of_a_turn(home: Path, tmp_path: Path) -> None:
    settings = Settings.from_values(home=home, embedder="off")
    async with memoria.open(settings=settings) as m:
        turn = {"role": "user", "content": "said early", "at": EARLY}
        await m.record_conversation([turn], "session_end", session_id="s")
    made = back_up(settings, tmp_path / "one.zip", lambda *_: None).path
    other = settings_elsewhere(settings, tmp_path / "other")
    restore(other, made, lambda *_: None)
    async with memoria.open(settings=other) as m:
        (kept,) = (await m.get_session("s")).turns
    assert (kept.at, kept.utc_offset) == (parse_instant(EARLY), 480)


READ = to_millis(datetime(2026, 11, 28, 9, tzinfo=UTC))
SAID = "2025-05-10T09:00:00+00:00"
TEMPORARY = {
    "an end": ("I stay with Ana in Porto until 30 June.", {"until": "until 30 June"}),
    "a while": ("I broke my wrist and can't type.", {"duration": "30d"}),
    "直到": ("我六月三十日之前住在波尔图的安娜家。", {"until": "六月三十日之前"}),
}


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
        written = pages(m.settings)
    assert {day for day, text in written.items() if f"- {words}" in text} == {"2025-05-10"}
    assert "The port is 8080." in written["2026-11-28"]


async def test_a_rule_for_a_task_that_was_over_long_ago_ends_with_the_first_night(
    home: Path, model: ScriptedModel, clock: list[int]
) -> None:
    words = "Leave out the tests."
    model.answer = reads({"type": "rule", "task": "the spring report"})
    async with opened(home, model) as m:
        await read_late(m, words, clock)
        await anyio.to_thread.run_sync(lambda: nights.run_nightly(m.settings))
        assert {one.validity for one in await memories(m)} == {"archived"}
