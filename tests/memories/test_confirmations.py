"""A memory says when it was last confirmed and by whom, and what the user confirms is surer."""

from functools import partial

import pytest

from memoria import Memoria
from memoria.model import COMMAND_LINE, Channel, Memory, Revision, Trust, now_millis, use_clock
from memoria.model.provenance import USER_EDIT, MemoryRecord
from memoria.surface.cli.records import render_history, render_memory
from memoria.surface.cli.times import moment
from memoria.surface.http.viewer.table import VIEWER
from memoria.surface.origins import write_memory_record

AGENT = Channel(name="mcp", trust=Trust.REPORTED, client="some-agent")
HOUR_MS = 3_600_000


async def read(memory: Memoria, memory_id: str) -> MemoryRecord:
    found = await memory.provenance.get(memory_id)
    assert isinstance(found, MemoryRecord)
    return found


async def stated(memory: Memoria, by: Channel) -> Memory:
    kept = await memory.with_channel(by).remember("The user lives in Leeds", type="fact")
    return await memory.get_memory(kept.id)


async def test_what_the_user_confirms_is_as_sure_as_what_they_state_until_that_is_undone(
    memory: Memoria,
) -> None:
    known = await stated(memory, AGENT)
    agent, user = memory.with_channel(AGENT), memory.with_channel(COMMAND_LINE)
    assert (await agent.revise_memory(known.id, "confirm")).confidence == 0.7
    assert (await user.revise_memory(known.id, "confirm")).confidence == 0.9
    await user.undo_change()
    back = await read(memory, known.id)
    assert (back.memory.confidence, back.memory.verified) == (0.7, False)
    assert back.last_confirmed is not None
    assert back.last_confirmed.client == "some-agent"
    undo = next(one for one in (await user.list_changes()).changes if one.action == "undo")
    await user.undo_change(undo.id)
    again = await read(memory, known.id)
    assert (again.memory.confidence, again.memory.verified) == (0.9, True)
    assert again.last_confirmed is not None
    assert again.last_confirmed.channel == "cli"


async def test_a_memory_says_when_the_user_last_confirmed_its_present_wording(
    memory: Memoria,
) -> None:
    known, start = await stated(memory, AGENT), now_millis()
    assert (await read(memory, known.id)).last_confirmed is None
    user = memory.with_channel(COMMAND_LINE)
    deeds: tuple[tuple[Revision, str | None], ...] = (
        ("confirm", None),
        ("confirm", None),
        ("correct", "The user lives in York"),
    )
    for hours, (action, content) in enumerate(deeds, 1):
        at = start + hours * HOUR_MS
        with use_clock(partial(int, at)):
            await user.revise_memory(known.id, action, content)
        record = await read(memory, known.id)
        assert record.last_confirmed is not None
        assert record.last_confirmed.at == at
        shown = " ".join(render_memory(record, 80).split())
        assert f"confirmed {moment(at)}, on the command line" in shown
        written = write_memory_record(record)["last_confirmed"]
        assert (written["channel"], written["action"]) == ("cli", action)


async def test_a_wording_that_an_agent_gave_later_was_not_confirmed(memory: Memoria) -> None:
    known, start = await stated(memory, AGENT), now_millis()
    agent = memory.with_channel(AGENT)
    await agent.revise_memory(known.id, "confirm")
    with use_clock(lambda: start + HOUR_MS):
        await agent.revise_memory(known.id, "correct", "The user lives in York")
    assert (await read(memory, known.id)).last_confirmed is None


@pytest.mark.parametrize("by", [COMMAND_LINE, VIEWER, USER_EDIT], ids=lambda one: one.name)
async def test_the_history_never_says_that_a_users_confirmation_verifies_nothing(
    memory: Memoria, by: Channel
) -> None:
    known = await stated(memory, AGENT)
    await memory.with_channel(by).revise_memory(known.id, "confirm")
    told = render_history(await memory.provenance.history(known.id), 200)
    assert f"confirmed {by.description}" in told
    assert "does not verify" not in told
