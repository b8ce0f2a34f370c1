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
    second, text = await agent.both("remember", content=after)
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


@pytest.mark.parametrize(("before", "after", "question"), LIVES.values(), ids=LIVES)
async def test_what_was_said_before_never_stands_above_what_is_remembered_now(
    agent: Agent, before: str, after: str, question: str
) -> None:
    await agent.say(before)
    await agent.call("remember", content=after)
    hits = (await agent.call("search_memory", query=question))["hits"]
    assert (hits[0]["kind"], hits[0]["text"]) == ("memory", after)
    for hit in hits[1:]:
        assert hit["text"] != before or hit["validity"] == "superseded"


async def test_what_cannot_both_be_true_is_marked_on_every_face(agent: Agent) -> None:
    one = await agent.call("remember", content="The user takes aspirin and metformin")
    other, text = await agent.both("remember", content="The user stopped taking aspirin")
    assert any(one["id"] in note for note in other["notes"])
    assert "ask the user which is true" in text
    found, shown = await agent.both("search_memory", query="does the user take aspirin")
    assert {hit["id"]: hit["validity"] for hit in found["hits"]} == {
        one["id"]: "contradicted",
        other["id"]: "contradicted",
    }
    assert "cannot both be true" in shown
    assert sum("cannot both be true" in note for note in found["notes"]) == 1
    assert f"contradicts [memory {other['id']}]" in await agent.prompt("review")
    assert "contradict" in await agent.prompt("context", query="does the user take aspirin")
    whole, as_text = await agent.both("get_memory", id=one["id"])
    assert whole["validity"] == "contradicted"
    assert f"contradicts [memory {other['id']}]" in as_text
    await agent.call("revise_memory", id=other["id"], action="archive")
    (hit,) = (await agent.call("search_memory", query="does the user take aspirin"))["hits"]
    assert (hit["id"], hit.get("validity")) == (one["id"], None)
