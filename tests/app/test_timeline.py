"""Days and sessions are looked back on whole, and tell no confidence that nobody asked for."""

from collections.abc import Iterator
from contextlib import closing
from datetime import date, timedelta
from pathlib import Path

import pytest
from tests.databases import opened_files
from tests.ingest.play import add, by_model, opened, reader, said
from tests.llm.scripted import ScriptedModel

import memoria
from memoria import Memoria
from memoria.app.engine import open_store
from memoria.disk.folders import daily_path
from memoria.language.reading.statement import fingerprint
from memoria.lifecycle.steps.daily import render_page
from memoria.model import MemoryType, Provenance, QueueKind, new_id
from memoria.model.timeline import Timeline
from memoria.store.engine import Store
from memoria.store.values import NewMemory, NewQueueEntry, NewVersion

pytestmark = pytest.mark.anyio
DAY = date(2026, 3, 4)
CONFIDENCE = "Don't tell anyone: I have a job interview at Krakenworks on Friday."


@pytest.fixture
def settings(home: Path) -> memoria.Settings:
    return memoria.Settings.from_values(
        home=home, tenant="tests", embedder="off", time_zone="Asia/Shanghai"
    )


@pytest.fixture
def store(settings: memoria.Settings) -> Iterator[Store]:
    with closing(open_store(settings)) as opened:
        yield opened


async def say(memory: Memoria, session: str, at: str, *texts: str) -> list[str]:
    """Have a user say texts in a session; return the ids of the turns."""
    turns = [
        {"role": "user", "content": text, "at": at, "message_id": str(place)}
        for place, text in enumerate(texts)
    ]
    receipt = await memory.record_conversation(turns, session_id=session)
    return [turn.id or "" for turn in receipt.turns]


def sum_up(store: Store, turn_id: str, summary: str) -> None:
    """Write an episode over the first turns of a turn's session."""
    origin = Provenance(source_kind="consolidated", trust="user", channel="test")
    episode = NewMemory(new_id(), MemoryType.EPISODE, 0.5, 0.5)
    with store.write("tests") as tx:
        turn = tx.conversations.turn(turn_id)
        assert turn is not None
        tx.memories.add(episode, NewVersion(summary, fingerprint(summary), 1, 1, origin, turn.n))
        tx.episodes.add(episode.id, turn.session_n, 0, 9)


def list_sessions(timeline: Timeline) -> list[str]:
    return [one.session_id for day in timeline.days for one in day.sessions]


async def test_pages_of_a_day_lead_to_every_session_of_it(settings: memoria.Settings) -> None:
    async with memoria.open(settings=settings) as memory:
        for hour in range(9):
            await say(memory, f"s{hour}", f"2026-03-04T{hour:02}:30:00Z", f"Words of hour {hour}.")
        found, after = list[str](), 0
        for _ in range(9):
            page = await memory.timeline.list_days(DAY, after=after, limit=2)
            found += list_sessions(page)
            if page.next_at is None:
                break
            after = page.next_at
        before = await memory.timeline.list_days(DAY - timedelta(days=1))
        after_it = await memory.timeline.list_days(DAY + timedelta(days=1))
    assert found == [f"s{hour}" for hour in range(9)]
    assert (list_sessions(before), list_sessions(after_it)) == ([], [])


async def test_a_title_tells_of_the_session_and_of_no_confidence(
    settings: memoria.Settings, store: Store
) -> None:
    async with memoria.open(settings=settings) as memory:
        (open_id,) = await say(memory, "open", "2026-03-04T01:00:00Z", "Hm. Where is the key?")
        await say(memory, "first words", "2026-03-04T02:00:00Z", "Hm. Where is the lamp? Here?")
        (confided,) = await say(memory, "confided", "2026-03-04T03:00:00Z", CONFIDENCE)
        sum_up(store, open_id, "The key is in the tin. Ann has put it there.")
        sum_up(store, confided, "The user has a job interview at Krakenworks on Friday.")
        (day,) = (await memory.timeline.list_days(DAY)).days
    assert [one.title for one in day.sessions] == [
        "The key is in the tin.",
        "Hm. Where is the lamp?",
        "",
    ]
    assert "Krakenworks" not in day.model_dump_json()


async def test_a_day_has_the_sentences_that_the_night_wrote_above_its_lists(
    settings: memoria.Settings,
) -> None:
    async with memoria.open(settings=settings) as memory:
        await memory.remember("The tin is blue.")
        for day, sentences in ((DAY, ["Ann found the key.", "It rained."]), (date(2026, 3, 5), [])):
            page = render_page(day, sentences, "## Learnt\n\n- a line\n")
            with opened_files(settings) as files:
                files.write(daily_path(day), page.encode())
        timeline = await memory.timeline.list_days(DAY, 3)
    assert [one.summary for one in timeline.days] == ["Ann found the key. It rained.", "", ""]


async def test_a_turn_tells_how_far_it_was_read(settings: memoria.Settings, store: Store) -> None:
    async with memoria.open(settings=settings) as memory:
        await say(memory, "s", "2026-03-04T01:00:00Z", "One thing.", "Another.", "A third.")
        with store.write("tests") as tx:
            turns = tx.conversations.session_turns("s", 0, 9)
            for first, at in ((0, 1), (1, 2)):
                entry = NewQueueEntry(
                    new_id(), QueueKind.EXTRACT, turns[0].session_n, first, first, 5, "test", at
                )
                assert tx.queue.add(entry)
        with store.work_queue(write=True) as queue:
            leased = queue.lease_next("me", 10, 1000)
            assert leased is not None
            assert queue.mark_dead(leased, "me", "the model said nothing")
        trace = await memory.timeline.trace_session("s")
    readings = [trace.traces[turn.id].reading for turn in trace.page.turns]
    assert [(one.state, one.error) for one in readings] == [
        ("failed", "the model said nothing"),
        ("waiting", None),
        ("unread", None),
    ]


async def test_a_session_that_was_read_tells_the_ids_of_what_came_of_it(home: Path) -> None:
    reads = reader(lambda n, who, text, _: [add(text, n)] if who == "user" else [])
    with ScriptedModel(answer=reads) as model:
        async with opened(home, model) as memory:
            await said(memory, "Ann keeps the key in the tin.", session="another")
            others = {one.id for one in await by_model(memory)}
            texts = ("Lin moved to Lisbon.", "The lift is out of order.")
            await said(memory, texts[0], ("assistant", "I see."), texts[1])
            made = {one.id: one.content for one in await by_model(memory) if one.id not in others}
            trace = await memory.timeline.trace_session("s")
    assert sorted(made.values()) == sorted(texts)
    told = [[one.id for one in trace.traces[turn.id].memories] for turn in trace.page.turns]
    assert [[made.get(one) for one in ids] for ids in told] == [[texts[0]], [], [texts[1]]]
    assert {trace.traces[turn.id].reading.state for turn in trace.page.turns} == {"read"}
