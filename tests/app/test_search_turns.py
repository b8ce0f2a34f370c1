"""Searches wait for turns of their own, so that nothing else waits behind them."""

import threading
from pathlib import Path

import anyio

import memoria
from memoria import Settings
from memoria.app.open_home import in_thread

TIMEOUT_S = 120
"""Only a hang is a failure."""


async def test_a_capture_waits_for_no_search_however_many_there_are(home: Path) -> None:
    over = threading.Event()

    def hold() -> None:
        over.wait(TIMEOUT_S)

    turn = {"session_id": "s", "role": "user", "content": "The heron is back at the pond."}
    with anyio.fail_after(TIMEOUT_S):
        async with (
            memoria.open(settings=Settings(home=home, embedder="off")) as m,
            anyio.create_task_group() as tasks,
        ):
            for _ in range(64):
                tasks.start_soon(in_thread, hold, m._home.search_turns)  # noqa: SLF001
            await anyio.wait_all_tasks_blocked()
            try:
                assert (await m.record_conversation([turn])).recorded == 1
            finally:
                over.set()
