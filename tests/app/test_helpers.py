"""Processes that search beside this one: they answer alike, know all at once, may end any time."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import anyio.to_thread
import pytest

import memoria
from memoria import Memoria, Settings
from memoria.app.asking import AskedMemories, AskedSearch, AskedTraces
from memoria.app.compose import open_home
from memoria.app.helpers import SearchHelpers, count_helpers
from memoria.app.open_home import in_thread
from memoria.inference.embedder import BundledEmbedder
from memoria.model import LIBRARY, SearchResult, now_millis
from memoria.model.moments import use_clock
from memoria.model.query import MemoryQuery, TranscriptQuery
from memoria.retrieval import Search

TIMEOUT_S = 120
"""Only a hang is a failure."""
_MORE_THAN_TURNS = 40
"""Number of searches of which some wait for a turn beside a helper, and are taken together."""
SAID = (
    "The spare key of the boathouse hangs behind the green shutter.",
    "我妈妈住在成都，每周三下午去学太极。",
    "We moved the weekly review from Tuesday to Thursday at ten.",
    "猫的疫苗打完了，下一针在明年三月。",
    "Oskar is allergic to walnuts, so the cake was made with oats.",
)
ASKED = (
    "Where is the key of the boathouse?",
    "妈妈星期几学太极？",
    "weekly review",
    "Oskar's allergy",
)
NOTHING = SearchResult(query="", max_tokens=50, hits=(), answered=False, notes=())

no_windows = pytest.mark.skipif(sys.platform == "win32", reason="no process can be stopped there")

_FORGETFUL = """
import memoria, sys, os, signal
from memoria.app.helpers import SearchHelpers
helpers = SearchHelpers(memoria.Settings(home={home!r}, embedder="off"), 2)
helpers.start()
print(len(helpers.pids), flush=True)
os.kill(os.getpid(), signal.SIGTERM)
"""

_PLAIN = """
import memoria, sys
with memoria.open_sync(settings=memoria.Settings(home={home!r}, embedder="off")) as m:
    m.search_memory("tea")
print([name for name in sys.modules if name.startswith("memoria.app.helpers")])
"""


def settings_of(home: Path, embedder: str = "off") -> Settings:
    return Settings(home=home, tenant="tests", embedder=embedder, search_helpers=1)


@pytest.fixture
async def helped(home: Path) -> AsyncIterator[tuple[Memoria, SearchHelpers]]:
    """A memory with the bundled model in which something was said, and its helper at work."""
    async with memoria.open(settings=settings_of(home, "bundled")) as m:
        for i, text in enumerate(SAID):
            turn = {"session_id": f"s{i % 2}", "role": "user", "content": text}
            await m.record_conversation([turn])
        await m.wait_until_idle()
        helpers = m._home.helpers  # noqa: SLF001
        assert helpers is not None
        await anyio.to_thread.run_sync(helpers.start)
        yield m, helpers


def ask_both(question: str, *, explain: bool = False) -> tuple[AskedMemories, AskedTraces]:
    now = now_millis()
    first = MemoryQuery(query=question, explain=explain)
    second = TranscriptQuery(query=question, explain=explain)
    return (
        AskedMemories(query=first, session="s", asked_at=now),
        AskedTraces(query=second, session="s", asked_at=now),
    )


ANYTHING, _ = ask_both("anything")


def find_nothing(asked: Sequence[AskedSearch]) -> list[SearchResult]:
    return [NOTHING for _ in asked]


def refuse(_asked: Sequence[AskedSearch]) -> list[SearchResult]:
    raise AssertionError("it was searched in this process")


@asynccontextmanager
async def busy_process(helpers: SearchHelpers) -> AsyncIterator[None]:
    """This process searches for something else while the block runs."""
    begun, over = threading.Event(), threading.Event()

    def hold(asked: Sequence[AskedSearch]) -> list[SearchResult]:
        begun.set()
        over.wait(TIMEOUT_S)
        return find_nothing(asked)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(helpers.run, ANYTHING, hold)
        await anyio.to_thread.run_sync(begun.wait, TIMEOUT_S)
        try:
            yield
        finally:
            over.set()


async def list_found(helpers: SearchHelpers, question: str) -> list[str]:
    """What a helper finds on both levels."""
    async with busy_process(helpers):
        found = [await helpers.run(asked, refuse) for asked in ask_both(question)]
    return [hit.text for each in found for hit in each.hits]


async def test_a_helper_answers_what_this_process_answers(
    helped: tuple[Memoria, SearchHelpers],
) -> None:
    m, helpers = helped
    now = now_millis()
    with anyio.fail_after(TIMEOUT_S), use_clock(lambda: now):
        search = m._search  # noqa: SLF001
        assert isinstance(search, Search)
        for question in ASKED:
            for asked in ask_both(question, explain=True):
                async with busy_process(helpers):
                    found = await helpers.run(asked, refuse)
                assert found.hits
                assert found == search.run(asked.plan(m.settings))


async def test_a_helper_knows_at_once_what_was_said_corrected_and_forgotten(
    helped: tuple[Memoria, SearchHelpers], home: Path
) -> None:
    m, helpers = helped
    question = "Which tea does Ingrid drink?"
    with anyio.fail_after(TIMEOUT_S):
        kept = await m.remember("Ingrid drinks lapsang tea")
        assert "Ingrid drinks lapsang tea" in await list_found(helpers, question)
        await m.revise_memory(kept.id, "correct", content="Ingrid drinks sencha tea")
        said = {
            "session_id": "s1",
            "role": "user",
            "content": "Ingrid likes sencha tea best of all.",
        }
        turn = (await m.record_conversation([said])).turns[0]
        found = await list_found(helpers, question)
        assert "Ingrid drinks sencha tea" in found
        assert "Ingrid drinks lapsang tea" not in found
        await m.forget_memory([kept.id])
        # As another process does, which shares nothing with this one but the file.
        async with memoria.open(settings=settings_of(home)) as elsewhere:
            await elsewhere.forget_memory([turn.id or ""], include_source=True)
        assert not [text for text in await list_found(helpers, question) if "Ingrid" in text]


async def test_a_crowd_that_lasts_starts_helpers_and_one_that_is_killed_is_missed_by_nobody(
    home: Path,
) -> None:
    helpers = SearchHelpers(settings_of(home), 1)

    async def crowd(size: int) -> list[SearchResult]:
        found: list[SearchResult] = []

        async def search() -> None:
            found.append(await helpers.run(ANYTHING, find_nothing))

        async with anyio.create_task_group() as tasks:
            for _ in range(size):
                tasks.start_soon(search)
        return found

    with anyio.fail_after(TIMEOUT_S):
        for _ in range(50):
            assert len(await crowd(7)) == 7
        assert helpers._starter is None  # noqa: SLF001
        while not helpers.pids:
            await crowd(64)
        os.kill(helpers.pids[0], signal.SIGKILL)
        async with busy_process(helpers):
            assert await helpers.run(ANYTHING, find_nothing) is NOTHING
        assert helpers.pids == []
        while not helpers.pids:
            await crowd(64)
        await anyio.to_thread.run_sync(helpers.close)


async def test_searches_that_wait_are_answered_together_each_as_by_itself(
    helped: tuple[Memoria, SearchHelpers],
) -> None:
    m, helpers = helped
    sizes: list[int] = []
    now = now_millis()
    search = m._search  # noqa: SLF001
    asked = [each for question in ASKED * 6 for each in ask_both(question, explain=True)]
    found: list[SearchResult | None] = [None] * len(asked)

    def search_all(asked: Sequence[AskedSearch]) -> list[SearchResult]:
        sizes.append(len(asked))
        return search.run_all([each.plan(m.settings) for each in asked])

    async def ask(i: int) -> None:
        found[i] = await helpers.run(asked[i], search_all)

    with anyio.fail_after(TIMEOUT_S), use_clock(lambda: now):
        async with anyio.create_task_group() as tasks:
            for i in range(len(asked)):
                tasks.start_soon(ask, i)
        assert found == [search.run(each.plan(m.settings)) for each in asked]
    assert 2 <= max(sizes) <= 8


class Interrupted(SearchHelpers):
    """Cancels a task in the moment in which its turn comes."""

    cancelled_at_turn: "asyncio.Task[SearchResult] | None" = None

    def _choose_size(self) -> int:
        if self.cancelled_at_turn is not None:
            self.cancelled_at_turn.cancel()
            self.cancelled_at_turn = None
        return super()._choose_size()


@asynccontextmanager
async def closed_line(home: Path) -> AsyncIterator[tuple["Interrupted", threading.Event]]:
    """Whoever searches has to wait, and many are taken together once the event is set."""
    helpers = Interrupted(settings_of(home), 1)
    await anyio.to_thread.run_sync(helpers.start)
    pid, opened, begun = helpers.pids[0], threading.Event(), threading.Event()

    def hold(asked: Sequence[AskedSearch]) -> list[SearchResult]:
        begun.set()
        opened.wait(TIMEOUT_S)
        return find_nothing(asked)

    os.kill(pid, signal.SIGSTOP)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(helpers.run, ANYTHING, hold)
        await anyio.to_thread.run_sync(begun.wait, TIMEOUT_S)
        for _ in range(2):  # all that the helper takes
            tasks.start_soon(helpers.run, ANYTHING, find_nothing)
        await anyio.wait_all_tasks_blocked()
        try:
            yield helpers, opened
        finally:
            opened.set()
            os.kill(pid, signal.SIGCONT)
    await anyio.to_thread.run_sync(helpers.close)


@no_windows
async def test_of_searches_that_are_answered_together_one_fails_alone(home: Path) -> None:
    bad, _ = ask_both("bad")
    failed: list[str] = []
    sizes: list[int] = []

    def search(asked: Sequence[AskedSearch]) -> list[SearchResult]:
        sizes.append(len(asked))
        if bad in asked:
            raise ValueError("nobody can answer that")
        return find_nothing(asked)

    async def ask(asked: AskedSearch) -> None:
        try:
            assert await helpers.run(asked, search) is NOTHING
        except ValueError as error:
            failed.append(str(error))

    with anyio.fail_after(TIMEOUT_S):
        async with closed_line(home) as (helpers, opened), anyio.create_task_group() as tasks:
            for i in range(40):
                tasks.start_soon(ask, bad if i == 3 else ANYTHING)
            await anyio.wait_all_tasks_blocked()
            opened.set()
    assert failed == ["nobody can answer that"]
    assert sizes[:3] == [8, 1, 1]


@no_windows
@pytest.mark.parametrize("when", ["it waits", "its turn comes", "it is searched for"])
async def test_who_gives_up_a_search_takes_nobody_along(home: Path, when: str) -> None:
    begun, over = threading.Event(), threading.Event()
    found: list[SearchResult] = []

    def search(asked: Sequence[AskedSearch]) -> list[SearchResult]:
        begun.set()
        over.wait(TIMEOUT_S)
        return find_nothing(asked)

    async def ask() -> None:
        found.append(await helpers.run(ANYTHING, search))

    with anyio.fail_after(TIMEOUT_S):
        async with closed_line(home) as (helpers, opened), anyio.create_task_group() as tasks:
            # As `asyncio.wait_for` does: it waits for no thread.
            first = asyncio.create_task(helpers.run(ANYTHING, search))
            for _ in range(40):
                tasks.start_soon(ask)
            await anyio.wait_all_tasks_blocked()
            if when == "its turn comes":
                helpers.cancelled_at_turn = first
                opened.set()
            elif when == "it is searched for":
                opened.set()
                await anyio.to_thread.run_sync(begun.wait, TIMEOUT_S)
                first.cancel()
            else:
                first.cancel()
            with pytest.raises(asyncio.CancelledError):
                await first
            opened.set()
            over.set()
    assert len(found) == 40


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


def test_helpers_end_with_the_process_that_started_them(home: Path) -> None:
    script = _FORGETFUL.format(home=str(home))
    # The helpers have its output for errors, too: it ends when all three have.
    run = [sys.executable, "-c", script]
    done = subprocess.run(run, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)  # noqa: S603
    assert (done.stdout, done.stderr) == ("2\n", "")


async def test_there_are_no_helpers_where_they_would_be_of_no_use(
    home: Path, embedder: BundledEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    none = Settings(home=home, search_helpers=0)
    endpoint = {"embedding_base_url": "http://127.0.0.1:9/v1", "embedding_model": "e"}
    far = Settings(home=home, search_helpers=3, embedder="endpoint", **endpoint)
    assert [count_helpers(each) for each in (settings_of(home), none, far)] == [1, 0, 0]
    assert count_helpers(Settings(home=home)) == 0
    with monkeypatch.context() as patch:
        patch.setattr(sys, "frozen", True, raising=False)
        assert count_helpers(settings_of(home)) == 0
    async with memoria.open(settings=settings_of(home), embedder=embedder) as m:
        assert m._home.helpers is None  # noqa: SLF001
    async with memoria.open(settings=settings_of(home)) as m:
        assert m._home.helpers is not None  # noqa: SLF001


async def test_a_crowd_of_several_tenants_is_answered_to_each_from_its_own_memory(
    home: Path,
) -> None:
    names = ["ann", "ben"]
    found: dict[str, set[str]] = {name: set() for name in names}
    async with open_home(settings_of(home, "off")) as opened, anyio.create_task_group() as tasks:
        memories = {one: Memoria(opened.for_tenant(one), LIBRARY) for one in names}

        async def search(name: str) -> None:
            result = await memories[name].search_memory("Where is the spare key?")
            found[name] |= {hit.text for hit in result.hits}

        for name in names:
            await memories[name].remember(f"The spare key of {name} hangs behind the shelf.")
        assert opened.helpers is not None
        await in_thread(opened.helpers.start)
        for number in range(_MORE_THAN_TURNS):
            tasks.start_soon(search, names[number % len(names)])
    for name in names:
        assert found[name] == {f"The spare key of {name} hangs behind the shelf."}


def test_a_search_of_a_home_that_sets_no_helpers_imports_nothing_of_them(home: Path) -> None:
    script = _PLAIN.format(home=str(home))
    run = [sys.executable, "-c", script]
    done = subprocess.run(run, capture_output=True, text=True, timeout=TIMEOUT_S, check=True)  # noqa: S603
    assert done.stdout == "[]\n"


def test_a_helper_has_the_settings_of_its_process_but_no_keys(home: Path) -> None:
    chosen = Settings.from_values(
        home=home,
        workspace="none",
        private_workspaces="/home/ann/diary",
        time_zone="Asia/Shanghai",
        personal_data="email=mask",
        retention="fact.tau=120",
        llm_command="answer --quickly",
        embedding_api_key="sesame",
    )
    told = chosen.model_dump_json()
    assert "sesame" not in told
    assert Settings.model_validate_json(told).model_dump(exclude={"embedding_api_key"}) == (
        chosen.model_dump(exclude={"embedding_api_key"})
    )
