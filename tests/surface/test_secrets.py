"""Secrets are kept in no field, whoever says them."""

import json
import string
from pathlib import Path
from random import Random

import pytest
from tests.forgetting.remains import remaining
from tests.surface.agent import connected, server_on
from tests.surface.shell import Shell

import memoria
from memoria import Settings
from memoria.errors import InvalidInputError
from memoria.surface.text import secrets_sentence

SIGNS = string.ascii_letters + string.digits


class Tokens:
    """Gives a token of its own to each field."""

    def __init__(self) -> None:
        self.given: dict[str, str] = {}

    def __getitem__(self, field: str) -> str:
        chance = Random(field)  # noqa: S311  (reproducible, not secret)
        return self.given.setdefault(field, "ghp_" + "".join(chance.choices(SIGNS, k=36)))

    def left_in(self, home: Path) -> list[str]:
        left = remaining(home, self.given.values())
        return [field for field, token in self.given.items() if token in left]


async def test_a_secret_in_any_field_of_a_call_is_in_no_byte_of_the_home(home: Path) -> None:
    tokens = Tokens()
    async with connected(server_on(home, None), "auto", f"client {tokens['client']}") as agent:
        turn = {
            "role": "tool",
            "content": f"the zebra is at {tokens['content']}",
            "session_id": f"s {tokens['session of a turn']}",
            "message_id": f"m {tokens['message id']}",
            "speaker": f"Ann {tokens['speaker']}",
            "tool_name": f"run {tokens['tool']}",
            "tool_args": {f"a {tokens['key of an argument']}": [tokens["argument"]]},
            "tool_result": {"out": {"n": [f"x {tokens['result']}"]}},
        }
        await agent.call(
            "record_conversation", turns=[turn], session_id=tokens["session"], event="session_end"
        )
        said = [{"role": "user", "content": "hello"}]
        await agent.call("record_conversation", turns=said, session_id=tokens["other session"])
        kept = await agent.call(
            "remember",
            content=f"The stable of the horses is at {tokens['statement']}",
            subject=f"stable {tokens['subject']}",
            task=f"feed {tokens['task']}",
            entities=[f"Bob {tokens['entity']}", tokens["bare entity"]],
        )
        await agent.call(
            "revise_memory", id=kept["id"], action="correct",
            content=f"The stable of the horses burned at {tokens['correction']}",
        )  # fmt: skip
        await agent.call(
            "update_scratchpad", current_focus=f"feed {tokens['focus']}",
            completed=f"ride {tokens['completed']}", session_id=f"p {tokens['pad']}",
        )  # fmt: skip
        await agent.call("search_memory", query=f"zebra {tokens['query']}")
        for call in ("remember", "record_conversation"):
            given = {"content": "x is y"} if call == "remember" else {"turns": said}
            refused = await agent.refusal(call, **given, workspace=f"/w/{tokens['workspace']}")
            assert tokens["workspace"] not in refused
    assert remaining(home, ["zebra", "stable"]) == {"zebra", "stable"}
    assert tokens.left_in(home) == []


def test_a_secret_in_an_imported_line_or_a_command_is_in_no_byte_of_the_home(
    shell: Shell, tmp_path: Path
) -> None:
    tokens = Tokens()
    line = {
        "role": "user",
        "content": f"zebra {tokens['content']}",
        "session_id": tokens["session"],
        "message_id": tokens["message id"],
        "speaker": tokens["speaker"],
    }
    file = tmp_path / "said.jsonl"
    file.write_text(json.dumps(line) + "\n")
    assert shell("import", file).code == 0
    assert shell("remember", f"The stable is at {tokens['statement']}").code == 0
    assert remaining(shell.home, ["zebra", "stable"]) == {"zebra", "stable"}
    assert tokens.left_in(shell.home) == []


async def test_ids_that_differ_in_a_secret_alone_stay_two_and_the_same_id_stays_one(
    home: Path,
) -> None:
    tokens = Tokens()
    said = [("one", "hello"), ("two", "good bye"), ("one", "hello")]
    async with memoria.open(settings=Settings(home=home, embedder="off")) as memory:
        ids = []
        for field, content in said:
            turn = {"role": "user", "content": content, "message_id": tokens[field]}
            ids.append((await memory.record_conversation([turn], session_id="s")).turns[0].id)
        turns = (await memory.get_session("s")).turns
    assert ids[0] == ids[2] != ids[1]
    assert [turn.content for turn in turns] == ["hello", "good bye"]


@pytest.mark.parametrize("field", ["tenant", "workspace"])
async def test_nothing_is_kept_under_a_secret(tmp_path: Path, field: str) -> None:
    token = Tokens()["name"]
    settings = Settings.from_values(home=tmp_path / "home", embedder="off", **{field: token})
    with pytest.raises(InvalidInputError, match=f"{field}: a key or password") as refused:
        async with memoria.open(settings=settings):
            pass
    assert token not in str(refused.value)
    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize(
    ("redactions", "said"),
    [
        ({}, ""),
        ({"forgotten": 2}, ""),
        ({"one-time-code": 1}, "1 secret was redacted: one-time-code"),
        ({"password": 2, "pin": 1, "forgotten": 1}, "3 secrets were redacted: password ×2, pin"),
    ],
)
def test_what_was_redacted_is_said_in_a_sentence(redactions: dict[str, int], said: str) -> None:
    assert secrets_sentence(redactions) == said
