"""A short session is read with others, for a request has a price of its own."""

from collections.abc import Iterator
from pathlib import Path

import anyio.to_thread
import pytest
from tests.ingest.play import answers, entries, opened, purpose_of, said, turns_in
from tests.llm.scripted import Asked, ScriptedModel

import memoria.app.nightly as nights
from memoria import Memoria
from memoria.model import use_clock

MINUTE_MS, HOUR_MS = 60_000, 3_600_000
NOON = 1_777_896_000_000
FIRST = "The very first thing I said here was about the kiln."
ONE = "My sister Ida moves to Leeds next spring."
TWO = "我妹妹明年春天搬去利兹。"
LONG = "The kiln in the shed takes nine hours to cool down, and nobody opens it before. " * 40
WISH = "From now on always answer in English."


@pytest.fixture
def now() -> Iterator[list[int]]:
    moment = [NOON]
    with use_clock(lambda: moment[0]):
        yield moment


def read_by(model: ScriptedModel) -> list[list[str]]:
    """What each reading showed, turn by turn."""
    asked = [one for one in model.requests if purpose_of(one) == "extract"]
    return [[text for _, _, text in turns_in(one)] for one in asked]


async def begun(m: Memoria, now: list[int], model: ScriptedModel) -> None:
    """The first conversation of a home has been read."""
    await said(m, FIRST, session="first")
    assert read_by(model) == [[FIRST]]
    model.requests.clear()
    now[0] += HOUR_MS


async def test_the_first_conversation_is_read_when_it_ends(
    home: Path, model: ScriptedModel, now: list[int]
) -> None:
    async with opened(home, model, extraction_wait_minutes=10) as m:
        await begun(m, now, model)


@pytest.mark.parametrize("talk", [ONE, TWO])
async def test_a_short_session_waits_until_enough_waits_for_a_request(
    home: Path, model: ScriptedModel, now: list[int], talk: str
) -> None:
    async with opened(home, model, extraction_wait_minutes=10) as m:
        await begun(m, now, model)
        await said(m, talk, session="short")
        now[0] += HOUR_MS
        await m.wait_until_idle(60)
        assert read_by(model) == []
        await said(m, LONG, session="long")
    assert read_by(model) == [[talk, LONG]]


async def test_a_standing_wish_is_read_soon_and_with_all_that_waits_in_the_order_it_was_said(
    home: Path, model: ScriptedModel, now: list[int]
) -> None:
    async with opened(home, model, extraction_wait_minutes=10) as m:
        await begun(m, now, model)
        await said(m, ONE, session="short")
        await said(m, WISH, session="open", event=None)
        assert read_by(model) == []
        now[0] += 10 * MINUTE_MS
        await m.wait_until_idle(60)
    assert read_by(model) == [[ONE, WISH]]


async def test_a_session_with_a_standing_wish_is_read_when_it_ends(
    home: Path, model: ScriptedModel, now: list[int]
) -> None:
    async with opened(home, model, extraction_wait_minutes=10) as m:
        await begun(m, now, model)
        await said(m, ONE, session="short")
        await said(m, WISH, session="wishes")
    assert read_by(model) == [[ONE, WISH]]


async def test_what_waits_in_another_project_goes_on_waiting(
    home: Path, model: ScriptedModel, now: list[int]
) -> None:
    async with opened(home, model, extraction_wait_minutes=10) as m:
        await begun(m, now, model)
        turn = {"role": "user", "content": ONE}
        await m.record_conversation([turn], "session_end", session_id="a", workspace="/work/shed")
        await said(m, LONG, session="b")
        assert read_by(model) == [[LONG]]
        assert [one.state for one in await entries(m) if one.session_id == "a"] == ["waiting"]
        long = {"role": "user", "content": LONG}
        await m.record_conversation([long], "session_end", session_id="c", workspace="/work/shed")
        await m.wait_until_idle(60)
    assert read_by(model) == [[LONG], [ONE, LONG]]


async def test_the_night_reads_all_that_waits(
    home: Path, model: ScriptedModel, now: list[int]
) -> None:
    async with opened(home, model, extraction_wait_minutes=10) as m:
        await begun(m, now, model)
        await said(m, ONE, session="a")
        await said(m, TWO, session="b")
        assert read_by(model) == []
        settings = m.settings
        await anyio.to_thread.run_sync(lambda: nights.run_nightly(settings, ["process_queue"]))
    assert read_by(model) == [[ONE, TWO]]


async def test_who_asks_for_it_has_all_read_that_waits(
    home: Path, model: ScriptedModel, now: list[int]
) -> None:
    async with opened(home, model, extraction_wait_minutes=10) as m:
        await begun(m, now, model)
        await said(m, ONE, session="a")
        await said(m, WISH, session="b", event=None)
        assert read_by(model) == []
        await m.queue.rouse()
        await m.wait_until_idle(60)
    assert read_by(model) == [[ONE, WISH]]


async def test_what_waits_is_read_within_a_day_where_no_night_comes(
    home: Path, model: ScriptedModel, now: list[int]
) -> None:
    async with opened(home, model, extraction_wait_minutes=10) as m:
        await begun(m, now, model)
        await said(m, ONE, session="a")
        now[0] += 20 * HOUR_MS
        await m.wait_until_idle(60)
    assert read_by(model) == [[ONE]]


async def test_a_session_that_goes_on_leaves_its_part_that_waits_as_it_was(
    home: Path, model: ScriptedModel, now: list[int]
) -> None:
    async with opened(home, model, extraction_wait_minutes=10) as m:
        await begun(m, now, model)
        await said(m, ONE, "Her flat is by the canal.", session="a")
        await said(m, "She likes it there.", session="a", event=None)
        waiting = [one for one in await entries(m) if one.session_id == "a"]
        assert [(one.first_index, one.last_index) for one in waiting] == [(0, 1)]


async def test_who_wants_no_waiting_has_each_session_read_when_it_ends(
    home: Path, model: ScriptedModel, now: list[int]
) -> None:
    async with opened(home, model, extraction_wait_minutes=0) as m:
        await begun(m, now, model)
        await said(m, ONE, session="a")
    assert read_by(model) == [[ONE]]


async def test_a_part_that_the_model_could_not_read_is_not_hurried_by_what_else_is_read(
    home: Path, model: ScriptedModel, now: list[int]
) -> None:
    def fails(asked: Asked) -> object:
        return "no JSON" if ONE in asked.text else {"operations": []}

    async with opened(home, model, extraction_wait_minutes=10) as m:
        await begun(m, now, model)
        model.answer = fails
        await said(m, ONE + LONG, session="a")
        failed = [one for one in await entries(m) if one.session_id == "a"]
        assert [one.attempts for one in failed] == [1]
        model.answer = answers()
        model.requests.clear()
        await said(m, LONG, session="b")
        assert read_by(model) == [[LONG]]
