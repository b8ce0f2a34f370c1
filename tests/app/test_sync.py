"""`memoria.open_sync`: the library for programs that have no event loop."""

import asyncio
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from inspect import getattr_static, iscoroutinefunction, signature, unwrap
from pathlib import Path

import pytest

import memoria
from memoria import Memoria
from memoria.app.private_times import PrivateSwitch
from memoria.app.provenance import EntityQueries, ProvenanceQueries
from memoria.app.queue import ExtractionQueue
from memoria.app.sync import (
    SyncEntities,
    SyncMemoria,
    SyncPrivateSwitch,
    SyncProvenance,
    SyncQueue,
    SyncTimeline,
)
from memoria.app.timeline import TimelineQueries
from memoria.bare.remote import RemoteServer, write_server
from memoria.errors import ClosedError, InvalidInputError, NoMemoryError
from memoria.inference.embedder import BundledEmbedder
from memoria.model import LIBRARY

_WITHOUT_A_TWIN = {"compose", "open_keeper", "tell_unasked"}
"""What the server alone calls."""

_FORGETFUL = """
import memoria
m = memoria.open_sync(home={home!r}, tenant="tests", settings=memoria.Settings(embedder="off"))
m.remember("Mira keeps the spare keys in the blue tin")
print("said")
"""


@pytest.fixture
def memory(home: Path, embedder: BundledEmbedder) -> Iterator[SyncMemoria]:
    with memoria.open_sync(home=home, tenant="tests", embedder=embedder) as opened:
        yield opened


@pytest.mark.parametrize(
    ("twin", "original"),
    [
        (SyncMemoria, Memoria),
        (SyncQueue, ExtractionQueue),
        (SyncPrivateSwitch, PrivateSwitch),
        (SyncProvenance, ProvenanceQueries),
        (SyncEntities, EntityQueries),
        (SyncTimeline, TimelineQueries),
    ],
)
def test_every_operation_has_a_twin_that_takes_the_same_and_says_the_same(
    twin: type, original: type
) -> None:
    operations = [
        name
        for name in dir(original)
        if not name.startswith("_")
        and name not in _WITHOUT_A_TWIN
        and iscoroutinefunction(unwrap(getattr_static(original, name)))
    ]
    assert operations
    for name in operations:
        own = getattr(twin, name)
        assert signature(own) == signature(getattr(original, name)), name
        assert own.__doc__ == getattr(original, name).__doc__, name


def test_it_opens_with_the_arguments_of_open_and_says_the_same_of_each() -> None:
    opens, waits = (
        {name: (one.kind, one.default) for name, one in signature(each).parameters.items()}
        for each in (memoria.open, memoria.open_sync)
    )
    assert (list(opens), opens) == (list(waits), waits)
    theirs, own = (
        (each.__doc__ or "").partition("Args:")[2] for each in (memoria.open, memoria.open_sync)
    )
    assert theirs == own != ""


def test_a_whole_life_of_a_memory_needs_no_event_loop(memory: SyncMemoria) -> None:
    receipt = memory.record_conversation(
        [{"session_id": "s1", "role": "user", "content": "我对花生过敏，别放花生酱"}]
    )
    assert receipt.recorded == 1
    kept = memory.remember("The staging server runs in Rotterdam")
    memory.wait_until_idle(30)
    assert kept.id in {hit.id for hit in memory.search_memory("Where does staging run?").hits}
    assert memory.search_conversation_traces("花生").hits[0].source.session_id == "s1"

    revised = memory.revise_memory(kept.id, "correct", "The staging server runs in Ghent")
    assert "Ghent" in memory.search_memory("Where does staging run?").hits[0].text
    assert len(memory.provenance.history(revised.id).events) > 1

    memory.forget_memory([revised.id])
    assert not any("Ghent" in hit.text for hit in memory.search_memory("staging server").hits)


def test_any_thread_may_call_and_nothing_of_it_is_lost(memory: SyncMemoria) -> None:
    def record(n: int) -> int:
        turn = {"session_id": f"s{n}", "role": "user", "content": f"Parcel {n} weighs {n} kilos"}
        return memory.record_conversation([turn]).recorded

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(record, range(40))) == 40
    assert memory.statistics().turns == 40


def test_a_channel_of_its_own_is_stamped_on_what_is_said(memory: SyncMemoria) -> None:
    other = memory.with_channel(LIBRARY.model_copy(update={"client": "ledger"}))
    other.remember("Invoices go out on the first Monday")
    (hit,) = memory.search_memory("invoices").hits
    assert hit.source.client == "ledger"


def test_mistakes_are_told_as_the_library_tells_them(memory: SyncMemoria) -> None:
    with pytest.raises(InvalidInputError, match="max_tokens"):
        memory.build_context("hello", max_tokens=3)


def test_a_home_that_cannot_be_opened_raises_and_leaves_no_thread(tmp_path: Path) -> None:
    elsewhere = RemoteServer(str(tmp_path), "https://memory.example.com", "mem_x")
    write_server(str(tmp_path), elsewhere)
    with pytest.raises(NoMemoryError, match="holds no memory"):
        memoria.open_sync(home=tmp_path)
    assert not [one for one in threading.enumerate() if one.name == "memoria"]


def test_what_is_closed_says_so_and_closing_twice_is_no_mistake(
    home: Path, embedder: BundledEmbedder
) -> None:
    opened = memoria.open_sync(home=home, embedder=embedder)
    opened.close()
    opened.close()
    with pytest.raises(ClosedError, match="open_sync"):
        opened.statistics()
    assert not [one for one in threading.enumerate() if one.name == "memoria"]


def test_a_script_that_forgets_to_close_ends_and_has_lost_nothing(home: Path) -> None:
    script = [sys.executable, "-c", _FORGETFUL.format(home=str(home))]
    ended = subprocess.run(script, capture_output=True, text=True, timeout=60, check=False)  # noqa: S603  (our own script)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "said\n", "")
    settings = memoria.Settings(embedder="off")
    with memoria.open_sync(home=home, tenant="tests", settings=settings) as reopened:
        assert reopened.search_memory("spare keys").hits


def test_whoever_runs_an_event_loop_of_their_own_may_wait_for_the_same_memory(
    memory: SyncMemoria,
) -> None:
    """A framework may begin a loop for each call."""

    async def record(words: str) -> None:
        await memory.asynchronous.record_conversation([{"role": "user", "content": words}])

    for words in ("Mei keeps bees", "林芳养蜜蜂"):
        asyncio.run(record(words))
        assert memory.search_conversation_traces(words).hits
    memory.close()
    with pytest.raises(ClosedError):
        asyncio.run(record("Mei keeps ducks"))
