"""Memoria itself, as any client sees it: `memoria serve` and its two tools.

It shows long turns in excerpts and cites them by ids of its own, so that the marker, a turn's last
word, is mostly not shown: what an excerpt tells is told by `told` alone.
"""

import sys
from pathlib import Path

import anyio

from bench.peers.client import Connection, Launch
from bench.peers.notes import Note
from bench.peers.systems.system import HITS, System

_POLL_S = 0.5
_LONGEST_S = 900


def _launch(_: Path, folder: Path) -> Launch:
    return Launch((sys.executable, "-m", "memoria", "--home", str(folder), "serve"), folder)


async def _store(connection: Connection, note: Note) -> bool:
    turn = note.turn
    await connection.call(
        "record_conversation",
        turns=[
            {
                "role": turn.role,
                **({"speaker": turn.speaker} if turn.speaker else {}),
                "content": note.said,
                "session_id": turn.session_id,
                "message_id": note.marker,
                "at": note.at.isoformat(),
            }
        ],
    )
    return True


async def _settle(connection: Connection) -> None:
    with anyio.fail_after(_LONGEST_S):
        while (await connection.read("memory://status"))["backlog"]["pending"]:
            await anyio.sleep(_POLL_S)


async def _ask(connection: Connection, question: str, budget: int) -> str:
    return await connection.call("search_conversation_traces", query=question, max_tokens=budget)


async def _ask_for_more(connection: Connection, question: str, budget: int) -> str:
    return await connection.call(
        "search_conversation_traces", query=question, max_tokens=budget, limit=HITS
    )


async def _ask_of_user(connection: Connection, question: str, budget: int) -> str:
    return await connection.call(
        "search_conversation_traces", query=question, max_tokens=budget, role="user"
    )


SYSTEM = System(
    name="memoria",
    package=None,
    embeds="sentence encoder, bundled",
    launch=_launch,
    store=_store,
    settle=_settle,
    takes_budget=True,
    ways={"default": _ask, f"limit {HITS}": _ask_for_more},
    of_user={"role: user": _ask_of_user},
)
