"""The task in hand is noted on statements about the work, and told of while it is fresh."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.ingest.play import add, memories, opened, reader
from tests.llm.scripted import ScriptedModel

import memoria
from memoria import Memoria, Settings
from memoria.app.briefing import CoreReader, compose_briefing
from memoria.model import Memory, to_millis, use_clock
from memoria.model.core import ToldText
from memoria.policy.retention import ends_at
from memoria.store.rows.transaction import Transaction

ABOUT_WORK = [
    ("write the parser", "The parser reads its input as a stream", "fact"),
    ("把登录服务重写", "登录服务的端口是8443", "fact"),
]
ABOUT_THE_USER = [
    ("The user is vegetarian", "fact"),
    ("The user prefers tea over coffee", "preference"),
    ("用户对花生过敏", "fact"),
    ("用户的妈妈住在成都", "relationship"),
    ("Answer the user in short sentences", "rule"),
]


async def test_what_is_stated_about_the_work_bears_the_task_in_hand(home: Path) -> None:
    async with memoria.open(settings=Settings(home=home, embedder="off", workspace="/w")) as m:
        for task, content, kind in ABOUT_WORK:
            await m.update_scratchpad(current_focus=task)
            kept = await m.remember(content, type=kind)
            assert (await m.get_memory(kept.id)).task == task
        for content, kind in ABOUT_THE_USER:
            kept = await m.remember(content, type=kind)
            assert (await m.get_memory(kept.id)).task is None, content


async def test_the_task_is_that_of_the_session_in_which_it_is_said(home: Path) -> None:
    async with memoria.open(settings=Settings(home=home, embedder="off", workspace="/w")) as m:
        await m.update_scratchpad(current_focus="write the parser", session_id="a")
        await m.update_scratchpad(current_focus="paint the kitchen", session_id="b")
        one = await m.remember("The lexer has a bug in its buffer", session_id="a")
        assert (await m.get_memory(one.id)).task == "write the parser"
        turn = {"role": "user", "content": "The lexer drops the last token, as the log shows."}
        receipt = await m.record_conversation([turn], session_id="a")
        two = await m.remember("The lexer drops the last token", turn_id=receipt.turns[0].id)
        assert (await m.get_memory(two.id)).task == "write the parser"
        none = await m.remember("The tests take a minute to run", task="")
        assert (await m.get_memory(none.id)).task is None


async def test_a_fact_of_one_task_is_replaced_in_the_next(home: Path) -> None:
    async with memoria.open(settings=Settings(home=home, embedder="off", workspace="/w")) as m:
        await m.update_scratchpad(current_focus="fix the login")
        old = await m.remember("The staging server runs on port 8443")
        await m.update_scratchpad(current_focus="write the changelog")
        new = await m.remember("The staging server runs on port 9000", supersedes=old.id)
        assert new.id == old.id
        memory = await m.get_memory(old.id)
        assert (memory.content, memory.task) == (
            "The staging server runs on port 9000",
            "write the changelog",
        )


async def test_what_is_said_of_two_tasks_by_name_stays_apart(home: Path) -> None:
    async with memoria.open(settings=Settings(home=home, embedder="off", workspace="/w")) as m:
        one = await m.remember("The deadline is Tuesday", task="write the parser")
        other = await m.remember("The deadline is Thursday", task="paint the kitchen")
        assert one.id != other.id
        assert {memory.task for memory in await active(m)} == {
            "write the parser",
            "paint the kitchen",
        }


async def active(m: Memoria) -> list[Memory]:
    return [one for one in await memories(m) if one.validity == "active"]


async def test_a_lasting_fact_stays_in_core_memory_and_a_rule_of_one_task_does_not(
    home: Path,
) -> None:
    async with memoria.open(settings=Settings(home=home, embedder="off", workspace="/w")) as m:
        await m.update_scratchpad(current_focus="write the parser")
        await m.remember("The repository builds with make release", importance=0.9)
        await m.remember("Use the draft branch", type="rule", task="write the parser")
        core = "\n".join((await m.read_core()).values())
        assert "make release" in core
        assert "draft branch" not in core


@pytest.mark.parametrize(
    ("task", "said_of_work", "said_of_self"),
    [
        ("write the invoice parser", "It reads port 8443, as I said.",
         "By the way, I became a vegetarian."),
        ("写发票解析器", "它读的端口是8443。", "顺便说一下，我现在吃素了。"),
    ],
)  # fmt: skip
async def test_what_a_model_concludes_bears_the_task_that_was_in_hand_when_it_was_said(
    home: Path, task: str, said_of_work: str, said_of_self: str
) -> None:
    def reads(n: int, _who: str, text: str, _: list[dict[str, Any]]) -> list[dict[str, Any]]:
        if text == said_of_work:
            return [add(text, n, "The parser reads port 8443", subject="parser")]
        return [add(text, n, "The user is vegetarian")] if text == said_of_self else []

    with ScriptedModel() as model:
        model.answer = reader(reads)
        async with opened(home, model, workspace="/w") as m:
            await m.update_scratchpad(current_focus=task, session_id="s")
            turns = [{"role": "user", "content": text} for text in (said_of_work, said_of_self)]
            await m.record_conversation(turns, session_id="s")
            await m.update_scratchpad(current_focus="the water bill", session_id="s")
            await m.record_conversation([], "session_end", session_id="s")
            await m.wait_until_idle(60)
            found = {one.content: one.task for one in await memories(m)}
    assert found["The user is vegetarian"] is None
    assert found["The parser reads port 8443"] == task


async def test_a_fact_with_a_task_fades_rises_and_is_merged_as_one_without(home: Path) -> None:
    async with memoria.open(settings=Settings(home=home, embedder="off", workspace="/w")) as m:
        await m.remember("The repository builds with make release")
        await m.remember("The server listens on port 8443", task="fix the login")
        await m.remember("Use the draft branch", type="rule", task="fix the login")
        with m._store.read(m.tenant) as tx:  # noqa: SLF001  (what the night goes by)
            attributes = {one.id: one for _, one in tx.retention.list_attributes(0, 10)}
            by_content = {one.content: attributes[one.id] for one in await memories(m)}
    for content, one in by_content.items():
        assert one.task is (content == "Use the draft branch")
        assert (ends_at(one) is None) is (content != "Use the draft branch")


async def test_a_forgotten_task_is_forgotten_on_what_was_learnt_at_it(home: Path) -> None:
    async with memoria.open(settings=Settings(home=home, embedder="off", workspace="/w")) as m:
        task = "plan the surprise party for Maria"
        secret = await m.remember(task)
        await m.update_scratchpad(current_focus=task)
        kept = await m.remember("The repository builds with make release")
        assert (await m.get_memory(kept.id)).task == task
        await m.forget_memory([secret.id])
        assert (await m.get_memory(kept.id)).task is None


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

    def compose(tx: Transaction, reader: CoreReader, project: str | None) -> ToldText:
        return compose_briefing(tx, reader, project, "How to use it.")

    with use_clock(lambda: to_millis(at)):
        text = (await m.compose(compose, "/work/shop")).text
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
