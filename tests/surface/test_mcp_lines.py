"""Lines of standard input that are not quite JSON-RPC: no turn is lost, nobody waits for ever."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.surface.test_mcp_stdio import Pipes, by_hand

from memoria.language.reading.invisible import show_invisible
from memoria.surface.mcp.line_repair import repair_line, request_id

TEN_MEGABYTES = 10 * 1024 * 1024


def call(tool: str, arguments: bytes, number: int = 2) -> bytes:
    return (
        b'{"method":"tools/call","params":{"name":"%s","arguments":%s},"jsonrpc":"2.0","id":%d}\n'
        % (tool.encode(), arguments, number)
    )


async def answer(pipes: Pipes, line: bytes) -> dict[str, Any]:
    """What is answered to a request with the id 2."""
    await pipes.stdin.send(line)
    while True:
        said: dict[str, Any] = json.loads(await pipes.stdout.receive_until(b"\n", 10_000_000))
        if said.get("id") == 2:
            return said


@pytest.fixture(scope="module")
async def pipes(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Pipes]:
    """A server in a process of its own, spoken to by hand."""
    async with by_hand(tmp_path_factory.mktemp("lines") / "home") as opened:
        await opened.shake_hands()
        yield opened


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        (b"heron \\ud83d cut", "heron � cut"),
        (b"heron \\udc00\\ud83d cut", "heron �� cut"),
        (b"heron \\ud83d\\ude00 whole", "heron 😀 whole"),
        (b"heron \\\\ud83d spelt out \\ud83d", "heron \\ud83d spelt out �"),
        (b"heron \x00 bare", "heron \x00 bare"),
        (b"heron \x1b\t\x0b bare", "heron \x1b\t\x0b bare"),
        (b"heron \xff\xfe bytes", "heron �� bytes"),
        (b"heron \\u0000 escaped", "heron \x00 escaped"),
    ],
    ids=ascii,
)
async def test_what_is_almost_json_is_kept(pipes: Pipes, sent: bytes, kept: str) -> None:
    line = call("record_conversation", b'{"turns":[{"role":"user","content":"%s"}]}' % sent)
    receipt = (await answer(pipes, line))["result"]["structuredContent"]
    assert receipt["recorded"] == 1
    found = await pipes.call("get_memory", 3, id=receipt["turn_ids"][0])
    assert found["result"]["structuredContent"]["text"] == show_invisible(kept)


@pytest.mark.parametrize(
    "arguments",
    [
        b'{"query":"x","limit":' + b"9" * 5_000 + b"}",
        b'{"query":' + b"[" * 5_000 + b"]" * 5_000 + b"}",
        b'{"query":"\\x"}',
        b"{query}",
        b'{"id":7,"query":"x",}',
    ],
    ids=["5,000 digits", "5,000 levels", "no escape", "no JSON", "a comma"],
)
async def test_what_is_not_json_is_answered(pipes: Pipes, arguments: bytes) -> None:
    error = (await answer(pipes, call("search_memory", arguments)))["error"]
    assert error["code"] == -32700
    assert "mend it and send it again" in error["message"]
    assert len(error["message"]) < 300
    alive = await pipes.call("search_memory", 3, query="nothing of the kind")
    assert alive["result"]["structuredContent"]["answered"] is False


@pytest.mark.parametrize(
    ("tool", "arguments", "next_step"),
    [
        ("search_memory", b'{"query":"x","limit":NaN}', "finite"),
        ("search_memory", b'{"query":"x","limit":1e400}', "finite"),
        ("search_memory", b'{"query":"x","limit":true}', "a number"),
        (
            "record_conversation",
            b'{"turns":[{"role":"tool","tool_args":{"a":NaN}}]}',
            "write them as text",
        ),
        (
            "record_conversation",
            b'{"turns":[{"role":"user","content":"' + b"x" * TEN_MEGABYTES + b'"}]}',
            "Split it",
        ),
    ],
    ids=["NaN", "more than any float", "a boolean", "NaN in a tool call", "10 MB"],
)
async def test_what_json_can_write_and_we_cannot_use_is_refused(
    pipes: Pipes, tool: str, arguments: bytes, next_step: str
) -> None:
    result = (await answer(pipes, call(tool, arguments)))["result"]
    assert result["isError"]
    assert next_step in result["content"][0]["text"]


async def test_noise_between_requests_is_no_end(pipes: Pipes) -> None:
    for noise in (
        b"\n",
        b"this is not JSON\n",
        b"{}\n",
        b"null\n",
        b"[]\n",
        b'{"id":\n',
        b"\x00\xff\n",
        b'"\n',
        b"}{][\n",
    ):
        await pipes.stdin.send(noise)
    alive = await answer(pipes, b"\xef\xbb\xbf" + call("search_memory", b'{"query":"x"}'))
    assert alive["result"]["structuredContent"]["answered"] is False


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('{"id":5,"method":"x"', 5),
        ('{"id" : "five", oops', "five"),
        ('{"params":{"id":7},"id":5,', 5),
        ('{"params":[{"id":7}],"text":"\\"id\\":8","id":-5}', -5),
        ('{"params":{"id":7}', None),
        ('{"id":null', None),
        ('{"id":1.5', 1),
        ('["id",5]', None),
        ("", None),
    ],
)
def test_a_request_is_known_by_the_outermost_id(line: str, expected: object) -> None:
    assert request_id(line) == expected


@given(st.recursive(st.text() | st.integers() | st.none(), st.lists, max_leaves=5))
def test_good_json_is_left_alone(value: object) -> None:
    for line in (json.dumps(value), json.dumps(value, ensure_ascii=False)):
        assert json.loads(repair_line(line)) == value


@pytest.mark.parametrize("unit", ['"', "\\", '\\"', '"\\', "{", '"id"', '"id":', "\\ud83d", '"\\u'])
def test_a_hostile_line_is_scanned_once(unit: str) -> None:
    line = unit * (200_000 // len(unit))  # a scan from every quote would take minutes
    assert repair_line(line)
    request_id(line)
