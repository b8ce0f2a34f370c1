"""Searches wait for turns of their own, so that nothing else waits behind them."""

import threading
from collections.abc import Sequence
from pathlib import Path

import anyio
import numpy as np

import memoria
from memoria import Memoria, Settings
from memoria.app.compose import open_home
from memoria.app.open_home import SharedParts, in_thread
from memoria.ingest.rounds import SharedRounds
from memoria.model import LIBRARY, Vector

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


class Holding:
    """Embedder that holds whoever asks for a question of Ann's until it may go on."""

    name = "holding"
    dimensions = 8

    def __init__(self) -> None:
        self.may_go_on = threading.Event()

    def embed_query(self, text: str) -> Vector:
        """Return a vector."""
        if "Ann" in text:
            self.may_go_on.wait(TIMEOUT_S)
        return self.embed_documents([text])[0]

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        """Return a vector for each text."""
        return [np.eye(1, self.dimensions, dtype=np.float32)[0] for _ in texts]


async def test_a_tenant_s_burst_leaves_a_turn_to_other_tenants(home: Path) -> None:
    rounds, embedder = SharedRounds(1, 1), Holding()
    shared = SharedParts(rounds, anyio.CapacityLimiter(2))
    settings = Settings(home=home)
    with anyio.fail_after(TIMEOUT_S):
        async with (
            open_home(settings, embedder=embedder, shared=shared) as opened,
            anyio.create_task_group() as tasks,
        ):
            ann, ben = (Memoria(opened.for_tenant(one), LIBRARY) for one in ("ann", "ben"))
            for _ in range(20):
                tasks.start_soon(ann.search_memory, "What does Ann like?")
            await anyio.wait_all_tasks_blocked()
            try:
                assert (await ben.search_memory("What do I like?")).hits == ()
            finally:
                embedder.may_go_on.set()
    rounds.stop()
