"""A hook asks a running server of the same home and tenant, and never waits for another."""

import json
import os
import socket
import stat
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import anyio.to_thread
import pytest

import memoria
from memoria import Memoria
from memoria.bare.ask import (
    MOST_REQUEST_BYTES,
    ask_server,
    is_short_enough,
    list_addresses,
    list_begun,
    list_folders,
    note_begun,
)
from memoria.config import Settings
from memoria.inference.embedder import BundledEmbedder
from memoria.language.budget import estimate_tokens
from memoria.language.reading.fences import strip
from memoria.surface.hook.main import _find_text, _Options
from memoria.surface.hook.payloads import Payload
from memoria.surface.mcp.asked import OpenQuestions, answer_hooks

pytestmark = pytest.mark.skipif("sys.platform == 'win32'", reason="it has no such sockets")
TENANT = "default"
PATIENCE_MS = 20_000


@asynccontextmanager
async def standing(
    home: Path, tenant: str = TENANT, embedder: BundledEmbedder | None = None
) -> AsyncIterator[Memoria]:
    """A home with a server that can be asked."""
    chosen = Settings(home=home, tenant=tenant, embedder="off", workspace="/work/here")
    async with (
        memoria.open(settings=chosen, embedder=embedder) as memory,
        anyio.create_task_group() as tasks,
    ):
        tasks.start_soon(answer_hooks, memory, OpenQuestions())
        while await ask(home, tenant, ask="briefing") is None:
            await anyio.sleep(0.005)
        yield memory
        tasks.cancel_scope.cancel()


async def ask(
    home: Path, tenant: str = TENANT, wait_ms: int = PATIENCE_MS, **request: object
) -> object:
    return await anyio.to_thread.run_sync(ask_server, str(home), tenant, request, wait_ms)


async def briefing(home: Path, tenant: str = TENANT, workspace: str | None = "/work/here") -> str:
    answer = await ask(home, tenant, ask="briefing", workspace=workspace)
    assert isinstance(answer, dict)
    return str(answer["text"])


async def test_what_a_hook_is_told_is_noted_for_its_session(home: Path) -> None:
    async with standing(home) as memory:
        rule = (await memory.remember("Always answer in metric units", type="rule")).id
        await ask(home, ask="briefing", workspace="/work/here", session="s1")
        (shown,) = (await memory.told.list_shown("s1")).showings
    assert (shown.way, [one.id for one in shown.records]) == ("briefing", [rule])


async def test_a_briefing_is_composed_now_for_the_project_that_is_asked_from(home: Path) -> None:
    async with standing(home) as memory:
        await memory.remember("Always answer in metric units", type="rule")
        await memory.remember("We deploy this project by hand", workspace="/work/there")
        await memory.update_scratchpad(current_focus="迁移账本")
        here = await briefing(home)
        assert "metric units" in here
        assert "迁移账本" in here
        assert "deploy" not in here
        assert "deploy" in await briefing(home, workspace="/work/there")
        assert "deploy" not in await briefing(home, workspace="none")


async def test_only_a_server_of_the_same_tenant_answers(home: Path) -> None:
    async with standing(home) as memory, standing(home, "another"):
        await memory.remember("Always answer in metric units", type="rule")
        assert "metric" in await briefing(home)
        assert "metric" not in await briefing(home, "another")
        assert await ask(home, "third", ask="briefing") is None
    assert await ask(home, ask="briefing") is None
    assert not list_addresses(str(home), TENANT)


async def test_what_is_no_question_is_answered_with_an_error_or_not_at_all(home: Path) -> None:
    async with standing(home):
        assert "error" in (await ask(home, ask="everything") or ())  # type: ignore[operator]
        assert "error" in (await ask(home, ask="briefing", workspace=7) or ())  # type: ignore[operator]
        assert await ask(home, ask="briefing", workspace="x" * MOST_REQUEST_BYTES) is None
        assert await briefing(home)


async def test_the_socket_is_for_its_owner_alone(home: Path) -> None:
    async with standing(home):
        (address,) = list_addresses(home=str(home), tenant=TENANT)
        folder = os.path.dirname(address)  # noqa: PTH120  (an address is no path)
        modes = [stat.S_IMODE(os.lstat(place).st_mode) for place in (address, folder)]
        assert modes == [0o600, 0o700]


async def test_a_home_with_a_long_path_is_asked_elsewhere(tmp_path: Path) -> None:
    home = tmp_path / ("long" * 30)
    async with standing(home):
        (address,) = list_addresses(str(home), TENANT)
        folder = Path(address).parent
        assert str(folder) in list_folders(str(home), TENANT)[1:]
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert await briefing(home)
    folder.symlink_to(tmp_path)  # of somebody who waits for us to come
    try:
        assert list_addresses(str(home), TENANT) == []
    finally:
        folder.unlink()


async def test_a_dead_or_hanging_server_keeps_nobody_from_a_living_one(home: Path) -> None:
    async with standing(home):
        folder = Path(list_addresses(str(home), TENANT)[0]).parent
        (folder / "no-socket.sock").write_text("x", "utf-8")
        dead = socket.socket(socket.AF_UNIX)
        dead.bind(str(folder / "999999999-0.sock"))
        dead.close()
        with socket.socket(socket.AF_UNIX) as hanging:
            hanging.bind(str(folder / "1-0.sock"))
            hanging.listen()
            answer = await ask(home, wait_ms=1000, ask="briefing")
            assert answer
        assert not (folder / "999999999-0.sock").exists()
        (folder / "1-0.sock").unlink()
        (folder / "no-socket.sock").unlink()


def test_nobody_is_waited_for_longer_than_was_said(home: Path) -> None:
    places = list_folders(str(home), TENANT)
    folder = Path(next(place for place in places if is_short_enough(place)))
    folder.mkdir(parents=True, mode=0o700)
    with socket.socket(socket.AF_UNIX) as hanging:
        hanging.bind(str(folder / "1-0.sock"))
        hanging.listen()
        for waits_ms in (0, 30):
            begun = time.monotonic()
            assert ask_server(str(home), TENANT, {"ask": "briefing"}, waits_ms) is None
            assert time.monotonic() - begun < 5  # a server that hangs would take for ever
    (folder / "1-0.sock").unlink()
    folder.rmdir()


async def test_a_server_that_is_about_to_start_is_waited_for(home: Path) -> None:
    def ask_early() -> object:
        request: dict[str, object] = {"ask": "briefing"}
        return ask_server(str(home), TENANT, request, PATIENCE_MS, is_starting=True)

    found: list[object] = []

    async def ask_first() -> None:
        found.append(await anyio.to_thread.run_sync(ask_early))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(ask_first)
        await anyio.lowlevel.checkpoint()
        async with standing(home):
            while not found:
                await anyio.sleep(0.005)
    assert found[0]


async def recall(home: Path, prompt: str, session: str | None = None) -> str:
    answer = await ask(home, ask="recall", workspace="/work/here", session=session, prompt=prompt)
    assert isinstance(answer, dict)
    return str(answer["text"])


WORK = (
    "fix the failing test",
    "continue",
    "ok thanks",
    "yesterday",
    "write a unit test for the parser",
    "why does this not compile?",
    "what does this function do?",
    "继续",
    "修复失败的测试",
    "解释一下这个报错",
    "go on",
    "Where " + "x" * 2000 + " do I keep my bees?",
)


async def test_a_prompt_is_shown_what_surely_bears_on_it_and_work_is_shown_nothing(
    home: Path, embedder: BundledEmbedder
) -> None:
    async with standing(home, embedder=embedder) as memory:
        kept = await memory.remember("The user keeps two hives of bees in Norwich")
        await memory.remember("用户的妻子叫王芳，在医院工作")
        await memory.remember("The CI of this project runs on a machine called heron")
        await memory.record_conversation(
            [
                {
                    "role": "user",
                    "content": "My sister Ines moved to Porto in May.",
                    "message_id": "1",
                }
            ],
            session_id="before",
        )
        await memory.wait_until_idle()
        shown = await recall(home, "Where do I keep my bees?")
        assert f"[memory {kept.id[-8:]}]" in shown
        assert "Norwich" in shown
        assert strip(shown).text == ""
        assert "王芳" in await recall(home, "我妻子叫什么名字？")
        assert "Porto" in await recall(home, "Where did my sister Ines move?", "now")
        assert "Porto" not in await recall(home, "Where did my sister Ines move?", "before")
        assert {prompt: await recall(home, prompt) for prompt in WORK} == dict.fromkeys(WORK, "")


def tell_prompt(home: Path, *options: str) -> str:
    """What a hook has to say of a prompt."""
    said = "Where do I keep my bees?"
    prompt: dict[str, object] = {"hook_event_name": "UserPromptSubmit", "prompt": said}
    words = ["qwen", "--home", str(home), "--workspace", "/work/here", *options]
    return _find_text(_Options(words), Payload(prompt), "")


@pytest.mark.parametrize("recalls", [False, True])
async def test_a_prompt_that_comes_while_a_server_loads_is_shown_what_bears_on_it(
    home: Path, monkeypatch: pytest.MonkeyPatch, *, recalls: bool
) -> None:
    monkeypatch.setattr("memoria.surface.hook.main._FIRST_RECALL_MS", PATIENCE_MS)
    async with memoria.open(settings=Settings(home=home, embedder="off")) as memory:
        await memory.remember("The user keeps two hives of bees in Norwich", scope="everywhere")
    note_begun(str(home), TENANT)
    told: list[str] = []

    async def tell() -> None:
        options = ["--recall"] if recalls else []
        told.append(await anyio.to_thread.run_sync(tell_prompt, home, *options))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(tell)
        await anyio.lowlevel.checkpoint()
        async with standing(home):
            while not told:
                await anyio.sleep(0.005)
    assert ("Norwich" in told[0]) is recalls
    assert not list_begun(str(home), TENANT)  # it has ended


def test_a_server_that_loads_is_waited_for_in_vain_once(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memoria.surface.hook.main._FIRST_RECALL_MS", 30)
    home.mkdir()
    note_begun(str(home), TENANT)
    assert len(list_begun(str(home), TENANT)) == 1
    assert tell_prompt(home, "--recall") == ""
    assert not list_begun(str(home), TENANT)


def test_a_server_of_a_database_is_waited_for_where_nothing_of_it_was_ever_kept(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MEMORIA_DATABASE_URL", raising=False)
    note_begun(str(home), TENANT)
    assert not home.exists()
    monkeypatch.setenv("MEMORIA_DATABASE_URL", "postgresql://memoria@/memoria")
    note_begun(str(home), TENANT)
    assert len(list_begun(str(home), TENANT)) == 1


def test_a_server_that_was_killed_while_it_loaded_is_not_waited_for(home: Path) -> None:
    home.mkdir()
    note_begun(str(home), TENANT)
    (begun,) = map(Path, list_begun(str(home), TENANT))
    dead = begun.with_name(begun.name.replace(str(os.getpid()), "999999999"))
    begun.rename(dead)
    assert not list_begun(str(home), TENANT)
    assert not dead.exists()


async def test_what_has_waited_for_a_server_is_answered_before_all_else_is_done() -> None:
    questions, done = OpenQuestions(), list[str]()

    async def load() -> None:
        await questions.wait_for_answers()
        done.append("loaded")

    async with anyio.create_task_group() as tasks:
        with questions.count():
            tasks.start_soon(load)
            await anyio.sleep(0.2)
            done.append("answered")
    assert done == ["answered", "loaded"]


async def test_three_lines_and_three_hundred_tokens_are_the_most(home: Path) -> None:
    async with standing(home) as memory:
        for town in ("Norwich", "Porto", "Lyon", "Ghent", "Turin"):
            await memory.remember(f"The user keeps bees in {town}, {'in hives of cedar ' * 12}")
        shown = await recall(home, "Where do I keep bees in hives of cedar?")
        assert 1 <= shown.count("[memory ") <= 3
        assert estimate_tokens(shown) <= 300


async def test_a_server_answers_nobody_who_means_another_tenant(home: Path) -> None:
    async with standing(home):
        (address,) = list_addresses(str(home), TENANT)
        for tenant, key in ((TENANT, "text"), ("ann", "error")):
            line = json.dumps({"ask": "briefing", "tenant": tenant}).encode() + b"\n"
            async with await anyio.connect_unix(address) as stream:
                await stream.send(line)
                assert key in json.loads(await stream.receive(MOST_REQUEST_BYTES))
