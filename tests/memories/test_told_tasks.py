"""A task is told of with its day, and no more once the talk has moved on or some days are over."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest

import memoria
from memoria import Memoria, Settings
from memoria.app.briefing import compose_briefing
from memoria.app.core_excerpt import CoreReader
from memoria.model import to_millis, use_clock
from memoria.store.rows.transaction import Transaction

MONDAY = datetime(2026, 3, 2, 9, tzinfo=UTC)
TASK = "repair the tide gauge"


@pytest.fixture
async def memory(home: Path) -> AsyncIterator[Memoria]:
    chosen = Settings(home=home, embedder="off", workspace="/work/shop", time_zone="Etc/UTC")
    async with memoria.open(settings=chosen) as opened:
        yield opened


async def work(m: Memoria, task: str, at: datetime, session: str = "s") -> None:
    with use_clock(lambda: to_millis(at)):
        await m.update_scratchpad(current_focus=task, session_id=session)


async def say(
    m: Memoria, words: str, at: datetime, session: str, workspace: str | None = None
) -> None:
    with use_clock(lambda: to_millis(at)):
        turn = {"role": "user", "content": words}
        await m.record_conversation([turn], session_id=session, workspace=workspace)


async def brief(m: Memoria, at: datetime) -> list[str]:
    """The lines of the briefing in which tasks are told of."""

    def compose(tx: Transaction, reader: CoreReader, project: str | None) -> str:
        return compose_briefing(tx, reader, project, "How to use it.")

    with use_clock(lambda: to_millis(at)):
        text = await m.compose(compose, "/work/shop")
    _, _, tasks = text.partition("# Tasks\n")
    return [line for line in tasks.splitlines() if line.startswith("- ")]


async def test_a_task_is_told_of_with_the_day_it_was_last_worked_on(memory: Memoria) -> None:
    await work(memory, TASK, MONDAY)
    for later in (timedelta(hours=1), timedelta(days=1)):
        assert await brief(memory, MONDAY + later) == [f"- last worked on 2026-03-02: {TASK}"]


@pytest.mark.parametrize("days", [8, 12])
async def test_a_task_of_days_ago_is_told_of_no_more_and_stays_on_record(
    memory: Memoria, days: int
) -> None:
    await work(memory, "draw the chart", MONDAY)
    await work(memory, TASK, MONDAY + timedelta(hours=1))
    at = MONDAY + timedelta(days=days)
    assert await brief(memory, at) == []
    with use_clock(lambda: to_millis(at)):
        assert await memory.list_tasks() == []
        (pad,) = await memory.scratchpads()
    assert (pad.current_focus, pad.last_day) == (TASK, "2026-03-02")
    assert [done.task for done in pad.completed] == ["draw the chart"]


@pytest.mark.parametrize(
    ("opening", "is_told"),
    [
        ("Look why the login page of the harbour site answers so slowly", False),
        ("登录页面打不开了，帮我看看日志里写了什么", False),
        ("Is the tide gauge repaired by now? Show me the last reading", True),
        ("Good morning, let us continue where we left off yesterday evening, please", True),
        ("接着昨天的工作继续吧", True),
        ("ok", True),
    ],
    ids=["other", "other in Chinese", "same", "goes on", "goes on in Chinese", "nothing"],
)
async def test_a_later_session_about_something_else_ends_a_task(
    memory: Memoria, opening: str, is_told: bool
) -> None:
    await say(memory, "We begin with the gauge", MONDAY, "s")
    await work(memory, TASK, MONDAY)
    await say(memory, opening, MONDAY + timedelta(days=1), "t")
    told = await brief(memory, MONDAY + timedelta(days=1, hours=1))
    assert bool(told) == is_told


async def test_a_session_of_another_project_or_from_before_ends_no_task(memory: Memoria) -> None:
    other = "Look why the login page of the harbour site answers so slowly"
    await say(memory, other, MONDAY - timedelta(hours=1), "before")
    await work(memory, TASK, MONDAY)
    await say(memory, other, MONDAY + timedelta(hours=1), "there", workspace="/work/site")
    assert await brief(memory, MONDAY + timedelta(hours=2))


async def test_the_task_of_a_newer_session_ends_that_of_the_day_before(memory: Memoria) -> None:
    await work(memory, TASK, MONDAY, "a")
    await work(memory, "paint the harbour wall", MONDAY + timedelta(days=1), "b")
    at = MONDAY + timedelta(days=1, hours=1)
    assert await brief(memory, at) == ["- last worked on 2026-03-03: paint the harbour wall"]


async def test_tasks_of_windows_beside_each_other_are_both_told_of(memory: Memoria) -> None:
    await work(memory, TASK, MONDAY, "a")
    await work(memory, "paint the harbour wall", MONDAY + timedelta(minutes=5), "b")
    assert len(await brief(memory, MONDAY + timedelta(hours=1))) == 2


async def test_a_task_that_two_sessions_share_is_told_of_once(memory: Memoria) -> None:
    await work(memory, TASK, MONDAY, "a")
    await work(memory, "the tide gauge repair", MONDAY + timedelta(minutes=5), "b")
    assert len(await brief(memory, MONDAY + timedelta(hours=1))) == 1


async def test_a_context_package_calls_no_task_of_yesterday_current(memory: Memoria) -> None:
    await work(memory, TASK, MONDAY)
    for hours, line in ((1, f"- now: {TASK}"), (24, f"- last worked on 2026-03-02: {TASK}")):
        at = to_millis(MONDAY + timedelta(hours=hours))
        with use_clock(partial(int, at)):
            package = await memory.build_context("what is to be done", session_id="s")
        assert line in package.text
