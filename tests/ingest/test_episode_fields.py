"""An episode has fields: what was wanted, what came of it, with which tools, from when to when."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.ingest.play import answers, opened
from tests.ingest.test_episode import WORK, episodes, summing_up
from tests.llm.scripted import ScriptedModel

from memoria import Memoria, Memory
from memoria.model import COMMAND_LINE

BEGAN, ENDED = "2026-05-04T08:00:00Z", "2026-05-04T08:40:00Z"
QUOTES = ("RC as a credit", "all 41 tests pass")
OUTCOME = "All tests pass."


async def work(m: Memoria, event: str | None = "session_end") -> None:
    """A piece of work of forty minutes, with two tools."""
    turns: list[dict[str, object]] = [{"role": role, "content": text} for role, text in WORK]
    calls: list[dict[str, object]] = [
        {"role": "tool", "tool_name": one, "tool_args": {}} for one in ("bash", "edit")
    ]
    told = [*turns[:2], *calls, *turns[2:]]
    times = [BEGAN, *["2026-05-04T08:20:00Z"] * 4, ENDED]
    dated = [{**one, "at": at} for one, at in zip(told, times, strict=True)]
    await m.record_conversation(dated, event, session_id="s")  # type: ignore[arg-type]
    await m.wait_until_idle(60)


@pytest.fixture
async def summed(home: Path, model: ScriptedModel) -> AsyncIterator[tuple[Memoria, Memory]]:
    """A memory in which such work was summed up, and its episode."""
    model.answer = answers(episode=summing_up(*QUOTES, outcome=OUTCOME))
    async with opened(home, model) as m:
        await work(m)
        (episode,) = (await m.list_memories(types=["episode"])).memories
        yield m, episode


async def test_goal_outcome_tools_beginning_and_end_are_fields_of_a_models_episode(
    summed: tuple[Memoria, Memory],
) -> None:
    _, episode = summed
    assert episode.metadata == {
        "goal": "Mend the parser",
        "outcome": OUTCOME,
        "tools": ["bash", "edit"],
        "started_at": BEGAN,
        "ended_at": ENDED,
    }
    assert "Mend the parser" in episode.content
    assert OUTCOME in episode.content


@pytest.mark.parametrize(
    ("wanted", "is_found"),
    [
        ({"tools": "edit"}, True),
        ({"goal": "Mend the parser", "outcome": OUTCOME}, True),
        ({"tools": "grep"}, False),
        ({"goal": "Mend"}, False),
    ],
)
async def test_episodes_are_found_and_listed_by_their_fields(
    summed: tuple[Memoria, Memory], wanted: dict[str, str], is_found: bool
) -> None:
    m, episode = summed
    found = await m.search_memory("parser", types=["episode"], metadata=wanted)
    listed = await m.list_memories(types=["episode"], metadata=wanted)
    expected = [episode.id] if is_found else []
    assert [hit.id for hit in found.hits] == [one.id for one in listed.memories] == expected


@pytest.mark.parametrize(
    ("since", "until", "is_found"),
    [
        (BEGAN, "2026-05-04T08:01:00Z", True),
        ("2026-05-04T08:01:00Z", "2026-05-04T09:00:00Z", False),
    ],
)
async def test_an_episode_is_of_the_time_at_which_it_began(
    summed: tuple[Memoria, Memory], since: str, until: str, is_found: bool
) -> None:
    m, episode = summed
    listed = await m.list_memories(types=["episode"], since=since, until=until)
    assert [one.id for one in listed.memories] == ([episode.id] if is_found else [])


async def test_a_corrected_episode_keeps_no_goal_that_its_words_have_lost(
    summed: tuple[Memoria, Memory],
) -> None:
    m, episode = summed
    by_hand = m.with_channel(COMMAND_LINE)
    await by_hand.revise_memory(episode.id, "correct", f"The importer was mended. {OUTCOME}")
    fields = (await m.get_memory(episode.id)).metadata
    assert "goal" not in fields
    assert (fields["outcome"], fields["started_at"]) == (OUTCOME, BEGAN)


async def test_no_secret_and_nothing_personal_stands_in_a_field(
    home: Path, model: ScriptedModel
) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    goal = f"Mend the parser with {token} for ann@example.com"
    model.answer = answers(episode=summing_up(*QUOTES, goal=goal))
    async with opened(home, model, personal_data="email=mask") as m:
        await work(m)
        (episode,) = (await m.list_memories(types=["episode"])).memories
    told = str(episode.metadata["goal"])
    assert token not in told
    assert "ann@example.com" not in told
    assert told in episode.content


async def test_what_a_model_leaves_open_is_no_field(home: Path, model: ScriptedModel) -> None:
    model.answer = answers(episode=summing_up(*QUOTES, goal=None))
    async with opened(home, model) as m:
        await work(m)
        (episode,) = (await m.list_memories(types=["episode"])).memories
    assert episode.metadata.keys() == {"tools", "started_at", "ended_at"}


async def test_without_a_model_nothing_is_guessed(home: Path, model: ScriptedModel) -> None:
    async with opened(home, model, llm_model=None, llm_base_url=None) as m:
        await work(m)
        assert await episodes([*(await m.list_memories(types=["episode"])).memories]) == []
