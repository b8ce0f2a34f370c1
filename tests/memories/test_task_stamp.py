"""The task in hand is noted on what is stated about the work, and takes nothing from anybody."""

from pathlib import Path
from typing import Any

import pytest
from tests.ingest.play import add, memories, opened, reader
from tests.llm.scripted import ScriptedModel

import memoria
from memoria import Memoria, Settings
from memoria.model import Memory
from memoria.policy.retention import ends_at

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
