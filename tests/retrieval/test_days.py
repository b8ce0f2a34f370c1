"""A day or a week is answered by its sessions, and a code by the turns that hold it."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

import memoria
from memoria import Memoria, Settings
from memoria.model import parse_instant, use_clock
from memoria.surface.text import result_text

NOW = 1_781_524_800_000  # 2026-06-15T12:00:00Z, a Monday
TUESDAY = {"kiln": "09T08:00", "bread": "09T10:00", "roof": "09T20:30"}
SESSIONS = {**TUESDAY, "lamp": "11T09:00", "choir": "02T09:00"}


@pytest.fixture
async def week(home: Path) -> AsyncIterator[Memoria]:
    """Talk in four sessions of a week and one before, the roof's in another project."""
    settings = Settings.load(home=home, embedder="off", time_zone="UTC")
    with use_clock(lambda: NOW):
        async with memoria.open(settings=settings) as m:
            for name, at in SESSIONS.items():
                lines = [f"Let us plan the {name}.", f"The {name} takes an hour.", "Agreed then."]
                turns = [
                    {"role": "user", "content": text, "at": f"2026-06-{at}:0{i}Z"}
                    for i, text in enumerate(lines)
                ]
                await m.record_conversation(
                    turns, session_id=name, workspace="house" if name == "roof" else "shop"
                )
            yield m


async def list_sessions(m: Memoria, question: str) -> list[list[str | None]]:
    """The sessions of the hits of each level, in their order."""
    levels = (m.search_memory, m.search_conversation_traces)
    found = [await search(question, workspace="shop") for search in levels]
    return [[hit.source.session_id for hit in one.hits if hit.kind == "turn"] for one in found]


@pytest.mark.parametrize(
    "question",
    [
        "What did we do on Tuesday the 9th?",
        "What was I busy with last Tuesday?",
        "Catch me up on 2026-06-09",
        "上周二我们聊了什么？",
        "6月9日我忙了些什么？",
    ],
)
async def test_a_day_is_answered_by_a_line_of_each_of_its_sessions_first(
    week: Memoria, question: str
) -> None:
    for sessions in await list_sessions(week, question):
        assert sessions[:2] == ["bread", "kiln"]
        assert set(sessions) <= set(TUESDAY)


async def test_a_week_is_answered_by_every_session_of_it(week: Memoria) -> None:
    for sessions in await list_sessions(week, "What was I busy with last week?"):
        assert sessions[:3] == ["lamp", "bread", "kiln"]
        assert "choir" not in sessions


async def test_asked_of_all_projects_a_day_has_the_sessions_of_each(week: Memoria) -> None:
    found = await week.search_conversation_traces("What did we do on Tuesday?", workspace="*")
    assert {"roof", "bread", "kiln"} == {hit.source.session_id for hit in found.hits}


async def test_what_was_said_on_a_day_about_something_is_still_found_by_its_words(
    week: Memoria,
) -> None:
    for sessions in await list_sessions(week, "What did we say about the kiln last Tuesday?"):
        assert sessions[0] == "kiln"


@pytest.mark.parametrize(
    ("zone", "at", "day"),
    [
        ("Asia/Shanghai", "2026-06-08T20:00:00Z", "2026-06-09T04:00+08:00"),
        ("America/New_York", "2026-06-10T02:00:00Z", "2026-06-09T22:00-04:00"),
        ("UTC", "2026-06-09T23:00:00Z", "2026-06-09T23:00Z"),
    ],
)
async def test_a_line_tells_the_day_by_which_it_was_asked_for(
    home: Path, zone: str, at: str, day: str
) -> None:
    settings = Settings.load(home=home, embedder="off", time_zone=zone)
    with use_clock(lambda: NOW):
        async with memoria.open(settings=settings) as m:
            turn = {"role": "user", "content": "The kiln is hot.", "session_id": "s", "at": at}
            await m.record_conversation([turn])
            asked = [
                await m.search_conversation_traces("What did we do on 2026-06-09?"),
                await m.search_conversation_traces("kiln", since="2026-06-09", until="2026-06-10"),
                await m.search_memory("kiln", since="2026-06-09", until="2026-06-10"),
            ]
    for found in asked:
        assert parse_instant(found.hits[0].source.at) == parse_instant(at)
        assert day[:10] in result_text(found)
    assert result_text(asked[0]).startswith(f"{day}, session s")


async def test_a_code_is_answered_by_what_holds_it_alone(home: Path) -> None:
    async with memoria.open(settings=Settings.load(home=home, embedder="off")) as m:
        texts = [f"The deploy of build {n} failed with an error in the queue." for n in range(20)]
        texts += ["The deploy failed with E1437 in the queue.", "E1437 again, after the retry."]
        turns = [
            {"role": "user", "content": text, "session_id": f"s{n}", "message_id": str(n)}
            for n, text in enumerate(texts)
        ]
        await m.record_conversation(turns)
        for search in (m.search_memory, m.search_conversation_traces):
            found = await search("Why did the deploy fail with E1437 in the queue?")
            assert {hit.source.message_id for hit in found.hits} == {"20", "21"}
            unknown = await search("Why did the deploy fail with E9999 in the queue?")
            assert len(unknown.hits) != 2
