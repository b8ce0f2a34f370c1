"""The last turns of a session in a context package: whole, or said to be cut, within its budget."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.retrieval.test_context_package import HOSTILE, is_whole
from tests.retrieval.toys import keep

import memoria
from memoria import Memoria, Settings
from memoria.errors import InvalidInputError

SAID = [
    ("user", "Which hotel did we book for Lisbon?"),
    ("assistant", "The Alfama Palace, for three nights."),
    ("user", "Good. 我们几点的飞机？"),
    ("assistant", "上午九点十五分，从虹桥出发。"),
    ("user", "Then I will order the taxi for six."),
]
LAST = [f"- #{n} {role}: {text}" for n, (role, text) in enumerate(SAID)]


@pytest.fixture
async def m(home: Path) -> AsyncIterator[Memoria]:
    async with memoria.open(settings=Settings(home=home, embedder="off")) as opened:
        turns = [{"role": role, "content": text} for role, text in SAID]
        await opened.record_conversation(turns, session_id="trip")
        yield opened


async def test_the_last_turns_of_a_session_stand_in_its_package_in_their_order(m: Memoria) -> None:
    package = await m.build_context("xylophone", session_id="trip", short_term_turns=3)
    assert package.last_turns.splitlines() == LAST[-3:]
    assert f"# Last turns\n{LAST[2]}" in package.text
    assert (await m.build_context("xylophone", session_id="trip")).last_turns.splitlines() == LAST
    for asked in (
        await m.build_context("xylophone", session_id="trip", short_term_turns=0),
        await m.build_context("xylophone", session_id="unknown"),
        await m.build_context("xylophone"),
    ):
        assert asked.last_turns == ""


async def test_how_many_has_bounds(m: Memoria) -> None:
    with pytest.raises(InvalidInputError, match="short_term_turns"):
        await m.build_context("xylophone", session_id="trip", short_term_turns=-1)


async def test_what_is_being_answered_is_not_repeated(m: Memoria) -> None:
    query = SAID[-1][1]
    package = await m.build_context(query, session_id="trip", short_term_turns=2)
    assert package.last_turns.splitlines() == LAST[-3:-1]
    assert query not in package.recall


async def test_the_oldest_are_dropped_first_and_the_package_says_so(m: Memoria) -> None:
    long = [
        {"role": "user", "content": f"Line {n}. " + "Lorem ipsum dolor. " * 8} for n in range(9)
    ]
    await m.record_conversation(long, session_id="long")
    package = await m.build_context(
        "xylophone", session_id="long", short_term_turns=9, max_tokens=500
    )
    is_whole(package, 500)
    first, *lines = package.last_turns.splitlines()
    assert "earlier" in first
    assert lines == [f"- #{n} user: {long[n]['content'].strip()}" for n in range(9 - len(lines), 9)]
    assert 1 <= len(lines) < 9
    assert str(9 - len(lines)) in first


async def test_a_long_turn_is_cut_and_says_so_and_tool_results_are_shortened(m: Memoria) -> None:
    (turn,) = (
        await m.record_conversation(
            [{"role": "user", "content": "我们来看日志。" * 900}], session_id="log"
        )
    ).turns
    package = await m.build_context("xylophone", session_id="log", max_tokens=400)
    is_whole(package, 400)
    assert "6,300 characters" in package.last_turns
    assert str(turn.id) in package.last_turns
    tool = {
        "role": "tool", "content": "", "tool_name": "bash", "tool_args": {"command": "make"},
        "tool_result": "error " * 2000,
    }  # fmt: skip
    await m.record_conversation([tool], session_id="tools")
    package = await m.build_context("xylophone", session_id="tools", max_tokens=4000)
    assert "bash" in package.last_turns
    assert "12,000 characters" in package.last_turns
    assert len(package.last_turns) < 800


async def test_what_recall_would_show_again_is_shown_once(m: Memoria) -> None:
    (receipt,) = (
        await m.record_conversation(
            [{"role": "user", "content": "The otter swims in the cold river at night."}],
            session_id="zoo",
        )
    ).turns
    await m.remember("An otter swims at night", turn_id=receipt.id)
    keep(m, "The otter of the zoo is called Lutz", "2023-01-01")
    package = await m.build_context("otter swims cold river night", session_id="zoo")
    assert package.text.count("cold river at night") == 1
    assert "An otter swims at night" in package.recall  # a conclusion is no turn
    assert str(receipt.id) not in package.recall


async def test_a_turn_whose_word_was_forgotten_is_not_in_it(m: Memoria) -> None:
    receipt = await m.record_conversation(
        [{"role": "user", "content": "I am allergic to walnuts."}], session_id="trip"
    )
    await m.forget_memory([str(receipt.turns[0].id)])
    package = await m.build_context("xylophone", session_id="trip", short_term_turns=3)
    assert "walnuts" not in package.text
    assert package.last_turns.splitlines() == LAST[-3:]


async def test_a_projects_talk_is_not_in_a_package_for_another(home: Path) -> None:
    settings = Settings(home=home, embedder="off", workspace="/w", private_workspaces=("/diary",))
    async with memoria.open(settings=settings) as m:
        for place in ("/diary", "/shop"):
            turn = {"role": "user", "content": f"In {place} it rained."}
            await m.record_conversation([turn], session_id=place, workspace=place)
            assert (await m.build_context("xylophone", session_id=place)).last_turns == ""
            own = await m.build_context("xylophone", session_id=place, workspace=place)
            assert "it rained" in own.last_turns
            whole = await m.build_context("xylophone", session_id=place, workspace="*")
            assert ("it rained" in whole.last_turns) is (place == "/shop")


PARTS = st.sampled_from([*HOSTILE, "a b ", "很长的一句话", "\n# Recall\n", "x" * 300])
PIECES = st.lists(PARTS, min_size=1, max_size=9).map("".join)


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    PIECES,
    st.integers(200, 900),
    st.integers(1, 12),
)
async def test_no_turn_breaks_the_budget_or_the_fence(
    m: Memoria, text: str, max_tokens: int, turns: int
) -> None:
    await m.record_conversation([{"role": "user", "content": f"weasel {text}"}], session_id="h")
    package = await m.build_context(
        "weasel trip", session_id="h", max_tokens=max_tokens, short_term_turns=turns
    )
    is_whole(package, max_tokens)
    assert package.text.splitlines().count("# Recall") <= 1
