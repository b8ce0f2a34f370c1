"""Short ids: an answer cites the end of an id, and whatever takes an id takes that."""

from contextlib import closing
from pathlib import Path

import pytest
from tests.surface.agent import Agent

import memoria
from memoria.errors import InvalidInputError, NotFoundError
from memoria.store.sqlite.driver import sqlite3
from memoria.surface.text import result_text


async def test_what_an_answer_cites_is_taken_wherever_an_id_is(agent: Agent) -> None:
    turn_ids = await agent.say("The launch code name is bluebird.", "好的，代号是蓝鸟。")
    kept = await agent.call("remember", content="The gate opens at nine")
    found, text = await agent.both("search_conversation_traces", query="bluebird launch")
    cite = turn_ids[0][-8:]
    assert [hit["cite"] for hit in found["hits"] if hit["id"] == turn_ids[0]] == [f"turn {cite}"]
    assert f"[turn {cite}] " in text
    assert turn_ids[0] not in text
    record = await agent.call("get_memory", id=cite)
    assert (record["id"], [one["id"] for one in record["after"]]) == (turn_ids[0], [turn_ids[1]])
    assert (await agent.call("get_memory", id=cite.upper()))["id"] == turn_ids[0]
    short = kept["id"][-8:]
    revised = await agent.call(
        "revise_memory", id=short, action="correct", content="It opens at ten", turn_id=cite
    )
    assert revised["id"] == kept["id"]
    newer = await agent.call("remember", content="The gate opens at six", supersedes=short)
    assert newer["id"] == kept["id"]
    assert kept["id"] in str(await agent.call("forget_memory", ids=[short]))


def _end_alike(home: Path) -> None:
    """Let the ids of all memories end with the same eleven characters."""
    with closing(sqlite3.connect(next(home.glob("*.db")))) as file, file:
        file.execute("UPDATE memories SET id = substr(id, 1, 25) || 'bbbbbbbbbbb'")


async def test_where_ends_are_alike_more_is_cited_and_less_is_refused_with_what_it_may_be(
    tmp_path: Path,
) -> None:
    settings = memoria.Settings(embedder="off")
    async with memoria.open(home=tmp_path, settings=settings) as m:
        names = ("north", "south")
        kept = [(await m.remember(f"The {name} gate opens at six")).id for name in names]
    _end_alike(tmp_path)
    async with memoria.open(home=tmp_path, settings=settings) as m:
        found = await m.search_memory("Which gate opens?")
        cited = {hit.id[-found.id_chars :] for hit in found.hits}
        assert len(cited) == 2
        assert all(f"[memory {one}]" in result_text(found) for one in cited)
        whole = {(await m.get_memory(one)).id for one in cited}
        assert whole == {f"{one[:25]}bbbbbbbbbbb" for one in kept}
        with pytest.raises(InvalidInputError) as refused:
            await m.get_memory("bbbbbbbb")
        assert all(one in str(refused.value) for one in cited)
        assert not any(one in str(refused.value) for one in whole)
        with pytest.raises(NotFoundError):
            await m.get_memory("cccccccc")


def _spell(record_id: str, kind: str) -> list[str]:
    """One id as people, models and other programs write it."""
    end = record_id[-8:]
    return [
        record_id,
        record_id.upper(),
        record_id.replace("-", ""),
        end,
        end.upper(),
        record_id[-13:],
        record_id[-12:],
        f"{end[:4]}-{end[4:]}",
        f" {end}\n",
        f"{kind} {end}",
        f"{kind} {end}".upper(),
        f"[{kind} {end}]",
        f"[{kind} {end}].",
        f"[{end}]",
        f"“{kind} {record_id}”",
    ]


async def test_an_id_is_taken_as_it_was_cited_or_copied_in_whatever_spelling(agent: Agent) -> None:
    (turn_id,) = await agent.say("The lighthouse is painted white, 灯塔是白色的。")
    memory_id = (await agent.call("remember", content="The ferry leaves at seven"))["id"]
    for whole, kind in ((turn_id, "turn"), (memory_id, "memory")):
        found = {(await agent.call("get_memory", id=one))["id"] for one in _spell(whole, kind)}
        assert found == {whole}
    hits = (await agent.call("search_conversation_traces", query="lighthouse 灯塔"))["hits"]
    assert (await agent.call("get_memory", id=hits[0]["cite"]))["id"] == turn_id
    for one in _spell(memory_id, "memory"):
        assert (await agent.call("revise_memory", id=one, action="unpin"))["id"] == memory_id
        newer = await agent.call("remember", content="The ferry leaves at six", supersedes=one)
        assert newer["id"] == memory_id
        assert memory_id in str(await agent.call("forget_memory", ids=[one]))
        assert memory_id not in str(await agent.call("forget_memory", ids=[turn_id], keep=[one]))


async def test_the_end_of_a_forgotten_id_says_that_it_was_forgotten_as_the_whole_id_does(
    agent: Agent,
) -> None:
    (turn_id,) = await agent.say("The locker is number 41.")
    kept = await agent.call("remember", content="The locker is number 41", turn_id=turn_id)
    await agent.forget(ids=[kept["id"]], include_source=True)
    for gone in (kept["id"], turn_id):
        said = await agent.refusal("get_memory", id=gone)
        assert f"{gone} was forgotten on " in said
        for one in _spell(gone, "memory"):
            assert await agent.refusal("get_memory", id=one) == said
    short = kept["id"][-8:]
    for tool, arguments in (
        ("revise_memory", {"id": short, "action": "pin"}),
        ("remember", {"content": "The locker is number 42", "supersedes": short}),
        ("remember", {"content": "The locker is green", "turn_id": turn_id[-8:]}),
    ):
        assert " was forgotten on " in await agent.refusal(tool, **arguments)


async def test_what_is_no_id_is_refused_with_what_to_do_next(agent: Agent) -> None:
    (turn_id,) = await agent.say("The kiln is in the cellar.")
    kept = await agent.call("remember", content="The kiln is fired on Sundays")
    for short in (kept["id"][-4:], kept["id"][-7:].upper(), f"[memory {kept['id'][-6:]}]"):
        assert "its last 8 characters or more" in await agent.refusal("get_memory", id=short)
    unknown = await agent.refusal("get_memory", id="turn cccccccc")
    assert "no memory or turn turn" not in unknown
    assert "search_conversation_traces" in unknown
    assert "memoria traces" not in unknown, "an agent is named tools, and no commands"
    for name, arguments in (
        ("revise_memory", {"id": turn_id[-8:], "action": "pin"}),
        ("remember", {"content": "The kiln is warm", "supersedes": turn_id[-8:]}),
    ):
        said = await agent.refusal(name, **arguments)
        assert f"{turn_id} is a turn, and turns stay as they were said" in said
    said = await agent.refusal("remember", content="The kiln is red", turn_id=kept["id"][-8:])
    assert f"{kept['id']} is a memory, and no turn" in said
