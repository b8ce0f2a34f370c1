"""Over MCP nothing is forgotten that nobody was shown, and what was agreed to is what goes."""

import shlex
from pathlib import Path

import pytest
from mcp import Client
from mcp.client import ClientRequestContext
from mcp.types import ElicitRequestParams, ElicitResult, Implementation
from tests.surface.agent import Agent, connected, server_on
from tests.surface.shell import Shell

ONE = "Harbor go-live is 12 April 2027"
OLD = "0123456789abcdef"
SAME = "harbor go-live is 12 april 2027."


class User:
    """The person at the client; `meanwhile` happens before the answer."""

    def __init__(self, *answers: bool) -> None:
        self.asked: list[str] = []
        self._answers = list(answers)

    async def __call__(
        self,
        context: ClientRequestContext,  # noqa: ARG002  (the client passes it by name)
        params: ElicitRequestParams,
    ) -> ElicitResult:
        self.asked.append(params.message)
        content: dict[str, bool] = {"forget": self._answers.pop(0)}
        return ElicitResult.model_validate({"action": "accept", "content": content})


async def test_the_first_call_shows_all_that_would_go_and_the_second_forgets_just_that(
    home: Path, mode: str
) -> None:
    async with connected(server_on(home, None), mode) as agent:
        one = await agent.call("remember", content=ONE, workspace="red")
        same = await agent.call("remember", content=SAME, workspace="blue")
        shown, text = await agent.both("forget_memory", ids=[same["id"]])
        assert shown["status"] == "preview"
        assert shown["counts"] == {"memory": 1, "duplicate": 1}
        texts = {item["id"]: item["text"] for item in shown["items"]}
        assert texts == {one["id"]: "(in another project)", same["id"]: SAME}
        assert shown["token"] in text
        assert "Nothing is forgotten yet" in text
        made_up = {"token": "deadbeefdeadbeef"}
        invented = await agent.call("forget_memory", ids=[same["id"]], **made_up)
        assert (invented["status"], invented["token"]) == ("preview", shown["token"])
        assert "It is of no preview or of another one" in invented["notes"][0]
        third = await agent.call("remember", content=SAME, workspace="green")
        changed = await agent.call("forget_memory", ids=[same["id"]], token=shown["token"])
        assert changed["status"] == "preview"
        assert changed["counts"] == {"memory": 1, "duplicate": 2}
        assert "has changed since" in changed["notes"][0]
        for kept in (one, same, third):
            await agent.call("get_memory", id=kept["id"])
        spared = {"ids": [same["id"]], "keep": [one["id"]]}
        again = await agent.call("forget_memory", **spared)
        assert {item["id"] for item in again["items"]} == {same["id"]}
        gone = await agent.call("forget_memory", **spared, token=again["token"])
        assert gone["status"] == "forgotten"
        assert gone["memories"] == [same["id"]]
        assert gone["report"]["remaining"] == {}
        assert gone["report"]["removed"]["memories"] == 1
        assert (await agent.call("get_memory", id=one["id"]))["text"] == ONE


async def test_a_client_that_can_ask_its_user_does_and_shows_them_all_of_it(
    home: Path, mode: str
) -> None:
    user = User(False, True)
    info = Implementation(name="asks", version="1")
    server = server_on(home, None)
    async with Client(server, mode=mode, client_info=info, elicitation_callback=user) as client:
        agent = Agent(client)
        one = await agent.call("remember", content=ONE, workspace="red")
        same = await agent.call("remember", content=SAME, workspace="blue")
        declined = await agent.call("forget_memory", ids=[same["id"]], token=OLD)
        assert declined["status"] == "declined"
        assert (await agent.call("get_memory", id=same["id"]))["text"] == SAME
        gone = await agent.call("forget_memory", ids=[same["id"]])
        assert set(gone["memories"]) == {one["id"], same["id"]}
        assert len(user.asked) == 2
        for question in user.asked:
            assert one["id"] in question
            assert SAME in question
        refusal = await agent.refusal("remember", content=ONE)
        assert "by the user, asked through asks" in refusal


async def test_more_than_a_few_are_left_to_the_user_with_the_command_to_type(
    home: Path, mode: str
) -> None:
    async with connected(server_on(home, None), mode) as agent:
        await agent.say(*(f"Turn {n} of the harbor talk" for n in range(11)), session_id="a b")
        answer, text = await agent.both("forget_memory", session_id="a b", include_source=True)
        assert answer["command"] == (
            "memoria --tenant tests forget --session-id 'a b' --include-source"
        )
        assert answer["command"] in text
        assert "token" not in answer
        assert answer["counts"] == {"turn": 11}
        again = await agent.call("forget_memory", session_id="a b", token=OLD)
        assert again["status"] == "preview"
        assert len((await agent.call("search_conversation_traces", query="harbor"))["hits"]) > 3


async def test_an_agent_selects_nothing_that_its_project_does_not_see(
    home: Path, mode: str
) -> None:
    async with connected(server_on(home, None), mode) as agent:
        turn = {"role": "user", "content": "the harbor port is 9000", "session_id": "r"}
        await agent.call("record_conversation", turns=[turn], workspace="red")
        hidden = await agent.call(
            "remember", content="the harbor crane of this repo is red", workspace="red"
        )
        seen = await agent.call("remember", content="I like the harbor view", scope="everywhere")
        for selection in ({"topic": "harbor"}, {"since": "2020-01-01"}, {"session_id": "r"}):
            shown = await agent.call("forget_memory", **selection)
            ids = {item["id"] for item in shown.get("items", ())}
            assert hidden["id"] not in ids
            assert ("session_id" in selection) != (seen["id"] in ids)


class Nobody:
    """A client that runs without a person: whatever it is asked, it declines, or drops it."""

    def __init__(self, action: str) -> None:
        self._action = action

    async def __call__(
        self,
        context: ClientRequestContext,  # noqa: ARG002  (the client passes it by name)
        params: ElicitRequestParams,  # noqa: ARG002
    ) -> ElicitResult:
        return ElicitResult.model_validate({"action": self._action})


@pytest.mark.parametrize(
    ("action", "status", "said"),
    [
        ("decline", "unanswered", "may have had nobody to ask"),
        ("cancel", "cancelled", "closed with neither yes nor no"),
    ],
    ids=["declined", "cancelled"],
)
async def test_where_nobody_could_be_asked_no_refusal_is_claimed_and_the_command_is_named(
    home: Path, mode: str, action: str, status: str, said: str
) -> None:
    info, nobody = Implementation(name="headless", version="1"), Nobody(action)
    server = server_on(home, None)
    async with Client(server, mode=mode, client_info=info, elicitation_callback=nobody) as client:
        agent = Agent(client)
        one = await agent.call("remember", content=ONE)
        answer, text = await agent.both("forget_memory", ids=[one["id"]])
        assert answer["status"] == status
        assert said in text
        assert "did not agree" not in text
        assert f"forget {one['id']} --token {answer['token']}" in answer["notes"][0]
        again = await agent.call("forget_memory", ids=[one["id"]], token=answer["token"])
        assert again["status"] == status  # somebody may have said no: a token is no yes
        revised = await agent.call("revise_memory", id=one["id"], action="confirm")
        assert (revised["verified"], "only the user can" in revised["note"]) == (False, True)
        assert (await agent.call("get_memory", id=one["id"]))["text"] == ONE
    command = answer["notes"][0].partition("`memoria ")[2].partition("`")[0]
    done = Shell(home).run("--home", str(home), *shlex.split(command), "--yes")
    assert (done.code, done.err) == (0, "")
