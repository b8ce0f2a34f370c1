"""The library over HTTP: addresses, tokens, errors, and calls that are made again."""

import ast
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from inspect import signature

import anyio
import anyio.to_thread
import pytest
from anyio.abc import SocketAttribute, SocketStream
from tests.docs.pages import DOCS, blocks
from tests.surface.http.conftest import StartServer
from tests.surface.http.remote.conftest import OpenBothWays

import memoria
from memoria.app.remote.connection import RestConnection
from memoria.app.remote.memory import RemoteMemoria, open_remote
from memoria.app.remote.sync import SyncRemoteMemoria
from memoria.errors import (
    AccessDeniedError,
    ClosedError,
    InvalidInputError,
    InvalidTurnError,
    MemoriaError,
    RemoteError,
    ServerUnavailableError,
    StoreError,
)
from memoria.model.access import Access

TOKEN = "mem_ann.id.secret"  # noqa: S105  (of nobody)
FOUND = b'{"answered":false,"hits":[]}'


class ScriptedServer:
    """A server that answers one call after the other as it is told, and keeps what was asked."""

    def __init__(self, *answers: tuple[int, bytes, str] | None) -> None:
        self._answers = list(answers)
        self.asked: list[bytes] = []
        self.paused: list[float] = []
        self.url = ""

    async def pause(self, seconds: float) -> None:
        self.paused.append(seconds)

    async def answer(self, stream: SocketStream) -> None:
        async with stream:
            self.asked.append(await stream.receive())
            answer = self._answers.pop(0)
            if answer is not None:
                status, body, headers = answer
                head = f"HTTP/1.1 {status} Told\r\nContent-Length: {len(body)}\r\n{headers}"
                await stream.send(f"{head}Connection: close\r\n\r\n".encode() + body)

    def connect(self) -> RestConnection:
        return RestConnection(self.url, TOKEN, self.pause)


@asynccontextmanager
async def start_scripted(
    *answers: tuple[int, bytes, str] | None,
) -> AsyncIterator[tuple[ScriptedServer, RestConnection]]:
    server = ScriptedServer(*answers)
    listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
    port = listener.extra(SocketAttribute.local_port)  # noqa: S610  (a socket's)
    server.url = f"http://127.0.0.1:{port}"
    async with listener, anyio.create_task_group() as tasks:
        tasks.start_soon(listener.serve, server.answer)
        connection = server.connect()
        try:
            yield server, connection
        finally:
            await connection.close()
            tasks.cancel_scope.cancel()


@pytest.mark.parametrize(
    "url",
    [
        "http://memory.example.com",
        "http://10.0.0.7:8420",
        "ftp://memory.example.com",
        "memory.example.com",
        "https://",
        "https://ann:secret@memory.example.com",
        "https://memory.example.com/?token=secret",
        "https://memory.example.com:99999",
        "",
    ],
)
def test_an_address_that_would_show_the_token_or_is_none_is_refused(url: str) -> None:
    with pytest.raises(InvalidInputError, match="url") as refused:
        RestConnection(url, TOKEN)
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    "url", ["https://memory.example.com/", "http://localhost:8420", "http://[::1]:8420/memoria/"]
)
def test_https_and_this_machine_are_addresses(url: str) -> None:
    assert RestConnection(url, TOKEN).url == url.rstrip("/")


@pytest.mark.parametrize("end", ["", "/", "/mcp", "/mcp/"])
def test_the_address_that_clients_of_mcp_are_told_is_one(end: str) -> None:
    connection = RestConnection(f"https://memory.example.com{end}", TOKEN)
    assert connection.url == "https://memory.example.com"


@pytest.mark.parametrize("token", ["mem_a b", "mem_é", "mem_a\nX-Other: 1"])
def test_a_token_that_no_header_holds_is_refused_and_not_repeated(token: str) -> None:
    with pytest.raises(InvalidInputError, match="token") as refused:
        RestConnection("https://memory.example.com", token)
    assert token not in str(refused.value)


async def test_address_and_token_come_from_the_environment(
    start_server: StartServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(InvalidInputError, match="MEMORIA_URL"):
        async with open_remote():
            pass
    async with start_server() as server:
        monkeypatch.setenv("MEMORIA_URL", server.url)
        with pytest.raises(InvalidInputError, match="MEMORIA_TOKEN"):
            async with open_remote():
                pass
        token = (await server.create_token("ann", Access.READ)).text
        monkeypatch.setenv("MEMORIA_TOKEN", token)
        async with open_remote() as memory:
            assert (await memory.statistics()).tenant == "ann"
            assert token not in repr(memory) + repr(vars(memory))
            with pytest.raises(AccessDeniedError, match="needs a token with `write`"):
                await memory.remember("Ann likes tea.")


async def test_a_url_goes_with_a_token_alone() -> None:
    with pytest.raises(InvalidInputError, match="url goes with a token alone"):
        memoria.open(home="/nowhere", url="https://memory.example.com", token=TOKEN)  # type: ignore[call-overload]
    with pytest.raises(InvalidInputError, match="Give its url"):
        memoria.open(token=TOKEN)  # type: ignore[call-overload]


async def test_errors_are_the_librarys_own(open_both_ways: OpenBothWays) -> None:
    async with open_both_ways() as both:
        calls: list[tuple[str, tuple[object, ...], dict[str, object]]] = [
            ("get_memory", ("nothing",), {}),
            ("get_turn", ("nothing",), {}),
            ("search_memory", ("",), {}),
            ("search_memory", ("tea",), {"limit": 0}),
            ("search_memory", ("tea",), {"limt": 1}),
            ("search_memory", (), {}),
            ("remember", ("Ann likes tea.",), {"importance": 2.0}),
            ("record_conversation", ([{"role": "nobody", "content": "x"}],), {}),
            ("record_conversation", ([],), {}),
            ("preview_forget", (), {}),
            ("list_memories", (), {"entity": "Nobody"}),
        ]
        for name, args, kwargs in calls:
            kinds = list[type[MemoriaError]]()
            for one in (both.local, both.remote):
                with pytest.raises(MemoriaError) as raised:
                    await getattr(one, name)(*args, **kwargs)
                kinds.append(type(raised.value))
            assert kinds[0] is kinds[1], (name, args, kwargs)
        with pytest.raises(InvalidTurnError, match="Turn 1"):
            await both.remote.record_conversation([{"role": "user", "content": "a"}, {}])


async def test_a_closed_memory_says_so(open_both_ways: OpenBothWays) -> None:
    async with open_both_ways() as both:
        async with memoria.open(url=both.server.url, token=both.token) as memory:
            await memory.statistics()
        with pytest.raises(ClosedError, match=r"memoria\.open"):
            await memory.statistics()


async def test_an_answer_that_is_packed_wrongly_is_no_answer() -> None:
    packed = (200, b"no gzip", "Content-Encoding: gzip\r\n")
    async with start_scripted(packed) as (_, connection):
        with pytest.raises(ServerUnavailableError, match="look before"):
            await connection.call("remember", {"content": "Ann likes tea."})


async def test_a_token_that_does_not_hold_is_told_so(start_server: StartServer) -> None:
    async with start_server() as server, memoria.open(url=server.url, token=TOKEN) as memory:
        with pytest.raises(AccessDeniedError, match="token does not hold"):
            await memory.statistics()


async def test_a_server_that_is_not_there_is_told_so_after_three_tries() -> None:
    async with await anyio.create_tcp_listener(local_host="127.0.0.1") as listener:
        port = listener.extra(SocketAttribute.local_port)  # noqa: S610  (a socket's)
    paused = list[float]()

    async def pause(seconds: float) -> None:
        paused.append(seconds)

    connection = RestConnection(f"http://127.0.0.1:{port}", TOKEN, pause)
    with pytest.raises(ServerUnavailableError, match=r"Nothing was done\..*server runs") as told:
        await connection.call("remember", {"content": "Ann likes tea."})
    await connection.close()
    assert len(paused) == 2
    assert isinstance(told.value, StoreError)
    assert TOKEN not in str(told.value)


@pytest.mark.parametrize("failure", [None, (503, b"{}", ""), (502, b"<html>", "")])
async def test_a_search_is_asked_again_when_the_server_fails_for_a_moment(
    failure: tuple[int, bytes, str] | None,
) -> None:
    async with start_scripted(failure, failure, (200, FOUND, "")) as (server, connection):
        assert await connection.call("search_memory", {"query": "tea"}) == {
            "answered": False,
            "hits": [],
        }
    assert len(server.asked) == 3
    assert server.paused == [0.25, 1.0]


async def test_what_was_sent_and_may_have_been_done_is_not_sent_again() -> None:
    async with start_scripted(None) as (server, connection):
        with pytest.raises(ServerUnavailableError, match="not known: look before"):
            await connection.call("remember", {"content": "Ann likes tea."})
    assert (len(server.asked), server.paused) == (1, [])


async def test_what_was_refused_as_one_call_too_many_is_sent_again() -> None:
    kept = (200, b'{"id":"x"}', "")
    async with start_scripted((429, b"{}", "Retry-After: 2\r\n"), kept) as (server, connection):
        assert await connection.call("remember", {"content": "Ann likes tea."}) == {"id": "x"}
    assert (len(server.asked), server.paused) == (2, [2.0])


async def test_a_call_with_a_key_is_sent_again_with_the_same_key() -> None:
    async with start_scripted(None, (200, b"{}", "")) as (server, connection):
        await connection.call("give_feedback", {"node_id": "x", "action": "upvote"})
    first, second = map(list_keys, server.asked)
    assert first == second
    assert len(first) == 1


async def test_turns_with_ids_are_sent_again_without_a_key() -> None:
    receipt = b'{"receipt_id":"r","recorded":1,"turn_ids":["t"]}'
    async with start_scripted(None, (200, receipt, "")) as (server, connection):
        memory = RemoteMemoria(connection)
        told = [{"role": "user", "content": "Hello", "message_id": "m1"}]
        assert (await memory.record_conversation(told)).recorded == 1
    assert len(server.asked) == 2
    assert [*map(list_keys, server.asked)] == [[], []]


async def test_turns_without_ids_are_kept_once_however_often_they_are_sent(
    open_both_ways: OpenBothWays,
) -> None:
    async with open_both_ways() as both:
        for _ in range(2):
            told = {"session_id": "s", "turns": [{"role": "user", "content": "Hello"}]}
            connection = RestConnection(both.server.url, both.token)
            await connection.call("record_conversation", told, "the same")
            await connection.close()
        assert (await both.local.get_session("s")).total == 1


def list_keys(asked: bytes) -> list[bytes]:
    return [one for one in asked.lower().splitlines() if one.startswith(b"idempotency-key:")]


async def test_a_busy_server_is_asked_when_it_says_and_not_waited_for_too_long() -> None:
    busy, later = (429, b"{}", "Retry-After: 3\r\n"), (503, b"{}", "Retry-After: 900\r\n")
    async with start_scripted(busy, later) as (server, connection):
        with pytest.raises(ServerUnavailableError):
            await connection.call("tell_status", {})
    assert server.paused == [3.0]


async def test_no_other_site_gets_the_token_by_a_redirect() -> None:
    moved = (307, b"", "Location: http://127.0.0.1:1/memory/status\r\n")
    async with start_scripted(moved) as (server, connection):
        with pytest.raises(RemoteError, match="status 307"):
            await connection.call("tell_status", {})
    assert len(server.asked) == 1


@pytest.mark.parametrize("body", [b"<html>", b"[]", b"", b"{}", b'{"answered": 7, "hits": []}'])
async def test_an_answer_of_something_else_is_told_so(body: bytes) -> None:
    async with (
        start_scripted((200, body, "")) as (server, _),
        memoria.open(url=server.url, token=TOKEN) as memory,
    ):
        with pytest.raises(RemoteError, match="Memoria server"):
            await memory.search_memory("tea")


async def test_an_id_is_one_step_of_the_path_whatever_it_holds(
    open_both_ways: OpenBothWays,
) -> None:
    async with open_both_ways() as both:
        for name in ("a/b", "../../healthz", "a?b=c#d", "文 字", "..", "a%2Fb"):
            await both.remote.update_scratchpad(current_focus=f"on {name}", session_id=name)
            (pad,) = await both.remote.scratchpads(session_id=name)
            assert (pad.session_id, pad.current_focus) == (name, f"on {name}")
        with pytest.raises(RemoteError, match="nothing at this path"):
            await both.remote.get_memory("../status")
        with pytest.raises(InvalidInputError, match="no such operation"):
            await both.remote.call("drop_everything")


async def test_a_program_without_an_event_loop_has_the_same_methods(
    open_both_ways: OpenBothWays,
) -> None:
    async with open_both_ways() as both:

        def live() -> tuple[str, str]:
            with memoria.open_sync(url=both.server.url, token=both.token) as memory:
                kept = memory.remember("Ann likes tea.")
                found = memory.search_memory("What does Ann like?")
                assert both.token not in repr(memory)
            with pytest.raises(ClosedError):
                memory.statistics()
            return kept.id, found.hits[0].id

        kept, found = await anyio.to_thread.run_sync(live)
    assert kept == found


def test_what_is_not_there_over_http_says_what_to_do() -> None:
    for kind in (RemoteMemoria, SyncRemoteMemoria):
        memory = kind.__new__(kind)
        with pytest.raises(AttributeError, match=r"Leave it out: text is found at once"):
            _ = memory.wait_until_idle  # type: ignore[attr-defined]
        with pytest.raises(AttributeError, match=r"private: .* the machine that has the home"):
            _ = memory.private  # type: ignore[attr-defined]


def test_every_method_over_http_has_a_twin_without_async() -> None:
    names = [name for name in vars(RemoteMemoria) if not name.startswith("_")]
    for name in names:
        own, twin = getattr(RemoteMemoria, name), getattr(SyncRemoteMemoria, name)
        assert own.__doc__ == twin.__doc__, name
        if callable(own):
            assert signature(own) == signature(twin), name


async def test_the_example_of_the_guide_runs(
    open_both_ways: OpenBothWays, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = blocks(DOCS / "guide" / "library.md", "python")
    (example,) = (one.code for one in shown if "url=" in one.code)
    async with open_both_ways() as both:
        code = example.replace("https://memory.example.com", both.server.url)
        code = code.replace("mem_…", both.token)
        await eval(compile(code, "example", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT))  # noqa: S307  (our own documents)
        kept = (await both.local.list_memories()).memories[0].id
    assert capsys.readouterr().out.startswith(f"{kept} Lin is allergic to peanuts")


def test_a_program_that_calls_a_server_loads_none() -> None:
    load = "import sys, memoria; memoria.open_remote_sync; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", load], capture_output=True, text=True, check=True)  # noqa: S603  (ours)
    loaded = {one.partition(".")[0] for one in done.stdout.split()}
    assert "httpx2" in loaded
    assert loaded & {"starlette", "uvicorn", "mcp", "numpy"} == set()
