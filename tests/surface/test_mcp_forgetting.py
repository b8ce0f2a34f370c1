"""Forgetting, confirming and workspaces, as a client meets them."""

from pathlib import Path

import pytest
from mcp import Client
from mcp.client import ClientRequestContext
from mcp.types import ElicitRequestParams, ElicitResult, Implementation
from tests.surface.agent import Agent, connected, server_on


async def test_what_is_forgotten_is_not_found_and_not_learnt_again(home: Path, mode: str) -> None:
    async with connected(server_on(home, None), mode) as agent:
        (said,) = await agent.say("Remember: the gate code is 8341-blue")
        kept = await agent.call("remember", content="the gate code is 8341-blue")
        shown = await agent.call("forget_memory", ids=[kept["id"]])
        answer, text = await agent.both("forget_memory", ids=[kept["id"]], token=shown["token"])
        assert kept["id"] in answer["memories"]
        assert answer["turns_suppressed"] == [said]
        assert text.startswith("1 memory forgotten for good.")
        assert said in text
        assert (await agent.call("search_memory", query="gate code"))["hits"] == []
        refusal = await agent.refusal("remember", content="The  gate code is 8341-BLUE.")
        assert "was forgotten on" in refusal
        assert "again=true" in refusal
        traces = await agent.call("search_conversation_traces", query="gate code")
        assert [hit["id"] for hit in traces["hits"]] == [said]


async def test_with_include_source_the_record_is_erased_too(home: Path, mode: str) -> None:
    async with connected(server_on(home, None), mode) as agent:
        (said,) = await agent.say("Remember: the gate code is 8341-blue")
        kept = await agent.call("remember", content="the gate code is 8341-blue", turn_id=said)
        answer = await agent.forget(ids=[kept["id"]], include_source=True)
        assert kept["id"] in answer["memories"]
        assert answer["turns_erased"] == [said]
        assert (await agent.call("search_conversation_traces", query="gate code"))["hits"] == []
        assert "was forgotten on" in await agent.refusal("get_memory", id=kept["id"])
        assert "was forgotten on" in await agent.refusal("get_memory", id=said)


class User:
    """The person at the client, who answers what is asked."""

    def __init__(self, action: str, *, true: bool = True) -> None:
        self.asked: list[str] = []
        self._action = action
        self._content = {"true": true}

    async def __call__(
        self,
        context: ClientRequestContext,  # noqa: ARG002  (the client passes it by name)
        params: ElicitRequestParams,
    ) -> ElicitResult:
        self.asked.append(params.message)
        if self._action != "accept":
            return ElicitResult.model_validate({"action": self._action})
        return ElicitResult.model_validate({"action": "accept", "content": self._content})


@pytest.mark.parametrize(
    ("user", "verified", "note"),
    [
        (User("accept"), True, ""),
        (User("accept", true=False), False, "the user says that this is not true"),
        (User("decline"), False, "Noted, but not verified"),
        (User("cancel"), False, "closed the question with neither yes nor no"),
    ],
    ids=["yes", "no", "declined", "cancelled"],
)
async def test_only_the_users_own_yes_verifies_what_an_agent_confirms(
    home: Path, mode: str, user: User, note: str, *, verified: bool
) -> None:
    user.asked.clear()
    info = Implementation(name="asks", version="1")
    server = server_on(home, None)
    async with Client(server, mode=mode, client_info=info, elicitation_callback=user) as client:
        agent = Agent(client)
        kept = await agent.call("remember", content="The user is left-handed")
        revised = await agent.call("revise_memory", id=kept["id"], action="confirm")
        assert revised["verified"] is verified
        assert ("note" in revised) is not verified
        assert note in revised.get("note", "")
        assert len(user.asked) == 1
        assert "The user is left-handed" in user.asked[0]
        record = await agent.call("get_memory", id=kept["id"])
        assert record["source"]["trust"] == "reported"


async def test_nobody_is_asked_about_anything_but_a_confirmation(home: Path, mode: str) -> None:
    user = User("accept")
    info = Implementation(name="asks", version="1")
    server = server_on(home, None)
    async with Client(server, mode=mode, client_info=info, elicitation_callback=user) as client:
        agent = Agent(client)
        kept = await agent.call("remember", content="The user is left-handed")
        await agent.call("revise_memory", id=kept["id"], action="pin")
        await agent.call("revise_memory", id=kept["id"], action="confirm")
        await agent.call("revise_memory", id=kept["id"], action="confirm")
        assert len(user.asked) == 1
        assert "Find its id" in await agent.refusal("revise_memory", id="x", action="confirm")


async def test_another_workspace_is_seen_only_when_it_is_asked(home: Path, mode: str) -> None:
    async with connected(server_on(home, None), mode) as agent:
        turn = {"role": "user", "content": "the port of the api is 9000", "session_id": "r"}
        await agent.call("record_conversation", turns=[turn], workspace="red")
        fact = await agent.call("remember", content="the api port is 9000", workspace="red")
        taste = await agent.call(
            "remember", content="prefers api ports above 8000", type="preference", workspace="red"
        )

        async def ids(tool: str, **arguments: str) -> set[str]:
            answer = await agent.call(tool, query="api port", **arguments)
            return {hit["id"] for hit in answer["hits"]}

        assert await ids("search_memory") == {taste["id"]}
        assert await ids("search_memory", workspace="blue") == {taste["id"]}
        assert await ids("search_memory", workspace="red") > {taste["id"], fact["id"]}
        assert await ids("search_memory", workspace="*") > {taste["id"], fact["id"]}
        assert await ids("search_conversation_traces") == set()
        assert len(await ids("search_conversation_traces", workspace="red")) == 1
