"""`MemoriaSession` in the place of the OpenAI Agents SDK's own session."""

import json
from collections.abc import AsyncIterator
from typing import Any, cast

import pytest
from agents import Agent, ModelResponse, Runner, SQLiteSession, Usage, function_tool
from agents.items import TResponseInputItem, TResponseStreamEvent
from agents.memory import Session, SessionSettings
from agents.models.interface import Model
from agents.run import RunConfig
from openai.types.responses import (
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)

from memoria import Memoria
from memoria.adapters.openai_agents import MemoriaSession

_HIVE = "The hive stands under the plum tree"
_ITEMS = cast(
    "list[TResponseInputItem]",
    [
        {"role": "user", "content": "My sister Mei lives in Chengdu and keeps bees"},
        {"role": "user", "content": "yes"},
        {"role": "user", "content": "yes"},
        {"type": "message", "role": "user", "content": "  我对花生过敏 \n"},
        {"role": "user", "content": ""},
        {"role": "developer", "content": "Answer briefly."},
        {
            "role": "user",
            "content": [
                {"type": "input_text", "text": "What is in this picture of the garden?"},
                {"type": "input_image", "image_url": "data:image/png;base64,iVBORw0KGgo="},
            ],
        },
        {"id": "rs_1", "summary": [], "type": "reasoning", "encrypted_content": "gAAAAABoX" * 40},
        {
            "arguments": json.dumps({"city": "成都"}, ensure_ascii=False),
            "call_id": "call_1",
            "name": "search_memory",
            "type": "function_call",
            "id": "fc_1",
            "status": "completed",
        },
        {"call_id": "call_1", "output": "Sunny, 24 degrees", "type": "function_call_output"},
        {
            "id": "msg_1",
            "content": [{"annotations": [], "text": _HIVE, "type": "output_text", "logprobs": []}],
            "role": "assistant",
            "status": "completed",
            "type": "message",
        },
        {
            "id": "msg_2",
            "content": [
                {"annotations": [], "text": "One", "type": "output_text"},
                {"annotations": [], "text": "Two", "type": "output_text"},
            ],
            "role": "assistant",
            "status": "incomplete",
            "type": "message",
            "phase": "commentary",
        },
    ],
)


class _Script(Model):
    """A model that answers from a script, and keeps what it was shown."""

    def __init__(self, *answers: str | tuple[str, dict[str, object]]) -> None:
        self._answers = list(answers)
        self.shown: list[str | list[TResponseInputItem]] = []

    async def get_response(
        self,
        system_instructions: str | None,  # noqa: ARG002  (the SDK's own name)
        input: str | list[TResponseInputItem],  # noqa: A002
        *_args: Any,  # noqa: ANN401
        **_more: Any,  # noqa: ANN401
    ) -> ModelResponse:
        self.shown.append(input if isinstance(input, str) else [*input])
        answer = self._answers.pop(0)
        return ModelResponse([_output(answer, len(self.shown))], Usage(), None)

    def stream_response(
        self, *_args: object, **_more: object
    ) -> AsyncIterator[TResponseStreamEvent]:
        raise NotImplementedError


def _output(
    answer: str | tuple[str, dict[str, object]], n: int
) -> ResponseOutputMessage | ResponseFunctionToolCall:
    if isinstance(answer, str):
        part = ResponseOutputText(text=answer, type="output_text", annotations=[])
        return ResponseOutputMessage(
            id=f"msg_{n}", content=[part], role="assistant", status="completed", type="message"
        )
    name, arguments = answer
    return ResponseFunctionToolCall(
        arguments=json.dumps(arguments), call_id=f"call_{n}", name=name, type="function_call"
    )


async def test_items_come_back_equal_and_what_was_said_is_found(memory: Memoria) -> None:
    session = MemoriaSession("s1", memory)
    assert isinstance(session, Session)
    assert await session.get_items() == []
    await session.add_items(_ITEMS)
    await session.add_items([])
    assert await MemoriaSession("s1", memory).get_items() == _ITEMS
    assert await session.get_items(limit=3) == _ITEMS[-3:]
    assert await session.get_items(limit=0) == []
    few = MemoriaSession("s1", memory, SessionSettings(limit=2))
    assert await few.get_items() == _ITEMS[-2:]
    assert await MemoriaSession("s2", memory).get_items() == []
    found = await memory.search_conversation_traces("Who keeps bees?", context=0)
    assert (found.hits[0].text, found.hits[0].tool) == (cast("Any", _ITEMS[0])["content"], None)
    answered = await memory.search_conversation_traces("Where is the hive?", context=0)
    assert (answered.hits[0].text, answered.hits[0].tool) == (_HIVE, None)


async def test_what_is_popped_or_cleared_is_erased_and_may_be_added_again(memory: Memoria) -> None:
    session = MemoriaSession("s1", memory)
    await session.add_items(_ITEMS)
    for item in reversed(_ITEMS[-3:]):
        assert await session.pop_item() == item
    await session.add_items(_ITEMS[-3:])
    assert await session.get_items() == _ITEMS
    await session.clear_session()
    await session.clear_session()
    assert (await session.get_items(), await session.pop_item()) == ([], None)
    found = await memory.search_conversation_traces("bees Chengdu", include_history=True)
    assert not found.hits
    await session.add_items(_ITEMS)
    assert await session.get_items() == _ITEMS


@pytest.mark.parametrize("kind", ["own", "ours"])
async def test_an_agent_that_calls_tools_sees_the_same_in_our_session_as_in_the_sdks_own(
    memory: Memoria, kind: str
) -> None:
    @function_tool
    def get_weather(city: str) -> str:
        return f"{city}: sunny, 24 degrees"

    model = _Script(("get_weather", {"city": "Ghent"}), "It is sunny in Ghent.", "It is, still.")
    agent = Agent(name="Weather", model=model, tools=[get_weather])
    session = SQLiteSession("s1") if kind == "own" else MemoriaSession("s1", memory)
    quiet = RunConfig(tracing_disabled=True)
    first = await Runner.run(
        agent, "How is the weather in Ghent?", session=session, run_config=quiet
    )
    again = await Runner.run(agent, "Is it still so?", session=session, run_config=quiet)
    assert (first.final_output, again.final_output) == ("It is sunny in Ghent.", "It is, still.")
    shown = cast("list[dict[str, Any]]", model.shown[-1])
    assert [one.get("type") or one.get("role") for one in shown] == [
        "user",
        "function_call",
        "function_call_output",
        "message",
        "user",
    ]
    assert shown[2]["output"] == "Ghent: sunny, 24 degrees"
    if isinstance(session, MemoriaSession):
        found = await memory.search_conversation_traces("sunny in Ghent")
        assert found.hits[0].source.session_id == "s1"
