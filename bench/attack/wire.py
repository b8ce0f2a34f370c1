"""Clients that break the wire: garbage, endless lines, answers that nobody reads, closed pipes."""

import json
import subprocess
from collections.abc import Mapping
from typing import IO, Any

import anyio
import anyio.to_thread

from bench.attack.arena import Arena
from bench.attack.attack import slow_attack
from bench.attack.processes import resident_mb
from bench.stdio import LEGACY


def _send(pipe: IO[bytes] | None, message: Mapping[str, Any]) -> None:
    if pipe is not None:
        pipe.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        pipe.flush()


def _open(process: "subprocess.Popen[bytes]") -> None:
    """Say hello, and wait until the server says hello."""
    _send(process.stdin, {"id": 1, "method": LEGACY.opening, "params": dict(LEGACY.params)})
    if process.stdout is not None:
        process.stdout.readline()
    _send(process.stdin, {"method": "notifications/initialized"})


def _call(number: int, tool: str, **arguments: object) -> dict[str, Any]:
    params = {"name": tool, "arguments": arguments}
    return {"id": number, "method": "tools/call", "params": params}


@slow_attack
async def send_lines_that_are_no_messages(arena: Arena) -> None:
    """Write garbage, half messages, arrays, doubled ids, odd versions and 40 MB lines to stdin."""
    lines = (
        b"",
        b"\x00\x01\x02\xff",
        b"{",
        b"[]",
        b"null",
        b"42",
        b'"x"',
        b"{}" * 1000,
        b"[" * 100_000,
        b'{"jsonrpc": "1.0", "id": 5, "method": "ping"}',
        b'{"jsonrpc": "2.0", "id": null}',
        b'{"jsonrpc": "2.0", "id": {"a": 1}, "method": "ping"}',
        b"\xef\xbb\xbf{}",
        b'{"jsonrpc": "2.0", "id": 6, "id": 7, "method": "ping", "method": "tools/list"}',
        b'{"jsonrpc": "2.0", "id": 8, "result": {}}',
        b'{"jsonrpc": "2.0", "method": "exit"}',
        b'{"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": []}',
        b'{"jsonrpc": "2.0", "id": 1e400, "method": "ping"}',
        b'{"jsonrpc": "2.0", "id": 10, "method": ""}',
        b'{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 77}}',
        b"x" * 40_000_000,
    )
    with arena.start("serve") as process:

        def attack_it() -> bool:
            _open(process)
            for line in lines:
                if process.stdin is not None:
                    process.stdin.write(line + b"\n")
                    process.stdin.flush()
            _send(process.stdin, _call(99, "remember", content="The kiln is warm"))
            while process.stdout is not None:
                answer = process.stdout.readline()
                if not answer or b'"id":99' in answer.replace(b" ", b""):
                    return bool(answer)
            return False

        with anyio.move_on_after(30):
            served = await anyio.to_thread.run_sync(attack_it, abandon_on_cancel=True)
            arena.check(served, "the server ended")
            return
        arena.check(False, "the server answers no more")


@slow_attack
async def never_read_an_answer(arena: Arena) -> None:
    """Ask thousands of questions and read nothing: no lock is held, and others are served."""
    with arena.start("serve") as process:

        def flood() -> int:
            _open(process)
            for i in range(300):
                text = f"turn {i} " + "kiln " * 400
                turns = [{"role": "user", "content": text}]
                _send(
                    process.stdin, _call(i + 2, "record_conversation", turns=turns, session_id="s")
                )
                _send(
                    process.stdin,
                    _call(
                        i + 9000,
                        "search_conversation_traces",
                        query="kiln",
                        limit=200,
                        max_tokens=100_000,
                    ),
                )
            return 1

        with anyio.move_on_after(10):
            await anyio.to_thread.run_sync(flood, abandon_on_cancel=True)
        async with arena.serve() as other:
            with anyio.move_on_after(20) as scope:
                arena.check(bool(await other.remember("The barn is red")), "nothing is remembered")
                arena.check(bool(await other.find("barn")), "nothing is found")
            arena.check(not scope.cancelled_caught, "another client is not served")
        megabytes = resident_mb(process.pid)
        arena.note("MB of the server that nobody reads from", megabytes)
        arena.check(megabytes < 600, f"it has grown to {megabytes:.0f} MB")  # noqa: PLR2004


@slow_attack
async def leave_in_the_middle_of_an_answer(arena: Arena) -> None:
    """Close the pipes while calls are in flight: the server ends, and nothing stays locked."""
    for number in range(4):
        with arena.start("serve") as process:

            def ask(process: "subprocess.Popen[bytes]" = process, number: int = number) -> None:
                _open(process)
                for i in range(20):
                    turns = [{"role": "user", "content": f"turn {number} {i} " + "kiln " * 400}]
                    _send(
                        process.stdin,
                        _call(i + 2, "record_conversation", turns=turns, session_id=f"s{number}"),
                    )
                for pipe in (process.stdout, process.stdin):
                    if pipe is not None:
                        pipe.close()
                process.stdin = process.stdout = None

            await anyio.to_thread.run_sync(ask)
            for _ in range(200):
                if process.poll() is not None:
                    break
                await anyio.sleep(0.05)
            arena.check(process.poll() is not None, f"round {number}: the server goes on")
            error = process.stderr.read().decode() if process.stderr else ""
            arena.check("kiln" not in error, f"round {number}: it logs content: {error[-200:]}")
    async with arena.serve() as caller:
        arena.check(bool(await caller.remember("The barn is red")), "nothing can be written")
    ran = await arena.run("doctor")
    arena.check(ran.code == 0, f"doctor: {ran.text[-300:]}")
