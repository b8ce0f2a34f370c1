"""What clients are told while the server loads, and that nothing they say meanwhile is lost."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from tests.databases import process_environment
from tests.surface.early_answers import CLIENT, ENVELOPE, LISTS, ask_server
from tests.surface.test_mcp_stdio import LONGEST_S, by_hand, command, posix_only

from memoria.app import open_memoria
from memoria.config import Settings
from memoria.surface.front.serve import FILE, EarlyAnswers
from memoria.surface.front.streams import Inbox, read_lines

FROM_FILE = Path(FILE).read_text("utf-8")
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": CLIENT}
HANDSHAKE = ("initialize", HELLO)
needs_folder = pytest.mark.sqlite("a database keeps the memory where the home can be no folder")
UNREACHABLE = {
    "MEMORIA_DATABASE_URL": "postgresql://ann@/none?host=/nowhere",
    "MEMORIA_TOMBSTONE_KEY": "ab" * 32,
}
Message = tuple[str, dict[str, Any]] | str | bytes
"""A request, a notification, or a line as it is."""


def request(number: int | str, method: str, params: dict[str, Any]) -> bytes:
    message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    return json.dumps(message).encode() + b"\n"


def notification(method: str, **params: object) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "method": method, "params": params}).encode() + b"\n"


def call(number: int | str, tool: str, meta: object = None, **arguments: object) -> bytes:
    envelope = {} if meta is None else {"_meta": meta}
    return request(number, "tools/call", {"name": tool, "arguments": arguments, **envelope})


def hello(version: str = "2025-06-18") -> bytes:
    opening = request("hello", "initialize", {**HELLO, "protocolVersion": version})
    return opening + notification("notifications/initialized")


@dataclass
class Heard:
    """What a process said to a client that wrote everything at once and closed its end."""

    messages: list[dict[str, Any]]
    exit_code: int
    errors: str

    @property
    def ids(self) -> list[object]:
        return [message["id"] for message in self.messages if "id" in message]

    def __getitem__(self, number: int | str) -> dict[str, Any]:
        (answer,) = [message for message in self.messages if message.get("id") == number]
        return answer

    def structured(self, number: int | str) -> Any:  # noqa: ANN401  (JSON)
        result = self[number]["result"]
        assert not result.get("isError"), result
        return result["structuredContent"]


def write_all(home: Path, *lines: bytes, **variables: str) -> Heard:
    done = subprocess.run(  # noqa: S603
        [sys.executable, *command(home)],
        env=process_environment(home, **variables),
        input=b"".join(lines),
        capture_output=True,
        timeout=LONGEST_S,
        check=False,
    )
    messages = [json.loads(line) for line in done.stdout.splitlines()]
    return Heard(messages, done.returncode, done.stderr.decode())


async def test_what_is_said_ahead_of_the_server_is_what_the_server_says(home: Path) -> None:
    known = json.loads(FROM_FILE)
    assert known == await ask_server(home), "python -m tests.surface.early_answers"


async def test_of_what_is_written_before_the_server_stands_nothing_is_lost(home: Path) -> None:
    turns = [[{"role": "user", "content": f"鹭鸟 heron {i}"}] for i in range(5)]
    long = {"role": "tool", "content": "y" * 2_000_000}
    heard = write_all(
        home,
        request("early", "ping", {}),
        hello("2024-11-05"),
        *(request(method, method, {}) for method in LISTS),
        *(call(i, "record_conversation", turns=turns[i], session_id="s") for i in range(3)),
        b"\n this is not JSON \n",
        b'{"jsonrpc":"2.0","id":"broken","method":"tools/call",}\n',
        call("cancelled", "record_conversation", turns=[{"role": "user", "content": "x"}]),
        notification("notifications/cancelled", requestId="cancelled"),
        call(3, "record_conversation", turns=[*turns[3], long], session_id="s"),
        call("4", "record_conversation", turns=turns[4], session_id="s").rstrip(b"\n"),
    )
    assert heard.exit_code == 0, heard.errors
    asked = ["early", "hello", *LISTS, 0, 1, 2, "broken", 3, "4"]
    answered = [one for one in heard.ids if one != "cancelled"]  # which may be done by then
    assert sorted(answered, key=str) == sorted(asked, key=str)
    assert heard.ids[: 2 + len(LISTS)] == asked[: 2 + len(LISTS)]
    assert heard["hello"]["result"]["protocolVersion"] == "2024-11-05"
    assert heard["broken"]["error"]["code"] == -32700
    async with open_memoria(settings=Settings.from_values(home=home, embedder="off")) as memory:
        session = await memory.get_session("s")
    said = [turn.content for turn in session.turns if turn.role == "user"]
    assert sorted(said) == [turn[0]["content"] for turn in turns]  # what is pipelined may overtake


def test_a_subscription_is_acknowledged_once_and_the_server_knows_of_it(home: Path) -> None:
    wanted = {"toolsListChanged": True, "resourceSubscriptions": ["memory://core/USER.md"]}
    heard = write_all(
        home,
        request(0, "server/discover", {"_meta": ENVELOPE}),
        request("stream", "subscriptions/listen", {"_meta": ENVELOPE, "notifications": wanted}),
        *(request(method, method, {"_meta": ENVELOPE}) for method in LISTS),
        call(1, "search_memory", ENVELOPE, query="nothing"),
    )
    assert heard.ids == [0, *LISTS, 1, "stream"]  # the last is the server's: it ends the stream
    (acknowledged,) = [message for message in heard.messages if "method" in message]
    assert heard.messages.index(acknowledged) == 1
    assert acknowledged["params"]["notifications"] == wanted
    assert heard.structured(1)["hits"] == []


def test_a_client_that_leaves_without_a_word_costs_nothing(home: Path) -> None:
    heard = write_all(home, b"\n")
    assert (heard.messages, heard.exit_code, heard.errors) == ([], 0, "")
    assert not home.exists()


@pytest.mark.parametrize(
    ("place", "variables", "problem"),
    [
        pytest.param("file/home", {}, "MEMORIA_HOME", marks=needs_folder),
        ("home", UNREACHABLE, "/nowhere"),
        ("home", {"MEMORIA_TENANT": "x" * 201}, "MEMORIA_TENANT"),
    ],
    ids=["home", "database", "setting"],
)
def test_each_request_that_waits_for_a_server_that_cannot_start_is_told_why(
    tmp_path: Path, place: str, variables: dict[str, str], problem: str
) -> None:
    (tmp_path / "file").write_text("in the way")
    heard = write_all(
        tmp_path / place,
        hello(),
        request(2, "tools/list", {}),
        call(3, "search_memory", query="x"),
        call("four", "remember", content="x"),
        **variables,
    )
    assert heard.exit_code == 1
    assert "error: " in heard.errors
    assert problem in heard.errors
    assert "Traceback" not in heard.errors
    assert heard.ids == ["hello", 2, 3, "four"]
    for number in (3, "four"):
        assert heard[number]["result"]["isError"] is True
        assert problem in heard[number]["result"]["content"][0]["text"]


@posix_only
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_ends_a_server_that_loads(home: Path, number: signal.Signals) -> None:
    async with by_hand(home) as pipes:
        await pipes.ask("initialize", HELLO, 1)
        pipes.process.send_signal(number)
        assert await pipes.process.wait() == 0


REPLIES: dict[str, tuple[Sequence[Message], int]] = {
    "a version that is not known": (
        [("initialize", {**HELLO, "protocolVersion": "2031-01-01"})],
        0,
    ),
    "capabilities of no shape": ([("initialize", {**HELLO, "capabilities": {"roots": 3}})], 0),
    "no name": ([("initialize", {**HELLO, "clientInfo": {"version": "1"}}), ("tools/list", {})], 0),
    "a list before the handshake": ([("tools/list", {}), HANDSHAKE], 0),
    "a second handshake": ([HANDSHAKE, HANDSHAKE, ("tools/list", {})], 1),
    "a page of a list": ([HANDSHAKE, ("tools/list", {"cursor": "2"}), ("tools/list", {})], 2),
    "a line that may be a request": (["{", HANDSHAKE], 0),
    "an answer before all else": ([b'{"jsonrpc":"2.0","id":1,"result":{}}', HANDSHAKE], 0),
    "an id that is none": ([b'{"jsonrpc":"2.0","id":[1],"method":"ping"}', HANDSHAKE], 0),
    "noise after the handshake": ([HANDSHAKE, "{", "", ("ping", {})], 2),
    "an older client that asks who we are": ([HANDSHAKE, ("server/discover", {})], 1),
    "an envelope after a handshake": ([HANDSHAKE, ("tools/list", {"_meta": ENVELOPE})], 1),
    "a handshake after an envelope": ([("server/discover", {"_meta": ENVELOPE}), HANDSHAKE], 1),
    "half an envelope": (
        [("tools/list", {"_meta": {name: ENVELOPE[name] for name in list(ENVELOPE)[:1]}})],
        0,
    ),
    "a subscription to what is not known": (
        [("subscriptions/listen", {"_meta": ENVELOPE, "notifications": {"tasks": True}})],
        0,
    ),
}


@pytest.mark.parametrize("case", REPLIES)
def test_what_is_not_clear_is_left_to_the_server(case: str) -> None:
    lines, answered = REPLIES[case]
    early = EarlyAnswers(lambda: None)
    replies = [early.answer(read(line, i)) for i, line in enumerate(lines)]
    assert sum(reply is not None for reply in replies) == answered


def read(line: Message, number: int) -> str:
    if isinstance(line, tuple):
        return request(number, *line).decode()
    return line if isinstance(line, str) else line.decode()


def test_lines_are_read_whole_however_they_come() -> None:
    said = ["一\r\n", "\n", "x" * 200_000 + "\n", "\ufffd\n", "the rest"]
    wire = "".join(said[:3]).encode() + b"\xff\n" + b"the rest"
    source, sink = os.pipe()
    inbox = Inbox()

    def copy() -> None:
        for line in read_lines(source):
            inbox.put(line)
        inbox.end()

    reader = Thread(target=copy)
    reader.start()
    for start in range(0, len(wire), 7_001):
        os.write(sink, wire[start : start + 7_001])
    os.close(sink)
    reader.join()
    os.close(source)
    assert [inbox.readline() for _ in said] == said
    assert inbox.readline() == ""


async def test_a_client_that_is_gone_before_the_server_stands_is_still_heard(home: Path) -> None:
    with subprocess.Popen(  # noqa: ASYNC220, S603  (its pipes are closed by hand)
        [sys.executable, *command(home)],
        env=process_environment(home),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        turns = [{"role": "user", "content": "heron"}]
        process.stdin.write(hello() + call(1, "record_conversation", turns=turns, session_id="s"))
        process.stdin.close()
        errors = process.stderr.read()
    assert (process.returncode, errors) == (0, b"")
    async with open_memoria(settings=Settings.from_values(home=home, embedder="off")) as memory:
        assert [turn.content for turn in (await memory.get_session("s")).turns] == ["heron"]
