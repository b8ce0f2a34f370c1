"""Whatever model or worker does, each segment is read once or is a dead letter with a reason."""

import json
import os
import re
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.databases import engine_settings, open_home
from tests.limits import limit_settings
from tests.llm.scripted import (
    Asked,
    Behaviour,
    ScriptedModel,
    cuts,
    empty,
    fails,
    hangs,
    prose,
    rate_limited,
    refuses,
    says,
)
from tests.processes import PROCESSES, Running

import memoria
from memoria.erasure.suppression import Digester
from memoria.inference.chat.client import ChatClient, ChatLimits
from memoria.inference.chat.endpoint import EndpointChat
from memoria.ingest.capture import Capture, CaptureLimits
from memoria.ingest.extract import Extractor
from memoria.ingest.extraction import ExtractionLimits, ExtractionWorker
from memoria.ingest.intake import IntakeLimits
from memoria.ingest.processing import ProcessorTools
from memoria.model import LIBRARY, DailyCap, QueueEntry, QueueKind, QueueState, Role, Turn
from memoria.retrieval.lookup.related import RelatedMemoryFinder
from memoria.store.engine import Store, StoreLedger

FAULTS: dict[str, Callable[[], Behaviour]] = {
    "429": lambda: rate_limited(1),
    "500": lambda: fails(500),
    "timeout": hangs,
    "cut": cuts,
    "invalid JSON": lambda: says('{"operations": [{"op": "ADD"'),
    "wrong schema": lambda: says({"operations": [{"op": "EXPLODE"}]}),
    "refusal": refuses,
    "empty": empty,
    "200 kB of prose": prose,
}
_SAID = re.compile(r"^\[(\d+)\] user: (.*?)$", re.MULTILINE)
_DONE_WITHIN_S = 300
SHARED = int(os.environ.get("MEMORIA_TEST_SHARED", "40"))
"""Entries that two processes share; a thousand take a minute or two."""


def keep(asked: Asked) -> object:
    """A model that keeps every sentence."""
    return {
        "operations": [
            {
                "op": "ADD",
                "type": "fact",
                "content": said,
                "quote": said,
                "turn": int(n),
                "subject": f"topic {said}",
                "predicate": "is",
            }
            for n, said in _SAID.findall(asked.text)
        ]
    }


def record(store: Store, sessions: int, tenant: str = "t") -> None:
    """Each session says one thing, and is read when it has ended."""
    limits = CaptureLimits(max_turn_bytes=100_000, idle_minutes=30)
    intake = IntakeLimits()
    capture = Capture(store, tenant, LIBRARY, limits, digester(tenant), intake=intake)
    for i in range(sessions):
        said = Turn(role=Role.USER, content=f"sentence number {i} tells of zebra {i}")
        capture.record([said], f"session {i}", "session_end")


def digester(tenant: str) -> Digester:
    return Digester(tenant, lambda: b"a key")


def worker(store: Store, model: ScriptedModel, attempts: int = 2) -> ExtractionWorker:
    chat = EndpointChat(base_url=model.url, model="scripted", api_key=None, timeout_s=0.5)
    limits = ChatLimits(
        timeout_s=0.5,
        attempts=2,
        concurrency=2,
        daily_cap=DailyCap(tokens=10**9),
        first_pause_s=0.001,
    )
    chat_client = ChatClient(chat, StoreLedger(store), limits)
    extractor = Extractor(
        ProcessorTools(store, chat_client, RelatedMemoryFinder(None), digester, 4096)
    )
    return ExtractionWorker(
        store,
        chat_client,
        {QueueKind.EXTRACT: extractor},
        ExtractionLimits(2, 2000, attempts, first_retry_ms=1),
    )


def drained(store: Store, model: ScriptedModel, attempts: int = 2) -> list[QueueEntry]:
    """Let a worker run until nothing waits; gives what became of the entries."""
    working = worker(store, model, attempts)
    working.start()
    try:
        until = time.monotonic() + _DONE_WITHIN_S
        while waiting(store):
            assert time.monotonic() < until
            working.wake()
            time.sleep(0.01)
    finally:
        model.release()
        working.stop()
    with store.read("t") as tx:
        return tx.queue.list_entries(None, 10_000)


def waiting(store: Store) -> int:
    with store.read("t") as tx:
        return tx.queue.status().waiting


def contents(store: Store) -> Counter[str]:
    with store.read("t") as tx:
        found = tx.memories.by_version_numbers(tx.documents.page("memory", 0, 10_000))
    memories = {memory.id: memory for memory in found.values()}
    return Counter(memory.content for memory in memories.values())


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_home(tmp_path)
    yield opened
    opened.close()


@pytest.mark.parametrize("fault", FAULTS)
def test_after_a_fault_every_stretch_is_read_once(store: Store, fault: str) -> None:
    record(store, 4)
    with ScriptedModel([FAULTS[fault]()], keep) as model:
        entries = drained(store, model, attempts=3)
    assert [entry.state for entry in entries] == [QueueState.DONE] * 4
    kept = contents(store)
    assert set(kept.values()) == {1}
    assert len(kept) == 4


@pytest.mark.parametrize("fault", ["invalid JSON", "refusal", "wrong schema", "500"])
def test_what_never_gets_better_is_a_dead_letter_that_says_why(store: Store, fault: str) -> None:
    record(store, 1)
    with ScriptedModel(answer=lambda _: FAULTS[fault]()) as model:
        (entry,) = drained(store, model)
    assert entry.state is QueueState.DEAD
    assert entry.last_error
    assert contents(store) == Counter()
    with store.write("t") as tx:
        assert tx.queue.retry(entry.id)
    with ScriptedModel(answer=keep) as model:
        (again,) = drained(store, model)
    assert again.state is QueueState.DONE
    assert len(contents(store)) == 1


@settings(
    deadline=None,
    max_examples=12,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(st.lists(st.sampled_from(sorted(FAULTS.keys() - {"timeout"})), max_size=14))
def test_any_sequence_of_faults_leaves_each_stretch_done_once_or_dead_with_a_reason(
    tmp_path_factory: pytest.TempPathFactory, faults: list[str]
) -> None:
    store = open_home(tmp_path_factory.mktemp("faults"))
    record(store, 5)
    with ScriptedModel([FAULTS[fault]() for fault in faults], keep) as model:
        entries = drained(store, model)
    done = [entry for entry in entries if entry.state is QueueState.DONE]
    dead = [entry for entry in entries if entry.state is QueueState.DEAD]
    kept = contents(store)
    store.close()
    assert len(done) + len(dead) == 5
    assert all(entry.last_error for entry in dead)
    assert set(kept.values()) <= {1}
    assert len(kept) == len(done)


def start(home: Path, model: ScriptedModel, lease_ms: int = 1000) -> Running:
    """A process that reads until nothing waits."""
    settings = {
        "home": str(home),
        "tenant": "t",
        "embedder": "off",
        "llm_base_url": model.url,
        "llm_model": "scripted",
        "extraction_turns": 1,
        **engine_settings(home),
    }
    errors = home.parent / f"errors {time.monotonic_ns()}"
    process = PROCESSES.Process(
        target=read_all, args=(settings, lease_ms, str(errors)), daemon=True
    )
    process.start()
    return Running(process, errors)


def read_all(settings: dict[str, object], lease_ms: int, errors: str) -> None:
    """What such a process does."""
    os.dup2(os.open(errors, os.O_WRONLY | os.O_CREAT), 2)

    async def read() -> None:
        chosen = limit_settings(lease_ms=lease_ms).from_values(**settings)
        async with memoria.open(settings=chosen) as m:
            await m.queue.rouse()
            while (await m.queue.status()).waiting:
                await anyio.sleep(0.05)

    anyio.run(read)


@pytest.mark.parametrize("delay_s", [None, 0.0, 0.005, 0.02])
def test_a_worker_that_is_killed_leaves_nothing_half_done_or_doubled(
    home: Path, delay_s: float | None
) -> None:
    """While the model is asked (None), or so long after its answer was sent."""
    home.mkdir()
    store = open_home(home)
    record(store, 3)
    script = [hangs()] if delay_s is None else []
    with ScriptedModel(script, keep) as model:
        first = start(home, model)
        model.wait_for_requests(1)
        if delay_s is not None:
            time.sleep(delay_s)
        os.kill(first.pid, signal.SIGKILL)
        assert first.wait(_DONE_WITHIN_S)[0] == -signal.SIGKILL
        model.release()
        assert start(home, model).wait(_DONE_WITHIN_S) == (0, "")
    with store.read("t") as tx:
        entries = tx.queue.list_entries(None, 10)
    assert [entry.state for entry in entries] == [QueueState.DONE] * 3
    assert sorted(contents(store).values()) == [1, 1, 1]
    store.close()


def test_two_processes_share_the_queue_and_one_that_dies_holds_up_its_own_entry_alone(
    home: Path,
) -> None:
    home.mkdir()
    store = open_home(home)
    record(store, SHARED)
    with ScriptedModel([hangs(), hangs()], keep) as model:
        dying = start(home, model)
        model.wait_for_requests(2)  # all its threads wait for an answer
        other = start(home, model, lease_ms=30_000)
        model.wait_for_requests(2 + SHARED // 2)
        os.kill(dying.pid, signal.SIGKILL)
        assert dying.wait(_DONE_WITHIN_S)[0] == -signal.SIGKILL
        assert other.wait(_DONE_WITHIN_S) == (0, "")
        model.release()
    with store.read("t") as tx:
        entries = tx.queue.list_entries(None, 10_000)
    assert Counter(entry.attempts for entry in entries) == {1: SHARED - 2, 2: 2}
    assert {entry.state for entry in entries} == {QueueState.DONE}
    assert sorted(contents(store).values()) == [1] * SHARED
    store.close()


def test_two_processes_that_both_live_read_nothing_twice(home: Path) -> None:
    home.mkdir()
    store = open_home(home)
    record(store, SHARED)
    with ScriptedModel(answer=keep) as model:
        both = [start(home, model, lease_ms=30_000) for _ in range(2)]
        for process in both:
            assert process.wait(_DONE_WITHIN_S) == (0, "")
        assert len(model.requests) == SHARED
    with store.read("t") as tx:
        assert {entry.state for entry in tx.queue.list_entries(None, 10_000)} == {QueueState.DONE}
    assert sorted(contents(store).values()) == [1] * SHARED
    store.close()


def test_the_log_of_calls_holds_no_word_of_what_was_said(store: Store) -> None:
    record(store, 1)
    with ScriptedModel([fails(500), says("zebra")], keep) as model:
        drained(store, model, attempts=5)
    with store.read("t") as tx:
        last = tx.ledger.newest()
    assert last is not None
    assert last.prompt.startswith("extract/")
    assert "zebra" not in json.dumps(last.model_dump())
