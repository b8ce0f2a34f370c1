"""Each framework's own example, with our memory in the place of its default, in both ways.

LangGraph's are in `test_langgraph_graph.py`, LlamaIndex' and Claude's with their adapters.
"""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from agents import Agent, OpenAIChatCompletionsModel, Runner, set_tracing_disabled
from openai import AsyncOpenAI
from tests.connectors.adapters.model_server import ModelServer, serve_model
from tests.databases import process_environment

from memoria import Memoria
from memoria.adapters.openai_agents import MemoriaSession

_GATE = "What city is the Golden Gate Bridge in?"


@pytest.fixture
def server() -> Iterator[ModelServer]:
    set_tracing_disabled(disabled=True)
    with serve_model("San Francisco.", "California.", "About 39 million.") as model:
        yield model


def list_said(messages: list[dict[str, object]]) -> list[object]:
    return [one["content"] for one in messages if one["role"] in ("user", "assistant")]


async def test_the_session_example_of_openai_agents(memory: Memoria, server: ModelServer) -> None:
    session, other = (MemoriaSession(f"conversation_{n}", memory) for n in (123, 456))
    async with AsyncOpenAI(base_url=server.url, api_key="none") as client:
        model = OpenAIChatCompletionsModel(model="scripted", openai_client=client)
        agent = Agent(name="Assistant", instructions="Reply very concisely.", model=model)
        result = await Runner.run(agent, _GATE, session=session)
        assert result.final_output == "San Francisco."
        result = await Runner.run(agent, "What state is it in?", session=session)
        assert result.final_output == "California."
        assert list_said(server.shown[-1]) == [_GATE, "San Francisco.", "What state is it in?"]
        await Runner.run(agent, "Hello", session=other)
        assert list_said(server.shown[-1]) == ["Hello"]
    found = await memory.search_conversation_traces("Golden Gate Bridge")
    assert found.hits[0].source.session_id == "conversation_123"
    assert "Golden Gate" in found.hits[0].text


_WITHOUT_ASYNC = """
import sys

import memoria
from agents import Agent, OpenAIChatCompletionsModel, Runner, set_tracing_disabled
from memoria.adapters.openai_agents import MemoriaSession
from memoria.adapters.pydantic_ai import MemoriaHistory, memory_toolset
from openai import AsyncOpenAI
from pydantic_ai import Agent as PydanticAgent
from pydantic_ai.models.test import TestModel

set_tracing_disabled(True)
home, url = sys.argv[1:]
with memoria.open_sync(home=home, tenant="tests") as m:
    client = AsyncOpenAI(base_url=url, api_key="none")
    model = OpenAIChatCompletionsModel(model="scripted", openai_client=client)
    agent = Agent(name="Assistant", instructions="Reply very concisely.", model=model)
    session = MemoriaSession("conversation_123", m)
    for words in ("What city is the Golden Gate Bridge in?", "What state is it in?"):
        print(Runner.run_sync(agent, words, session=session).final_output)

    agent = PydanticAgent(TestModel(), toolsets=[memory_toolset(m)])
    history = MemoriaHistory("jokes", m)
    for words in ("Tell me a joke about cows.", "Explain?"):
        result = agent.run_sync(words, message_history=history.load_sync())
        history.save_sync(result.new_messages())
    print(history.load_sync() == result.all_messages())
    print(len(m.search_conversation_traces("joke about cows").hits) > 0)
"""
"""A process of its own, because what runs without `async` leaves its event loop open."""


def test_the_examples_of_openai_agents_and_pydantic_ai_run_without_async(
    home: Path, server: ModelServer
) -> None:
    done = subprocess.run(  # noqa: S603  (our own script)
        [sys.executable, "-c", _WITHOUT_ASYNC, str(home), server.url],
        env=process_environment(home),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.split("\n") == ["San Francisco.", "California.", "True", "True", ""], done
    assert list_said(server.shown[-1]) == [_GATE, "San Francisco.", "What state is it in?"]
