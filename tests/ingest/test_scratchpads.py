"""The scratchpad follows the task and forgets nothing too soon."""

import pytest

from memoria import Memoria
from memoria.errors import InvalidInputError


async def test_moving_on_files_the_old_task(memory: Memoria) -> None:
    await memory.update_scratchpad(current_focus="fix the parser", session_id="s")
    pad = await memory.update_scratchpad(current_focus="write the docs", session_id="s")
    assert pad.current_focus == "write the docs"
    assert [done.task for done in pad.completed] == ["fix the parser"]


async def test_completing_the_task_in_hand_clears_it(memory: Memoria) -> None:
    await memory.update_scratchpad(current_focus="fix the parser", session_id="s")
    pad = await memory.update_scratchpad(completed="fix the parser", session_id="s")
    assert pad.current_focus is None
    assert [done.task for done in pad.completed] == ["fix the parser"]


async def test_the_last_five_tasks_are_kept(memory: Memoria) -> None:
    for number in range(8):
        await memory.update_scratchpad(completed=f"task {number}", session_id="s")
    (pad,) = await memory.scratchpads()
    assert [done.task for done in pad.completed] == [f"task {n}" for n in (7, 6, 5, 4, 3)]


async def test_two_sessions_do_not_share_a_scratchpad(memory: Memoria) -> None:
    await memory.update_scratchpad(current_focus="one", session_id="a")
    await memory.update_scratchpad(current_focus="two", session_id="b")
    pads = await memory.scratchpads()
    assert {pad.session_id: pad.current_focus for pad in pads} == {"a": "one", "b": "two"}


async def test_an_update_that_says_nothing_is_refused(memory: Memoria) -> None:
    with pytest.raises(InvalidInputError, match="Give current_focus, completed, or both"):
        await memory.update_scratchpad()


async def test_a_secret_in_the_name_of_a_session_is_redacted(memory: Memoria) -> None:
    pad = await memory.update_scratchpad(current_focus="x", session_id="password=hunter22!")
    assert pad.session_id.startswith("password=[redacted:password]~")
