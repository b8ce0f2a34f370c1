"""Whose day it is: a turn's own, wherever the server runs, from the prompt to the daily page."""

import json
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from tests.ingest.play import add, memories, opened, reader
from tests.llm.scripted import Asked, ScriptedModel

import memoria
import memoria.app.nightly as nights
from memoria import Settings
from memoria.app.upkeep import back_up, restore
from memoria.disk.folders import DAILY, HISTORY, tenant_folder
from memoria.errors import InvalidInputError
from memoria.language.words.analyser import query_terms
from memoria.lifecycle.steps.daily import DailyStep
from memoria.lifecycle.steps.history import HistoryStep
from memoria.model import Memory, MemoryType, Turn, Validity, parse_instant
from memoria.model.zone import Zone

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
    ("at", "zone"),
    [(EARLY, None), (EARLY, "America/New_York"), ("2026-11-04T23:30:00Z", SHANGHAI)],
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


def pages(home: Path) -> dict[str, str]:
    folder = tenant_folder(home, "default") / DAILY
    return {page.stem: page.read_text("utf-8") for page in sorted(folder.glob("*.md"))}


async def test_a_session_of_the_fifth_is_filed_under_the_fifth(home: Path) -> None:
    settings = Settings.from_values(home=home, embedder="off")  # this machine's zone
    night = "2026-11-05T23:50:00-05:00"  # the sixth in Greenwich, and in Shanghai
    async with memoria.open(settings=settings) as m:
        for session, at in (("早", EARLY), ("late", night)):
            turn = {"role": "user", "content": f"said {session}", "at": at}
            await m.record_conversation([turn], "session_end", session_id=session)
    nights.run_nightly(settings, [DailyStep.name])
    fifth = pages(home)["2026-11-05"]
    assert re.search(r"- 07:30 library, 早: 1 message", fifth)
    assert re.search(r"- 23:50 library, late: 1 message", fifth)
    assert not {"2026-11-04", "2026-11-06"} & set(pages(home))


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
        assert "2026-11-05" in pages(home)
        await m.forget_memory([receipt.turns[0].id or ""], include_source=True)
    assert "2026-11-05" not in pages(home)


async def test_words_of_a_date_find_a_turn_by_its_own_day(home: Path) -> None:
    settings = Settings.from_values(home=home, embedder="off", time_zone="America/New_York")
    async with memoria.open(settings=settings) as m:
        turn = {"role": "user", "content": "the lift is broken", "at": EARLY}
        await m.record_conversation([turn], session_id="s")
    with closing(sqlite3.connect(home / "memoria.db")) as connection:
        ((context,),) = connection.execute("SELECT context FROM search_index")
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


async def test_a_backup_keeps_the_offset_of_a_turn(home: Path, tmp_path: Path) -> None:
    settings = Settings.from_values(home=home, embedder="off")
    async with memoria.open(settings=settings) as m:
        turn = {"role": "user", "content": "said early", "at": EARLY}
        await m.record_conversation([turn], "session_end", session_id="s")
    made = back_up(settings, tmp_path / "one.zip", lambda *_: None).path
    other = settings.model_copy(update={"home": tmp_path / "other"})
    restore(other, made, lambda *_: None)
    async with memoria.open(settings=other) as m:
        (kept,) = (await m.get_session("s")).turns
    assert (kept.at, kept.utc_offset) == (parse_instant(EARLY), 480)
