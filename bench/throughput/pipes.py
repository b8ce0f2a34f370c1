"""Clients with a server of their own each, over its standard input and output."""

import os
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import anyio.to_thread

from bench.checkouts import memoria_command
from bench.stdio import MODERN, Session, connect
from bench.throughput.clients import CAPTURE, SEARCHES, Account, Act, Script, run_clients

_HANG_S = 60.0
_WARM_UP = 6


async def run_servers(
    checkout: Path, home: Path, script: Script, clients: int, seconds: float
) -> Account:
    """What so many servers of a checkout answer on one home."""
    command = memoria_command(
        checkout, "--home", str(home), "--tenant", script.tenant, "--workspace", "none", "serve"
    )
    with ExitStack() as stack:
        most_s = _HANG_S + 2 * seconds
        servers = [
            stack.enter_context(connect(command, os.environ, MODERN, most_s))
            for _ in range(clients)
        ]

        async def act(client: int, i: int, tool: str) -> None:
            call = partial(_call, servers[client], script, i, tool)
            await anyio.to_thread.run_sync(call)

        async with anyio.create_task_group() as tasks:
            for client in range(clients):
                tasks.start_soon(_warm_up, act, client)
        return await run_clients(act, clients, seconds, [server.pid for server in servers])


async def _warm_up(act: Act, client: int) -> None:
    for i in range(_WARM_UP):
        await act(client, -1 - i, (*SEARCHES, CAPTURE)[i % 3])


def _call(server: Session, script: Script, i: int, tool: str) -> None:
    """One call of a tool, answered; what a tool refuses is an error."""
    arguments = {"turns": [script.turn(i)]} if tool == CAPTURE else {"query": script.question(i)}
    answer = server.request("tools/call", {"name": tool, "arguments": arguments})
    if answer.get("isError"):
        raise RuntimeError(str(answer["content"]))
