"""A Pydantic AI agent whose history is Memoria's, and which searches in it."""

from pydantic_ai import Agent, BinaryImage, ModelMessage, ModelResponse
from pydantic_ai.messages import (
    ModelRequest,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.test import TestModel

from memoria import Memoria
from memoria.adapters.pydantic_ai import MemoriaHistory, memory_toolset

_MESSAGES: list[ModelMessage] = [
    ModelRequest(
        parts=[SystemPromptPart("Answer briefly."), UserPromptPart("我对花生过敏，晚上吃什么？")],
        metadata={"none": None},
    ),
    ModelResponse(
        parts=[
            ThinkingPart("Something without nuts", signature="c2lnbmF0dXJl" * 20),
            TextPart("Let me look into the larder."),
            ToolCallPart("larder", {"shelf": None, "deep": {"a": [1]}}, tool_call_id="c1"),
        ],
        model_name="test",
    ),
    ModelRequest(parts=[ToolReturnPart("larder", {"eggs": 6}, tool_call_id="c1")]),
    ModelRequest(
        parts=[UserPromptPart(["What is this?", BinaryImage(b"\x89PNG", media_type="image/png")])]
    ),
    ModelResponse(parts=[TextPart("One"), TextPart("Two")]),
]


async def test_messages_come_back_equal_and_what_was_said_is_found(memory: Memoria) -> None:
    history = MemoriaHistory("s1", memory)
    assert await history.load() == []
    await history.save(_MESSAGES)
    assert await MemoriaHistory("s1", memory).load() == _MESSAGES
    (hit, *_) = (await memory.search_conversation_traces("花生", context=0)).hits
    assert hit.text == "我对花生过敏，晚上吃什么？"
    await history.clear()
    assert await history.load() == []
    assert not (await memory.search_conversation_traces("花生", include_history=True)).answered


async def test_a_run_goes_on_from_the_history_that_another_has_left(memory: Memoria) -> None:
    agent = Agent(TestModel(custom_output_text="The boat is called Wren."))
    history = MemoriaHistory("s1", memory)
    for prompt in ("What is the boat called?", "Once more, please"):
        result = await agent.run(prompt, message_history=await history.load())
        await history.save(result.new_messages())
        assert await history.load() == result.all_messages()
    assert len(await history.load()) == 4


async def test_an_agent_finds_with_its_tools_what_was_said_in_another_conversation(
    memory: Memoria,
) -> None:
    await memory.remember("Tom's boat is called Wren")
    await MemoriaHistory("s1", memory).save([ModelRequest.user_text_prompt("Tom sold his canoe")])
    shown: list[ModelMessage] = []

    def ask(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        shown[:] = messages
        names = [tool.name for tool in info.function_tools]
        if len(messages) > 1:
            return ModelResponse(parts=[TextPart("Wren")])
        return ModelResponse(
            parts=[ToolCallPart(name, {"query": "Tom's boat or canoe"}) for name in names]
        )

    agent = Agent(FunctionModel(ask), toolsets=[memory_toolset(memory)])
    assert (await agent.run("What is Tom's boat called?")).output == "Wren"
    answers = {
        part.tool_name: str(part.content)
        for part in shown[-1].parts
        if isinstance(part, ToolReturnPart)
    }
    assert answers.keys() == {"search_memory", "search_conversation_traces"}
    assert "Wren" in answers["search_memory"]
    assert "sold his canoe" in answers["search_conversation_traces"]
