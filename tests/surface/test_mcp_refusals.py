"""What an agent is told when it asks wrongly: one clear sentence, and the server lives on."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.surface.agent import Agent, said

UNKNOWN = "0199ffff-ffff-7fff-bfff-ffffffffffff"
USER = {"role": "user", "content": "hello"}
"""A good turn."""

WRONG: dict[str, tuple[str, dict[str, object], str]] = {
    "unknown id": ("get_memory", {"id": UNKNOWN}, "search_memory"),
    "not an id": ("get_memory", {"id": "../../etc/passwd"}, "search_memory"),
    "empty id": ("get_memory", {"id": ""}, "search_memory"),
    "unknown memory to revise": (
        "revise_memory",
        {"id": UNKNOWN, "action": "pin"},
        "search_memory",
    ),
    "unknown turn to rest on": (
        "remember",
        {"content": "x", "turn_id": UNKNOWN},
        "search_conversation_traces",
    ),
    "empty query": ("search_memory", {"query": ""}, "Ask in words"),
    "blank query": ("search_conversation_traces", {"query": " \n\t"}, "Ask in words"),
    "limit 0": ("search_memory", {"query": "x", "limit": 0}, "from 1 to 200"),
    "limit 10**9": ("search_memory", {"query": "x", "limit": 10**9}, "from 1 to 200"),
    "limit beyond any integer": ("search_memory", {"query": "x", "limit": 10**40}, "limit"),
    "limit in words": ("search_memory", {"query": "x", "limit": "many"}, "limit"),
    "no tokens": ("search_memory", {"query": "x", "max_tokens": 0}, "max_tokens"),
    "much context": ("search_conversation_traces", {"query": "x", "context": 99}, "from 0 to 5"),
    "bad date": ("search_memory", {"query": "x", "since": "yesterday"}, "ISO 8601"),
    "bad date in a turn": ("record_conversation", {"turns": [{**USER, "at": "soon"}]}, "ISO 8601"),
    "since after until": (
        "search_memory",
        {"query": "x", "since": "2026-03-02", "until": "2026-03-01"},
        "before",
    ),
    "bad type": ("search_memory", {"query": "x", "types": ["wizard"]}, "'fact'"),
    "bad type to remember": ("remember", {"content": "x", "type": "wizard"}, "one of fact,"),
    "nothing to forget": ("forget_memory", {}, "or workspace."),
    "bad role": ("record_conversation", {"turns": [{"role": "wizard", "content": "x"}]}, "'user'"),
    "bad event": ("record_conversation", {"turns": [USER], "event": "tea_break"}, "'session_end'"),
    "bad action": ("revise_memory", {"id": UNKNOWN, "action": "explode"}, "'correct'"),
    "missing query": ("search_memory", {}, "query"),
    "missing content": ("remember", {}, "content"),
    "missing turns": ("record_conversation", {}, "turns"),
    "missing wording": ("revise_memory", {"id": UNKNOWN, "action": "correct"}, "content"),
    "wording without correct": (
        "revise_memory",
        {"id": UNKNOWN, "action": "pin", "content": "x"},
        "correct",
    ),
    "nothing to remember": ("remember", {"content": "  "}, "sentence"),
    "too much to remember": ("remember", {"content": "x" * 5_000}, "record_conversation"),
    "too important": ("remember", {"content": "x", "importance": 7}, "importance"),
    "nothing to record": ("record_conversation", {"turns": []}, "give turns"),
    "an empty turn": ("record_conversation", {"turns": [{"role": "user"}]}, "Leave it out"),
    "nothing for the scratchpad": ("update_scratchpad", {}, "current_focus"),
    "too much for the scratchpad": ("update_scratchpad", {"current_focus": "x" * 3_000}, "2,000"),
    "negative offset": ("get_memory", {"id": UNKNOWN, "offset": -1}, "offset"),
    "text for a list": ("record_conversation", {"turns": "hello"}, "turns"),
}


@pytest.mark.parametrize(("tool", "arguments", "next_step"), WRONG.values(), ids=WRONG)
async def test_a_wrong_call_is_answered_with_what_to_do(
    standing: Agent, tool: str, arguments: dict[str, object], next_step: str
) -> None:
    complaint = await standing.refusal(tool, **arguments)
    assert next_step in complaint
    assert "\n" not in complaint
    assert len(complaint) <= 400
    for noise in ("Traceback", "pydantic", "http", "Error executing", "input_value", "Value error"):
        assert noise not in complaint
    assert ".." not in complaint.replace("../..", "")
    assert (await standing.call("search_memory", query="still alive"))["hits"] == []


async def test_a_tool_that_does_not_exist_is_named(standing: Agent) -> None:
    complaint = await standing.refusal("no_such_tool")
    assert "no_such_tool" in complaint
    assert "search_memory" in complaint


async def test_a_misspelt_argument_is_refused_and_not_ignored(standing: Agent) -> None:
    complaint = await standing.refusal("search_memory", query="tea", sinse="2026-03-01")
    assert "sinse" in complaint
    many = {f"{'x' * 500} {i}": 1 for i in range(100)}
    complaint = await standing.refusal("search_memory", query="tea", **many)
    assert "and 95 more. It takes queries, query" in complaint
    assert len(complaint) < 1_000


async def test_a_thousand_bad_turns_are_counted_and_the_first_are_named(standing: Agent) -> None:
    turns = [{"role": "wizard"}] * 1_000
    complaint = await standing.refusal("record_conversation", turns=turns)
    assert "turns.0.role" in complaint
    assert "and 995 more" in complaint
    assert len(complaint) < 1_000


@pytest.mark.parametrize("text", ["null", "true", "[]", '["a"]', '{"a": 1}', "3"])
async def test_a_text_that_looks_like_json_stays_that_text(agent: Agent, text: str) -> None:
    pad = await agent.call("update_scratchpad", current_focus=text, session_id=text)
    assert (pad["current_focus"], pad["session_id"]) == (text, text)
    kept = await agent.call("remember", content="Lin likes tea")
    revised = await agent.call("revise_memory", id=kept["id"], action="correct", content=text)
    assert revised["text"] == text


async def test_a_list_written_as_text_is_still_a_list(standing: Agent) -> None:
    assert (await standing.call("search_memory", query="tea", types='["fact"]'))["hits"] == []


@pytest.mark.parametrize("name", ["limit", "max_tokens", "context"])
async def test_a_boolean_is_no_number(standing: Agent, name: str) -> None:
    arguments = {"query": "tea", name: True}
    complaint = await standing.refusal("search_conversation_traces", **arguments)
    assert f"{name} must be a number" in complaint


async def test_arguments_that_are_null_count_as_not_given(standing: Agent) -> None:
    asked = await standing.call(
        "search_memory", query="tea", types=None, since=None, session_id=None
    )
    assert asked == await standing.call("search_memory", query="tea")


async def test_a_turn_of_more_than_five_megabytes_is_refused_by_size(standing: Agent) -> None:
    complaint = await standing.refusal(
        "record_conversation", turns=[{"role": "user", "content": "x" * (5 * 1024 * 1024 + 1)}]
    )
    assert "5,242,880" in complaint
    assert "Split it" in complaint


ANY_TEXT = st.text(st.characters(codec="utf-8"), max_size=12) | st.sampled_from(
    ["a\x00b", '"', "*", "'; DROP TABLE turns; --", "NEAR(a b)", "\u202e", "a" * 501]
)


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(text=ANY_TEXT, other=ANY_TEXT)
@pytest.mark.parametrize(
    "tool",
    [
        "search_memory",
        "search_conversation_traces",
        "get_memory",
        "remember",
        "record_conversation",
        "update_scratchpad",
    ],
)
async def test_no_text_in_any_argument_is_a_crash(
    agent: Agent, tool: str, text: str, other: str
) -> None:
    arguments: dict[str, dict[str, object]] = {
        "search_memory": {"query": text, "session_id": other},
        "search_conversation_traces": {"query": text, "tool": other, "session_id": text},
        "get_memory": {"id": text},
        "remember": {"content": text},
        "record_conversation": {
            "turns": [
                {"role": "user", "content": text, "speaker": other, "message_id": text},
                {"role": "tool", "tool_name": other, "tool_args": {text: other}},
            ],
            "session_id": other,
        },
        "update_scratchpad": {"current_focus": text, "session_id": other},
    }
    result = await agent.client.call_tool(tool, arguments[tool])
    assert "Error executing tool" not in said(result)


async def test_a_refusal_names_only_what_the_tool_takes(agent: Agent) -> None:
    unknown = await agent.refusal("remember", content="x", type="wizard")
    assert "task_outcome" in unknown
    assert ("episode" in unknown, "concept" in unknown) == (False, False)
    assert "record_conversation" in await agent.refusal("remember", content="x", type="episode")
    nothing = await agent.refusal("forget_memory")
    assert "give ids, topic, query, session_id, speaker, since, until or workspace." in nothing
