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
        assert all(one in str(refused.value) for one in whole)
        with pytest.raises(NotFoundError):
            await m.get_memory("cccccccc")
