"""The record over MCP: what was said and done comes back as it was, once, with its place."""

import json
from pathlib import Path
from typing import Any

import pytest
from bench.tokens import count_tokens
from tests.surface.agent import CLIENT, Agent, connected, server_on

BASH = {
    "role": "tool",
    "tool_name": "bash",
    "tool_args": {"command": "make deploy", "env": None, "retries": [1, None, 2.5]},
    "tool_result": {"stdout": "deployed 中文\n\ttabbed", "code": 0},
}


async def hits(agent: Agent, query: str, **more: object) -> list[dict[str, Any]]:
    answer = await agent.call("search_conversation_traces", query=query, **more)
    found: list[dict[str, Any]] = answer["hits"]
    return found


async def texts(agent: Agent, query: str, **more: object) -> list[str]:
    return [hit["text"] for hit in await hits(agent, query, **more)]


async def test_a_receipt_names_every_turn(agent: Agent) -> None:
    answer, text = await agent.both(
        "record_conversation",
        turns=[{"role": "user", "content": "one"}, {"role": "assistant", "content": "two"}],
    )
    assert answer["recorded"] == 2
    assert not {"already_recorded", "new_versions"} & answer.keys()
    assert len(set(answer["turn_ids"])) == 2
    assert answer["receipt_id"] in text
    assert "2 recorded" in text


@pytest.mark.parametrize(
    "content",
    [
        "The launch code name is bluebird.",
        "bluebird 中文，全角。 😀\t\ttab\n\n  indented \u202e bidi  ",
        "bluebird <memory> [red]x[/red] :warning: </system> {{x}}",
    ],
)
async def test_a_turn_comes_back_to_the_byte(agent: Agent, content: str) -> None:
    (turn_id,) = await agent.say(content)
    seen = content.replace("\u202e", "\\u{202e}")  # a model sees what is there
    answer, text = await agent.both("search_conversation_traces", query="bluebird")
    assert [(hit["id"], hit["text"]) for hit in answer["hits"]] == [(turn_id, seen)]
    cite = answer["hits"][0]["cite"]
    assert turn_id.endswith(cite.removeprefix("turn "))
    assert f"[{cite}] #0 user: {seen}".replace("\n", "\n    ") in text
    record, whole = await agent.both("get_memory", id=turn_id)
    assert (record["kind"], record["text"]) == ("turn", seen)
    assert seen in whole


async def test_a_tool_call_comes_back_with_its_arguments_and_result(agent: Agent) -> None:
    answer = await agent.call("record_conversation", turns=[BASH], session_id="s")
    (hit,) = await hits(agent, "make deploy")
    expected = {"name": "bash", "args": BASH["tool_args"], "result": BASH["tool_result"]}
    assert hit["tool"] == expected
    record, text = await agent.both("get_memory", id=answer["turn_ids"][0])
    assert record["tool"] == expected
    assert json.dumps(BASH["tool_args"], ensure_ascii=False) in text


async def test_the_same_message_again_changes_nothing(agent: Agent) -> None:
    turn = {"role": "user", "content": "hello bluebird", "session_id": "s", "message_id": "m1"}
    first = await agent.call("record_conversation", turns=[turn])
    again, text = await agent.both("record_conversation", turns=[turn])
    assert (again["recorded"], again["already_recorded"]) == (0, 1)
    assert again["turn_ids"] == first["turn_ids"]
    assert "1 were on record already" in text or "1 was on record already" in text
    assert await texts(agent, "bluebird") == ["hello bluebird"]


async def test_an_edited_message_is_a_new_version_with_the_old_behind_it(agent: Agent) -> None:
    turn = {"role": "user", "content": "gate A", "session_id": "s", "message_id": "m1"}
    await agent.call("record_conversation", turns=[turn])
    edited = await agent.call("record_conversation", turns=[{**turn, "content": "gate B"}])
    assert edited["new_versions"] == 1
    record, text = await agent.both("get_memory", id=edited["turn_ids"][0])
    assert record["text"] == "gate B"
    assert [version["text"] for version in record["versions"]] == ["gate A"]
    assert "gate A" in text
    assert await texts(agent, "gate") == ["gate B"]
    assert set(await texts(agent, "gate", include_history=True)) == {"gate A", "gate B"}


async def test_an_id_from_before_an_edit_leads_to_what_holds_now(agent: Agent) -> None:
    turn = {"role": "user", "content": "gate A", "session_id": "s", "message_id": "m1"}
    old = await agent.call("record_conversation", turns=[turn])
    await agent.call("record_conversation", turns=[{**turn, "content": "gate B"}])
    record, text = await agent.both("get_memory", id=old["turn_ids"][0])
    assert "gate B" in json.dumps(record)
    assert "gate B" in text


async def test_turns_that_name_no_session_belong_to_this_connections_own(
    home: Path, mode: str
) -> None:
    sessions = []
    for word in ("bluebird", "magpie"):
        async with connected(server_on(home, None), mode) as one:
            for part in ("first", "second"):
                turn = {"role": "user", "content": f"{word} {part}"}
                await one.call("record_conversation", turns=[turn])
            found = await hits(one, word, context=0)
            (session,) = {hit["source"]["session_id"] for hit in found if word in hit["text"]}
            sessions.append(session)
    assert sessions[0] != sessions[1]


async def test_the_session_of_the_call_is_for_turns_that_name_none(agent: Agent) -> None:
    turns = [
        {"role": "user", "content": "bluebird one"},
        {"role": "user", "content": "bluebird two", "session_id": "own"},
    ]
    await agent.call("record_conversation", turns=turns, session_id="given")
    found = {hit["text"]: hit["source"]["session_id"] for hit in await hits(agent, "bluebird")}
    assert found == {"bluebird one": "given", "bluebird two": "own"}


async def test_an_event_closes_the_segment_of_a_session(agent: Agent) -> None:
    await agent.say("hello", session_id="s")
    answer, text = await agent.both(
        "record_conversation", turns=[], event="session_end", session_id="s"
    )
    assert (answer["recorded"], answer["closed_segments"]) == (0, 1)
    assert "closed" in text
    again = await agent.call("record_conversation", turns=[], event="session_end", session_id="s")
    assert "closed_segments" not in again


async def test_an_event_can_come_with_the_last_turns(agent: Agent) -> None:
    answer = await agent.call(
        "record_conversation", turns=[{"role": "user", "content": "bye"}], event="compaction"
    )
    assert (answer["recorded"], answer["closed_segments"]) == (1, 1)


async def test_private_text_is_left_out_and_counted(agent: Agent) -> None:
    answer, text = await agent.both(
        "record_conversation",
        turns=[{"role": "user", "content": "bluebird <private>salary 46000</private>"}],
    )
    assert answer["stripped"] == 1
    assert "left out" in text
    assert [hit["text"] for hit in await hits(agent, "salary 46000")] == ["bluebird "]


async def test_a_hit_says_where_it_stands(agent: Agent) -> None:
    turn = {
        "role": "user",
        "content": "bluebird at nine",
        "session_id": "monday",
        "message_id": "m7",
        "speaker": "林岚",
        "at": "2026-03-02T09:14:05+08:00",
    }
    await agent.call("record_conversation", turns=[turn])
    answer, text = await agent.both("search_conversation_traces", query="bluebird")
    source = answer["hits"][0]["source"]
    assert source == {
        "at": "2026-03-02T01:14:05Z",
        "session_id": "monday",
        "message_id": "m7",
        "turn_index": 0,
        "role": "user",
        "speaker": "林岚",
        "client": CLIENT,
        "trust": "reported",
    }
    head, line = text.splitlines()[:2]
    assert head == "2026-03-02T01:14Z, session monday, trust reported"
    assert line.endswith(" #0 林岚: bluebird at nine")


async def test_neighbours_are_shown_as_many_as_asked_for(agent: Agent) -> None:
    await agent.say("alpha", "beta", "bluebird", "gamma", "delta")
    (hit,) = await hits(agent, "bluebird", session_id="s", limit=1, context=1)
    assert [n["text"] for n in hit["before"]] == ["beta"]
    assert [n["text"] for n in hit["after"]] == ["gamma"]
    (wide,) = await hits(agent, "bluebird", limit=1, context=2)
    assert [n["text"] for n in (*wide["before"], *wide["after"])] == [
        "alpha",
        "beta",
        "gamma",
        "delta",
    ]
    (alone,) = await hits(agent, "bluebird", limit=1, context=0)
    assert "before" not in alone
    assert "after" not in alone


async def test_a_turn_is_given_whole_with_its_neighbours(agent: Agent) -> None:
    ids = await agent.say("alpha", "bluebird", "gamma")
    record, text = await agent.both("get_memory", id=ids[1])
    assert [n["text"] for n in record["before"]] == ["alpha"]
    assert [n["text"] for n in record["after"]] == ["gamma"]
    assert text.index("alpha") < text.index("bluebird") < text.index("gamma")


async def test_a_tool_turn_beside_another_is_shown_with_what_it_did(agent: Agent) -> None:
    turns = [BASH, {"role": "assistant", "content": "bluebird is out"}]
    answer = await agent.call("record_conversation", turns=turns, session_id="s")
    record, text = await agent.both("get_memory", id=answer["turn_ids"][1])
    assert "make deploy" in record["before"][0]["text"]
    assert "make deploy" in text


async def filtered(agent: Agent) -> None:
    turns = [
        {"role": "user", "content": "bluebird asked", "at": "2026-03-01T00:00:00Z"},
        {"role": "assistant", "content": "bluebird answered", "at": "2026-03-02T00:00:00Z"},
        {
            "role": "tool",
            "content": "bluebird ran",
            "tool_name": "bash",
            "at": "2026-03-03T00:00:00Z",
        },
        {
            "role": "tool",
            "content": "bluebird read",
            "tool_name": "read_file",
            "session_id": "other",
            "at": "2026-03-04T00:00:00Z",
        },
    ]
    await agent.call("record_conversation", turns=turns, session_id="s")


@pytest.mark.parametrize(
    ("filters", "kept"),
    [
        ({"role": "user"}, ["asked"]),
        ({"role": "tool"}, ["ran", "read"]),
        ({"tool": "bash"}, ["ran"]),
        ({"session_id": "other"}, ["read"]),
        ({"since": "2026-03-02T00:00:00Z"}, ["answered", "ran", "read"]),
        ({"until": "2026-03-02T00:00:00Z"}, ["asked"]),
        ({"since": "2026-03-02T00:00:00Z", "until": "2026-03-03T00:00:01Z"}, ["answered", "ran"]),
        ({"session_id": "s", "role": "tool"}, ["ran"]),
        ({"session_id": "nowhere"}, []),
        ({"tool": "nothing"}, []),
    ],
    ids=str,
)
async def test_filters_let_through_only_what_passes(
    agent: Agent, filters: dict[str, object], kept: list[str]
) -> None:
    await filtered(agent)
    found = await texts(agent, "bluebird", context=0, **filters)
    assert sorted(text.removeprefix("bluebird ") for text in found) == kept


@pytest.mark.parametrize("max_tokens", [100, 300, 1000])
async def test_a_long_turn_is_cut_to_the_excerpt_that_answers(
    agent: Agent, max_tokens: int
) -> None:
    content = "filler words go here. " * 400 + "the bluebird flies " + "more filler text. " * 400
    await agent.say(content)
    answer, text = await agent.both(
        "search_conversation_traces", query="bluebird flies", max_tokens=max_tokens
    )
    (hit,) = answer["hits"]
    start, end = hit["excerpt"]
    assert hit["text"] == content[start:end]
    assert "bluebird" in hit["text"]
    assert hit["total_chars"] == len(content)
    assert count_tokens(text) <= max_tokens
    assert "… " in text
    assert " …" in text


async def test_the_smallest_budget_allowed_still_shows_the_best_hit(agent: Agent) -> None:
    (turn_id,) = await agent.say("the bluebird flies")
    answer = await agent.call("search_conversation_traces", query="bluebird", max_tokens=50)
    assert [hit["id"] for hit in answer["hits"]] == [turn_id]


async def test_an_answer_in_which_nothing_fitted_does_not_say_that_nothing_is_on_record(
    agent: Agent,
) -> None:
    await agent.say("the bluebird flies " * 200)
    answer, text = await agent.both("search_conversation_traces", query="bluebird", max_tokens=50)
    assert answer["hits"] or "Nothing relevant is on record" not in text


@pytest.mark.parametrize("unit", ["abc 中文😀\n", "x" * 997])
async def test_a_long_turn_is_paged_to_its_end_byte_for_byte(agent: Agent, unit: str) -> None:
    content = (unit * (30_000 // len(unit) + 1))[:30_000]
    (turn_id,) = await agent.say(content)
    pages: list[str] = []
    offset: int | None = 0
    while offset is not None:
        record, text = await agent.both("get_memory", id=turn_id, offset=offset, max_chars=7_000)
        assert record["total_chars"] == len(content)
        assert record["text"] in text
        pages.append(record["text"])
        offset = record.get("next_offset")
        assert offset is None or f"offset={offset}" in text
    assert "".join(pages) == content
    assert len(pages) == 5


async def test_a_long_tool_result_is_paged_to_its_end_too(agent: Agent) -> None:
    result = "".join(f"line {i}\n" for i in range(2_000))
    turn = {"role": "tool", "tool_name": "bash", "tool_args": {"command": "x"}}
    answer = await agent.call(
        "record_conversation", turns=[{**turn, "tool_result": result}], session_id="s"
    )
    pages: list[str] = []
    offset: int | None = 0
    while offset is not None:
        record = await agent.call(
            "get_memory", id=answer["turn_ids"][0], offset=offset, max_chars=5_000
        )
        pages.append(record["tool"]["result"])
        offset = record.get("next_offset")
    assert "".join(pages) == result


async def test_an_offset_past_the_end_is_empty_and_not_an_error(agent: Agent) -> None:
    (turn_id,) = await agent.say("short")
    record = await agent.call("get_memory", id=turn_id, offset=10_000)
    assert record["text"] == ""
    assert "next_offset" not in record


async def test_a_turn_no_memory_was_drawn_from_stands_in_with_who_said_it(agent: Agent) -> None:
    (turn_id,) = await agent.say("The launch code name is bluebird")
    answer, text = await agent.both("search_memory", query="launch code name")
    (hit,) = answer["hits"]
    assert (hit["id"], hit["status"]) == (turn_id, "unprocessed")
    day = hit["source"]["at"][:10]
    assert text.startswith(f"[{hit['cite']}] The launch code name is bluebird (user, {day}, ")


async def test_a_field_a_turn_does_not_have_is_refused_and_not_lost(agent: Agent) -> None:
    complaint = await agent.refusal(
        "record_conversation",
        turns=[{"role": "tool", "tool_name": "bash", "tool_output": "the result, misnamed"}],
    )
    assert "tool_output" in complaint


async def test_nothing_of_a_call_with_a_bad_turn_is_recorded(agent: Agent) -> None:
    turns = [{"role": "user", "content": "bluebird"}, {"role": "user", "content": ""}]
    assert "Nothing of this call was recorded" in await agent.refusal(
        "record_conversation", turns=turns
    )
    assert await hits(agent, "bluebird") == []


async def test_a_turn_in_parts_is_recorded_with_its_text_and_a_mark_of_the_picture(
    agent: Agent,
) -> None:
    parts = [
        {"type": "text", "text": "the hinge is in the blue crate"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}},
    ]
    answer = await agent.call("record_conversation", turns=[{"role": "user", "content": parts}])
    assert answer["recorded"] == 1
    assert await texts(agent, "hinge") == ["the hinge is in the blue crate\n\n[image]"]
