"""A change over MCP: said, remembered, corrected, asked and forgotten, as an agent sees it."""

import pytest
from tests.surface.agent import Agent

LIVES = {
    "English": ("The user lives in Leeds", "The user lives in York", "where does the user live"),
    "Chinese": ("用户住在南京", "用户现在住在苏州", "用户住在哪里"),
    "a name": ("My name is Lin.", "My name is Lina.", "what is my name"),
    "a rule": ("以后都用中文回答", "以后都用英文回答", "用什么语言回答"),
}


@pytest.mark.parametrize(("before", "after", "question"), LIVES.values(), ids=LIVES)
async def test_a_change_takes_effect_on_every_face_at_once(
    agent: Agent, before: str, after: str, question: str
) -> None:
    first = await agent.call("remember", content=before)
    second, text = await agent.both("remember", content=after, supersedes=first["id"])
    assert any(before in note for note in second["notes"])
    assert before in text
    found, shown = await agent.both("search_memory", query=question)
    assert [hit["text"] for hit in found["hits"]] == [after]
    assert before not in shown
    assert before not in await agent.prompt("context", query=question)
    assert before not in await agent.prompt("briefing")
    whole = await agent.call("get_memory", id=second["id"])
    assert [one["text"] for one in whole["versions"]] == [after, before]
    await agent.forget(ids=[second["id"]])
    left = await agent.call("search_memory", query=question, include_history=True)
    assert left["hits"] == []
    assert first["id"] == second["id"]
