"""A night names two that may be one to whoever knows it, once, and joins nobody."""

import anyio.to_thread
from tests.app.test_entities import known_of, settle
from typer.testing import CliRunner

import memoria.app.nightly as nights
from memoria import Memoria
from memoria.model.nightly import NightlyRun
from memoria.surface.cli.main import app
from memoria.surface.mcp.prompts import review


async def night(m: Memoria) -> NightlyRun:
    return await anyio.to_thread.run_sync(lambda: nights.run_nightly(m.settings, ["propose_joins"]))


async def test_two_of_one_name_are_named_by_one_night_and_joined_by_none(memory: Memoria) -> None:
    await settle(memory)
    ((one, other),) = await memory.graph.list_proposals()
    run = await night(memory)
    assert run.steps[0].outcomes == {"done": 1}
    ((named, why),) = run.steps[0].reasons.items()
    assert named == one.id
    assert other.id in why
    assert await known_of(memory, "Liz") is None
    assert len(await memory.graph.list_proposals()) == 1
    assert (await night(memory)).steps[0].planned == 0


async def test_the_report_of_a_night_says_who_may_be_one_and_keeps_no_name(memory: Memoria) -> None:
    await settle(memory)
    run = await night(memory)
    line = ["--home", str(memory.settings.home_path), "--tenant", "tests", "nightly", "show"]
    shown = await anyio.to_thread.run_sync(lambda: CliRunner().invoke(app, [*line, run.id]).output)
    assert "1 pair of one name named to you: one, or two?" in shown
    assert "Elizabeth" in shown
    assert "memoria --workspace '*' review" in " ".join(shown.split())
    assert "Elizabeth" not in run.model_dump_json()


async def test_who_was_joined_or_parted_before_the_night_is_not_named(memory: Memoria) -> None:
    await settle(memory)
    await memory.graph.part("Liz", "Elizabeth")
    assert (await night(memory)).steps[0].planned == 0
    await memory.graph.join("Liz", "Elizabeth")
    assert (await night(memory)).steps[0].planned == 0


async def test_an_agent_that_is_asked_to_review_is_told_who_may_be_one(memory: Memoria) -> None:
    assert "maybe one\nNone." in await review(memory)
    await settle(memory)
    ((one, other),) = await memory.graph.list_proposals()
    told = await review(memory)
    assert f"{one.name} [entity {one.id}] and {other.name} [entity {other.id}]" in told
    assert "memoria revise ID same ID" in told
