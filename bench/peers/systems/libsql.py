"""mcp-memory-libsql: the same graph in a database, found by its text."""

from functools import partial
from pathlib import Path

from bench.peers.client import Connection, Launch
from bench.peers.envs import Npm
from bench.peers.systems.graph import store_entity
from bench.peers.systems.system import HITS, System
from bench.peers.systems.words import word_by_word

_LONGEST = 4096
"""Characters that it takes as one observation."""


def _launch(environment: Path, folder: Path) -> Launch:
    server = environment / "node_modules" / ".bin" / "mcp-memory-libsql"
    return Launch((str(server),), folder, {"LIBSQL_URL": f"file:{folder / 'memory.db'}"})


async def _look(connection: Connection, query: str) -> str:
    return await connection.call("search_nodes", query=query, limit=HITS)


async def _ask(connection: Connection, question: str, _: int) -> str:
    return await _look(connection, question)


SYSTEM = System(
    name="mcp-memory-libsql",
    package=Npm("mcp-memory-libsql@0.0.17"),
    embeds="no",
    launch=_launch,
    store=partial(store_entity, longest=_LONGEST),
    ways={"default": _ask, "word by word": partial(word_by_word, _look)},
)
