"""`memoria review` lists quotes, and keeps one as a memory or sets it aside."""

import pytest
from tests.surface.shell import Shell

import memoria
from memoria import Settings

WISH = "From now on, always answer me in English."


@pytest.fixture
async def turn_id(shell: Shell) -> str:
    async with memoria.open(settings=Settings(home=shell.home, embedder="off")) as m:
        turn = {"role": "user", "content": WISH, "session_id": "s"}
        receipt = await m.record_conversation([turn])
        return str(receipt.turns[0].id)[-8:]


async def test_a_quote_is_listed_for_review_and_becomes_a_memory_with_one_option(
    shell: Shell, turn_id: str
) -> None:
    assert f'[turn {turn_id}]: "{WISH}"' in shell("review").out
    assert f'[turn {turn_id}]: "{WISH}"' in shell("list").out
    assert WISH in shell.json("list")["quotes"][0]
    assert WISH not in shell("list", "--type", "rule").out
    assert WISH not in shell("review", "--keep", turn_id).out
    assert WISH in shell("list", "--type", "rule").out


async def test_a_quote_that_is_set_aside_is_listed_no_more(shell: Shell, turn_id: str) -> None:
    assert WISH not in shell("review", "--aside", turn_id).out
    assert WISH not in shell("list").out
    assert WISH not in shell("review").out
