"""`MemoriaStore` in a compiled graph: the example of LangGraph's own guide on memory.

A graph that answers with what the user had it remember, in whatever thread, with our store or with
LangGraph's own in `compile(store=…)`; called in both ways, and by tools that are given the store.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import pytest

pytest.importorskip("langgraph.graph", reason="the graph itself is the package langgraph")

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import InjectedStore, ToolNode
from langgraph.store.base import BaseStore
from langgraph.store.memory import InMemoryStore

import memoria
from memoria.adapters.langgraph import MemoriaStore
from memoria.app.sync import SyncMemoria
from memoria.inference.embedder import BundledEmbedder


@pytest.fixture
def opened(home: Path, embedder: BundledEmbedder) -> Iterator[SyncMemoria]:
    with memoria.open_sync(home=home, tenant="tests", embedder=embedder) as one:
        yield one


@pytest.fixture(params=["LangGraph's own", "ours"])
def store(request: pytest.FixtureRequest, opened: SyncMemoria) -> BaseStore:
    return MemoriaStore(opened) if request.param == "ours" else InMemoryStore()


_Given = Annotated[Any, InjectedStore()]


def namespace_of(config: RunnableConfig) -> tuple[str, ...]:
    return ("memories", config["configurable"]["user_id"])


def answer(known: list[Any]) -> dict[str, list[AIMessage]]:
    told = "; ".join(one.value["data"] for one in known)
    return {"messages": [AIMessage(f"I know: {told}")]}


def call_model(state: MessagesState, config: RunnableConfig, *, store: BaseStore) -> Any:  # noqa: ANN401
    said = str(state["messages"][-1].content)
    if said.lower().startswith("remember:"):
        store.put(namespace_of(config), f"{len(said)}", {"data": said.partition(":")[2].strip()})
    return answer(store.search(namespace_of(config), query=said, limit=1))


async def acall_model(state: MessagesState, config: RunnableConfig, *, store: BaseStore) -> Any:  # noqa: ANN401
    said = str(state["messages"][-1].content)
    if said.lower().startswith("remember:"):
        value = {"data": said.partition(":")[2].strip()}
        await store.aput(namespace_of(config), f"{len(said)}", value)
    return answer(await store.asearch(namespace_of(config), query=said, limit=1))


def compile_graph(node: Any, store: BaseStore) -> Any:  # noqa: ANN401
    builder = StateGraph(MessagesState)
    builder.add_node("call_model", node)
    builder.add_edge(START, "call_model")
    return builder.compile(checkpointer=InMemorySaver(), store=store)


def thread(number: int, user: str) -> RunnableConfig:
    return {"configurable": {"thread_id": f"{number}", "user_id": user}}


def asks(words: str) -> dict[str, list[BaseMessage]]:
    return {"messages": [HumanMessage(words)]}


def test_a_graph_remembers_across_threads_and_keeps_users_apart(store: BaseStore) -> None:
    graph = compile_graph(call_model, store)
    graph.invoke(asks("Remember: Bob plays the cello"), thread(1, "bob"))
    graph.invoke(asks("Remember: 李雷对花生过敏"), thread(2, "李雷"))
    for number, (user, words, known) in enumerate(
        [
            ("bob", "What do I play?", "Bob plays the cello"),
            ("李雷", "我对什么过敏？", "李雷对花生过敏"),
        ]
    ):
        said = graph.invoke(asks(words), thread(number + 3, user))["messages"][-1].content
        assert said == f"I know: {known}"
    assert graph.invoke(asks("Who am I?"), thread(9, "eve"))["messages"][-1].content == "I know: "
    told, *_ = graph.get_state(thread(1, "bob")).values["messages"]  # the checkpointer's
    assert told.content == "Remember: Bob plays the cello"


async def test_a_graph_on_an_event_loop_and_one_that_streams_use_the_same_store(
    store: BaseStore,
) -> None:
    graph = compile_graph(acall_model, store)
    await graph.ainvoke(asks("Remember: Bob plays the cello"), thread(1, "bob"))
    said = [
        step["call_model"]["messages"][-1].content
        async for step in graph.astream(asks("What do I play?"), thread(2, "bob"))
    ]
    assert said == ["I know: Bob plays the cello"]
    plain = compile_graph(call_model, store)  # a node without await, called from the loop
    again = await plain.ainvoke(asks("What do I play?"), thread(3, "bob"))
    assert again["messages"][-1].content == "I know: Bob plays the cello"
    assert [one.key for one in await store.asearch(("memories", "bob"))] == ["29"]


def test_a_tool_of_an_agent_is_given_the_store_of_its_graph(
    store: BaseStore, opened: SyncMemoria
) -> None:
    @tool
    def save_food(user: str, food: str, store: _Given) -> str:
        """Save what somebody likes to eat."""
        store.put(("users", user), "food", {"likes": food})
        return "saved"

    @tool
    def find_food(user: str, store: _Given) -> str:
        """Find what somebody likes to eat."""
        item = store.get(("users", user), "food")
        return "nothing" if item is None else str(item.value["likes"])

    builder = StateGraph(MessagesState)
    builder.add_node("tools", ToolNode([save_food, find_food]))
    builder.add_edge(START, "tools")
    graph = builder.compile(store=store)

    def call(name: str, **arguments: str) -> ToolMessage:
        calls = [{"name": name, "args": arguments, "id": "1", "type": "tool_call"}]
        message = AIMessage("", tool_calls=calls)
        return graph.invoke({"messages": [message]})["messages"][-1]  # type: ignore[no-any-return]

    assert call("find_food", user="ann").content == "nothing"
    assert call("save_food", user="ann", food="pizza with olives").content == "saved"
    assert call("find_food", user="ann").content == "pizza with olives"
    if isinstance(store, MemoriaStore):
        (hit,) = opened.search_conversation_traces("pizza with olives", context=0).hits
        assert hit.source.client == "langgraph"
